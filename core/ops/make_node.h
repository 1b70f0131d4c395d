// Nodes of operators that are registered. For passes and parsers, which know operators by their type.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace gec {

/// A name that is taken gets a suffix. Counts: instances per dynamic IR input / output, in their order. Throws
/// GE_NOT_FOUND for a type that is not registered.
Node *MakeNode(Graph &graph, std::string_view type, std::string_view name_hint,
               std::initializer_list<int32_t> dyn_in = {}, std::initializer_list<int32_t> dyn_out = {});
/// A Const node holding `value`.
Node *MakeConst(Graph &graph, TensorPtr value, std::string_view name_hint);

/// The ports and attributes with which a node like this one starts; they point into it.
NodeParts PartsOf(const Node &node);
/// A node like this one in `target`, with attributes, descriptions and lineage; without edges and subgraphs.
Node *CopyNode(Graph &target, const Node &node, std::string name);

}  // namespace gec
