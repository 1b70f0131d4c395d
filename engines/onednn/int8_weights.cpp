#include "int8_weights.h"

#include <algorithm>
#include <cstring>

namespace onednn {

namespace {

template <class W, class T>
void PackColumns(const Int8Source &s, int size, const Int8Layout &layout, int64_t width, int64_t begin, int64_t end,
                 T *to) {
  const W *weights = static_cast<const W *>(s.weights);
  for (int64_t panel = begin; panel < end; ++panel) {
    const int64_t first = panel * width, count = std::min(width, s.columns - first);
    T *out = to + (panel - begin) * int64_t(layout.values.size()) * width;
    for (int64_t g = 0; g < layout.groups(); ++g, out += width * size) {
      if (count < width) memset(out, 0, size_t(width * size) * sizeof(T));
      for (int64_t j = 0; j < count; ++j) {
        const W *column = weights + (first + j) * s.column_step;
        const int32_t zero = s.zero(first + j);
        for (int i = 0; i < size; ++i) {
          const int64_t at = layout.values[size_t(g * size + i)];
          out[j * size + i] = at < 0 ? T(0) : T(int32_t(column[at]) - zero);
        }
      }
    }
  }
}

template <class W>
void PackAs(const Int8Source &s, Int8Mode mode, const Int8Layout &layout, int64_t width, int64_t begin, int64_t end,
            char *to) {
  if (mode == Int8Mode::kWidePairs)
    PackColumns<W>(s, GroupSize(mode), layout, width, begin, end, reinterpret_cast<int16_t *>(to));
  else PackColumns<W>(s, GroupSize(mode), layout, width, begin, end, reinterpret_cast<int8_t *>(to));
}

}  // namespace

void PackPanels(const Int8Source &s, Int8Mode mode, const Int8Layout &layout, const Int8Kernels &kernels, int64_t begin,
                int64_t end, char *to) {
  if (s.is_signed) PackAs<int8_t>(s, mode, layout, kernels.columns, begin, end, to);
  else PackAs<uint8_t>(s, mode, layout, kernels.columns, begin, end, to);
}

void SumColumns(const Int8Source &s, const Int8Layout &layout, int32_t *to) {
  for (int64_t j = 0; j < s.columns; ++j) {
    const int32_t zero = s.zero(j);
    uint32_t sum = 0;
    for (int64_t at : layout.values)
      if (at >= 0) sum += uint32_t(Value8(s.weights, s.is_signed, j * s.column_step + at) - zero);
    to[j] = int32_t(sum);
  }
}

Int8Mode ModeOf(const GeKernelEnv &env, const Int8Source &s, int64_t elements, const Int8Kernels &kernels) {
  bool moved = false;
  for (int64_t i = 0; i < s.zero_count; ++i) moved |= Value8(s.zeros, s.is_signed, i) != 0;
  if (s.is_signed && !moved) return kernels.narrow;
  // Looked at once per model: kernels for other sizes ask again. Any zero point there is may meet any weight.
  struct Range {
    int32_t low, high;
  };
  const auto *range = static_cast<const Range *>(Packed(env, s.weights, "int8:range", sizeof(Range), [&](void *out) {
    Range found{255, -128};
    for (int64_t i = 0; i < elements; ++i) {
      const int32_t value = Value8(s.weights, s.is_signed, i);
      found.low = std::min(found.low, value), found.high = std::max(found.high, value);
    }
    memcpy(out, &found, sizeof found);
  }));
  int32_t low_zero = s.zero(0), high_zero = low_zero;
  for (int64_t i = 0; i < s.zero_count; ++i) {
    low_zero = std::min(low_zero, s.zero(i)), high_zero = std::max(high_zero, s.zero(i));
  }
  const bool fits = range->low - high_zero >= -128 && range->high - low_zero <= 127;
  return fits ? kernels.narrow : Int8Mode::kWidePairs;
}

}  // namespace onednn
