// Kernels that serve every size of a class: made once with extents that only a run knows, shared by the plans of all
// sizes.
#pragma once

#include <vector>

#include "core/ops/symbolic_facts.h"
#include "core/placement/kernels.h"

namespace gec {

/// One class's. Thread-safe. The graph and the symbolic dimensions must stay as they are while this lives.
class OpenKernels {
 public:
  /// The graph has no gaps between its nodes (it is a clone), so that nodes of its clones have the same numbers.
  OpenKernels(const Graph &graph, const SymbolicDims &symbolic);

  /// The kernel for a node of a graph that was made from the class's, with the extents of `op`. Null where the class's
  /// graph has no such node, none of its extents is open, or the engine makes no kernel for all of them.
  KernelPtr Find(const Node &node, const GeOpDesc &op, KernelFactory &kernels);
  /// It is there already, so the node needs no other place.
  bool Has(const Node &node) const;
  size_t count() const;
  /// The node of the class's graph that `node` is a copy of, if it has open extents.
  const Node *General(const Node &node) const;

 private:
  static bool Same(const Node &general, const Node &node);
  KernelPtr Make(const Node &general, const Node &node, const GeOpDesc &op, KernelFactory &kernels) const;
  const SymbolicFacts facts_;
  struct Entry {
    const Node *general = nullptr;  // of the class's graph, if it has open extents
    bool tried = false;
    KernelPtr made;  // null: there is none
  };
  mutable Turn turn_;           // of entries_
  std::vector<Entry> entries_;  // by node id
};

}  // namespace gec
