// Assignments and steps of optimisers as what they compute: additions, products, roots, which are fused like any
// others.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Input ports that a node of this type changes in place; empty for types that have no rule here.
std::span<const char *const> UpdatedInputs(Symbol type);

/// New values of those inputs, in the order of UpdatedInputs, from nodes that are added to the node's graph. `read`
/// gives what the node reads at a port. Empty where the rule does not cover the node's data type.
std::vector<Endpoint> BuildUpdate(const Node &node, const std::function<Endpoint(int32_t port)> &read);

/// Types that have a rule.
std::vector<Symbol> UpdateTypes();

}  // namespace gec
