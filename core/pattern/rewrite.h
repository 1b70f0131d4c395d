// Putting a graph in the place of a part of another one.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/pattern/boundary.h"
#include "core/pattern/refusal.h"

namespace gec {

/// Why these nodes may not become one, or "": no nodes, removed ones, several graphs, attributes that only nodes with
/// the same value may share, a cycle.
Refusal WhyNotFuse(const std::vector<Node *> &nodes);

/// Records the origin of a node that was made from `before`: original names and types, and passes. `pass` may be empty.
void InheritLineage(Node &made, const std::vector<Node *> &before, Symbol pass);
/// The same, and the attributes that new nodes inherit where they have none of their own.
void InheritFrom(Node &made, const std::vector<Node *> &before, Symbol pass);

/// Replaces what the boundary encloses by a copy of `replacement`: input i of the boundary feeds what Data with index i
/// fed, and whoever read output i reads output i of the replacement. Nothing is inferred. Returns the new nodes. Throws
/// GE_GRAPH_INVALID, and then nothing has changed.
std::vector<Node *> ReplaceRegion(const Boundary &boundary, const Graph &replacement, Symbol pass);

/// Describes the replacement's inputs like the tensors that the boundary's inputs read, and infers it. Values of
/// constants are used. Throws GE_GRAPH_INVALID, GE_INFER_FAILED.
void InferReplacement(const Boundary &boundary, Graph &replacement);

/// Why the body of a call cannot take its place, or "": arguments and outputs of node and graph do not fit together.
std::string WhyNotInline(const Node &call, const Graph &callee);
/// Replaces a call, for which WhyNotInline is "", by a copy of the graph that it calls. The new nodes have
/// `prefix` before their names, where those are free, and keep their origins. Nothing is inferred.
void InlineCall(Node &call, const Graph &callee, std::string_view prefix, Symbol pass);

}  // namespace gec
