// Inference of graphs that other graphs call, which may never run.
#pragma once

#include <optional>
#include <string>

#include "core/ir/graph.h"
#include "core/support/error.h"

namespace gec {

struct InferScope;

/// InferNode (infer.h) for a node of a graph that may never run: what does not infer gets outputs of unknown shape, and
/// the reason is returned.
std::optional<Error> TryInferNode(Node &node);
/// The same with what is known of the graph's values, to which what the node tells is added.
std::optional<Error> TryInferNode(Node &node, InferScope &known);
/// Whether the nodes fitted together when inference last looked. A subgraph that may never run stays in its root
/// although they do not; passes and engines leave it alone, and entering it fails.
bool Infers(const Graph &graph);
/// The input of a node of control flow that is its subgraphs' argument 0.
size_t FirstArgument(const Node &node);
/// "If 'a': in then_branch 'g'": begins messages about a subgraph that a node calls.
std::string SubgraphLabel(const Node &caller, std::string_view graph);

}  // namespace gec
