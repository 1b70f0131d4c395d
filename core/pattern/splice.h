// Facts about a graph that comes in the place of regions, once for all of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/pattern/boundary.h"

namespace gec {

class Replacement {
 public:
  /// Throws GE_GRAPH_INVALID for a cycle. `as_it_is`: its nodes do not change over to the prototypes registered here.
  explicit Replacement(GraphPtr graph, bool as_it_is = false) { Renew(std::move(graph), as_it_is); }
  /// The facts of another graph, in the memory of those that were here. Nothing is known when it throws.
  void Renew(GraphPtr graph, bool as_it_is = false);
  const Graph &graph() const { return recovered_ ? *recovered_ : *graph_; }
  /// The same holds for the next region: nodes and edges are as they were. `frozen`: so is all else; where it may not
  /// be, what was recovered is not used again.
  bool StillTrueOf(const Graph &given, bool frozen) const {
    return &given == graph_.get() && (frozen || !recovered_) && given.changes() == changes_;
  }

  std::vector<Node *> order;       // all but inputs and NetOutput, as the data flows
  std::vector<int32_t> input_of;   // number of an input, by id
  std::vector<const IrDef *> irs;  // prototypes of `order`, those registered here where both say the same of a node
  std::vector<Endpoint> outputs;
  size_t inputs = 0;
  std::string fault;  // what is wrong with inputs and outputs, or ""
  bool has_effect = false, has_control = false, has_subgraphs = false;

 private:
  bool TakeIrs();
  void Describe();
  GraphPtr graph_, recovered_;
  uint64_t changes_ = 0;
};

/// Lists that one rewrite after the other uses, so that only the first ones allocate.
struct SpliceRoom {
  std::vector<Node *> copies;  // by id in the replacement
  std::vector<Node *> made;    // the new nodes of the last rewrite
};

/// As ReplaceRegion (rewrite.h), for a region that is closed. The new nodes are in `room`.
void ReplaceRegion(const Region &region, const Replacement &replacement, Symbol pass, SpliceRoom *room);

}  // namespace gec
