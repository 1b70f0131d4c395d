// Save nodes: values of variables that a callback is told after every run of a checkpoint graph.
#ifndef INC_GE_DETAIL_SAVE_NODES_H_
#define INC_GE_DETAIL_SAVE_NODES_H_

#include <string>
#include <utility>
#include <vector>

#include "ge_common/ge_common_api_types.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

class SaveNodes {
 public:
  static bool In(const Graph &graph) {
    for (const GNode &node : graph.GetDirectNode())
      if (Is(node, "Save")) return true;
    return false;
  }
  static bool Variables(const Graph &graph) {
    for (const GNode &node : graph.GetDirectNode())
      if (IsVariable(node)) return true;
    return false;
  }
  /// What they read becomes outputs behind the graph's own, and they go; `names` gets those of the variables, in that
  /// order. A value that does not come from a variable has the name of the node that it comes from.
  static Status ToOutputs(Graph &graph, std::vector<std::string> &names) {
    std::vector<std::pair<GNode, int32_t>> outputs;
    for (size_t i = 0; i < GeGraphOutputCount(graph.handle()); ++i) {
      GeNode *node = nullptr;
      int32_t port = 0;
      if (GeGraphGetOutput(graph.handle(), i, &node, &port) != GE_SUCCESS) return FAILED;
      if (!Is(GNode(node), "Save")) outputs.emplace_back(GNode(node), port);
    }
    for (GNode &node : graph.GetDirectNode()) {
      if (!Is(node, "Save")) continue;
      for (size_t i = 0; i < node.GetInputsSize(); ++i) {
        const auto [source, port] = node.GetInDataNodesAndPortIndexs(static_cast<int32_t>(i));
        if (source == nullptr) continue;
        outputs.emplace_back(*source, port);
        names.push_back(NameOf(*source));
      }
      if (graph.RemoveNode(node) != GRAPH_SUCCESS) return FAILED;
    }
    return graph.SetOutputs(outputs) == GRAPH_SUCCESS ? SUCCESS : FAILED;
  }

 private:
  static bool Is(const GNode &node, const char *type) {
    AscendString have;
    return node.GetType(have) == GRAPH_SUCCESS && have == type;
  }
  static bool IsVariable(const GNode &node) {
    return Is(node, "Variable") || Is(node, "VariableV2") || Is(node, "VarHandleOp");
  }
  static std::string NameOf(const GNode &node) {
    GNode at = node;
    while (!IsVariable(at)) {
      bool through = false;  // hands on the variable that it reads
      for (const char *type : {"Identity", "ReadVariableOp", "TransData", "Cast", "Assign", "AssignAdd", "AssignSub"})
        through = through || Is(at, type);
      const GNodePtr source = through ? at.GetInDataNodesAndPortIndexs(0).first : nullptr;
      if (source == nullptr) return Name(node);
      at = *source;
    }
    AscendString shared;
    if (!Is(at, "Variable") && at.GetAttr("shared_name", shared) == GRAPH_SUCCESS && shared.GetLength() != 0)
      return shared.GetString();
    return Name(at);
  }
  static std::string Name(const GNode &node) {
    AscendString name;
    return node.GetName(name) == GRAPH_SUCCESS ? name.GetString() : "";
  }
};

}  // namespace detail
}  // namespace ge

#endif
