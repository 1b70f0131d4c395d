// Operators with one input and as many outputs as inputs: y = f(x).
#include "elementwise/formulas.h"
#include "registry.h"

namespace reference {
namespace {

const OpEntry kUnary[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) \
  {#type, kElementwise##types, &CreateElementwise, &CheckElementwise, &kFns##types<type##Op, 1>},
#include "ge/elementwise.def"
};

}  // namespace

OpTable UnaryOps() { return TableOf(kUnary); }

}  // namespace reference
