// What an operator of the program is: whether it has effects, draws random numbers, works element by element, …
//
//   OP_TRAITS(MyNorm, GE_TRAIT_PURE | GE_TRAIT_FOLDABLE);
//
// beside REG_OP or REG_AUTO_MAPPING_OP. Without it the library treats the operator as one with effects: its nodes are
// never merged, removed or computed at compile time, and each has a kernel of its own. ge/op_traits.h lists the traits.
#ifndef INC_GRAPH_OP_TRAITS_H_
#define INC_GRAPH_OP_TRAITS_H_

#include "ge/fused_program.h"
#include "ge/log.h"
#include "ge/op.h"
#include "graph/error_codes.h"

namespace ge {

/// GRAPH_FAILED for traits that contradict each other, the prototype or what was said before; the log says which.
inline graphStatus SetOpTraits(const char *type, const GeOpTraits &traits) {
  if (GeOpSetTraits(type, &traits) == GE_SUCCESS) return GRAPH_SUCCESS;
  GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
  GeClearLastError();
  return GRAPH_FAILED;
}

/// The last argument: the opcode with GE_TRAIT_FUSED, or which subgraphs the operator runs.
constexpr GeOpTraits OpTraits(uint64_t flags) { return {sizeof(GeOpTraits), flags, GE_CONTROL_FLOW_NONE, 0}; }
constexpr GeOpTraits OpTraits(uint64_t flags, GeFusedOpcode opcode) {
  return {sizeof(GeOpTraits), flags, GE_CONTROL_FLOW_NONE, static_cast<int32_t>(opcode)};
}
constexpr GeOpTraits OpTraits(uint64_t flags, GeControlFlow control_flow) {
  return {sizeof(GeOpTraits), flags, static_cast<int32_t>(control_flow), 0};
}

}  // namespace ge

#define OP_TRAITS_JOIN_(a, b) a##b
#define OP_TRAITS_JOIN(a, b) OP_TRAITS_JOIN_(a, b)
/// type, flags (GE_TRAIT_*), and the opcode with GE_TRAIT_FUSED, or a GeControlFlow.
#define OP_TRAITS(type, ...)                                                                                      \
  static_assert(                                                                                                  \
      (::ge::OpTraits(__VA_ARGS__).flags & GE_TRAIT_FUSED) == 0 || ::ge::OpTraits(__VA_ARGS__).fused_opcode != 0, \
      "OP_TRAITS: GE_TRAIT_FUSED needs an opcode (ge/fused_program.h)");                                          \
  [[maybe_unused]] static const ::ge::graphStatus OP_TRAITS_JOIN(op_traits_of_##type, __COUNTER__) =              \
      ::ge::SetOpTraits(#type, ::ge::OpTraits(__VA_ARGS__))

#endif
