// The import of one model; handlers of control flow call back into it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "parsers/onnx/importer.h"
#include "parsers/onnx/onnx_file.h"
#include "parsers/onnx/problem.h"
#include "parsers/onnx/scope.h"

namespace gec::onnx {

class NodeContext;

class Importer {
 public:
  /// Initializers named in `as_inputs` become inputs.
  Importer(DecodedModel *decoded, std::string folder, const std::vector<std::string> &as_inputs)
      : model_(decoded->model()), external_(std::move(folder), decoded), as_inputs_(as_inputs) {}
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

  /// The value called `name`: of this scope, an initializer, or captured from an outer scope. Empty when unknown.
  Endpoint Lookup(Scope &scope, const std::string &name, bool *poisoned = nullptr);
  /// Imports nodes in dependency order into scope.graph.
  void ImportNodes(Scope &scope, Onnx__NodeProto **nodes, size_t count);
  /// Initializers, then nodes; inputs must be in scope.values already.
  void ImportBody(Scope &scope, Onnx__GraphProto *graph);
  /// A Data node described by a value's ONNX type; refuses types that are no tensors (problem recorded).
  Node *AddData(Scope &scope, const std::string &name, int64_t index, const Onnx__TypeProto *type);
  /// The graph outputs by name; missing ones are reported.
  std::vector<Endpoint> GraphOutputs(Scope &scope, Onnx__GraphProto *graph, const std::string &where);
  void AddNetOutput(Graph &graph, const std::vector<Endpoint> &outputs);
  /// A name for a subgraph, not taken in the root.
  std::string SubgraphName(const std::string &hint);
  /// Whether a node, an output or a body reads a value of this name, in whichever graph of the model.
  bool IsRead(const std::string &name);
  GraphPtr root() { return root_; }
  void Report(const Onnx__NodeProto *node, int64_t opset, Reason reason, std::string detail,
              std::vector<std::string> nearest = {});

 private:
  void ReadOpsets();
  void ImportInputs(Scope &scope);
  /// Initializers that are inputs, too: those wanted become inputs, the others are written down in the graph.
  void ImportOverridable(Scope &scope, int64_t index);
  static TensorDesc InputDesc(const Onnx__TypeProto *type);
  void ImportNode(Scope &scope, Onnx__NodeProto *node);
  /// Reports that nobody translates the node.
  void ReportUnknown(Onnx__NodeProto *node, const std::string &domain, int64_t opset, bool known);
  void InlineFunction(Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function);
  // The steps of InlineFunction; false: what is wrong has been reported.
  bool MayExpand(const Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function, const std::string &key);
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
  std::unordered_set<std::string> read_;  // empty until somebody asks
  bool has_plugins_ = false;
  size_t subgraph_count_ = 0;
  size_t inlined_nodes_ = 0;
};

}  // namespace gec::onnx
