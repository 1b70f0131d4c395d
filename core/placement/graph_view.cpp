#include "core/placement/graph_view.h"

#include "core/ops/traits.h"
#include "core/placement/kernels.h"

namespace gec {

void GraphView::Reset(const Graph &graph) {
  static const Symbol index("index");
  nodes_.clear();
  memory_.Clear();
  descs_.clear();
  edges_.clear();
  outputs_.clear();
  numbers_.assign(graph.id_limit(), -1);
  order_ = graph.TopologicalOrder();
  for (Node *node : order_) {
    if (!NeedsKernel(*node) && !IsControlFlow(*node)) continue;
    const int32_t k = numbers_[node->id()] = static_cast<int32_t>(nodes_.size());
    nodes_.push_back(node);
    descs_.push_back(memory_.Add(*node));
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Endpoint e = node->input(i);
      if (!e) continue;
      GeGraphEdge edge{numbers_[e.node->id()], e.port, k, static_cast<int32_t>(i)};
      if (edge.from < 0) {
        if (kind_ != kRegion || !IsDataType(e.node->type())) continue;
        edge.from_port = static_cast<int32_t>(e.node->Int(index));
      }
      edges_.push_back(edge);
    }
  }
  for (Endpoint e : graph.Outputs()) {
    if (e && numbers_[e.node->id()] >= 0) outputs_.push_back({numbers_[e.node->id()], e.port});
  }
  view_.struct_size = sizeof view_;
  view_.name = graph.name().c_str();
  view_.nodes = descs_.data();
  view_.node_count = descs_.size();
  view_.edges = edges_.data();
  view_.edge_count = edges_.size();
  view_.outputs = outputs_.data();
  view_.output_count = outputs_.size();
}

void GraphView::DropNames() {
  for (GeOpDesc *desc : descs_) desc->name = "";
  view_.name = "";
}

}  // namespace gec
