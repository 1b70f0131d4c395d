#include "core/placement/graph_view.h"

#include "core/ops/traits.h"
#include "core/placement/kernels.h"

namespace gec {

GraphView GraphView::OfGraph(const Graph &graph) { return GraphView(graph, false); }
GraphView GraphView::OfRegion(const Graph &graph) { return GraphView(graph, true); }

GraphView::GraphView(const Graph &graph, bool inputs) {
  static const Symbol index("index");
  std::vector<int32_t> number(graph.id_limit(), -1);
  for (Node *node : graph.TopologicalOrder()) {
    if (!NeedsKernel(*node) && !IsControlFlow(*node)) continue;
    number[node->id()] = static_cast<int32_t>(nodes_.size());
    nodes_.push_back(node);
  }
  descs_.reserve(nodes_.size());
  pointers_.reserve(nodes_.size());
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const Node &node = *nodes_[k];
    descs_.push_back(std::make_unique<OpDescView>(node));
    pointers_.push_back(descs_.back()->get());
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Endpoint e = node.input(i);
      if (!e) continue;
      GeGraphEdge edge{number[e.node->id()], e.port, static_cast<int32_t>(k), static_cast<int32_t>(i)};
      if (edge.from < 0) {
        if (!inputs || !IsDataType(e.node->type())) continue;
        edge.from_port = static_cast<int32_t>(e.node->Int(index));
      }
      edges_.push_back(edge);
    }
  }
  for (Endpoint e : graph.Outputs()) {
    if (e && number[e.node->id()] >= 0) outputs_.push_back({number[e.node->id()], e.port});
  }
  view_.struct_size = sizeof view_;
  view_.name = graph.name().c_str();
  view_.nodes = pointers_.data();
  view_.node_count = pointers_.size();
  view_.edges = edges_.data();
  view_.edge_count = edges_.size();
  view_.outputs = outputs_.data();
  view_.output_count = outputs_.size();
}

void GraphView::DropNames() {
  for (const std::unique_ptr<OpDescView> &desc : descs_) desc->mutable_get()->name = "";
  view_.name = "";
}

}  // namespace gec
