// The import of one model; handlers of control flow call back into it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "parsers/onnx/importer.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/onnx_file.h"
#include "parsers/onnx/problem.h"
#include "parsers/onnx/scope.h"

namespace gec::onnx {

class NodeContext;

/// Places and bytes (op_proto/text_ops.h) of these texts.
std::pair<TensorPtr, TensorPtr> TextTensors(const std::vector<std::string> &texts, const Shape &shape);

class Importer {
 public:
  /// Initializers named in `as_inputs` become inputs; what a few bytes of the file stand for takes `limit` at most.
  Importer(DecodedModel *decoded, std::string folder, const std::vector<std::string> &as_inputs, uint64_t limit)
      : model_(decoded->model()), external_(std::move(folder), decoded), as_inputs_(as_inputs), limit_(limit) {}
  /// Null when there are problems.
  GraphPtr Run();
  ProblemList &problems() { return problems_; }
  /// The tensor's constant; the content moves out of the message once and is shared from then on.
  TensorPtr Take(Onnx__TensorProto *tensor);
  /// The same if the content has moved out already, else null.
  TensorPtr Taken(const Onnx__TensorProto *tensor) const {
    auto found = taken_.find(tensor);
    return found == taken_.end() ? nullptr : found->second;
  }
  ExternalFiles &external() { return external_; }
  /// Whether `bytes` more fit below the limit.
  bool MayMake(uint64_t bytes) const { return made_ <= limit_ && bytes <= limit_ - made_; }
  bool MayMakeNodes(uint64_t count) const { return count < limit_ && MayMake(count * kBytesOfNode); }
  /// They are made; throws GE_MODEL_INVALID where they do not fit.
  void Make(uint64_t bytes, const std::string &what);

  /// The value called `name`: of this scope, an initializer, or captured from an outer scope. Empty when unknown.
  Endpoint Lookup(Scope &scope, const std::string &name, bool *poisoned = nullptr);
  /// The same for values of every kind.
  Value LookupValue(Scope &scope, const std::string &name, bool *poisoned = nullptr);
  /// The texts of a tensor, and its shape; throws NodeProblem.
  std::pair<std::vector<std::string>, Shape> TextsOf(const Onnx__TensorProto &tensor);
  /// From here on `name` is this value.
  static void Bind(Scope &scope, const std::string &name, const Value &value);
  /// An input of `scope.graph` that stands for a value of an outer graph.
  static Endpoint CaptureOf(Scope &scope, Endpoint outer, const std::string &name);
  /// Imports nodes in dependency order into scope.graph.
  void ImportNodes(Scope &scope, Onnx__NodeProto **nodes, size_t count);
  /// Initializers, then nodes; inputs must be in scope.values already.
  void ImportBody(Scope &scope, Onnx__GraphProto *graph);
  /// A Data node described by a value's ONNX type; refuses types that are no tensors (problem recorded).
  Node *AddData(Scope &scope, const std::string &name, int64_t index, const Onnx__TypeProto *type);
  /// The graph outputs by name; missing ones are reported.
  std::vector<Value> GraphOutputs(Scope &scope, Onnx__GraphProto *graph, const std::string &where);
  /// The same where tensors are needed; others are reported, too.
  std::vector<Endpoint> TensorOutputs(Scope &scope, Onnx__GraphProto *graph, const std::string &where);
  void AddNetOutput(Graph &graph, const std::vector<Endpoint> &outputs);
  /// A name for a subgraph, not taken in the root.
  std::string SubgraphName(const std::string &hint);
  /// Whether a node, an output or a body reads a value of this name, in whichever graph of the model.
  bool IsRead(const std::string &name) { return ReadersOf(name) > 0; }
  /// How many of them do.
  size_t ReadersOf(const std::string &name);
  GraphPtr root() { return root_; }
  void Report(const Onnx__NodeProto *node, int64_t opset, Reason reason, std::string detail,
              std::vector<std::string> nearest = {});

 private:
  void ReadOpsets();
  void ImportInputs(Scope &scope);
  /// True where values of this type are several tensors.
  static bool IsOther(const Onnx__TypeProto *type);
  /// Inputs for the tensors of such a value, from *index on.
  void ImportOther(Scope &scope, const std::string &name, int64_t *index, const Onnx__TypeProto *type);
  void GiveRootOutputs(Scope &scope, const std::vector<Value> &outputs);
  /// Initializers that are inputs, too: those wanted become inputs, the others are written down in the graph.
  void ImportOverridable(Scope &scope, int64_t index);
  static TensorDesc InputDesc(const Onnx__TypeProto *type);
  void ImportNode(Scope &scope, Onnx__NodeProto *node);
  /// Reports that nobody translates the node.
  void ReportUnknown(Onnx__NodeProto *node, const std::string &domain, int64_t opset, bool known);
  void InlineFunction(Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function);
  // The steps of InlineFunction; false: what is wrong has been reported.
  bool MayExpand(const Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function, const std::string &key);
  /// The nodes that a call becomes, those of the calls inside it included; a large number where it never ends.
  uint64_t CountNodes(Onnx__FunctionProto *function);
  uint64_t CountNodes(Onnx__NodeProto **nodes, size_t count);
  bool BindInputs(Scope &scope, Scope &body, Onnx__NodeProto *node, Onnx__FunctionProto *function);
  bool GiveOutputs(Scope &scope, Scope &body, Onnx__NodeProto *node, Onnx__FunctionProto *function);
  Onnx__FunctionProto *FindFunction(const Onnx__NodeProto &node);
  /// Gives the node's outputs stand-ins, so that the nodes behind it can be examined.
  void Poison(Scope &scope, Onnx__NodeProto *node);
  std::vector<size_t> SortedNodes(Scope &scope, Onnx__NodeProto **nodes, size_t count);

  Onnx__ModelProto *model_;
  ExternalFiles external_;
  ProblemList problems_;
  const std::vector<std::string> &as_inputs_;
  GraphPtr root_;
  std::unordered_map<const Onnx__TensorProto *, TensorPtr> taken_;
  std::unordered_map<std::string, int64_t> opsets_;
  std::unordered_map<std::string, Onnx__FunctionProto *> functions_;
  std::unordered_map<std::string, size_t> read_;  // how often; empty until somebody asks
  std::vector<std::string> other_inputs_;         // of the root, in words of ValuesOf
  bool has_plugins_ = false;
  size_t subgraph_count_ = 0;
  std::unordered_map<const Onnx__FunctionProto *, uint64_t> node_counts_;
  uint64_t limit_, made_ = 0;
};

}  // namespace gec::onnx
