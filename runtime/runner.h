// Runs one graph of a model inside one context: from a plan where shapes allow it, else node by node. Nested graphs of
// control flow have runners of their own, so that a loop's body is planned once and called often.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/model.h"
#include "runtime/static_run.h"
#include "runtime/value.h"

namespace gec {

class Interpreter;
class Runner;

/// Data that the runners of one context share.
class ContextState {
 public:
  explicit ContextState(ModelPtr model);
  ~ContextState();
  ContextState(const ContextState &) = delete;
  ContextState &operator=(const ContextState &) = delete;
  Model &model() { return *model_; }
  Arena &arena() { return arena_; }
  BlockPool &pool() { return pool_; }
  /// Of an engine with memory of its own. Plans share its arena as well.
  SpaceMemory &SpaceOf(const Engine &engine);
  Runner &RunnerFor(const std::string &graph);

 private:
  ModelPtr model_;
  Arena arena_;  // plans run one at a time, so they share it
  BlockPool pool_;
  std::map<const Engine *, std::unique_ptr<SpaceMemory>> spaces_;
  std::map<std::string, std::unique_ptr<Runner>> runners_;
};

class Runner {
 public:
  Runner(ContextState &state, std::string graph);
  ~Runner();

  /// The bound plan for these inputs, or null when the graph has to be interpreted. Does not allocate for a shape that
  /// this runner has seen.
  StaticRun *Select(const GeTensorData *inputs, size_t count);
  /// The bound plan of the last call when these inputs fit it, else null. Reads nothing but what it compares.
  StaticRun *SelectLast(const GeTensorData *inputs, size_t count);
  /// Runs with values. `arguments` are numbered as the graph's inputs number them; *results is another list.
  void Call(const std::vector<RunValue> &arguments, std::vector<RunValue> *results, Profiler *profiler);
  Interpreter &interpreter();

 private:
  struct CacheEntry {
    PlanPtr plan;
    std::unique_ptr<StaticRun> run;  // null: interpret
    uint64_t used = 0;
    const std::vector<TensorDesc> &inputs() const { return run ? run->inputs() : plan->inputs; }
  };
  /// The memory of the plan's spaces, large enough; in spaces_.
  const std::vector<SpaceMemory *> &SpacesFor(const ExecPlan &plan);
  CacheEntry &Remember(const GeTensorData *inputs, size_t count);

  ContextState &state_;
  std::string graph_;
  std::vector<int64_t> arguments_;  // argument number of each input
  std::vector<std::unique_ptr<CacheEntry>> seen_;
  CacheEntry *last_ = nullptr;
  uint64_t clock_ = 0;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<SpaceMemory *> spaces_;
  std::vector<RunValue> inputs_;  // of a call; empty between runs
  std::vector<GeTensorData> views_;
  std::vector<const void *> in_;
  std::vector<void *> out_;
};

}  // namespace gec
