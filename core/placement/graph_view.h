// A graph, or a part of it, as the plain data that engines see (GeGraphView in ge/engine.h).
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/op_desc.h"
#include "ge/engine.h"

namespace gec {

/// Borrows from the graph, which must stay unchanged until the next Reset.
class GraphView {
 public:
  enum Kind {
    kGraph,   // nodes that need work, in topological order
    kRegion,  // the same of a graph that is called: what its inputs feed are edges from outside, numbered by their
              // index
  };
  explicit GraphView(Kind kind) : kind_(kind), memory_(kind == kGraph) {}
  void Reset(const Graph &graph);

  /// The nodes and the graph have no names any more: for kernels that others share.
  void DropNames();

  const GeGraphView *get() const { return &view_; }
  const std::vector<Node *> &nodes() const { return nodes_; }
  /// All nodes of the graph, in topological order.
  const std::vector<Node *> &order() const { return order_; }

 private:
  const Kind kind_;
  std::vector<Node *> order_, nodes_;
  std::vector<int32_t> numbers_;  // by node id
  OpDescs memory_;
  std::vector<GeOpDesc *> descs_;
  std::vector<GeGraphEdge> edges_;
  std::vector<GeNodePort> outputs_;
  GeGraphView view_{};
};

/// Used for one region after another.
struct RegionMemory {
  GraphView view{GraphView::kRegion};
  std::string key;  // under which regions share kernels
};

}  // namespace gec
