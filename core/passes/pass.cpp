#include "core/passes/pass.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "core/ops/infer_subgraphs.h"
#include "core/ops/registry.h"
#include "core/passes/builtin.h"
#include "core/support/cancel.h"
#include "core/support/json_text.h"
#include "core/support/log.h"
#include "core/support/per_thread.h"

namespace gec {

PassRun::Rule PassRun::Total() const {
  Rule total;
  for (const auto &[name, rule] : rules) {
    total.tried += rule.tried;
    total.applied += rule.applied;
    total.declined += rule.declined;
  }
  return total;
}

std::string PassReportJson(const PassReport &report) {
  auto counts = [](const PassRun::Rule &r) {
    return Str("\"tried\":", r.tried, ",\"applied\":", r.applied, ",\"declined\":", r.declined);
  };
  std::string text = "[";
  for (const PassRun &run : report) {
    if (text.size() > 1) text += ",";
    text += Str("\n{\"name\":", JsonText(run.name), ",\"stage\":", run.stage,
                ",\"changed\":", run.changed ? "true" : "false", ",\"ms\":", run.ms, ",", counts(run.Total()),
                ",\"rules\":{");
    bool first = true;
    for (const auto &[name, rule] : run.rules) {
      text += Str(first ? "" : ",", JsonText(name), ":{", counts(rule));
      if (!rule.last_refusal.empty()) text += Str(",\"last_refusal\":", JsonText(rule.last_refusal));
      text += "}";
      first = false;
    }
    text += "}}";
  }
  return text + "]";
}

PassRun::Rule &PassContext::Rule(const char *rule) {
  PassRun &run = run_ ? *run_ : PerThread<PassRun>::Get();  // its own: a pass called by hand
  return run.rules[rule];
}

void PassContext::Declined(const char *rule, std::string why) {
  PassRun::Rule &r = Rule(rule);
  ++r.declined;
  r.last_refusal = std::move(why);
}

// ---- registry ----

PassRegistry &PassRegistry::Instance() {
  static PassRegistry *instance = new PassRegistry();
  return *instance;
}

PassRegistry::PassRegistry() {
  for (const BuiltinPass &pass : BuiltinPasses()) {
    auto entry = std::make_shared<PassEntry>();
    entry->info = {pass.name, pass.stage, pass.level, true};
    entry->run = pass.run;
    builtin_.push_back(std::move(entry));
  }
}

namespace {
/// The beginning of a message that says why a pass can never run in its stage, or null.
const char *NeverRuns(const PassEntry &entry, bool known) {
  const int32_t stage = entry.info.stage;
  switch (entry.kind) {
    case PassKind::kPlain:
      return nullptr;
    case PassKind::kFunction:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM ? "E13030: " : nullptr;
    case PassKind::kStream:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM ? nullptr : "E13030: ";
    case PassKind::kFusion:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM || (!known && stage != kStageCompatibleInherited) ? ""
                                                                                                           : nullptr;
  }
  return nullptr;
}
}  // namespace

uint64_t PassRegistry::Register(PassEntry entry) {
  const PassInfo &info = entry.info;
  if (info.name.empty()) Fail(GE_PARAM_INVALID, "a pass needs a name");
  if (!entry.run) Fail(GE_PARAM_INVALID, "pass '", info.name, "' has no function");
  const bool known = std::find(std::begin(kStageOrder), std::end(kStageOrder), info.stage) != std::end(kStageOrder);
  if (entry.kind == PassKind::kPlain && !known)
    Fail(GE_PARAM_INVALID, "pass '", info.name, "': stage ", info.stage, " is unknown, expected 0 to 4");
  if (const char *why = NeverRuns(entry, known)) {
    Log(GE_LOG_ERROR, why, "pass '", info.name, "' is registered for stage ", info.stage, ", where it cannot run");
    return 0;
  }
  std::unique_lock lock(mutex_);
  for (const auto *list : {&builtin_, &user_}) {
    for (const PassEntryPtr &have : *list) {
      if (have->info.name != info.name || have->kind != entry.kind) continue;
      if (entry.kind == PassKind::kPlain) Fail(GE_PARAM_INVALID, "pass name '", info.name, "' is taken");
      if (entry.kind == PassKind::kFusion) return 0;
    }
  }
  entry.token = next_token_;
  entry.library = loading_;
  user_.push_back(std::make_shared<PassEntry>(std::move(entry)));
  return next_token_++;
}

void PassRegistry::Unregister(uint64_t token) noexcept {
  PassEntryPtr gone;  // destroyed outside the lock
  std::unique_lock lock(mutex_);
  auto at = std::find_if(user_.begin(), user_.end(), [&](const PassEntryPtr &p) { return p->token == token; });
  if (at == user_.end()) return;
  gone = *at;
  user_.erase(at);
  lock.unlock();
}

void PassRegistry::BeginLibrary(std::string path) {
  std::unique_lock lock(mutex_);
  loading_ = std::move(path);
}
void PassRegistry::EndLibrary() {
  std::unique_lock lock(mutex_);
  loading_.clear();
}
void PassRegistry::UseLibrary(const std::string &path, bool in_use) {
  std::unique_lock lock(mutex_);
  if (in_use) unloaded_.erase(path);
  else unloaded_.insert(path);
}

void PassRegistry::Unregister(std::string_view name) {
  PassEntryPtr gone;  // destroyed outside the lock: it may run code of the user
  {
    std::unique_lock lock(mutex_);
    auto at = std::find_if(user_.begin(), user_.end(), [&](const PassEntryPtr &p) { return p->info.name == name; });
    if (at != user_.end()) {
      gone = *at;
      user_.erase(at);
    }
  }
  if (gone) return;
  PassEntryPtr found = Get(name);
  Fail(GE_PARAM_INVALID, "pass '", name,
       "' is part of the library and cannot be unregistered; option passes.disable leaves it out");
}

PassEntryPtr PassRegistry::Find(std::string_view name) const {
  std::shared_lock lock(mutex_);
  for (const auto *list : {&builtin_, &user_}) {
    for (const PassEntryPtr &pass : *list) {
      if (pass->info.name == name && !IsUnloaded(*pass)) return pass;
    }
  }
  return nullptr;
}

std::vector<std::string> PassRegistry::Near(std::string_view name) const {
  std::vector<std::string> names;
  for (const PassEntryPtr &pass : All()) names.push_back(pass->info.name);
  return NearNames(name, names);
}

namespace {
std::string Suggestion(std::string_view name) {
  std::string text;
  for (const std::string &near : PassRegistry::Instance().Near(name))
    text += (text.empty() ? "; near names: " : ", ") + near;
  return text;
}
}  // namespace

PassEntryPtr PassRegistry::Get(std::string_view name) const {
  PassEntryPtr found = Find(name);
  if (!found) Fail(GE_NOT_FOUND, "there is no pass '", name, "'", Suggestion(name));
  return found;
}

std::vector<PassEntryPtr> PassRegistry::All() const {
  std::shared_lock lock(mutex_);
  std::vector<PassEntryPtr> all;
  for (int32_t stage : kStageOrder) {
    std::vector<PassEntryPtr> fusion;
    for (const PassEntryPtr &pass : user_) {
      if (pass->info.stage == stage && !IsUnloaded(*pass))
        (pass->kind == PassKind::kFusion ? fusion : all).push_back(pass);
    }
    std::sort(fusion.begin(), fusion.end(),
              [](const PassEntryPtr &a, const PassEntryPtr &b) { return a->info.name < b->info.name; });
    all.insert(all.end(), fusion.begin(), fusion.end());
    for (const PassEntryPtr &pass : builtin_) {
      if (pass->info.stage == stage) all.push_back(pass);
    }
  }
  return all;
}

// ---- running ----

namespace {
thread_local PassContext *current_context = nullptr;
const std::string no_name;  // not local: to register its destructor can allocate
}  // namespace

PassContext *PassContext::Current() { return current_context; }

const std::string &PassContext::pass_name() const { return run_ ? run_->name : no_name; }

bool PassEnabled(const PassEntry &pass, const PassContext &ctx) {
  const std::string &name = pass.info.name;
  if (ctx.disabled.count(name)) return false;
  if (pass.kind == PassKind::kFunction || pass.kind == PassKind::kStream) return true;
  const PassSwitches &switches = ctx.switches;
  if (auto at = switches.option.find(name); at != switches.option.end()) return at->second;
  if (auto at = switches.file.find(name); at != switches.file.end()) return at->second;
  if (pass.kind == PassKind::kFusion) return switches.all.value_or(true);
  return pass.info.level <= ctx.opt_level;
}

void CheckPassNames(const std::set<std::string> &disabled) {
  for (const std::string &name : disabled) {
    if (!PassRegistry::Instance().Find(name))
      Fail(GE_OPTION_INVALID, "option passes.disable: there is no pass '", name, "'", Suggestion(name));
  }
}

Symbol SkipOptimizationAttr() {
  static const Symbol name("SkipOptimization");
  return name;
}
bool SkipsOptimization(const Graph &graph) { return graph.attrs().Bool(SkipOptimizationAttr(), false); }

class PassRunner {
 public:
  PassRunner(const PassEntry &pass, Graph &root, PassContext &ctx)
      : pass_(pass), root_(root), ctx_(ctx), outer_(ctx.run_), outer_context_(current_context) {
    run_.name = pass.info.name;
    run_.stage = pass.info.stage;
    run_.kind = pass.kind;
    ctx.run_ = &run_;
    current_context = &ctx;
    ctx.At(nullptr, nullptr);
  }
  ~PassRunner() {
    ctx_.run_ = outer_;
    current_context = outer_context_;
  }

  bool Run() {
    auto begin = std::chrono::steady_clock::now();
    Transaction all(root_);
    try {
      auto one = [&](Graph &graph) {
        if (!pass_.whole_tree && (SkipsOptimization(graph) || !Infers(graph))) return;
        run_.changed |= pass_.run(graph, ctx_);
      };
      one(root_);
      if (!pass_.whole_tree) {
        std::vector<GraphPtr> subgraphs = root_.subgraphs();
        for (const GraphPtr &sub : subgraphs) one(*sub);
      }
      // A program's pass may leave anything behind, such as an output whose node is gone.
      if ((ctx_.verify || !pass_.info.builtin) && all.changed()) {
        ctx_.At("verify", nullptr);
        root_.Verify();
      }
    } catch (const Error &e) {
      Fail(e.code(), Where(), e.what());
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const Cancelled &) {
      throw;
    } catch (const std::exception &e) {
      Fail(GE_FAILED, Where(), e.what());
    }
    all.Commit();
    run_.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    ctx_.report.push_back(run_);
    if (ctx_.after_pass) ctx_.after_pass(run_, root_);
    return run_.changed;
  }

 private:
  /// Read before the transaction is undone: the node may be gone afterwards.
  std::string Where() const {
    std::string text = "pass '" + pass_.info.name + "'";
    if (ctx_.rule_ && run_.name != ctx_.rule_) text += Str(", rule '", ctx_.rule_, "'");
    if (ctx_.node_ && ctx_.node_->valid()) text += Str(", node ", ctx_.node_->Label());
    return text + ": ";
  }
  const PassEntry &pass_;
  Graph &root_;
  PassContext &ctx_;
  PassRun *outer_;
  PassContext *outer_context_;
  PassRun run_;
};

bool RunPass(const PassEntry &pass, Graph &root, PassContext &ctx) { return PassRunner(pass, root.root(), ctx).Run(); }

size_t RunStage(Graph &root, PassContext &ctx, int32_t stage, PassOwner owner, int32_t most_level) {
  size_t changed = 0;
  for (const PassEntryPtr &pass : PassRegistry::Instance().All()) {
    if (pass->info.stage != stage || pass->info.builtin != (owner == PassOwner::kLibrary) ||
        pass->info.level > most_level)
      continue;
    if (PassEnabled(*pass, ctx)) changed += RunPass(*pass, root, ctx);
  }
  return changed;
}

}  // namespace gec
