#include "core/passes/pass.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "core/ops/infer_subgraphs.h"
#include "core/passes/pass_config.h"
#include "core/passes/result_check.h"
#include "core/passes/why_not.h"
#include "core/support/log.h"
#include "core/support/per_thread.h"

namespace gec {

PassRun::Rule &PassContext::Rule(const char *rule) {
  PassRun &run = run_ ? *run_ : PerThread<PassRun>::Get();  // its own: a pass called by hand
  return run.rules[rule];
}

void PassContext::Applied(const char *rule, int64_t times) {
  Rule(rule).applied += times;
  if (why_not) why_not->Applied(rule, node_);
}

void PassContext::MayRewrite(const char *rule) {
  const int64_t most = scope ? scope->Int(kMaxRewritesKey, kMaxRewrites) : kMaxRewrites;
  if (Rule(rule).applied >= most)
    Fail(GE_FAILED, "pass '", pass_name(), "': ", most + 1, " rewrites in one pass, allowed: ", most,
         " (passes.max_rewrites); does it find what it makes?");
}

void PassContext::Declined(const char *rule, const Node &node, const Refusal &why) {
  Declined(rule, node.Label() + ": " + why.Text());
  if (why_not) why_not->Declined(rule, &node, why);
}

void PassContext::Declined(const char *rule, std::string why) {
  PassRun::Rule &r = Rule(rule);
  ++r.declined;
  r.last_refusal = std::move(why);
}

namespace {
thread_local PassContext *current_context = nullptr;
const std::string no_name;  // not local: to register its destructor can allocate

/// All that a pass is watched by: the compile's own instruments, then the scope's. The scope's as they are at this
/// moment, as an instrument may change them.
class Watchers {
 public:
  explicit Watchers(const PassContext &ctx)
      : own_(ctx.own_instruments),
        others_(ctx.scope->watched_by ? ctx.scope->watched_by->instruments : ctx.scope->instruments) {}
  size_t size() const { return own_.size() + others_.size(); }
  bool IsOwn(size_t i) const { return i < own_.size(); }
  PassInstrument &operator[](size_t i) const { return i < own_.size() ? *own_[i] : *others_[i - own_.size()]; }

 private:
  const std::vector<PassInstrumentPtr> &own_;  // do not change while the compile goes on
  const std::vector<PassInstrumentPtr> others_;
};

/// Subgraphs of a tree, to tell whether a pass that may not add or remove any did.
std::vector<const Graph *> GraphsOf(const Graph &root) {
  std::vector<const Graph *> graphs;
  for (const GraphPtr &graph : root.subgraphs()) graphs.push_back(graph.get());
  return graphs;
}
}  // namespace

PassContext *PassContext::Current() { return current_context; }

const std::string &PassContext::pass_name() const { return run_ ? run_->name : no_name; }

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
    run_.kind = pass.info.kind;
    ctx.run_ = &run_;
    current_context = &ctx;
  }
  ~PassRunner() {
    ctx_.run_ = outer_;
    current_context = outer_context_;
  }

  bool Run(int64_t *changes) {
    if (changes) *changes = 0;
    ctx_.At(nullptr, nullptr);  // throws where the compile is cancelled: by now the destructor takes back what was set
    const Watchers instruments(ctx_);
    std::optional<Transaction> all;
    const bool may_rebuild = pass_.rebuildable || (pass_.info.kind == PassKind::kSequence && !OfStreams());
    if (!ctx_.owns_graph || !may_rebuild) all.emplace(Root());
    if (!ShouldRun(instruments)) return false;
    size_t told = 0, ended = 0;  // of the instruments
    try {
      for (; told < instruments.size(); ++told)
        Show(instruments, told, [&](PassInstrument &one) { one.RunBefore(Root(), pass_.info); });
      Named([&] { Work(all ? &*all : nullptr); });
      while (ended < instruments.size())
        Show(instruments, ended++, [&](PassInstrument &one) { one.RunAfter(Root(), pass_.info, run_); });
      if (all) all->Commit();
    } catch (...) {
      for (size_t i = ended; i < told; ++i) instruments[i].RunFailed(pass_.info);
      throw;
    }
    if (changes) *changes = run_.changes;
    if (pass_.info.kind != PassKind::kSequence) ctx_.report.push_back(std::move(run_));
    return changed_;
  }

 private:
  bool ShouldRun(const Watchers &instruments) {
    if (ctx_.scope->required.count(pass_.info.name)) return true;
    bool run = true;
    for (size_t i = 0; i < instruments.size(); ++i)
      Show(instruments, i, [&](PassInstrument &one) {
        if (one.ShouldRun(Root(), pass_.info)) return;
        run = false;
        if (ctx_.why_not)
          ctx_.why_not->Closed(pass_.info.name, {Str("should_run of instrument '", one.name(), "' returned False"),
                                                 Str("instrument '", one.name(), "' lets it run")});
      });
    return run || (pass_.info.essential && ctx_.owns_graph);  // a compile is not right without it
  }

  /// Instruments of programs look at the graph; an edit behind the back of a pass would crash what follows.
  template <class Call>
  void Show(const Watchers &instruments, size_t i, Call call) {
    if (instruments.IsOwn(i)) return call(instruments[i]);
    Transaction look(Root());
    call(instruments[i]);
    if (look.changed())
      Fail(GE_BAD_STATE, "pass instrument '", instruments[i].name(), "' edited the graph at pass '", pass_.info.name,
           "': instruments may only look");
    look.Commit();
  }
  /// A program's pass that comes after streams are assigned, of whatever kind.
  bool OfStreams() const {
    return pass_.info.kind == PassKind::kStream ||
           (pass_.info.stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM && !pass_.info.builtin);
  }

  void Work(const Transaction *all) {
    const auto begin = std::chrono::steady_clock::now();
    ResultCheck *early =
        pass_.info.builtin || pass_.info.kind == PassKind::kSequence ? nullptr : ctx_.early_results.get();
    const size_t edits = early ? early->BeginPass(Root()) : 0;
    const bool had_outputs = !pass_.info.builtin && !Root().Outputs().empty();
    if (pass_.info.whole_tree) run_.changed = pass_.run(Root(), ctx_);
    else EachGraph();
    if (early) early->EndPass(Root(), edits);
    if (OfStreams() && all && all->changed())
      Fail(GE_GRAPH_INVALID, "a stream pass may change streams only, it edited the graph");
    // A program's pass may leave anything behind, such as an output whose node is gone. What a sequence holds was
    // verified pass by pass.
    const bool changed = all ? all->changed() : run_.changed;
    if (pass_.changed_by_graph) run_.changed = changed;
    if ((ctx_.verify || !pass_.info.builtin) && changed && pass_.info.kind != PassKind::kSequence) {
      ctx_.At("verify", nullptr);
      if (had_outputs && Root().Outputs().empty())
        Fail(GE_GRAPH_INVALID, "the pass left graph '", Root().name(), "' without outputs");
      Root().Verify();
    }
    changed_ = run_.changed;
    if (run_.changes == 0 && run_.changed) run_.changes = 1;
    run_.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  /// Also while a sequence runs, a pass of it may make the root anew.
  Graph &Root() const { return ctx_.successor ? *ctx_.successor : root_; }

  void EachGraph() {
    Graph &root = Root();
    const auto one = [&](Graph &graph) {
      if (!SkipsOptimization(graph)) run_.changed |= Infers(graph) && pass_.run(graph, ctx_);
      else if (ctx_.why_not)
        ctx_.why_not->Closed(pass_.info.name, {Str("graph '", graph.name(), "' has it"),
                                               Str("a graph without attribute ", SkipOptimizationAttr().view())});
    };
    const std::vector<const Graph *> before = pass_.info.builtin ? std::vector<const Graph *>() : GraphsOf(root);
    one(root);
    const std::vector<GraphPtr> subgraphs = root.subgraphs();  // a pass of the library may have removed some
    for (const GraphPtr &sub : subgraphs) one(*sub);
    if (!pass_.info.builtin && before != GraphsOf(root))
      Fail(GE_GRAPH_INVALID, "a function pass may neither add nor remove graphs: there were ", before.size(),
           ", there are ", root.subgraphs().size(), "; make it a module pass");
  }

  /// Errors say where they happened.
  template <class F>
  void Named(F work) {
    try {
      work();
    } catch (const Error &e) {
      if (Silent()) throw;
      Fail(e.code(), Where(), e.what());
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const Cancelled &) {
      throw;
    } catch (const std::exception &e) {
      if (Silent()) throw;
      Fail(GE_FAILED, Where(), e.what());
    }
  }

  /// Essential passes speak of the graph, not of themselves; those in a sequence have said where.
  bool Silent() const { return pass_.info.essential || pass_.info.kind == PassKind::kSequence; }

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
  bool changed_ = false;
};

namespace {
/// Passes that run inside one another on this thread. A pass may run others and compile, which runs it again: without
/// an end that would be the end of the stack. One that does so on a thread that it starts and waits for would end the
/// threads of the machine, so these are counted too.
class Nesting {
 public:
  explicit Nesting(const PassEntry &pass) {
    if (depth_ >= kDeepest)
      Fail(GE_FAILED, "pass '", pass.info.name, "': ", kDeepest,
           " passes run inside one another, and no more may; does a pass run itself, or compile a graph that runs it?");
    static const int in_children = pthread_atfork(nullptr, nullptr, [] { threads_ = depth_ != 0; });
    (void)in_children;
    if (depth_ == 0 && threads_.fetch_add(1, std::memory_order_relaxed) >= kMostThreads) {
      threads_.fetch_sub(1, std::memory_order_relaxed);
      Fail(GE_FAILED, "pass '", pass.info.name, "': passes run on ", kMostThreads,
           " threads, and on no more they may; does a pass start a thread that compiles a graph which runs it?");
    }
    ++depth_;
  }
  ~Nesting() {
    if (--depth_ == 0) threads_.fetch_sub(1, std::memory_order_relaxed);
  }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;

 private:
  static constexpr int kDeepest = 256;
  static constexpr int kMostThreads = 1024;
  static thread_local int depth_;
  static std::atomic<int> threads_;  // on which at least one pass runs
};
constinit std::atomic<int> Nesting::threads_ = 0;
constinit thread_local int Nesting::depth_ = 0;
}  // namespace

bool RunPass(const PassEntry &pass, Graph &root, PassContext &ctx, int64_t *changes) {
  const Nesting nesting(pass);
  const ScopesStay stay;
  return PassRunner(pass, root.root(), ctx).Run(changes);
}

}  // namespace gec
