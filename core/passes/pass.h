// Running passes: what a pass is given, the one door through which each runs, and sequences.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"
#include "core/passes/pass_info.h"
#include "core/passes/pass_report.h"
#include "core/passes/pass_scope.h"
#include "core/passes/registry.h"
#include "core/pattern/refusal.h"
#include "core/support/cancel.h"

namespace gec {

class ResultCheck;    // core/passes/result_check.h
class WhyNot;         // core/passes/why_not.h
struct CompileState;  // core/compile/compile_state.h

/// Logical streams: what passes of the last stage may change.
struct StreamTable {
  std::map<const Node *, int64_t> ids;
  int64_t last = 0;  // the highest number in use
};

/// An engine that takes a node.
struct EngineOffer {
  std::string name;
  int32_t cost = 0;  // GE's number; 0 where the node needs no work
};

/// The services for passes and the place of their reports. There is one per compile; not shared between threads.
struct PassContext {
  /// Whose levels, names and instruments hold. At first this thread's.
  PassScopePtr scope = PassScope::Current();
  /// Of the compile itself: dumps, times. They are called before the scope's, for every pass that runs.
  std::vector<PassInstrumentPtr> own_instruments;
  /// Computes nodes whose inputs are known; may be empty.
  EvaluateFn evaluate;
  /// Would an engine other than the reference take this node? The first one by cost. May be empty: then no.
  std::function<bool(const GeOpDesc &, EngineOffer *)> supported;
  /// Why none of those takes it, for people. May be empty where `supported` is.
  std::function<std::string(const GeOpDesc &)> refusals;
  int32_t least_cost = 0;                                   // no engine that `supported` asks takes work for less
  int32_t c0 = 0;                                           // channels per block of NC1HWC0: 8, 16, or 0 for none
  uint64_t folded_bytes = 0;                                // by which constants have grown
  bool verify = false;                                      // check the graph after every pass
  bool owns_graph = false;                                  // a graph that fails is thrown away by the caller
  GraphPtr successor;                                       // of the root: a pass of an owned graph made it anew
  bool shapes_known = true;                                 // passes that need shapes may run
  std::map<std::string, std::string, std::less<>> options;  // that were set for this compile
  StreamTable streams;
  std::string error;                           // what a registered pass says about its failure
  PassReport report;                           // one entry per pass that ran, in order
  WhyNot *why_not = nullptr;                   // is told where rules end; mostly nobody is
  std::vector<const PassEntry *> under_way;    // passes that sequences run, or whose requirements they run
  std::shared_ptr<ResultCheck> early_results;  // in the stage before inference: is told what is replaced
  CompileState *compile = nullptr;             // for passes of the compile itself, which lie in core/compile

  // For passes: bookkeeping by rule, and where an error happened.
  void Tried(const char *rule, int64_t times = 1) { Rule(rule).tried += times; }
  void Applied(const char *rule, int64_t times = 1);
  /// A program replaces by hand. Throws GE_FAILED where passes.max_rewrites of the scope allows no more.
  void MayRewrite(const char *rule);
  void Declined(const char *rule, std::string why);
  /// Of this node. What the refusal does not say is the node's, or the rule's.
  void Declined(const char *rule, const Node &node, const Refusal &why);
  /// How much the pass changed, for reports; without it a pass that changed counts as one change.
  void Changes(size_t more) {
    if (run_) run_->changes += static_cast<int64_t>(more);
  }
  /// The node that is being looked at, for error messages; null when none is.
  /// Ends a compile that is cancelled.
  void At(const char *rule, const Node *node) {
    rule_ = rule;
    node_ = node;
    CheckCancelled([this] { return "in pass '" + pass_name() + "'"; });
  }
  /// Of the pass that runs; "" when none does.
  const std::string &pass_name() const;
  /// For passes that are run by hand: what they count goes there.
  void CountIn(PassRun *run) { run_ = run; }
  /// The one whose pass runs on this thread, or null.
  static PassContext *Current();

 private:
  friend class PassRunner;
  PassRun::Rule &Rule(const char *rule);
  PassRun *run_ = nullptr;
  const char *rule_ = nullptr;
  const Node *node_ = nullptr;
};

/// Throws GE_OPTION_INVALID for a name that no pass has, with near names, and for one that cannot be disabled. `what`
/// says where the name stands.
void CheckPassName(std::string_view name, std::string_view what, bool disabled);
/// The gate, which only sequences ask: disabled, or off by a switch: no; required, or on: yes; else by level. Switches
/// are GE's, which speak of fusion passes and the library's own. In a compile an essential pass runs always. A pass
/// that needs shapes is left out while shapes are open, whatever else is said of it. *why: what keeps it.
bool PassEnabled(const PassEntry &pass, const PassContext &ctx, Refusal *why = nullptr);
/// The graph is to stay as it is (attribute SkipOptimization).
Symbol SkipOptimizationAttr();
bool SkipsOptimization(const Graph &graph);

/// The one door: asks the instruments, runs the pass on the root and its subgraphs (those with attribute
/// SkipOptimization are left out), verifies, tells the instruments, reports. A pass is a transaction: when it throws,
/// or an instrument does, the graph is as before and the error names pass, rule and node. The gate is not asked.
/// Returns whether the graph was changed; *changes is how much.
bool RunPass(const PassEntry &pass, Graph &root, PassContext &ctx, int64_t *changes = nullptr);

/// Runs passes that the gate lets through, in order, each behind those that it requires. Throws GE_BAD_STATE for passes
/// that require one another in a circle, GE_NOT_FOUND for a required name that no pass has. Returns how many changed
/// something.
size_t RunSequence(const std::vector<PassEntryPtr> &passes, Graph &root, PassContext &ctx);
/// A pass that holds passes.
PassEntryPtr MakeSequence(std::string name, int32_t level, std::vector<PassEntryPtr> passes,
                          std::vector<std::string> required = {});

}  // namespace gec
