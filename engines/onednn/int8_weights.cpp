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

namespace {

// Weights whose zero point is taken off fit into int8.
bool Narrow(const GeKernelEnv &env, const Int8Source &s, int64_t elements) {
  bool moved = false;
  for (int64_t i = 0; i < s.zero_count; ++i) moved |= Value8(s.zeros, s.is_signed, i) != 0;
  if (s.is_signed && !moved) return true;
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
  for (int64_t i = 0; i < s.zero_count; ++i)
    low_zero = std::min(low_zero, s.zero(i)), high_zero = std::max(high_zero, s.zero(i));
  return range->low - high_zero >= -128 && range->high - low_zero <= 127;
}

// 255 times two weights next to each other does not fit into int16.
bool TooLarge(const int8_t *pair) {
  constexpr int kMost = 128;
  const int positive = std::max<int>(pair[0], 0) + std::max<int>(pair[1], 0);
  const int negative = std::min<int>(pair[0], 0) + std::min<int>(pair[1], 0);
  return positive > kMost || negative < -kMost;
}
bool TooLarge(const int8_t *group, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 2)
    if (TooLarge(group + i)) return true;
  return false;
}

}  // namespace

void ConstantPanels::ChooseMode(const GeKernelEnv &env, const Int8Source &s, int64_t elements,
                                const Int8Kernels &kernels) {
  narrow_ = Narrow(env, s, elements);
  mode_ = !narrow_ ? Int8Mode::kWidePairs : kernels.exact_quads ? Int8Mode::kQuads : Int8Mode::kPairs;
  if (mode_ != Int8Mode::kPairs) return;
  // How many pairs of neighbours along a column or row are too large says enough; a group has two for each column.
  const auto *share = static_cast<const double *>(Packed(env, s.weights, "int8:large", sizeof(double), [&](void *out) {
    int64_t large = 0;
    const int64_t pairs = s.columns * s.column_depth / 2;
    for (int64_t j = 0; j < s.columns; ++j)
      for (int64_t k = 0; k + 1 < s.column_depth; k += 2) {
        int8_t pair[2];
        for (int64_t i = 0; i < 2; ++i)
          pair[i] = int8_t(Value8(s.weights, s.is_signed, j * s.column_step + (k + i) * s.depth_step) - s.zero(j));
        large += TooLarge(pair);
      }
    *static_cast<double *>(out) = pairs ? double(large) / double(pairs) : 1;
  }));
  // Two times as many pairs as columns are in a group, and one suffices to double it.
  constexpr double kMostDoubled = 0.1;
  if (*share * 2 * kernels.columns < kMostDoubled) mode_ = Int8Mode::kQuads;
}

void ConstantPanels::PackParts(const GeKernelEnv &env, const std::string &key, const Int8Layout &layout,
                               const std::vector<Int8Source> &parts, const Int8Kernels &kernels) {
  const void *data = parts[0].weights;
  const int64_t each = PanelCount(parts[0].columns, kernels), panels = each * int64_t(parts.size());
  layout_ = &layout;
  panel_bytes_ = PanelBytes(mode_, layout.groups(), kernels);
  group_bytes_ = PanelBytes(mode_, 1, kernels);
  const auto pack = [&](int64_t panel, char *to) {
    PackPanels(parts[size_t(panel / each)], mode_, layout, kernels, panel % each, panel % each + 1, to);
  };
  if (mode_ == Int8Mode::kQuads)
    sums_ = static_cast<const int32_t *>(Packed(
        env, data, key + ":sums", uint64_t(parts.size()) * uint64_t(parts[0].columns) * sizeof(int32_t), [&](void *to) {
          for (size_t i = 0; i < parts.size(); ++i)
            SumColumns(parts[i], layout, static_cast<int32_t *>(to) + int64_t(i) * parts[0].columns);
        }));
  if (mode_ != Int8Mode::kQuads || kernels.exact_quads) {
    weights_ = static_cast<const char *>(Packed(env, data, key, uint64_t(panels * panel_bytes_), [&](void *to) {
      for (int64_t i = 0; i < panels; ++i) pack(i, static_cast<char *>(to) + i * panel_bytes_);
    }));
    return;
  }
  std::vector<char> panel(static_cast<size_t>(panel_bytes_));
  const auto group = [&](int64_t g) { return reinterpret_cast<int8_t *>(panel.data()) + g * group_bytes_; };
  starts_ = static_cast<const int64_t *>(
      Packed(env, data, key + ":starts", uint64_t(panels + 1) * sizeof(int64_t), [&](void *to) {
        int64_t *starts = static_cast<int64_t *>(to);
        starts[0] = 0;
        for (int64_t i = 0; i < panels; ++i) {
          pack(i, panel.data());
          starts[i + 1] = starts[i] + layout.groups();
          for (int64_t g = 0; g < layout.groups(); ++g) starts[i + 1] += TooLarge(group(g), group_bytes_);
        }
      }));
  const int64_t groups = starts_[panels];
  offsets_ = static_cast<const int32_t *>(
      Packed(env, data, key + ":offsets", uint64_t(groups) * sizeof(int32_t), [&](void *to) {
        int32_t *out = static_cast<int32_t *>(to);
        for (int64_t i = 0; i < panels; ++i) {
          pack(i, panel.data());
          for (int64_t g = 0; g < layout.groups(); ++g) {
            *out++ = layout.offsets[size_t(g)];
            if (TooLarge(group(g), group_bytes_)) *out++ = layout.offsets[size_t(g)];
          }
        }
      }));
  weights_ = static_cast<const char *>(Packed(env, data, key, uint64_t(groups * group_bytes_), [&](void *to) {
    int8_t *out = static_cast<int8_t *>(to);
    for (int64_t i = 0; i < panels; ++i) {
      pack(i, panel.data());
      for (int64_t g = 0; g < layout.groups(); ++g, out += group_bytes_) {
        const int8_t *from = group(g);
        if (!TooLarge(from, group_bytes_)) {
          memcpy(out, from, size_t(group_bytes_));
          continue;
        }
        for (int64_t b = 0; b < group_bytes_; ++b) {
          out[b] = int8_t(from[b] >> 1);
          out[b + group_bytes_] = int8_t(from[b] - out[b]);
        }
        out += group_bytes_;
      }
    }
  }));
}

}  // namespace onednn
