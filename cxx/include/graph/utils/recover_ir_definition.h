// Nodes whose prototypes are of another version than those registered here.
#ifndef INC_GRAPH_UTILS_RECOVER_IR_DEFINITION_H_
#define INC_GRAPH_UTILS_RECOVER_IR_DEFINITION_H_

#include <string>
#include <vector>

#include "ge/serialize.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {

/// Moves all nodes of a root graph, subgraphs included, over to the registered prototypes. Where one has to move, all
/// nodes of the graph become new ones: a GNode from before is gone, FindNodeByName finds its successor. GRAPH_FAILED
/// when something would be lost; the last error names node, item and both prototypes.
inline graphStatus RecoverIrDefinitions(const Graph &graph) {
  if (graph.handle() == nullptr) return GRAPH_FAILED;
  return GeGraphRecoverIr(graph.handle(), nullptr) == GE_SUCCESS ? GRAPH_SUCCESS : GRAPH_FAILED;
}
/// The same for the graph of a node, which becomes the node of its name there. op_type, where given, has to be its
/// type.
inline graphStatus RecoverOpDescIrDefinition(GNode &node, const std::string &op_type = "") {
  GeGraph *handle = nullptr;
  AscendString name, type;
  if (node.GetName(name) != GRAPH_SUCCESS || node.GetType(type) != GRAPH_SUCCESS) return GRAPH_FAILED;
  if (!op_type.empty() && op_type != type.GetString()) return GRAPH_PARAM_INVALID;
  if (GeNodeRetainGraph(node.handle(), &handle) != GE_SUCCESS) return GRAPH_FAILED;
  const Graph graph = Graph::Adopt(handle);
  if (RecoverIrDefinitions(graph) != GRAPH_SUCCESS) return GRAPH_FAILED;
  const GNodePtr found = graph.FindNodeByName(name);
  if (found == nullptr) return GRAPH_FAILED;
  node = *found;
  return GRAPH_SUCCESS;
}

/// The node has as many inputs and outputs as the registered prototype (not compared where that has optional or dynamic
/// ones), and every registered attribute has a value on the node or a default. False for types that are not registered.
inline bool CheckIrSpec(const GNode &node) {
  AscendString type;
  const GeOpSchema *schema = nullptr;
  if (node.GetType(type) != GRAPH_SUCCESS) return false;
  if (GeOpFind(type.GetString(), &schema) != GE_SUCCESS) {
    GeClearLastError();
    return false;
  }
  bool fixed_inputs = true, fixed_outputs = true;
  for (size_t i = 0; i < schema->input_count; ++i)
    fixed_inputs = fixed_inputs && schema->inputs[i].kind == GE_IR_REQUIRED;
  for (size_t i = 0; i < schema->output_count; ++i)
    fixed_outputs = fixed_outputs && schema->outputs[i].kind != GE_IR_DYNAMIC;
  if (fixed_inputs && GeNodeInputCount(node.handle()) != schema->input_count) return false;
  if (fixed_outputs && GeNodeOutputCount(node.handle()) != schema->output_count) return false;
  for (size_t i = 0; i < schema->attr_count; ++i) {
    GeAttrData value{};
    if (!schema->attrs[i].required || GeNodeGetAttr(node.handle(), schema->attrs[i].value.name, &value) == GE_SUCCESS)
      continue;
    GeClearLastError();
    return false;
  }
  return true;
}

}  // namespace ge

#endif
