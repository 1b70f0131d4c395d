// Activations.
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

Endpoint Celu(NodeContext &c, Endpoint x, double alpha) {
  // max(0, x) + min(0, alpha (exp(x / alpha) - 1))
  Endpoint scaled = alpha == 1 ? x : c.Op("Mul", {x, c.NumberLike(1 / alpha, x, "inverse")});
  Endpoint e = c.Op("Sub", {c.Op("Exp", {scaled}), c.NumberLike(1, x, "one")});
  if (alpha != 1) e = c.Op("Mul", {e, c.NumberLike(alpha, x, "alpha")});
  return c.Op("Add", {c.Op("Relu", {x}), c.Op("Minimum", {e, c.NumberLike(0, x, "zero")})});
}
void Celu(NodeContext &c) {
  float alpha = c.Float("alpha", 1.0f);
  if (alpha == 0) c.Refuse(Reason::kInvalidModel, "attribute 'alpha' is 0");
  Endpoint x = c.In(0);
  if (alpha == 1.0f) c.Out(0, c.Op("Elu", {x}, {{"alpha", 1.0f}}));
  else if (NodeContext::Has("CeluV2")) c.Out(0, c.Op("CeluV2", {x}, {{"alpha", alpha}}));
  else c.Out(0, Celu(c, x, alpha));
}

void Selu(NodeContext &c) {
  c.Ignore({"consumed_inputs"});
  constexpr float kAlpha = 1.67326319217681884765625f, kGamma = 1.05070102214813232421875f;
  // Version 1 had other, rounded defaults.
  float alpha = c.Float("alpha", c.opset() < 6 ? 1.6732f : kAlpha);
  float gamma = c.Float("gamma", c.opset() < 6 ? 1.0507f : kGamma);
  Endpoint x = c.In(0);
  if (alpha == kAlpha && gamma == kGamma && NodeContext::Has("Selu")) {
    c.Out(0, c.Op("Selu", {x}));
    return;
  }
  c.Out(0, c.Op("Mul", {c.Op("Elu", {x}, {{"alpha", alpha}}), c.NumberLike(gamma, x, "gamma")}));
}

void Gelu(NodeContext &c) {
  std::string kind = c.String("approximate", "none");
  if (kind != "none" && kind != "tanh") {
    c.Refuse(Reason::kInvalidModel, "attribute 'approximate' is '" + kind + "', expected none or tanh");
  }
  c.Out(0, c.Op("GeluV2", {c.In(0)}, {{"approximate", kind}}));
}
void MicrosoftGelu(NodeContext &c) { c.Out(0, c.Op("GeluV2", {c.In(0)}, {{"approximate", "none"}})); }

void HardSwish(NodeContext &c) {
  Endpoint x = c.In(0);
  c.Out(0, c.Op("Mul", {x, c.Op("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}})}));
}

void Mish(NodeContext &c) {
  Endpoint x = c.In(0);
  if (NodeContext::Has("Mish")) c.Out(0, c.Op("Mish", {x}));
  else c.Out(0, c.Op("Mul", {x, c.Op("Tanh", {c.Op("Softplus", {x})})}));
}

void Swish(NodeContext &c) {
  float alpha = c.Float("alpha", 1.0f);
  Endpoint x = c.In(0);
  Endpoint scaled = alpha == 1.0f ? x : c.Op("Mul", {x, c.NumberLike(alpha, x, "alpha")});
  c.Out(0, c.Op("Mul", {x, c.Op("Sigmoid", {scaled})}));
}

void PRelu(NodeContext &c) {
  Endpoint x = c.In(0), slope = c.In(1);
  c.Ignore({"consumed_inputs"});
  if (c.opset() < 7) {  // one value per channel then
    int64_t rank = c.NeedRank(x, "to apply a slope per channel");
    if (c.Rank(slope) == 1 && rank > 2) {
      std::vector<int64_t> axes;
      for (int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
      slope = c.Unsqueeze(slope, axes);
    }
  }
  Endpoint zero = c.NumberLike(0, x, "zero");
  c.Out(0, c.Op("Add", {c.Op("Maximum", {x, zero}), c.Op("Mul", {slope, c.Op("Minimum", {x, zero})})}));
}

void ThresholdedRelu(NodeContext &c) {
  Endpoint x = c.In(0);
  Endpoint above = c.Op("Greater", {x, c.NumberLike(c.Float("alpha", 1.0f), x, "alpha")});
  c.Out(0, c.Op("SelectV2", {above, x, c.NumberLike(0, x, "zero")}));
}

void Shrink(NodeContext &c) {
  Endpoint x = c.In(0);
  float lambd = c.Float("lambd", 0.5f), bias = c.Float("bias", 0.0f);
  Endpoint low = c.Op("Less", {x, c.NumberLike(-lambd, x, "low")});
  Endpoint high = c.Op("Greater", {x, c.NumberLike(lambd, x, "high")});
  Endpoint shift = c.NumberLike(bias, x, "bias");
  Endpoint inner = c.Op("SelectV2", {high, c.Op("Sub", {x, shift}), c.NumberLike(0, x, "zero")});
  c.Out(0, c.Op("SelectV2", {low, c.Op("Add", {x, shift}), inner}));
}

// Before version 13 the operand is a matrix: dimensions from `axis` on are the columns.
void SoftmaxOld(NodeContext &c, const char *type) {
  Endpoint x = c.In(0);
  const int64_t rank = c.Rank(x);
  int64_t axis = c.Int("axis", 1);
  if (axis == rank && (rank == 0 || rank == 1)) axis = rank - 1;  // the default of 1 on a vector
  auto apply = [&](Endpoint e) { return c.Op(type, {e}, {{"axes", AttrValue::ListInt{-1}}}); };
  if (rank == 0) {
    c.Out(0, c.Squeeze(apply(c.Unsqueeze(x, {0})), {0}));
    return;
  }
  axis = c.Axis(axis, x);
  if (rank >= 0 && axis == rank - 1) {
    c.Out(0, apply(x));
    return;
  }
  Endpoint shape = c.ShapeValue(x);
  Endpoint flat = c.Op("Flatten", {x}, {{"axis", axis}});
  c.Out(0, c.Op("Reshape", {apply(flat), shape}));
}
void SoftmaxOld(NodeContext &c) { SoftmaxOld(c, "SoftmaxV2"); }
void LogSoftmaxOld(NodeContext &c) { SoftmaxOld(c, "LogSoftmaxV2"); }

// One where the first maximum is along the axis.
Endpoint HardmaxAlong(NodeContext &c, Endpoint x, int64_t axis) {
  int32_t type = c.NeedType(x, "to make ones of it");
  const int64_t rank = c.Rank(x);
  if (rank < 0 && axis < -1) c.NeedRank(x, "to find the axis");
  Endpoint index = c.Op("ArgMaxV2", {x, c.ConstInt(axis, "axis")}, {{"dtype", DataTypeValue{C_DT_INT64}}});
  Endpoint depth = c.Op("GatherV2", {c.ShapeValue(x), c.ConstInt(axis, "axis"), c.ConstInt(0, "zero")});
  return c.Op("OneHot", {index, depth, c.ConstNumber(1, type, "one"), c.ConstNumber(0, type, "zero")},
              {{"axis", axis == rank - 1 ? int64_t{-1} : axis}});
}
void HardmaxOld(NodeContext &c) {
  Endpoint x = c.In(0);
  const int64_t rank = c.Rank(x);
  int64_t axis = c.Int("axis", 1);
  if (axis == rank && (rank == 0 || rank == 1)) axis = rank - 1;
  axis = c.Axis(axis, x);
  if (rank >= 0 && axis == rank - 1) {
    c.Out(0, HardmaxAlong(c, x, axis));
    return;
  }
  Endpoint shape = c.ShapeValue(x);
  Endpoint flat = c.Op("Flatten", {x}, {{"axis", axis}});
  c.Out(0, c.Op("Reshape", {HardmaxAlong(c, flat, 1), shape}));
}
void Hardmax(NodeContext &c) {
  Endpoint x = c.In(0);
  c.Out(0, HardmaxAlong(c, x, c.Axis(c.Int("axis", -1), x)));
}

void Softmax13(NodeContext &c, const char *type) {
  Endpoint x = c.In(0);
  int64_t axis = c.Axis(c.Int("axis", -1), x);
  int64_t rank = c.Rank(x);
  if (rank >= 0 && axis == rank - 1) axis = -1;
  c.Out(0, c.Op(type, {x}, {{"axes", AttrValue::ListInt{axis}}}));
}
void Softmax(NodeContext &c) { Softmax13(c, "SoftmaxV2"); }
void LogSoftmax(NodeContext &c) { Softmax13(c, "LogSoftmaxV2"); }

void Dropout(NodeContext &c) {
  c.Ignore({"consumed_inputs", "ratio", "seed", "is_test"});  // they matter to trainers only
  Endpoint x = c.In(0);
  if (c.opset() >= 12) {
    if (c.HasInput(2)) {
      TensorPtr training = c.ConstIn(2);
      if (!training) c.Refuse(Reason::kNeedsStatic, "training_mode (input 2) must be constant");
      if (training->bytes() > 0 && *training->as<uint8_t>() != 0) {
        bool none = c.HasInput(1) && c.ConstIn(1) && c.NeedNumber(1, "ratio") == 0;
        if (!none) c.Refuse(Reason::kUnsupportedUse, "training mode is not supported");
      }
    }
    c.OptIn(1);
  }
  c.Out(0, c.Op("Identity", {x}));
  if (c.WantsOutput(1)) {
    int32_t type = c.opset() >= 10 ? static_cast<int32_t>(C_DT_BOOL) : c.NeedType(x, "to make a mask");
    c.Out(1, c.Op("Fill", {c.ShapeValue(x), c.ConstNumber(1, type, "one")}));
  }
}

constexpr Handler kActivationHandlers[] = {
    {"", "Celu", 12, Celu},
    {"", "Selu", 1, Selu},
    {"", "Gelu", 20, Gelu},
    {"com.microsoft", "Gelu", 1, MicrosoftGelu},
    {"", "HardSwish", 14, HardSwish},
    {"", "Mish", 18, Mish},
    {"", "Swish", 24, Swish},
    {"", "PRelu", 1, PRelu},
    {"", "ThresholdedRelu", 10, ThresholdedRelu},
    {"", "Shrink", 9, Shrink},
    {"", "Softmax", 1, SoftmaxOld},
    {"", "Softmax", 13, Softmax},
    {"", "LogSoftmax", 1, LogSoftmaxOld},
    {"", "LogSoftmax", 13, LogSoftmax},
    {"", "Hardmax", 1, HardmaxOld},
    {"", "Hardmax", 13, Hardmax},
    {"", "Dropout", 1, Dropout},
};

}  // namespace

HandlerTable ActivationHandlers() { return {std::begin(kActivationHandlers), std::end(kActivationHandlers)}; }

}  // namespace gec::onnx
