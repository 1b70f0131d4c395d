// Runs a graph node by node: for shapes that depend on values, and for control flow. Inference and kernels are kept per
// node and reused while the shapes and the small values that shapes depend on stay the same.
#pragma once

#include <map>
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
  enum class Kind { kKernel, kIf, kCase, kWhile, kFor, kCall };
  struct Step {
    Node *node;
    Kind kind;
    int32_t first_output;                // value number
    std::vector<int32_t> inputs;         // value numbers, -1 absent
    std::vector<int32_t> last_uses;      // values to let go afterwards
    std::vector<std::string> subgraphs;  // names
    Signature key;                       // what the present output descriptions were inferred from
    KernelPtr kernel;                    // for the present descriptions; null: outputs are empty
    std::map<Signature, KernelPtr> kernels;
  };
  class Values;

  void Prepare(Step &step);
  void MakeKernel(Step &step);
  void RunKernel(Step &step, Profiler *profiler);
  void TakeRealShapes(Step &step, const int64_t *shapes);
  bool PlaceView(Step &step);
  void RunControl(Step &step, Profiler *profiler);
  std::vector<RunValue> Arguments(const Step &step, size_t first) const;
  void SetOutputs(const Step &step, std::vector<RunValue> results);
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
  BlockRef workspace_;
  uint64_t workspace_bytes_ = 0;
  std::vector<const void *> in_;
  std::vector<void *> out_;
};

}  // namespace gec
