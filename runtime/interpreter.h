// Runs a graph node by node: for shapes that depend on values, and for control flow. What inference said and the
// kernels are kept per node, for the last few shapes of its inputs and values that shapes depend on; where these come
// again, a run allocates nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/runner.h"

namespace gec {

class Interpreter {
 public:
  Interpreter(ContextState &state, const std::string &graph);
  ~Interpreter();
  /// One value per graph input.
  void Run(const std::vector<RunValue> &inputs, std::vector<RunValue> *outputs, Profiler *profiler);

 private:
  enum class Kind {
    kKernel = GE_CONTROL_FLOW_NONE,
    kIf = GE_CONTROL_FLOW_IF,
    kCase = GE_CONTROL_FLOW_CASE,
    kWhile = GE_CONTROL_FLOW_WHILE,
    kFor = GE_CONTROL_FLOW_FOR,
    kCall = GE_CONTROL_FLOW_CALL
  };
  // One way a node has run.
  struct CacheEntry {
    Signature inputs;                 // types and shapes
    Signature values;                 // content of small inputs, as last seen
    std::vector<uint8_t> needed;      // by input: its content decides about outputs
    std::vector<TensorDesc> outputs;  // what inference says about them
    KernelPtr kernel;                 // null: outputs are empty
    bool view = false;                // each output lies in an input, or has no elements
    std::vector<size_t> apart;        // of a view: outputs that lie in no input
    uint64_t used = 0;
  };
  struct Step {
    Node *node;
    Kind kind;
    bool counter;                        // of a For: the body takes it
    bool island;                         // a call of one
    int32_t first_output;                // value number
    std::vector<int32_t> inputs;         // value numbers, -1 absent
    std::vector<int32_t> last_uses;      // values to let go afterwards
    std::vector<std::string> subgraphs;  // names
    std::vector<std::unique_ptr<CacheEntry>> cache;
    CacheEntry *now = nullptr;                 // of `seen`: the present one
    std::vector<RunValue> arguments, results;  // of a call; empty between runs
  };
  class Values;

  void Prepare(Step &step);
  bool Find(Step &step);
  void Infer(Step &step);
  bool SameValues(const CacheEntry &cache) const;
  void FindNeeded(Step &step, CacheEntry *cache);
  KernelPtr MakeKernel(Step &step);
  static void FindView(CacheEntry *cache);
  void RunKernel(Step &step, Profiler *profiler);
  /// The block of an input that dies in this step and that the kernel may write the output over; else none.
  BlockRef InPlaceBlock(const Step &step, const GeKernel &kernel, size_t output, uint64_t bytes) const;
  GeStatus RunInSpace(Step &step);
  void TakeRealShapes(Step &step, const int64_t *shapes);
  bool PlaceView(Step &step);
  void PlaceEmpty(Step &step, size_t output);
  void CheckRound(const Step &step, uint64_t round, const std::vector<RunValue> &values);
  /// With the step's arguments, into its results.
  void RunSubgraph(Step &step, size_t which, Profiler *profiler);
  void RunControl(Step &step, Profiler *profiler);
  static std::string SpanOf(const Step &step);
  void TakeArguments(const Step &step, size_t first, std::vector<RunValue> *arguments) const;
  /// The input that decides: of a node of control flow.
  const RunValue &Controlling(const Step &step, size_t input) const;
  RunValue CounterOf(int64_t value);
  void SetOutputs(Step &step);
  bool Truth(const RunValue &value, const Node &node) const;
  int64_t Integer(const RunValue &value, const Node &node) const;

  ContextState &state_;
  GraphPtr graph_;
  std::vector<Node *> inputs_;
  std::vector<int32_t> input_values_, outputs_;
  std::vector<int32_t> first_value_;  // by node id
  std::vector<RunValue> values_;
  std::vector<uint8_t> fixed_;  // constants stay in values_
  std::vector<Step> steps_;
  OpDescView view_;
  Signature key_, values_key_;    // of the step at hand
  std::vector<size_t> value_at_;  // by input, and the end: where its content begins in values_key_
  std::vector<uint8_t> hidden_;   // by value number: inference may not read it
  uint64_t clock_ = 0;
  mutable std::vector<std::shared_ptr<Tensor>> tensors_;  // by value number: what inference reads of it
  BlockRef workspace_;
  uint64_t workspace_bytes_ = 0;
  std::vector<const void *> in_;
  std::vector<void *> out_;
};

}  // namespace gec
