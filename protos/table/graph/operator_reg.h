// The REG_OP macro family as the library itself reads it: each prototype becomes a function that fills a
// PrototypeBuilder. Nothing runs before somebody asks for the operator.
#ifndef GE_PROTOS_TABLE_OPERATOR_REG_H_
#define GE_PROTOS_TABLE_OPERATOR_REG_H_

#include <string_view>

#include "protos/table/prototype_builder.h"

namespace ge {

/// Says something of wrappers that nothing here depends on.
struct EsbHint {
  constexpr EsbHint DynamicOutputNum(const char *, const char *) const { return *this; }
  constexpr EsbHint InferableAttr(const char *, const char *) const { return *this; }
};

/// What BUILTIN_OP_TRAITS says of an operator.
constexpr GeOpTraits BuiltinTraits(uint64_t flags, int32_t control_flow = GE_CONTROL_FLOW_NONE) {
  return {sizeof(GeOpTraits), flags, control_flow, 0};
}

constexpr bool SameText(const char *a, const char *b) { return std::string_view(a) == b; }

}  // namespace ge

#define REG_OP(x)                                           \
  static void Declare_##x(gec::PrototypeBuilder &builder) { \
    constexpr const char *kOpType = #x;                     \
    builder.Type(kOpType)

#define REG_FOR_ESB(x) [[maybe_unused]] static constexpr EsbHint kEsbHint_##x = EsbHint()

/// A row beside a prototype: flags, and the control flow.
#define BUILTIN_OP_TRAITS(x, ...) constexpr GeOpTraits kTraits_##x = BuiltinTraits(__VA_ARGS__);

/// A row that protos/table/extract_table.py reads: operator, sibling, renamed attributes.
#define BUILTIN_ATTRIBUTE_FORM(...)

#define INPUT(x, t) Input(#x, GE_IR_REQUIRED, #t)
#define OPTIONAL_INPUT(x, t) Input(#x, GE_IR_OPTIONAL, #t)
#define DYNAMIC_INPUT(x, t) Input(#x, GE_IR_DYNAMIC, #t)
#define OUTPUT(x, t) Output(#x, GE_IR_REQUIRED, #t)
#define DYNAMIC_OUTPUT(x, t) Output(#x, GE_IR_DYNAMIC, #t)
#define ATTR(x, T, ...) Attr##T(#x, __VA_ARGS__)
#define REQUIRED_ATTR(x, T) RequiredAttr(#x, #T)
#define GRAPH(x) Graph(#x, GE_IR_REQUIRED)
#define DYNAMIC_GRAPH(x) Graph(#x, GE_IR_DYNAMIC)
#define DATATYPE(x, range) Symbol(#x, #range)
#define INFER_SHAPE_AND_TYPE() LegacyInfer()
#define OP_END_FACTORY_REG(x)                                                                  \
  End();                                                                                       \
  static_assert(SameText(kOpType, #x), "REG_OP and OP_END_FACTORY_REG must have equal names"); \
  }

#endif
