// The content of a run context: the memory for runs of one thread, and the checks of what the caller feeds.
#pragma once

#include <memory>
#include <vector>

#include "runtime/input_copies.h"
#include "runtime/kept_state.h"
#include "runtime/model.h"
#include "runtime/runner.h"

namespace gec {

class ContextBody {
 public:
  explicit ContextBody(ModelPtr model);
  ~ContextBody();

  /// Plans for these shapes; tells output descriptions (dims -1 where they depend on data). Pointers are the context's.
  void Prepare(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count);
  /// Runs once; see GeRun. profiler may be null.
  void Run(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count,
           Profiler *profiler);

  /// For tensors between nodes; see GeContextBodySetMemory.
  void SetMemory(void *memory, uint64_t bytes) {
    state_.arena().Use(memory, bytes);
    checked_ = nullptr;
  }
  /// Runs take inputs from it and leave outputs there, until another one is set; null: they do not.
  void SetState(std::shared_ptr<KeptState> state);
  Model &model() { return state_.model(); }

 private:
  const GeTensorData *WithState(const GeTensorData *inputs);
  bool Keeps(size_t output) const { return kept_ && kept_outputs_[output] != 0; }
  void PlaceState(StaticRun &run);
  void CommitState(const StaticRun &run);
  void KeepResults();
  void RunOnce(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler);
  void RunWithVariables(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler);
  const GeTensorData *WithVariables(const GeTensorData *inputs);
  const std::string &OutputName(size_t j) const;
  void CheckCounts(size_t input_count, size_t output_count) const;
  /// Without memory: throws again, with the inputs' names and shapes in front.
  [[noreturn]] void AddInputShapes(const Error &error, const GeTensorData *inputs, size_t input_count) const;
  void CheckFormats(size_t i, const GeTensorData &input) const;
  void CheckInputs(const GeTensorData *inputs, bool with_data) const;
  void CheckData(size_t i, const GeTensorData &input, uint64_t bytes) const;
  void RunStatic(StaticRun &run, const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler);
  void RunInterpreted(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler);
  void BindState(const StaticRun &run, const MemoryPlan::State &state, const GeTensorData *inputs,
                 const GeTensorData *outputs);
  void *OwnOutput(size_t i, uint64_t bytes);
  /// Notes memory of the context that the caller gets as output j.
  void Lend(size_t j, const void *data, uint64_t bytes);
  const void *OwnInput(size_t i, const void *data, uint64_t bytes);

  ContextState state_;
  Runner &root_;
  /// Kernels see no memory of the caller's: one that hangs may still use what it got when the caller has gone on.
  const bool apart_;
  StaticRun *checked_ = nullptr;  // the plan whose inputs were found good last
  std::vector<const void *> in_;
  std::vector<void *> out_;
  std::vector<uint8_t> moved_;  // outputs that go through memory of the context: they overlap an input, or all do
  std::vector<std::unique_ptr<Arena>> own_outputs_;
  std::vector<std::unique_ptr<Arena>> own_inputs_;
  InputCopies copies_;
  std::shared_ptr<KeptState> kept_;
  std::weak_ptr<KeptState> last_kept_;     // what the following are for
  std::vector<GeTensorData> kept_inputs_;  // the caller's, with those of the state
  std::vector<uint8_t> kept_outputs_;      // by output: it goes to the state
  std::vector<int32_t> growths_;           // by slot of the state: growth of the plan at hand; -1: none
  std::vector<uint8_t> lends_;             // outputs of this run that are to lie in memory of the context
  std::vector<LentMemory> lent_;           // by output: what the last run lent; empty: nothing
  std::vector<RunValue> values_;           // inputs of an interpreted run
  std::vector<RunValue> results_;          // of the last interpreted run
  // Where the model has variables: its inputs and outputs with the hidden ones behind them.
  std::vector<GeTensorData> all_inputs_, all_outputs_;
  std::vector<VariableStore::Held> held_;
  std::vector<std::shared_ptr<Tensor>> fresh_;
  std::string hidden_name_;
};

}  // namespace gec
