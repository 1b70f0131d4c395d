// Quantising along a line and back. Scales belong to the whole tensor, to slices along an axis or to blocks along it.
#include <algorithm>
#include <cmath>

#include "common/saturate.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kPiece = 512;  // elements that are converted at a time

// How scales lie over the elements of x, seen as [outer, extent, inner] with the axis in the middle.
struct ScaleGrid {
  int64_t total = 0, extent = 1, inner = 1;
  int64_t block = 0;         // elements along the axis of one scale; 0: one scale for all
  bool along_inner = false;  // each element of the inner dimensions has a scale of its own
  bool slices = false;       // a scale for each slice along the axis, whatever lies before it
  int64_t scales = 1;

  struct Run {
    int64_t offset, step, length;  // of the scales, and how many elements follow each other so
  };
  Run At(int64_t element) const {
    if (block == 0) return {0, 0, total - element};
    const int64_t column = element % inner, line = element / inner, at = line % extent;
    const int64_t groups = (extent + block - 1) / block;
    if (along_inner) return {(line / extent * groups + at / block) * inner + column, 1, inner - column};
    if (slices) return inner == 1 ? Run{at, 1, extent - at} : Run{at, 0, inner - column};
    return {line / extent * groups + at / block, 0, std::min(block - at % block, extent - at)};
  }
};

ScaleGrid GridOf(const Node &node) {
  const Dims x = node.in_dims(0), scale = node.in_dims(1);
  const int64_t block = GeOpAttrInt(&node.op(), "block_size", 0);
  const std::string label = node.label();
  ScaleGrid grid;
  grid.total = x.count();
  grid.scales = scale.count();
  if (node.has(2) && node.in_count(2) != grid.scales)
    Fail(GE_PARAM_INVALID, "%s: %lld zero points for %lld scales", label.c_str(), (long long)node.in_count(2),
         (long long)grid.scales);
  if (block < 0) Fail(GE_PARAM_INVALID, "%s: block_size is %lld", label.c_str(), (long long)block);
  if (block == 0 && grid.scales == 1) return grid;
  const int axis = NormalAxis(node, GeOpAttrInt(&node.op(), "axis", 1), x.n);
  grid.extent = x[axis];
  grid.inner = x.count(axis + 1, x.n);
  grid.block = block ? block : 1;
  grid.slices = block == 0;
  if (block == 0) {
    if (scale.n != 1 || scale[0] != grid.extent)
      Fail(GE_PARAM_INVALID, "%s: scale has shape %s, expected %lld values", label.c_str(), ToText(scale).c_str(),
           (long long)grid.extent);
    return grid;
  }
  grid.along_inner = grid.inner > 1;
  bool fits = scale.n == x.n;
  for (int i = 0; fits && i < x.n; ++i) fits = scale[i] == (i == axis ? x[i] / block + (x[i] % block != 0) : x[i]);
  if (!fits)
    Fail(GE_PARAM_INVALID, "%s: scale has shape %s, expected one value for each %lld along axis %d of %s",
         label.c_str(), ToText(scale).c_str(), (long long)block, axis, ToText(x).c_str());
  return grid;
}

// Walks runs of elements with their scales and zero points as floats.
struct ScaleLines {
  ScaleGrid grid;
  int32_t scale_type, zero_type;
  LoadFn<float> scale, zero;  // zero: null where there are no zero points

  ScaleLines(const Node &node)
      : grid(GridOf(node)),
        scale_type(node.in_type(1)),
        zero_type(node.has(2) ? node.in_type(2) : int32_t(C_DT_UNDEFINED)),
        scale(Loader<float>(scale_type)),
        zero(node.has(2) ? Loader<float>(zero_type) : nullptr) {}

  // f(first element, count, scales, zero points)
  template <class F>
  void ForEach(const Call &call, int64_t begin, int64_t end, const F &f) const {
    float scales[kPiece], zeros[kPiece] = {};
    for (int64_t at = begin; at < end;) {
      const ScaleGrid::Run run = grid.At(at);
      const int64_t stop = at + std::min(run.length, end - at);
      int64_t offset = run.offset;
      bool loaded = false;
      while (at < stop) {
        const int64_t n = std::min(kPiece, stop - at);
        if (!loaded || run.step) {
          const int64_t count = run.step ? n : std::min(kPiece, stop - at);
          scale(call.in(1), offset, run.step, count, scales);
          if (zero) zero(call.in(2), offset, run.step, count, zeros);
          loaded = true;
        }
        f(at, n, scales, zeros);
        at += n;
        offset += run.step * n;
      }
    }
  }
};

void CheckScales(const std::string &label, const float *scales, int64_t n, bool divides) {
  for (int64_t i = 0; i < n; ++i)
    if (!std::isfinite(scales[i]) || (divides && !(scales[i] > 0)))
      Fail(GE_PARAM_INVALID, "%s: a scale is %g, expected a %s number", label.c_str(), double(scales[i]),
           divides ? "positive" : "finite");
}

// All scales, before any is used. It depends on their values alone, so constants are looked at once.
void CheckAll(const ScaleLines &lines, const std::string &label, const void *data, bool divides) {
  float block[kPiece];
  for (int64_t at = 0; at < lines.grid.scales; at += kPiece) {
    const int64_t n = std::min(kPiece, lines.grid.scales - at);
    lines.scale(data, at, 1, n, block);
    CheckScales(label, block, n, divides);
  }
}

Kernel CreateQuantize(const Node &node, const OpEntry &) {
  const ScaleLines lines(node);
  const int32_t type = node.out_type(0);
  const IntegerLimits limits = IntegerLimitsOf(type);
  const LoadFn<float> load = Loader<float>(node.in_type(0));
  const StoreFn<float> store = Storer<float>(type);
  const std::string label = node.label();
  const bool beyond = (kFp8 & TypeBit(type)) && !node.Bool("saturate", true);  // infinity or NaN where it is too large
  const SmallFormat format = FormatOf(type);
  const void *known = node.in(1).data;
  if (known) CheckAll(lines, label, known, true);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    if (!known) CheckAll(lines, label, call.in(1), true);
    call.ParallelBytes(lines.grid.total, 1 << 14, [&](int64_t begin, int64_t end) {
      float x[kPiece];
      lines.ForEach(call, begin, end, [&](int64_t at, int64_t n, const float *scales, const float *zeros) {
        load(call.in(0), at, 1, n, x);
        if (limits.integer)
          for (int64_t i = 0; i < n; ++i) x[i] = RoundedTo(limits, x[i] / scales[i], zeros[i]);
        else
          for (int64_t i = 0; i < n; ++i) x[i] = x[i] / scales[i] + zeros[i];
        if (!beyond) return store(x, n, call.out(0), at, 1);
        for (int64_t i = 0; i < n; ++i) call.out<uint8_t>(0)[at + i] = ToSmall(format, x[i], false);
      });
    });
  };
  return kernel;
}

Kernel CreateDequantize(const Node &node, const OpEntry &) {
  const ScaleLines lines(node);
  const LoadFn<float> load = Loader<float>(node.in_type(0));
  const StoreFn<float> store = Storer<float>(node.out_type(0));
  const std::string label = node.label();
  const void *known = node.in(1).data;
  if (known) CheckAll(lines, label, known, false);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    if (!known) CheckAll(lines, label, call.in(1), false);
    call.ParallelBytes(lines.grid.total, 1 << 14, [&](int64_t begin, int64_t end) {
      float x[kPiece];
      lines.ForEach(call, begin, end, [&](int64_t at, int64_t n, const float *scales, const float *zeros) {
        load(call.in(0), at, 1, n, x);
        for (int64_t i = 0; i < n; ++i) x[i] = (x[i] - zeros[i]) * scales[i];
        store(x, n, call.out(0), at, 1);
      });
    });
  };
  return kernel;
}

// NaN where there is one: it shows in the scale and in everything that follows.
struct ValueRange {
  float low = 0, high = 0;
  void Take(float v) {
    low = v < low || v != v ? v : low;
    high = v > high || v != v ? v : high;
  }
};

Kernel CreateDynamic(const Node &node, const OpEntry &) {
  const int64_t total = node.in_count(0);
  const IntegerLimits limits = IntegerLimitsOf(C_DT_UINT8);
  Kernel kernel;
  kernel.run = [total, limits](const Call &call) {
    const float *x = call.in<float>(0);
    ValueRange range;
    for (int64_t i = 0; i < total; ++i) range.Take(x[i]);
    const float scale = range.high == range.low ? 1.0f : (range.high - range.low) / 255.0f;
    const float zero = RoundedTo(limits, 0 - range.low / scale, 0);
    call.Parallel(total, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) call.out<uint8_t>(0)[i] = uint8_t(RoundedTo(limits, x[i] / scale, zero));
    });
    if (call.out(1)) *call.out<float>(1) = scale;
    if (call.out(2)) *call.out<uint8_t>(2) = uint8_t(zero);
  };
  return kernel;
}

constexpr TypeSet kLinearStored =
    TypeBit(C_DT_INT8) | TypeBit(C_DT_UINT8) | TypeBit(C_DT_INT16) | TypeBit(C_DT_UINT16) | kFp8 | kPacked;

void NeedLinearTypes(const Node &node, TypeSet scales, TypeSet zeros, TypeSet outputs) {
  if (!(scales & TypeBit(node.in_type(1))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for scale", node.label().c_str(), DataTypeName(node.in_type(1)));
  if (node.has(2) && !(zeros & TypeBit(node.in_type(2))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for zero_point", node.label().c_str(), DataTypeName(node.in_type(2)));
  if (!(outputs & TypeBit(node.out_type(0))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0", node.label().c_str(), DataTypeName(node.out_type(0)));
}
void CheckQuantize(const Node &node) {
  NeedLinearTypes(node, kFloats32 | TypeBit(C_DT_INT32), kLinearStored, kLinearStored);
}
void CheckDequantize(const Node &node) {
  NeedLinearTypes(node, kFloats32, kLinearStored | TypeBit(C_DT_INT32), kFloats32);
}

const OpEntry kLinear[] = {
    {"QuantizeLinear", kFloats32 | TypeBit(C_DT_INT32), &CreateQuantize, &CheckQuantize},
    {"DequantizeLinear", kLinearStored | TypeBit(C_DT_INT32), &CreateDequantize, &CheckDequantize},
    {"DynamicQuantizeLinear", TypeBit(C_DT_FLOAT), &CreateDynamic},
};

}  // namespace

OpTable QuantizeLinearOps() { return TableOf(kLinear); }

}  // namespace reference
