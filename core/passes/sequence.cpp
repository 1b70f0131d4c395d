// Which passes of a list run, and in which order: the gate and what passes require.
#include <algorithm>

#include "core/passes/pass.h"
#include "core/support/log.h"
#include "core/support/warnings.h"

namespace gec {

void CheckPassName(std::string_view name, std::string_view what, bool disabled) {
  const PassEntryPtr pass = PassRegistry::Instance().Find(name);
  if (!pass)
    Fail(GE_OPTION_INVALID, what, ": there is no pass '", name, "'", PassRegistry::Instance().Suggestion(name));
  if (disabled && pass->info.essential)
    Fail(GE_OPTION_INVALID, what, ": pass '", name, "' cannot be disabled, no compile is right without it");
}

namespace {

enum class Gate { kOff, kOn, kByLevel };

Gate AskGate(const PassEntry &pass, const PassScope &scope) {
  const std::string &name = pass.info.name;
  if (pass.info.essential) return Gate::kOn;
  if (scope.disabled.count(name)) return Gate::kOff;
  if (pass.kind == PassKind::kFunction || pass.kind == PassKind::kStream) return Gate::kOn;  // no switch, no level
  const PassSwitches &switches = scope.switches;
  const auto gate = [](bool on) { return on ? Gate::kOn : Gate::kOff; };
  if (auto at = switches.option.find(name); at != switches.option.end()) return gate(at->second);
  if (auto at = switches.file.find(name); at != switches.file.end()) return gate(at->second);
  if (pass.kind == PassKind::kFusion) return gate(switches.all.value_or(true));
  return scope.required.count(name) != 0 ? Gate::kOn : Gate::kByLevel;
}

}  // namespace

bool PassEnabled(const PassEntry &pass, const PassContext &ctx) {
  if (pass.info.needs_shapes && !ctx.shapes_known) return false;
  const Gate gate = AskGate(pass, *ctx.scope);
  return gate == Gate::kByLevel ? pass.info.level <= ctx.scope->opt_level : gate == Gate::kOn;
}

namespace {

class Sequence {
 public:
  Sequence(Graph &root, PassContext &ctx) : root_(root), ctx_(ctx) {}

  void Run(const PassEntry &pass) {
    CheckCircle(pass);
    under_way_.push_back(pass.info.name);
    for (const std::string &name : pass.info.required) {
      const PassEntryPtr needed = PassRegistry::Instance().Find(name);
      if (!needed)
        Fail(GE_NOT_FOUND, "pass '", pass.info.name, "' requires pass '", name, "', which there is not",
             PassRegistry::Instance().Suggestion(name));
      if (AskGate(*needed, *ctx_.scope) == Gate::kOff) {
        const std::string text = Str("pass '", pass.info.name, "' requires pass '", name, "', which is disabled");
        ctx_.scope->Report(GE_LOG_WARNING, "", text);
        WarnOnce(text);
        continue;
      }
      Run(*needed);
    }
    under_way_.pop_back();
    int64_t changes = 0;
    changed_ += RunPass(pass, root_, ctx_, &changes);
    changes_ += static_cast<size_t>(changes);
  }
  size_t changed() const { return changed_; }
  size_t changes() const { return changes_; }

 private:
  void CheckCircle(const PassEntry &pass) const {
    auto at = std::find(under_way_.begin(), under_way_.end(), pass.info.name);
    if (at == under_way_.end()) return;
    std::string circle;
    for (; at != under_way_.end(); ++at) circle += "'" + *at + "' requires ";
    Fail(GE_BAD_STATE, "passes require one another in a circle: ", circle, "'", pass.info.name, "'");
  }

  Graph &root_;
  PassContext &ctx_;
  std::vector<std::string> under_way_;  // passes whose requirements are being run
  size_t changed_ = 0, changes_ = 0;
};

}  // namespace

size_t RunSequence(const std::vector<PassEntryPtr> &passes, Graph &root, PassContext &ctx) {
  Sequence sequence(root, ctx);
  for (const PassEntryPtr &pass : passes)
    if (PassEnabled(*pass, ctx)) sequence.Run(*pass);
  ctx.Changes(sequence.changes());
  return sequence.changed();
}

PassEntryPtr MakeSequence(std::string name, int32_t level, std::vector<PassEntryPtr> passes,
                          std::vector<std::string> required) {
  auto entry = std::make_shared<PassEntry>();
  entry->info.name = std::move(name);
  entry->info.stage = GE_STAGE_NONE;
  entry->info.level = level;
  entry->info.holds_passes = true;
  entry->info.required = std::move(required);
  entry->whole_tree = true;
  entry->kind = PassKind::kSequence;
  entry->run = [passes = std::move(passes)](Graph &root, PassContext &ctx) {
    return RunSequence(passes, root, ctx) != 0;
  };
  return entry;
}

size_t RunStage(Graph &root, PassContext &ctx, int32_t stage, PassOwner owner, int32_t most_level) {
  const PassRegistry &registry = PassRegistry::Instance();
  std::vector<PassEntryPtr> passes =
      owner == PassOwner::kProgram ? registry.OfProgram(stage) : registry.OfLibrary(stage);
  passes.erase(std::remove_if(passes.begin(), passes.end(),
                              [&](const PassEntryPtr &pass) { return pass->info.level > most_level; }),
               passes.end());
  return RunSequence(passes, root, ctx);
}

}  // namespace gec
