// Which passes of a list run, and in which order: the gate and what passes require.
#include <algorithm>

#include "core/passes/pass.h"
#include "core/passes/why_not.h"
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

/// *why: what closes it.
Gate AskGate(const PassEntry &pass, const PassContext &ctx, Refusal *why) {
  const std::string &name = pass.info.name;
  const PassScope &scope = *ctx.scope;
  const auto gate = [&](bool on, const char *expected, const auto &...actual) {
    if (!on && why) *why = {Str(actual...), expected};
    return on ? Gate::kOn : Gate::kOff;
  };
  if (pass.info.essential && ctx.owns_graph) return Gate::kOn;
  if (pass.info.needs_shapes && !ctx.shapes_known)
    return gate(false, "all shapes are known", "the graph has open shapes, for which pass '", name, "' waits");
  if (scope.disabled.count(name))
    return gate(false, "the pass is not disabled", "disabled: the pass context has '", name, "' in disabled_pass");
  if (pass.info.kind == PassKind::kFunction || pass.info.kind == PassKind::kStream)
    return Gate::kOn;  // no switch, no level
  const PassSwitches &switches = scope.switches;
  const char *const on = "its switch is on";
  if (auto at = switches.option.find(name); at != switches.option.end())
    return gate(at->second, on, "switched off by option ge.optimizationSwitch");
  if (auto at = switches.file.find(name); at != switches.file.end())
    return gate(at->second, on, "switched off in the file of ge.fusionSwitchFile");
  if (pass.info.kind == PassKind::kFusion)
    return gate(switches.all.value_or(true), on, "all fusion passes are off in the file of ge.fusionSwitchFile");
  return scope.required.count(name) != 0 ? Gate::kOn : Gate::kByLevel;
}

/// Those who ask why nothing matched are told of gates that are closed.
void TellClosed(const PassEntry &pass, const PassContext &ctx, const Refusal &why) {
  if (ctx.why_not) ctx.why_not->Closed(pass.info.name, why);
}

}  // namespace

bool PassEnabled(const PassEntry &pass, const PassContext &ctx, Refusal *why) {
  const Gate gate = AskGate(pass, ctx, why);
  if (gate != Gate::kByLevel) return gate == Gate::kOn;
  if (pass.info.level <= ctx.scope->opt_level) return true;
  if (why) *why = {Str("opt_level is ", ctx.scope->opt_level), Str("opt_level ", pass.info.level, " or more")};
  return false;
}

namespace {

class Sequence {
 public:
  Sequence(Graph &root, PassContext &ctx) : root_(root), ctx_(ctx) {}

  void Run(const PassEntry &pass) {
    CheckCircle(pass);
    // It stays on the list while it runs: it may hold a pass that requires it.
    ctx_.under_way.push_back(&pass);
    struct Pop {
      PassContext &ctx;
      ~Pop() { ctx.under_way.pop_back(); }
    } pop{ctx_};
    for (const std::string &name : pass.info.required) {
      const PassEntryPtr needed = PassRegistry::Instance().Find(name);
      if (!needed)
        Fail(GE_NOT_FOUND, "pass '", pass.info.name, "' requires pass '", name, "', which there is not",
             PassRegistry::Instance().Suggestion(name));
      Refusal closed;
      if (AskGate(*needed, ctx_, &closed) == Gate::kOff) {
        TellClosed(*needed, ctx_, closed);
        const std::string text =
            Str("pass '", pass.info.name, "' requires pass '", name, "', which is ",
                ctx_.scope->disabled.count(needed->info.name) ? "disabled" : "off or waits for shapes");
        ctx_.scope->Report(GE_LOG_WARNING, "", text);
        WarnOnce(text);
        continue;
      }
      Run(*needed);
    }
    if (ctx_.why_not && ctx_.why_not->prepare) ctx_.why_not->prepare(pass, root_);
    int64_t changes = 0;
    changed_ += RunPass(pass, root_, ctx_, &changes);
    changes_ += static_cast<size_t>(changes);
  }
  size_t changed() const { return changed_; }
  size_t changes() const { return changes_; }

 private:
  void CheckCircle(const PassEntry &pass) const {
    auto at = std::find(ctx_.under_way.begin(), ctx_.under_way.end(), &pass);
    if (at == ctx_.under_way.end()) return;
    std::string circle;
    for (; at != ctx_.under_way.end(); ++at)
      circle += "'" + (*at)->info.name + ((*at)->info.holds_passes ? "' holds " : "' requires ");
    Fail(GE_BAD_STATE, "passes require one another in a circle: ", circle, "'", pass.info.name, "'");
  }

  Graph &root_;
  PassContext &ctx_;
  size_t changed_ = 0, changes_ = 0;
};

}  // namespace

size_t RunSequence(const std::vector<PassEntryPtr> &passes, Graph &root, PassContext &ctx) {
  Sequence sequence(root, ctx);
  Refusal closed;
  for (const PassEntryPtr &pass : passes) {
    if (PassEnabled(*pass, ctx, &closed)) sequence.Run(*pass);
    else TellClosed(*pass, ctx, closed);
  }
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
  entry->info.whole_tree = true;
  entry->info.kind = PassKind::kSequence;
  for (const PassEntryPtr &held : passes) entry->depth = std::max(entry->depth, held->depth);
  ++entry->depth;
  entry->run = [passes = std::move(passes)](Graph &root, PassContext &ctx) {
    return RunSequence(passes, root, ctx) != 0;
  };
  return entry;
}

}  // namespace gec
