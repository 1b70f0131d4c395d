// Operators whose inputs may have different data types, and whose outputs have the type that these have in common.
#pragma once

#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Ports of the inputs whose common type output `o` has: those that its type symbol names, or all where the operator
/// has GE_TRAIT_PROMOTES. None for most operators.
std::vector<size_t> PromotedInputs(const Node &node, size_t o);
/// Their common type as far as their types are known; C_DT_UNDEFINED where none is, or where there are no such inputs.
/// Throws GE_INFER_FAILED where two have no type in common, with the node, both inputs and their types.
int32_t PromotedType(const Node &node, size_t o);

}  // namespace gec
