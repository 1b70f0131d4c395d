// What operators are: questions to the traits of a node's operator. No list of operator types stands in for them.
#pragma once

#include "core/ir/graph.h"
#include "core/ir/op_traits.h"

namespace gec {

/// Finds the traits in force and remembers them in the definition.
const GeOpTraits &ResolveTraits(const IrDef &ir);
/// A built-in operator's row, unless an engine of the program's own operators takes the node; else what the program
/// said, else kUnknownTraits. Lives until the process ends.
inline const GeOpTraits &TraitsOf(const Node &node) {
  const GeOpTraits *known = node.ir().traits.load(std::memory_order_acquire);
  return known ? *known : ResolveTraits(node.ir());
}
/// The row of a built-in operator is in force: the node computes what the library's operator of its type does, and its
/// attributes mean what that operator's do.
inline bool HasBuiltinTraits(const Node &node) {
  TraitsOf(node);
  return node.ir().builtin_traits.load(std::memory_order_relaxed);
}
/// By type: what GeOpFindTraits answers; null for a type that nobody knows.
const GeOpTraits *TraitsOfType(Symbol type);
/// Throws GE_PARAM_INVALID where the traits that come with a prototype, or that were said of its type before, do not
/// fit it.
void CheckSaidTraits(const IrDef &ir);
/// Records what a program says of its operator. For a built-in type it counts where a program's own kernel takes the
/// node; repeating the built-in row says nothing. Throws GE_PARAM_INVALID for contradictions, also to what was said
/// before and to the prototype, where it is known already.
void DeclareTraits(Symbol type, const GeOpTraits &traits);

inline bool HasTrait(const Node &node, uint64_t flag) { return (TraitsOf(node).flags & flag) != 0; }
inline bool IsPure(const Node &node) { return HasTrait(node, GE_TRAIT_PURE); }
inline bool IsView(const Node &node) { return HasTrait(node, GE_TRAIT_VIEW); }
inline bool IsFoldable(const Node &node) { return HasTrait(node, GE_TRAIT_FOLDABLE); }
/// GE_CONTROL_FLOW_NONE for a node without subgraphs of its prototype.
inline GeControlFlow ControlFlowOf(const Node &node) { return static_cast<GeControlFlow>(TraitsOf(node).control_flow); }
inline bool IsControlFlow(const Node &node) { return ControlFlowOf(node) != GE_CONTROL_FLOW_NONE; }
/// Does something besides computing outputs, by itself or in a subgraph that it runs; so does an operator of which
/// nothing is known.
bool HasEffect(const Node &node);
/// HasEffect, and somebody said so: operators of which nothing is known do not count.
bool SaysEffect(const Node &node);

}  // namespace gec
