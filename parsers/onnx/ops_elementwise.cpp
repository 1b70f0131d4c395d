// Element by element: arithmetic, comparison, logic, bits, rounding, casts.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/ir/types.h"
#include "ge/own_data_types.h"
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"
#include "parsers/onnx/onnx_file.h"
#include "parsers/onnx/texts.h"

namespace gec::onnx {
namespace {

// Versions before 7 broadcast only on request: attribute axis says where the second operand's dimensions begin.
void OldBroadcast(NodeContext &c, Endpoint &a, Endpoint &b) {
  if (c.opset() >= 7) return;
  bool on = c.Flag("broadcast", false);
  c.Ignore({"consumed_inputs"});
  if (!c.HasAttr("axis")) return;
  int64_t axis = c.Int("axis", 0);
  if (!on) return;
  int64_t rank_a = c.NeedRank(a, "for a broadcast with axis"), rank_b = c.NeedRank(b, "for a broadcast with axis");
  if (axis < 0 && axis >= -rank_a) axis += rank_a;
  if (axis < 0 || axis > rank_a - rank_b)
    c.Refuse(Reason::kInvalidModel, Str("axis ", axis, " does not fit the operands"));
  std::vector<int64_t> axes;
  for (int64_t d = axis + rank_b; d < rank_a; ++d) axes.push_back(rank_b + (d - axis - rank_b));
  if (!axes.empty()) b = c.Unsqueeze(b, axes);
}

/// The standard has no operands of two types here, although some of the operators that stand for them promote.
void NeedOneType(NodeContext &c, Endpoint a, Endpoint b) {
  const int32_t first = c.Type(a), second = c.Type(b);
  if (first != second && first != C_DT_UNDEFINED && second != C_DT_UNDEFINED)
    c.Refuse(Reason::kInvalidModel, Str("the operands have data types ", DataTypeName(first), " and ",
                                        DataTypeName(second), ", expected one"));
}

void Binary(NodeContext &c, const char *type) {
  Endpoint a = c.In(0), b = c.In(1);
  NeedOneType(c, a, b);
  OldBroadcast(c, a, b);
  c.Out(0, c.Op(type, {a, b}));
}

// Operators that are the same here: those of ge/elementwise.def that name one of ONNX.
struct SameOperator {
  std::string_view onnx;
  const char *type;
};
constexpr SameOperator kUnary[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) {onnx, #type},
#include "ge/elementwise.def"
};
constexpr SameOperator kBinary[] = {
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) {onnx, #type},
#include "ge/elementwise.def"
};
struct SameAttribute {
  std::string_view type;
  const char *attr, *onnx;
  float value;
};
constexpr SameAttribute kAttributes[] = {
#define GE_ELEMENTWISE_PARAM(type, operand, attr, value, onnx, onnx_value) {#type, #attr, onnx, onnx_value},
#include "ge/elementwise.def"
};
template <size_t kCount>
const char *TypeOf(const SameOperator (&table)[kCount], const NodeContext &c) {
  return std::find_if(table, table + kCount, [&](const SameOperator &row) { return c.op() == row.onnx; })->type;
}
void SameBinary(NodeContext &c) { Binary(c, TypeOf(kBinary, c)); }
void SameUnary(NodeContext &c) {
  c.Ignore({"consumed_inputs"});
  const char *type = TypeOf(kUnary, c);
  const Endpoint y = c.Op(type, {c.In(0)});
  for (const SameAttribute &row : kAttributes) {
    if (row.type == type) y.node->graph().SetAttr(y.node, row.attr, c.Float(row.onnx, row.value));
  }
  c.Out(0, y);
}
}  // namespace

Endpoint NamedUnary(NodeContext &c, Endpoint x, std::string_view onnx, const std::vector<float> &values) {
  const auto row = std::find_if(std::begin(kUnary), std::end(kUnary),
                                [&](const SameOperator &r) { return !r.onnx.empty() && r.onnx == onnx; });
  if (row == std::end(kUnary)) return {};
  const Endpoint y = c.Op(row->type, {x});
  size_t given = 0;
  for (const SameAttribute &attribute : kAttributes) {
    if (attribute.type != row->type) continue;
    y.node->graph().SetAttr(y.node, attribute.attr, given < values.size() ? values[given] : attribute.value);
    ++given;
  }
  return y;
}

namespace {

void Xor(NodeContext &c) { Binary(c, "NotEqual"); }  // of two bools

void Div(NodeContext &c) {
  Endpoint a = c.In(0), b = c.In(1);
  OldBroadcast(c, a, b);
  int32_t type = c.Type(a);
  bool integer = type != C_DT_UNDEFINED && !c.IsFloat(a);
  c.Out(0, c.Op(integer ? "Div" : "RealDiv", {a, b}));
}

void Mod(NodeContext &c) {
  bool fmod = c.Flag("fmod", false);
  Endpoint a = c.In(0), b = c.In(1);
  c.Out(0, c.Op(fmod ? "Mod" : "FloorMod", {a, b}));
}

void Pow(NodeContext &c) {
  Endpoint a = c.In(0), b = c.In(1);
  OldBroadcast(c, a, b);
  int32_t type = c.Type(a), exponent = c.Type(b);
  if (type != exponent && type != C_DT_UNDEFINED && exponent != C_DT_UNDEFINED) {
    // An integer base keeps its type, but a fractional exponent counts.
    if (!c.IsFloat(a) && c.IsFloat(b)) {
      c.Out(0, c.CastTo(c.Op("Pow", {c.CastTo(a, exponent), b}), type));
      return;
    }
    b = c.CastTo(b, type);
  }
  c.Out(0, c.Op("Pow", {a, b}));
}

void Variadic(NodeContext &c, const char *type) {
  std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  c.Ignore({"consumed_inputs"});
  Endpoint e = inputs[0];
  if (inputs.size() == 1) e = c.Op("Identity", {e});
  for (size_t i = 1; i < inputs.size(); ++i) e = c.Op(type, {e, inputs[i]});
  c.Out(0, e);
}
void Max(NodeContext &c) { Variadic(c, "Maximum"); }
void Min(NodeContext &c) { Variadic(c, "Minimum"); }

Endpoint SumOf(NodeContext &c, const std::vector<Endpoint> &inputs) {
  bool same = inputs.size() > 2 && c.ShapeOf(inputs[0]).known() && NodeContext::Has("AddN");
  for (Endpoint e : inputs) same = same && c.ShapeOf(e) == c.ShapeOf(inputs[0]);
  if (same) return c.Op("AddN", inputs, {{"N", static_cast<int64_t>(inputs.size())}});
  for (Endpoint e : inputs) NeedOneType(c, inputs[0], e);
  Endpoint e = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) e = c.Op("Add", {e, inputs[i]});
  return e;
}

void Sum(NodeContext &c) {
  std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  c.Ignore({"consumed_inputs"});
  c.Out(0, inputs.size() == 1 ? c.Op("Identity", inputs) : SumOf(c, inputs));
}

void Mean(NodeContext &c) {
  std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  c.Ignore({"consumed_inputs"});
  if (inputs.size() == 1) {
    c.Out(0, c.Op("Identity", inputs));
    return;
  }
  Endpoint sum = SumOf(c, inputs);
  c.Out(0, c.Op("RealDiv", {sum, c.NumberLike(static_cast<double>(inputs.size()), inputs[0], "count")}));
}

// Halves go to the even neighbour.
void Round(NodeContext &c) { c.Out(0, c.Op(NodeContext::Has("Rint") ? "Rint" : "Round", {c.In(0)})); }

void IsInf(NodeContext &c) {
  bool negative = c.Flag("detect_negative", true), positive = c.Flag("detect_positive", true);
  Endpoint x = c.In(0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (negative && positive) {
    c.Out(0, c.Op("IsInf", {x}));
  } else if (negative || positive) {
    c.Out(0, c.Op("Equal", {x, c.NumberLike(positive ? kInfinity : -kInfinity, x, "infinity")}));
  } else {
    c.Out(0, c.Op("LogicalAnd", {c.Op("IsInf", {x}), c.ConstNumber(0, C_DT_BOOL, "false")}));
  }
}

void BitwiseNot(NodeContext &c) { c.Out(0, c.Op(NodeContext::Has("Invert") ? "Invert" : "BitwiseNot", {c.In(0)})); }

void BitShift(NodeContext &c) {
  std::string direction = c.String("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    c.Refuse(Reason::kInvalidModel, "attribute 'direction' is '" + direction + "', expected LEFT or RIGHT");
  }
  c.Out(0, c.Op(direction == "LEFT" ? "LeftShift" : "RightShift", {c.In(0), c.In(1)}));
}

// Casts to 8-bit floating point saturate, and powers of two are rounded up, unless the node says otherwise.
Endpoint CastBy(NodeContext &c, Endpoint x, int32_t to) {
  const bool saturate = c.Flag("saturate", true), power = to == C_DT_FLOAT8_E8M0;
  const std::string mode = c.String("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    c.Refuse(Reason::kInvalidModel, "attribute 'round_mode' is '" + mode + "', expected up, down or nearest");
  const bool small = power || to == C_DT_FLOAT8_E4M3FN || to == C_DT_FLOAT8_E5M2 || to == C_DT_FLOAT8_E4M3FNUZ ||
                     to == C_DT_FLOAT8_E5M2FNUZ;
  if (!small || (saturate && (!power || mode == "up"))) return c.Op("Cast", {x}, {{"dst_type", int64_t{to}}});
  const int32_t type = c.NeedType(x, "to cast it");
  if (type == C_DT_DOUBLE || !NodeContext::IsFloatType(type)) x = c.CastTo(x, C_DT_FLOAT);
  return c.Op("SmallFloatCast", {x}, {{"dst_type", int64_t{to}}, {"saturate", saturate}, {"round_mode", mode.c_str()}});
}

void Cast(NodeContext &c) {
  int32_t to;
  if (c.opset() < 6) {
    // Named by text then.
    std::string name = c.String("to", "");
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char ch) { return static_cast<char>(toupper(ch)); });
    constexpr std::pair<const char *, int32_t> kNames[] = {
        {"FLOAT", C_DT_FLOAT},   {"DOUBLE", C_DT_DOUBLE}, {"FLOAT16", C_DT_FLOAT16}, {"INT8", C_DT_INT8},
        {"INT16", C_DT_INT16},   {"INT32", C_DT_INT32},   {"INT64", C_DT_INT64},     {"UINT8", C_DT_UINT8},
        {"UINT16", C_DT_UINT16}, {"UINT32", C_DT_UINT32}, {"UINT64", C_DT_UINT64},   {"BOOL", C_DT_BOOL}};
    auto it = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto &n) { return name == n.first; });
    if (it == std::end(kNames)) c.Refuse(Reason::kUnsupportedType, "attribute 'to' is '" + name + "'");
    to = it->second;
  } else {
    if (!c.HasAttr("to")) c.Refuse(Reason::kInvalidModel, "attribute 'to' is missing");
    if (GeTypeOf(static_cast<int32_t>(c.Int("to", 0))) == C_DT_STRING) return c.Out(0, TextOfNumbers(c, c.In(0)));
    to = c.TypeAttr("to", C_DT_FLOAT);
  }
  c.Out(0, CastBy(c, c.In(0), to));
}

void CastLike(NodeContext &c) {
  int32_t type = c.NeedType(c.In(1), "to cast to it");
  c.Out(0, CastBy(c, c.In(0), type));
}

void Where(NodeContext &c) { c.Out(0, c.Op("SelectV2", {c.In(0), c.In(1), c.In(2)})); }

void Limit(NodeContext &c, Endpoint x, Endpoint low, Endpoint high) {
  if (low && high) c.Out(0, c.Op("ClipByValueV2", {x, low, high}));
  else if (low) c.Out(0, c.Op("Maximum", {x, low}));
  else if (high) c.Out(0, c.Op("Minimum", {x, high}));
  else c.Out(0, c.Op("Identity", {x}));
}
void ClipOld(NodeContext &c) {
  Endpoint x = c.In(0), low, high;
  c.Ignore({"consumed_inputs"});
  if (c.HasAttr("min")) low = c.NumberLike(c.Float("min", 0), x, "min");
  if (c.HasAttr("max")) high = c.NumberLike(c.Float("max", 0), x, "max");
  Limit(c, x, low, high);
}
void Clip(NodeContext &c) { Limit(c, c.In(0), c.OptIn(1), c.OptIn(2)); }

void Identity(NodeContext &c) {
  c.Ignore({"consumed_inputs"});
  const Value x = c.InValue(0);
  c.Out(0, x.is_tensor() ? c.Op("Identity", {x.parts[0]}) : x);
}

void BitCast(NodeContext &c) {
  c.Out(0, c.Op("Bitcast", {c.In(0)}, {{"type", DataTypeValue{c.TypeAttr("to", C_DT_UNDEFINED)}}}));
}

constexpr Handler kElementwiseHandlers[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) {"", onnx, since, SameUnary},
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) {"", onnx, since, SameBinary},
#include "ge/elementwise.def"
    {"", "BitCast", 26, BitCast},
    {"", "Div", 1, Div},
    {"", "Mod", 10, Mod},
    {"", "Pow", 1, Pow},
    {"", "Xor", 1, Xor},
    {"", "BitwiseNot", 18, BitwiseNot},
    {"", "BitShift", 11, BitShift},
    {"", "Max", 1, Max},
    {"", "Min", 1, Min},
    {"", "Sum", 1, Sum},
    {"", "Mean", 1, Mean},
    {"", "Round", 11, Round},
    {"", "IsInf", 10, IsInf},
    {"", "Cast", 1, Cast},
    {"", "CastLike", 15, CastLike},
    {"", "Where", 9, MovesElements<Where>},
    {"", "Clip", 1, ClipOld},
    {"", "Clip", 11, Clip},
    {"", "Identity", 1, Identity},
};

}  // namespace

HandlerTable ElementwiseHandlers() { return {std::begin(kElementwiseHandlers), std::end(kElementwiseHandlers)}; }

}  // namespace gec::onnx
