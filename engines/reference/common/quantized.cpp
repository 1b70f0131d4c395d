#include "common/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reference {
namespace {

constexpr TypeSet k8Bits = TypeBit(C_DT_INT8) | TypeBit(C_DT_UINT8);

template <class T>
void Widen(const void *base, int64_t offset, int64_t stride, int64_t n, int32_t zero, int32_t *out) {
  const T *p = static_cast<const T *>(base) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = int32_t(p[i]) - zero;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = int32_t(p[i * stride]) - zero;
  }
}

void ExpectTypes(const Node &node, int port, const char *name, TypeSet types) {
  if (node.has(port) && !(types & TypeBit(node.in_type(port))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s", node.label().c_str(), DataTypeName(node.in_type(port)),
         name);
}

// 0 for an absent input; else 1 or one of the allowed numbers.
int64_t CountOf(const Node &node, int port, const char *name, int64_t most, int64_t also) {
  if (!node.has(port)) return 0;
  const int64_t count = node.in_count(port);
  if (count != 1 && count != most && count != also)
    Fail(GE_PARAM_INVALID, "%s: %s has %lld values, expected %s%lld", node.label().c_str(), name, (long long)count,
         most == 1 ? "" : "1 or ", (long long)most);
  return count;
}

template <class T>
void StoreRounded(const float *values, int64_t n, float scale, int32_t zero, void *y, int64_t at, int64_t stride) {
  constexpr float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  const float low = kLow - float(zero), high = kHigh - float(zero);
  T *to = static_cast<T *>(y) + at;
  for (int64_t i = 0; i < n; ++i) {
    const float q = values[i] / scale;
    const float bounded = q > low ? std::min(q, high) : low;  // a NaN is the lowest number
    to[i * stride] = T(int32_t(std::nearbyint(bounded)) + zero);
  }
}

}  // namespace

WidenFn Widener(int32_t type) { return type == C_DT_INT8 ? &Widen<int8_t> : &Widen<uint8_t>; }

void CheckQuantized(const Node &node) {
  ExpectTypes(node, kQuantizedX, "x", k8Bits);
  ExpectTypes(node, kQuantizedWeights, "the weights", k8Bits);
  ExpectTypes(node, kQuantizedXScale, "the scale of x", TypeBit(C_DT_FLOAT));
  ExpectTypes(node, kQuantizedWeightScale, "the scale of the weights", TypeBit(C_DT_FLOAT));
  ExpectTypes(node, kQuantizedOutScale, "the scale of y", TypeBit(C_DT_FLOAT));
  if (!node.has(kQuantizedX) || !node.has(kQuantizedWeights))
    Fail(GE_PARAM_INVALID, "%s: an operand is not connected", node.label().c_str());
  ExpectTypes(node, kQuantizedXZero, "the zero point of x", TypeBit(node.in_type(kQuantizedX)));
  ExpectTypes(node, kQuantizedWeightZero, "the zero point of the weights", TypeBit(node.in_type(kQuantizedWeights)));
  const int32_t dst = int32_t(node.Int("dst_type", C_DT_UNDEFINED));
  const bool integers = dst == C_DT_INT32, scaled = dst == C_DT_INT8 || dst == C_DT_UINT8;
  if (!integers && !scaled && dst != C_DT_FLOAT)
    Fail(GE_UNSUPPORTED, "%s: dst_type %s is not supported", node.label().c_str(), DataTypeName(dst));
  if (node.has_out(0) && node.out_type(0) != dst)
    Fail(GE_UNSUPPORTED, "%s: y is %s, but dst_type %s", node.label().c_str(), DataTypeName(node.out_type(0)),
         DataTypeName(dst));
  ExpectTypes(node, kQuantizedBias, "the bias", TypeBit(C_DT_INT32) | (integers ? 0 : TypeBit(C_DT_FLOAT)));
  ExpectTypes(node, kQuantizedOutZero, "the zero point of y", TypeBit(dst));
  if (!scaled && (node.has(kQuantizedOutScale) || node.has(kQuantizedOutZero)))
    Fail(GE_UNSUPPORTED, "%s: dst_type %s goes without y_scale and y_zero_point", node.label().c_str(),
         DataTypeName(dst));
  const Activation activation = ReadActivation(node);
  if (integers &&
      (node.has(kQuantizedXScale) || node.has(kQuantizedWeightScale) || activation.kind != Activation::kNone))
    Fail(GE_UNSUPPORTED, "%s: dst_type DT_INT32 goes without scales and activation", node.label().c_str());
}

QuantizedResult::QuantizedResult(const Node &node, int64_t rows, int64_t matrix_rows, int64_t columns)
    : x_type_(node.in_type(kQuantizedX)),
      weight_type_(node.in_type(kQuantizedWeights)),
      bias_type_(node.has(kQuantizedBias) ? node.in_type(kQuantizedBias) : int32_t(C_DT_UNDEFINED)),
      out_type_(node.out_type(0)) {
  x_scales_ = CountOf(node, kQuantizedXScale, "the scale of x", matrix_rows, rows);
  x_zeros_ = CountOf(node, kQuantizedXZero, "the zero point of x", matrix_rows, rows);
  weight_scales_ = CountOf(node, kQuantizedWeightScale, "the scale of the weights", columns, columns);
  weight_zeros_ = CountOf(node, kQuantizedWeightZero, "the zero point of the weights", columns, columns);
  out_scales_ = CountOf(node, kQuantizedOutScale, "the scale of y", 1, 1);
  out_zeros_ = CountOf(node, kQuantizedOutZero, "the zero point of y", 1, 1);
  biases_ = node.has(kQuantizedBias) ? node.in_count(kQuantizedBias) : 0;
  if (biases_ != 0 && biases_ != columns)
    Fail(GE_PARAM_INVALID, "%s: bias has %lld values, expected %lld", node.label().c_str(), (long long)biases_,
         (long long)columns);
  activation_ = ReadActivation(node);
}

void QuantizedResult::Store(const Call &call, const int32_t *sums, int64_t n, int64_t row, int64_t column,
                            int64_t column_step, int64_t at, int64_t stride) const {
  constexpr int64_t kRun = 128;
  const float x_scale = Scale(call, kQuantizedXScale, row, x_scales_);
  for (int64_t done = 0; done < n; done += kRun, sums += kRun, at += kRun * stride) {
    const int64_t count = std::min(kRun, n - done);
    int32_t acc[kRun];
    float values[kRun];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t c = column + (done + i) * column_step;
      acc[i] = sums[i];
      if (bias_type_ == C_DT_INT32) acc[i] = int32_t(uint32_t(acc[i]) + uint32_t(call.in<int32_t>(kQuantizedBias)[c]));
      if (out_type_ == C_DT_INT32) continue;
      values[i] = float(acc[i]) * (x_scale * Scale(call, kQuantizedWeightScale, c, weight_scales_));
      if (bias_type_ == C_DT_FLOAT) values[i] += call.in<float>(kQuantizedBias)[c];
    }
    if (out_type_ == C_DT_INT32) {
      for (int64_t i = 0; i < count; ++i) call.out<int32_t>(0)[at + i * stride] = acc[i];
      continue;
    }
    activation_.Apply(values, count);
    if (out_type_ == C_DT_FLOAT) {
      for (int64_t i = 0; i < count; ++i) call.out<float>(0)[at + i * stride] = values[i];
      continue;
    }
    const float scale = Scale(call, kQuantizedOutScale, 0, out_scales_);
    const int32_t zero = Zero(call, kQuantizedOutZero, out_type_, 0, out_zeros_);
    if (out_type_ == C_DT_INT8) StoreRounded<int8_t>(values, count, scale, zero, call.out(0), at, stride);
    else StoreRounded<uint8_t>(values, count, scale, zero, call.out(0), at, stride);
  }
}

}  // namespace reference
