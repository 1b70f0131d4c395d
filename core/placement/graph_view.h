// A graph, or a part of it, as the plain data that engines see (GeGraphView in ge/engine.h).
#pragma once

#include <memory>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/op_desc.h"
#include "ge/engine.h"

namespace gec {

/// Borrows from the graph, which must stay unchanged while it lives.
class GraphView {
 public:
  /// Nodes that need work, in topological order.
  static GraphView OfGraph(const Graph &graph);
  /// The same of a graph that is called: what its inputs feed are edges from outside, numbered by their index.
  static GraphView OfRegion(const Graph &graph);

  /// The nodes and the graph have no names any more: for kernels that others share.
  void DropNames();

  const GeGraphView *get() const { return &view_; }
  const std::vector<Node *> &nodes() const { return nodes_; }

 private:
  GraphView(const Graph &graph, bool inputs);
  std::vector<Node *> nodes_;
  std::vector<std::unique_ptr<OpDescView>> descs_;
  std::vector<const GeOpDesc *> pointers_;
  std::vector<GeGraphEdge> edges_;
  std::vector<GeNodePort> outputs_;
  GeGraphView view_{};
};

}  // namespace gec
