// Passes: what a pass is, what it is given, the table of all passes, and the runner that keeps graphs whole.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"
#include "core/support/cancel.h"
#include "ge/pass.h"

namespace gec {

/// The origin of a pass, which decides when it runs within its stage.
enum class PassKind : uint8_t {
  kPlain,     // the library's own, and those registered by a GePassTable: as registered
  kFunction,  // GE's function passes: as registered, on the root only
  kStream,    // the same, for streams
  kFusion,    // GE's fusion passes: by name, on the root and then every subgraph, on after the others
};

/// The statistics of one pass on a graph and its subgraphs.
struct PassRun {
  struct Rule {
    int64_t tried = 0, applied = 0, declined = 0;
    std::string last_refusal;  // why the newest candidate was left alone
  };
  std::string name;
  int32_t stage = 0;
  PassKind kind = PassKind::kPlain;
  bool changed = false;
  double ms = 0;
  std::map<std::string, Rule> rules;
  Rule Total() const;
};
using PassReport = std::vector<PassRun>;
/// A JSON array: name, stage, changed, ms, tried, applied, declined, rules.
std::string PassReportJson(const PassReport &report);

/// Which passes a program switched on or off, by name.
struct PassSwitches {
  std::map<std::string, bool, std::less<>> option, file;  // ge.optimizationSwitch; the file of ge.fusionSwitchFile
  std::optional<bool> all;                                // the file's entry for passes without one of their own
};

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
  /// Computes nodes whose inputs are known; may be empty.
  EvaluateFn evaluate;
  /// Would an engine other than the reference take this node? The first one by cost. May be empty: then no.
  std::function<bool(const GeOpDesc &, EngineOffer *)> supported;
  int32_t least_cost = 0;  // no engine that `supported` asks takes work for less
  int32_t c0 = 0;          // channels per block of NC1HWC0: 8, 16, or 0 for no blocked layout
  int32_t opt_level = 2;
  uint64_t folded_bytes = 0;                                // by which constants have grown
  std::set<std::string> disabled;                           // pass names that CheckPassNames has accepted
  bool verify = false;                                      // check the graph after every pass
  std::map<std::string, std::string, std::less<>> options;  // that were set for this compile
  PassSwitches switches;
  StreamTable streams;
  std::string error;                                             // what a registered pass says about its failure
  PassReport report;                                             // one entry per pass that ran, in order
  std::function<void(const PassRun &, Graph &root)> after_pass;  // for dumps and instruments; may be empty

  // For passes: bookkeeping by rule, and where an error happened.
  void Tried(const char *rule) { ++Rule(rule).tried; }
  void Applied(const char *rule) { ++Rule(rule).applied; }
  void Declined(const char *rule, std::string why);
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

/// True when the graph was changed.
using PassFn = std::function<bool(Graph &, PassContext &)>;

struct PassInfo {
  std::string name;
  int32_t stage = GE_STAGE_AFTER_INFER_SHAPE;
  int32_t level = 1;
  bool builtin = false;
};
struct PassEntry {
  PassInfo info;
  PassFn run;
  bool whole_tree = false;  // called once with the root; else once per graph of the tree
  PassKind kind = PassKind::kPlain;
  uint64_t token = 0;   // set by the registry
  std::string library;  // that was being loaded when it was registered; set by the registry
};
using PassEntryPtr = std::shared_ptr<const PassEntry>;

class PassRegistry {
 public:
  static PassRegistry &Instance();  // knows the built-in passes from an explicit table
  /// Throws GE_PARAM_INVALID for an empty or taken name, an unknown stage or no function. Names of function passes may
  /// repeat; of two fusion passes with one name the first stays, silently. Returns what Unregister takes, 0 for a pass
  /// that will never run.
  uint64_t Register(PassEntry entry);
  void Unregister(uint64_t token) noexcept;        // 0 and unknown ones are fine
  void Unregister(std::string_view name);          // GE_NOT_FOUND with near names; built-in ones stay: GE_PARAM_INVALID
  PassEntryPtr Find(std::string_view name) const;  // null when absent
  PassEntryPtr Get(std::string_view name) const;   // throws GE_NOT_FOUND with near names
  /// In the order they run: by stage; within one first the user's (as registered; then fusion passes by name), then the
  /// built-in ones.
  std::vector<PassEntryPtr> All() const;
  std::vector<std::string> Near(std::string_view name) const;

  // Passes of a library that is loaded at run time. What is registered between Begin and End belongs to it; while it is
  // not in use its passes rest: a library that the loader keeps does not register them a second time.
  void BeginLibrary(std::string path);
  void EndLibrary();
  void UseLibrary(const std::string &path, bool in_use);

 private:
  PassRegistry();
  bool IsUnloaded(const PassEntry &pass) const { return unloaded_.count(pass.library) != 0; }
  mutable std::shared_mutex mutex_;
  std::vector<PassEntryPtr> builtin_, user_;
  uint64_t next_token_ = 1;
  std::string loading_;
  std::set<std::string> unloaded_;  // libraries
};

/// Stages in the order a compile goes through them: before inference, after it (most built-in passes), after the
/// built-in fusion (layout and elementwise fusion follow), at the end, and after streams.
inline constexpr int32_t kStageOrder[] = {GE_STAGE_BEFORE_INFER_SHAPE, GE_STAGE_AFTER_INFER_SHAPE,
                                          GE_STAGE_AFTER_BUILTIN_FUSION_PASS, GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE,
                                          GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM};

/// A stage of engines' own passes: what a program registers for it does not run.
inline constexpr int32_t kStageCompatibleInherited = 5;

/// Throws GE_OPTION_INVALID for a name in option passes.disable that no pass has, with near names.
void CheckPassNames(const std::set<std::string> &disabled);
/// True when the options let a pass run. Function passes cannot be switched off.
bool PassEnabled(const PassEntry &pass, const PassContext &ctx);
/// The graph is to stay as it is (attribute SkipOptimization).
Symbol SkipOptimizationAttr();
bool SkipsOptimization(const Graph &graph);
/// Whose passes of a stage run: those that programs registered, or the library's own.
enum class PassOwner { kProgram, kLibrary };
/// Runs the enabled passes of a stage on the root and its subgraphs (those with attribute SkipOptimization are left
/// out). Each pass is a transaction: when it throws, the graph is as before the pass and the error names pass, rule and
/// node. `most_level`: passes above this level are left out. Returns how many passes changed something.
size_t RunStage(Graph &root, PassContext &ctx, int32_t stage, PassOwner owner, int32_t most_level = INT32_MAX);
/// One pass, whatever its level.
bool RunPass(const PassEntry &pass, Graph &root, PassContext &ctx);

}  // namespace gec
