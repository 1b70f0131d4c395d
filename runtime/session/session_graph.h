// A graph of a session: added, then compiled, then loaded; what it works in, and how it is run.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ge/session.h"
#include "runtime/context.h"
#include "runtime/model.h"
#include "runtime/options.h"
#include "runtime/session/open_inputs.h"
#include "runtime/session/owned_mutex.h"
#include "runtime/session/session_flow.h"
#include "runtime/session/watched_values.h"

namespace gec {

/// The ways to run a graph; one graph takes one of them.
enum class RunMode { kNone, kSync, kAsync, kStream };

/// An input of a run, as its handle has it.
struct RunInput {
  const std::shared_ptr<Tensor> *tensor;
  const std::string *refused;  // why its last description was not accepted
};
using TensorList = std::vector<std::shared_ptr<Tensor>>;

/// Threads: any.
class SessionGraph {
 public:
  /// Compiles the graph as it is now, or, with `shared`, the program's own graph as it is when it is compiled.
  SessionGraph(uint64_t session, uint32_t id, GraphPtr graph, bool shared, Options options, VariableStorePtr variables);

  uint32_t id() const { return id_; }
  const Options &options() const { return options_; }
  const VariableStorePtr &variables() const { return variables_; }
  GraphPtr graph() const;
  GeSessionGraphState state() const;
  /// Throws GE_RUN_MODE_MIXED where the graph was run in another way before.
  void Claim(RunMode mode);

  /// The model, made when it is not there yet.
  ModelPtr Compiled() { return Compile(nullptr, false); }
  /// The model for a run with these tensors, which describe the inputs that the graph left open; made when it is not
  /// there yet, and made anew when the tensors are such that it does not take.
  ModelPtr CompiledFor(const std::vector<RunInput> &inputs);
  /// `inputs` replace type, format and shape of the graph's inputs, by index, unless the graph is compiled already.
  ModelPtr CompileFor(const std::vector<TensorDesc> &inputs) { return Compile(&inputs, true); }
  ModelPtr model() const;  // null before
  /// Throws GE_BAD_STATE before; `call` is for the message.
  ModelPtr ModelOrFail(const char *call) const;
  void Load();
  void LoadFor(const std::vector<RunInput> &inputs);
  /// Outputs of a run: those of the model without watched values. Compiles.
  size_t OutputCount(const std::vector<RunInput> &inputs);

  /// The values of outputs, watched ones behind them. Compiles.
  TensorList Run(const std::vector<RunInput> &inputs);
  WatchedValues watched() const;

  /// Memory from outside, with the order of calls that ge/session.h describes.
  void SetMemory(GeSessionMemory kind, void *memory, uint64_t size);
  /// For tensors between nodes; null and 0: of the graph's contexts again.
  void PlaceTensors(void *memory, uint64_t size, const char *call);
  /// Compiles anew with constants in this memory; runs that have begun go on with the present model.
  void PlaceConstants(void *memory, uint64_t size, const char *call);

  bool is_flow() const;
  /// The flow at work, started where it is not yet.
  SessionFlowPtr Flow();
  /// Nobody finds the graph any more: its flow ends.
  void End();

 private:
  class Lease;
  GraphPtr SourceToCompile(bool changes, bool *watch, OpenInputs *open) const;
  /// `replace`: the tensors describe all inputs, not only those that the graph left open.
  ModelPtr Compile(const std::vector<TensorDesc> *inputs, bool replace);
  void CompileAnew(const std::vector<TensorDesc> &inputs);
  void CheckAccepted(const std::vector<RunInput> &inputs) const;
  void CheckFormats(const Model &model, const std::vector<RunInput> &inputs) const;
  void CheckInputs(const Model &model, const std::vector<RunInput> &inputs) const;

  const uint64_t session_;
  const uint32_t id_;
  const Options options_;
  const VariableStorePtr variables_;
  mutable OwnedMutex mutex_;  // of all that follows
  GraphPtr graph_;
  bool shared_;  // with the program
  OpenInputs open_;
  std::vector<int32_t> formats_;                            // of the inputs, as the compiled graph states them
  bool constants_placed_ = false, tensors_placed_ = false;  // in memory from outside, for the present model
  ModelPtr model_;
  WatchedValues watched_;
  bool loaded_ = false, removed_ = false;
  RunMode mode_ = RunMode::kNone;
  SessionFlowPtr flow_;
  std::vector<std::unique_ptr<RunContext>> idle_;
  std::mutex setting_;  // of memory, one call at a time
  bool fixed_set_ = false, constants_set_ = false, feature_set_ = false;
  GeSessionMemory feature_kind_ = GE_SESSION_MEMORY_FEATURE;  // where feature memory is set
  // With memory from outside there is one context, for one run at a time.
  std::mutex one_run_;
  std::unique_ptr<RunContext> in_memory_;
};
using SessionGraphPtr = std::shared_ptr<SessionGraph>;

}  // namespace gec
