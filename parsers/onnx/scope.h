// Names visible while one graph, subgraph or function body is imported.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer_values.h"
#include "onnx/onnx_subset.pb-c.h"
#include "parsers/onnx/name_table.h"
#include "parsers/onnx/value.h"

namespace gec::onnx {

struct FunctionCall {
  std::unordered_map<std::string, const Onnx__AttributeProto *> attrs;  // of the call, defaults filled in
  std::string name;                                                     // domain:type, to tell recursion
  const FunctionCall *outer = nullptr;
};

struct Capture {
  Endpoint outer;  // in the outer scope's graph
  Node *data;      // the Data node that stands for it
};

struct Scope {
  Graph *graph = nullptr;
  Scope *outer = nullptr;  // whose values may be used here; null for root graphs and functions
  const FunctionCall *call = nullptr;
  const std::unordered_map<std::string, int64_t> *opsets = nullptr;  // domain → version
  std::string prefix;                                                // of node names
  size_t depth = 0;
  /// Knowledge of the graph's values so far, shapes and lists of sizes above all. Functions share it.
  std::shared_ptr<InferScope> known = std::make_shared<InferScope>();

  NameTable<std::string, Endpoint> values;                            // tensors
  std::unordered_map<std::string, Value> others;                      // texts, sequences, optional values
  std::unordered_map<std::string, Onnx__TensorProto *> initializers;  // not turned into a node yet
  std::unordered_set<std::string> poisoned;  // values that stand in for outputs of nodes that could not be imported
  std::vector<Capture> captures;             // values of outer graphs that became inputs
  std::unordered_map<std::string, const Onnx__TypeProto *> types;  // value_info
};

}  // namespace gec::onnx
