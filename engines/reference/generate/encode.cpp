// One-hot vectors, the identity matrix, gated halves, and quantisation by rows.
#include <algorithm>
#include <cmath>

#include "common/copy.h"
#include "elementwise/elementwise.h"
#include "elementwise/scalar_math.h"
#include "reduce/lines.h"
#include "registry.h"

namespace reference {
namespace {

// Positions outside [0, depth) give a vector of off_value.
Kernel CreateOneHot(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0), y = node.out_dims(0);
  const int axis = NormalAxis(node, node.Int("axis", -1), x.n + 1);
  if (y.n != x.n + 1 || y.count() != x.count() * y[axis])
    Fail(GE_PARAM_INVALID, "%s: output has shape %s, indices %s", node.label().c_str(), ToText(y).c_str(),
         ToText(x).c_str());
  const int64_t outer = x.count(0, axis), inner = x.count(axis, x.n), depth = y[axis];
  const LoadFn<int64_t> load = Loader<int64_t>(node.in_type(0));
  const size_t element = ElementSize(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(outer * inner, std::max<int64_t>(1, 8192 / (depth + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t index;
        load(call.in(0), t, 1, 1, &index);
        const int64_t base = t / inner * depth * inner + t % inner;
        for (int64_t k = 0; k < depth; ++k)
          memcpy(Shift(call.out(0), base + k * inner, element), call.in(k == index ? 2 : 3), element);
      }
    });
  };
  return kernel;
}

void CheckOneHot(const Node &node) {
  if (node.in_type(2) != node.out_type(0) || node.in_type(3) != node.out_type(0))
    Fail(GE_UNSUPPORTED, "%s: on_value is %s, off_value %s, output %s", node.label().c_str(),
         DataTypeName(node.in_type(2)), DataTypeName(node.in_type(3)), DataTypeName(node.out_type(0)));
}

Kernel CreateEye(const Node &node, const OpEntry &) {
  const Dims y = node.out_dims(0);
  if (y.n < 2) Fail(GE_PARAM_INVALID, "%s: output has shape %s", node.label().c_str(), ToText(y).c_str());
  const int64_t rows = y[y.n - 2], columns = y[y.n - 1], matrices = y.count(0, y.n - 2);
  const StoreFn<int64_t> store = Storer<int64_t>(node.out_type(0));
  const size_t bytes = size_t(y.count()) * ElementSize(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    if (bytes) memset(call.out(0), 0, bytes);
    const int64_t one = 1;
    for (int64_t m = 0; m < matrices; ++m)
      for (int64_t i = 0; i < std::min(rows, columns); ++i)
        store(&one, 1, call.out(0), (m * rows + i) * columns + i, 1);
  };
  return kernel;
}

// y = swish(first half) * second half along dim.
Kernel CreateSwiGlu(const Node &node, const OpEntry &) {
  const Lines x = LinesOf(node.label(), node.in_dims(0), node.Int("dim", -1));
  if (x.length % 2 || node.out_count(0) * 2 != node.in_count(0))
    Fail(GE_PARAM_INVALID, "%s: the dimension of extent %lld cannot be halved into %s", node.label().c_str(),
         (long long)x.length, ToText(node.out_dims(0)).c_str());
  const int64_t half = x.length / 2 * x.inner;
  const LoadFn<float> load = Loader<float>(node.in_type(0));
  const StoreFn<float> store = Storer<float>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(x.outer, std::max<int64_t>(1, 8192 / (half + 1)), [&](int64_t begin, int64_t end) {
      float a[kBlock], b[kBlock];
      for (int64_t o = begin; o < end; ++o)
        for (int64_t at = 0; at < half; at += kBlock) {
          const int64_t n = std::min(kBlock, half - at);
          load(call.in(0), o * 2 * half + at, 1, n, a);
          load(call.in(0), o * 2 * half + half + at, 1, n, b);
          for (int64_t i = 0; i < n; ++i) a[i] = a[i] * Sigmoid(a[i]) * b[i];
          store(a, n, call.out(0), o * half + at, 1);
        }
    });
  };
  return kernel;
}

// DynamicQuant: each row by its largest magnitude, to int8. scale brings y back to x.
Kernel CreateDynamicQuant(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  if (x.n == 0) Fail(GE_PARAM_INVALID, "%s: x is a scalar", node.label().c_str());
  const int64_t length = x[x.n - 1], rows = x.count(0, x.n - 1);
  if (node.out_count(1) != rows || node.out_count(0) != x.count())
    Fail(GE_PARAM_INVALID, "%s: scale has shape %s, x %s", node.label().c_str(), ToText(node.out_dims(1)).c_str(),
         ToText(x).c_str());
  const bool smooth = node.has(1);
  if (smooth && node.in_count(1) != length)
    Fail(GE_PARAM_INVALID, "%s: smooth_scales have %lld values, expected %lld", node.label().c_str(),
         (long long)node.in_count(1), (long long)length);
  const LoadFn<float> load = Loader<float>(node.in_type(0)),
                      load_smooth = smooth ? Loader<float>(node.in_type(1)) : nullptr;
  const StoreFn<float> store = Storer<float>(node.out_type(0)), store_scale = Storer<float>(node.out_type(1));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(rows, std::max<int64_t>(1, 8192 / (length + 1)), [&](int64_t begin, int64_t end) {
      float v[kBlock], factor[kBlock];
      for (int64_t row = begin; row < end; ++row) {
        auto each = [&](auto visit) {
          for (int64_t at = 0; at < length; at += kBlock) {
            const int64_t n = std::min(kBlock, length - at);
            load(call.in(0), row * length + at, 1, n, v);
            if (smooth) {
              load_smooth(call.in(1), at, 1, n, factor);
              for (int64_t i = 0; i < n; ++i) v[i] *= factor[i];
            }
            visit(at, n);
          }
        };
        float top = 0;
        each([&](int64_t, int64_t n) {
          for (int64_t i = 0; i < n; ++i) top = std::max(top, std::abs(v[i]));
        });
        const float scale = top / 127.0f;
        each([&](int64_t at, int64_t n) {
          for (int64_t i = 0; i < n; ++i) v[i] = top > 0 ? std::nearbyint(v[i] / scale) : 0;
          store(v, n, call.out(0), row * length + at, 1);
        });
        store_scale(&scale, 1, call.out(1), row, 1);
      }
    });
  };
  return kernel;
}

void CheckDynamicQuant(const Node &node) {
  if (node.has(2)) Fail(GE_UNSUPPORTED, "%s: group_index is not supported", node.label().c_str());
  if (node.out_type(0) != C_DT_INT8)
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0, expected DT_INT8", node.label().c_str(),
         DataTypeName(node.out_type(0)));
}

const OpEntry kEncode[] = {
    {"OneHot", kInts, &CreateOneHot, &CheckOneHot},
    {"Eye", kReal, &CreateEye, nullptr, nullptr, -1},
    {"SwiGlu", kFloats32, &CreateSwiGlu},
    {"DynamicQuant", kFloats32, &CreateDynamicQuant, &CheckDynamicQuant},
};

}  // namespace

OpTable EncodeOps() { return TableOf(kEncode); }

}  // namespace reference
