#include "quantized.h"

#include "read_activation.h"

namespace onednn {

namespace {

bool Is8Bits(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }

void RequireType(const Tensor &t, int32_t type, const char *what) {
  if (!t.present()) return;
  RequirePlain(t, what);
  if (t.type() != type) Refuse(t.type_name(), " is not supported for ", what);
}

bool ReadOperand(const Node &node, int port, const char *what) {
  const Tensor t = node.in(port);
  if (!t.present()) Refuse(what, " is not connected");
  RequirePlain(t, what);
  if (!Is8Bits(t.type())) Refuse(t.type_name(), " is not supported for ", what);
  return t.type() == C_DT_INT8;
}

int64_t CountOf(const Node &node, int port, const char *what, int64_t most, int64_t also) {
  const Tensor t = node.in(port);
  if (!t.present()) return 0;
  const int64_t count = t.elements();
  if (count != 1 && count != most && count != also) Refuse(what, " has ", count, " values, expected 1 or ", most);
  return count;
}

}  // namespace

QuantizedSpec ReadQuantized(const Node &node) {
  QuantizedSpec s;
  s.x_signed = ReadOperand(node, kPortX, "x");
  s.weights_signed = ReadOperand(node, kPortWeights, "the weights");
  RequireType(node.in(kPortXScale), C_DT_FLOAT, "the scale of x");
  RequireType(node.in(kPortXZero), node.in(kPortX).type(), "the zero point of x");
  RequireType(node.in(kPortWeightScale), C_DT_FLOAT, "the scale of the weights");
  RequireType(node.in(kPortWeightZero), node.in(kPortWeights).type(), "the zero point of the weights");
  s.dst_type = int32_t(node.Int("dst_type", C_DT_UNDEFINED));
  const bool integers = s.dst_type == C_DT_INT32, scaled = Is8Bits(s.dst_type);
  if (!integers && !scaled && s.dst_type != C_DT_FLOAT) Refuse("dst_type ", s.dst_type, " is not supported");
  if (node.out(0).present()) RequireType(node.out(0), s.dst_type, "y beside this dst_type");
  const Tensor bias = node.in(kPortBias);
  s.integer_bias = bias.present() && bias.type() == C_DT_INT32;
  if (!s.integer_bias) RequireType(bias, integers ? int32_t(C_DT_INT32) : int32_t(C_DT_FLOAT), "the bias");
  RequireType(node.in(kPortOutScale), C_DT_FLOAT, "the scale of y");
  RequireType(node.in(kPortOutZero), s.dst_type, "the zero point of y");
  if (!scaled && (node.in(kPortOutScale).present() || node.in(kPortOutZero).present()))
    Refuse("this dst_type goes without y_scale and y_zero_point");
  s.activation = ActivationOf(node);
  if (integers &&
      (node.in(kPortXScale).present() || node.in(kPortWeightScale).present() || s.activation.kind != Act::kNone))
    Refuse("dst_type DT_INT32 goes without scales and activation");
  return s;
}

void ReadQuantizedCounts(const Node &node, int64_t rows, int64_t matrix_rows, int64_t columns, QuantizedSpec *s) {
  s->columns = columns;
  s->x_scales = CountOf(node, kPortXScale, "the scale of x", matrix_rows, rows);
  s->x_zeros = CountOf(node, kPortXZero, "the zero point of x", matrix_rows, rows);
  s->weight_scales = CountOf(node, kPortWeightScale, "the scale of the weights", columns, columns);
  s->weight_zeros = CountOf(node, kPortWeightZero, "the zero point of the weights", columns, columns);
  s->out_scales = CountOf(node, kPortOutScale, "the scale of y", 1, 1);
  s->out_zeros = CountOf(node, kPortOutZero, "the zero point of y", 1, 1);
  s->biases = node.in(kPortBias).present() ? node.in(kPortBias).elements() : 0;
  if (node.in(kPortBias).present() && s->biases != columns)
    Refuse("bias has ", s->biases, " values, expected ", columns);
}

void QuantizedCall::Prepare(int64_t first, int64_t n, const int32_t *weight_sums, int32_t x_zero,
                            PanelColumns *c) const {
  const bool integers = s_.integer_bias, floats = s_.biases > 0 && !integers;
  for (int64_t j = 0; j < kMostInt8Columns; ++j) {
    const bool inside = j < n;
    const int64_t at = first + j;
    uint32_t add = inside && integers ? uint32_t(static_cast<const int32_t *>(args_.inputs[kPortBias])[at]) : 0;
    c->weight_sums[j] = inside && weight_sums ? weight_sums[at] : 0;
    add -= uint32_t(x_zero) * uint32_t(c->weight_sums[j]);
    c->add[j] = int32_t(add);
    c->scale[j] = inside ? Scale(kPortWeightScale, s_.weight_scales, at) : 0;
    c->bias[j] = inside && floats ? static_cast<const float *>(args_.inputs[kPortBias])[at] : 0;
  }
}

Int8Finish QuantizedCall::FinishOf(const PanelColumns &columns, int64_t row) const {
  static constexpr float kOne = 1;
  Int8Finish f{};
  f.add = columns.add, f.scale = columns.scale, f.bias = columns.bias;
  f.biased = s_.biases > 0 && !s_.integer_bias;
  f.x_scale = s_.x_scales == 0 ? &kOne : static_cast<const float *>(args_.inputs[kPortXScale]);
  f.x_scale_step = s_.x_scales > 1;
  f.x_scale += row * f.x_scale_step;
  f.dst_type = s_.dst_type;
  f.activation = s_.activation;
  f.y_scale = Scale(kPortOutScale, s_.out_scales, 0);
  f.y_zero = Zero(kPortOutZero, s_.dst_type == C_DT_INT8, s_.out_zeros, 0);
  return f;
}

}  // namespace onednn
