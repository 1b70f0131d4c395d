// Attributes of elementwise operators.
#include <string>

#include "elementwise/formulas.h"

namespace reference {

Params ReadRow(const Node &node) {
  static const struct {
    const char *type;
    const char *attr;
    double value;
  } kRows[] = {
#define GE_ELEMENTWISE_PARAM(type, operand, attr, value, onnx, onnx_value) {#type, #attr, value},
#define GE_ELEMENTWISE_FIXED(type, attr, kind, value) {#type, #attr, value},
#include "ge/elementwise.def"
  };
  Params p;
  double *to[] = {&p.a, &p.b, &p.c};
  size_t next = 0;
  for (const auto &row : kRows) {
    if (node.type() == std::string_view(row.type)) *to[next++] = node.Float(row.attr, row.value);
  }
  return p;
}

// a: logarithm of the base, b: scale, c: shift; flag: plain e^x or ln(x).
Params ReadExpLog(const Node &node) {
  double base = node.Float("base", -1.0), scale = node.Float("scale", 1.0), shift = node.Float("shift", 0.0);
  if (base != -1.0 && base <= 0)
    Fail(GE_PARAM_INVALID, "%s: base is %g, expected a positive number or -1", node.label().c_str(), base);
  Params p;
  p.a = base == -1.0 ? 1.0 : std::log(base);
  p.b = scale;
  p.c = shift;
  p.flag = base == -1.0 && scale == 1.0 && shift == 0.0;
  return p;
}
Params ReadRound(const Node &node) { return {std::pow(10.0, double(node.Int("decimals", 0)))}; }
Params ReadCelu(const Node &node) {
  return {node.Float("alpha1", 1.0), node.Float("alpha2", 1.0), node.Float("alpha3", 1.0)};
}
Params ReadCeluV2(const Node &node) {
  double alpha = node.Float("alpha", 1.0);
  if (alpha == 0) Fail(GE_PARAM_INVALID, "%s: alpha is 0, expected another number", node.label().c_str());
  return {alpha, alpha, 1.0};
}
Params ReadGelu(const Node &node) {
  std::string mode = node.String("approximate", "none");
  if (mode != "none" && mode != "tanh")
    Fail(GE_PARAM_INVALID, "%s: approximate is '%s', expected none or tanh", node.label().c_str(), mode.c_str());
  Params p;
  p.flag = mode == "tanh";
  return p;
}
Params ReadSwish(const Node &node) { return {node.Float("scale", 1.0)}; }
Params ReadLambda(const Node &node) { return {node.Float("lambd", 0.5)}; }
Params ReadThreshold(const Node &node) { return {node.Float("threshold", 0.0)}; }
Params ReadPower(const Node &node) {
  return {node.Float("power", 1.0), node.Float("scale", 1.0), node.Float("shift", 0.0)};
}
Params ReadValue(const Node &node) { return {node.Float("value", 0.0)}; }
Params ReadIsBool(const Node &node) {
  Params p;
  p.flag = node.in_type(0) == C_DT_BOOL;
  return p;
}
Params ReadTolerance(const Node &node) { return {node.Float("tolerance", 1e-5f)}; }
Params ReadAlpha(const Node &node) { return {node.Float("alpha", 1.0)}; }
// Bits of an element: a shift by as many or more leaves nothing but the sign.
Params ReadWidth(const Node &node) { return {double(8 * ElementSize(node.in_type(0)))}; }

}  // namespace reference
