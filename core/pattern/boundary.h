// Where a part of a graph is cut out: the tensors that flow into it and those that flow out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct Boundary {
  /// By index: the ports inside that read one tensor from outside.
  std::map<int64_t, std::vector<Use>> inputs;
  /// By index: a tensor made inside.
  std::map<int64_t, Endpoint> outputs;
};

/// The boundary of one node: connected inputs in port order, ports that read the same tensor share one; every output.
Boundary BoundaryOf(Node &node);

/// The nodes that a valid boundary encloses.
struct Region {
  Graph *graph = nullptr;
  std::vector<Node *> nodes;        // breadth first against the data flow, from output 0 on
  std::vector<Endpoint> producers;  // of the inputs, by index
  std::vector<Endpoint> outputs;    // by index
};
/// Throws GE_GRAPH_INVALID: an index is missing, a port has no producer or another one than its neighbours, outputs lie
/// in several graphs, or somebody outside reads a node that owns no output of the boundary.
Region Enclose(const Boundary &boundary);

/// True when one node in the place of these nodes would lie on a cycle: data or control leaves them and comes back.
bool WouldMakeCycle(const std::vector<Node *> &nodes);

/// Nobody outside `nodes` reads them, apart from those that own one of `outputs`.
bool SelfContained(const std::unordered_set<const Node *> &nodes, const std::vector<Endpoint> &outputs,
                   std::string *why);

}  // namespace gec
