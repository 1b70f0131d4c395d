// Summary nodes: values of a graph that a callback is told after every run.
#ifndef INC_GE_DETAIL_SUMMARY_NODES_H_
#define INC_GE_DETAIL_SUMMARY_NODES_H_

#include <string>
#include <utility>
#include <vector>

#include "ge_common/ge_common_api_types.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

class SummaryNodes {
 public:
  static bool In(const Graph &graph) {
    for (const GNode &node : graph.GetDirectNode())
      if (Is(node)) return true;
    return false;
  }
  /// What they read becomes outputs behind the graph's own, and they go; `names` gets theirs in that order.
  static Status ToOutputs(Graph &graph, std::vector<std::string> &names) {
    std::vector<std::pair<GNode, int32_t>> outputs;
    for (size_t i = 0; i < GeGraphOutputCount(graph.handle()); ++i) {
      GeNode *node = nullptr;
      int32_t port = 0;
      if (GeGraphGetOutput(graph.handle(), i, &node, &port) != GE_SUCCESS) return FAILED;
      if (!Is(GNode(node))) outputs.emplace_back(GNode(node), port);
    }
    for (GNode &node : graph.GetDirectNode()) {
      if (!Is(node)) continue;
      const auto [source, port] = node.GetInDataNodesAndPortIndexs(0);
      AscendString name;
      if (source == nullptr || node.GetName(name) != GRAPH_SUCCESS) continue;
      outputs.emplace_back(*source, port);
      names.emplace_back(name.GetString());
      if (graph.RemoveNode(node) != GRAPH_SUCCESS) return FAILED;
    }
    return graph.SetOutputs(outputs) == GRAPH_SUCCESS ? SUCCESS : FAILED;
  }

 private:
  static bool Is(const GNode &node) {
    AscendString type;
    return node.GetType(type) == GRAPH_SUCCESS && type == "Summary";
  }
};

}  // namespace detail
}  // namespace ge

#endif
