#include "int8_weights.h"

#include <algorithm>
#include <cstring>

namespace onednn {

namespace {

template <class W, class T>
void PackColumns(const Int8Source &s, int size, const Int8Layout &layout, int64_t width, int64_t begin, int64_t end,
                 T *to) {
  const W *weights = static_cast<const W *>(s.weights);
  const int64_t step = s.column_step;
  int32_t zeros[kMostInt8Columns];
  for (int64_t panel = begin; panel < end; ++panel) {
    const int64_t first = panel * width, count = std::min(width, s.columns - first);
    for (int64_t j = 0; j < count; ++j) zeros[j] = s.zero(first + j);
    T *out = to + (panel - begin) * int64_t(layout.values.size()) * width;
    for (int64_t g = 0; g < layout.groups(); ++g, out += width * size) {
      for (int i = 0; i < size; ++i) {
        const int64_t at = layout.values[size_t(g * size + i)], used = at < 0 ? 0 : count;
        const W *from = weights + first * step + at;
        for (int64_t j = 0; j < used; ++j) out[j * size + i] = T(int32_t(from[j * step]) - zeros[j]);
        for (int64_t j = used; j < width; ++j) out[j * size + i] = 0;
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

namespace {

// Value by value over all columns: these lie together in most matrices.
template <class W>
void SumAll(const Int8Source &s, const Int8Layout &layout, uint32_t *to) {
  int64_t depth = 0;
  std::fill(to, to + s.columns, 0u);
  for (int64_t at : layout.values) {
    if (at < 0) continue;
    const W *from = static_cast<const W *>(s.weights) + at;
    for (int64_t j = 0; j < s.columns; ++j) to[j] += uint32_t(int32_t(from[j * s.column_step]));
    ++depth;
  }
  for (int64_t j = 0; j < s.columns; ++j) to[j] -= uint32_t(depth) * uint32_t(s.zero(j));
}

}  // namespace

void SumColumns(const Int8Source &s, const Int8Layout &layout, int32_t *to) {
  uint32_t *sums = reinterpret_cast<uint32_t *>(to);
  if (s.is_signed) SumAll<int8_t>(s, layout, sums);
  else SumAll<uint8_t>(s, layout, sums);
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

// Panels of which groups that are too large are there twice, with halves of their weights.
struct Doubled {
  std::vector<int64_t> starts;  // in groups
  std::vector<int32_t> groups;  // of the layout
  std::vector<int8_t> weights;
};

template <class Pack>
Doubled Double(const Int8Layout &layout, int64_t panels, int64_t panel_bytes, int64_t group_bytes, const Pack &pack) {
  Doubled d;
  d.starts.push_back(0);
  d.groups.reserve(size_t(panels * layout.groups()) * 9 / 8);
  d.weights.reserve(size_t(panels * panel_bytes) * 9 / 8);
  std::vector<int8_t> panel(static_cast<size_t>(panel_bytes));
  for (int64_t i = 0; i < panels; ++i) {
    pack(i, reinterpret_cast<char *>(panel.data()));
    for (int64_t g = 0; g < layout.groups(); ++g) {
      int8_t *group = panel.data() + g * group_bytes;
      d.groups.push_back(int32_t(g));
      if (TooLarge(group, group_bytes)) {
        d.groups.push_back(int32_t(g));
        for (int64_t b = 0; b < group_bytes; ++b) {
          d.weights.push_back(int8_t(group[b] >> 1));
          group[b] = int8_t(group[b] - d.weights.back());
        }
      }
      d.weights.insert(d.weights.end(), group, group + group_bytes);
    }
    d.starts.push_back(int64_t(d.groups.size()));
  }
  return d;
}

}  // namespace

void ConstantPanels::ChooseMode(const GeKernelEnv &env, const Int8Source &s, int64_t elements,
                                const Int8Kernels &kernels) {
  narrow_ = Narrow(env, s, elements);
  mode_ = !narrow_ ? Int8Mode::kWidePairs : kernels.exact_quads ? Int8Mode::kQuads : Int8Mode::kPairs;
  if (mode_ != Int8Mode::kPairs) return;
  // How many of some thousand pairs along columns are too large says enough.
  const auto *share = static_cast<const double *>(Packed(env, s.weights, "int8:large", sizeof(double), [&](void *out) {
    constexpr int64_t kLooks = 1 << 16;
    const int64_t along = s.column_depth / 2, pairs = s.columns * along, step = pairs / kLooks + 1;
    int64_t large = 0, seen = 0;
    for (int64_t at = 0; at < pairs; at += step, ++seen) {
      const int64_t column = at / along, k = at % along * 2;
      int8_t pair[2];
      for (int64_t i = 0; i < 2; ++i)
        pair[i] =
            int8_t(Value8(s.weights, s.is_signed, column * s.column_step + (k + i) * s.depth_step) - s.zero(column));
      large += TooLarge(pair);
    }
    *static_cast<double *>(out) = seen ? double(large) / double(seen) : 1;
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
  Doubled made;  // where the model does not have it yet
  const auto get = [&]() -> const Doubled & {
    if (made.starts.empty()) made = Double(layout, panels, panel_bytes_, group_bytes_, pack);
    return made;
  };
  const auto keep = [&](const char *what, size_t bytes, const auto &member) {
    return Packed(env, data, key + what, bytes, [&](void *to) { memcpy(to, member(get()), bytes); });
  };
  starts_ = static_cast<const int64_t *>(
      keep(":starts", size_t(panels + 1) * sizeof(int64_t), [](const Doubled &d) { return d.starts.data(); }));
  const size_t groups = size_t(starts_[panels]);
  const auto *of = static_cast<const int32_t *>(
      keep(":groups", groups * sizeof(int32_t), [](const Doubled &d) { return d.groups.data(); }));
  offsets_.resize(groups);  // the layout's own: images of another size have the same groups elsewhere
  std::transform(of, of + groups, offsets_.begin(), [&](int32_t group) { return layout.offsets[size_t(group)]; });
  weights_ = static_cast<const char *>(
      keep(":doubled", groups * size_t(group_bytes_), [](const Doubled &d) { return d.weights.data(); }));
}

}  // namespace onednn
