// Pooling of volumes by own kernels: the rows that a window covers are combined whole, then what lies in its width.
#include "pool_volume.h"

#include <algorithm>
#include <limits>

#include "conv_kernels.h"

namespace onednn {

namespace {

constexpr int64_t kRow = 4096;  // floats of a row that are combined at a time

struct PoolAxis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

  // Positions of window `at` that lie inside, and how many lie inside or in the padding.
  struct Covered {
    int64_t first, count, padded;
  };
  Covered CoveredBy(int64_t at) const {
    const int64_t start = at * stride - before;
    const int64_t skip = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const auto upto = [&](int64_t end) {
      return start < end ? std::min(kernel, (end - start + dilation - 1) / dilation) : 0;
    };
    return {start + skip * dilation, std::max<int64_t>(0, upto(in) - skip), upto(in + after)};
  }
};

struct VolumeSpec {
  bool max = true, channels_last = false, same = false, counts_padding = true;
  int64_t divisor = 0, batch = 1, channels = 1;
  PoolAxis axis[3];
};

void ReadSteps(const Node &node, const char *name, const VolumeSpec &s, int64_t PoolAxis::*field, VolumeSpec *out) {
  const Dims list = ListOf(node, name);
  if (list.empty()) return;
  if (list.size() != 5 && list.size() != 3 && list.size() != 1)
    Refuse(name, " has ", list.size(), " values, expected 5");
  const size_t first = list.size() == 5 ? (s.channels_last ? 1 : 2) : 0;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t value = list.size() == 1 ? list[0] : list[first + i];
    if (value < 1 || value > INT32_MAX) Refuse(name, " has ", value, ", expected a positive number below 2^31");
    out->axis[i].*field = value;
  }
}

VolumeSpec ReadAttributes(const Node &node) {
  VolumeSpec s;
  s.max = node.is("MaxPool3D");
  RequireFloat(node.in(0), "x");
  if (node.out(0).present()) RequireFloat(node.out(0), "y");
  const std::string format = node.String("data_format", "NDHWC");
  if (format != "NCDHW" && format != "NDHWC") Refuse("data_format ", format, " is not supported");
  s.channels_last = format == "NDHWC";
  ReadSteps(node, "ksize", s, &PoolAxis::kernel, &s);
  ReadSteps(node, "strides", s, &PoolAxis::stride, &s);
  ReadSteps(node, "dilation", s, &PoolAxis::dilation, &s);
  const std::string padding = node.String("padding", "CALCULATED");
  s.same = padding == "SAME";
  Dims pads = ListOf(node, "pads");
  if (pads.size() == 3) pads = Dims{pads[0], pads[0], pads[1], pads[1], pads[2], pads[2]};
  if (padding == "VALID" || pads.empty()) pads.assign(6, 0);
  if (pads.size() != 6) Refuse("pads has ", pads.size(), " values, expected 6");
  for (size_t i = 0; i < 6; ++i) {
    if (pads[i] < 0 || pads[i] > INT32_MAX) Refuse("pads has ", pads[i], ", expected numbers from 0 to 2^31");
    (i % 2 ? s.axis[i / 2].after : s.axis[i / 2].before) = pads[i];
  }
  s.counts_padding = node.Bool("count_include_pad", true);
  s.divisor = node.Int("divisor_override", 0);
  for (const Tensor &t : {node.in(0), node.out(0)}) {
    if (!t.present()) continue;
    RequirePlain(t, "x or y");
    if (t.ranked() && t.rank() != 5) Refuse("rank ", t.rank(), " is not supported, expected 5");
  }
  if ((s.axis[2].kernel - 1) * s.axis[2].dilation >= kRow / 2)
    Refuse("a window of width ", (s.axis[2].kernel - 1) * s.axis[2].dilation + 1, " is above ", kRow / 2);
  return s;
}

void SetExtents(const int64_t *x, const int64_t *y, VolumeSpec *s) {
  for (int i = 0; i < 5; ++i)
    if (x[i] == 0 || y[i] == 0) Refuse("empty tensors are not supported");
  const size_t c = s->channels_last ? 4 : 1, first = s->channels_last ? 1 : 2;
  s->batch = x[0], s->channels = x[c];
  if (y[0] != x[0] || y[c] != x[c]) Refuse("y has ", y[0], " volumes of ", y[c], " channels, x ", x[0], " of ", x[c]);
  for (size_t i = 0; i < 3; ++i) {
    PoolAxis &a = s->axis[i];
    a.in = x[first + i], a.out = y[first + i];
    if (!s->same) continue;
    const int64_t total = (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation + 1 - a.in;
    a.before = std::max<int64_t>(total, 0) / 2, a.after = std::max<int64_t>(total, 0) - a.before;
  }
}

/// A pooling with the extents of a run.
class PooledVolume {
 public:
  /// Writes the positions that windows cover into `room`, which has RoomFor these extents of y.
  PooledVolume(const VolumeSpec &spec, const PoolRows &rows, void *room)
      : s_(spec), rows_(rows), lanes_(spec.channels_last ? spec.channels : 1) {
    auto *covered = static_cast<PoolAxis::Covered *>(room);
    for (size_t i = 0; i < 3; ++i) {
      covered_[i] = covered;
      for (int64_t o = 0; o < s_.axis[i].out; ++o) *covered++ = s_.axis[i].CoveredBy(o);
    }
    const PoolAxis &w = s_.axis[2];
    for (int64_t o = 0; o < w.out; ++o) {
      const bool inside = covered_[2][o].count == w.kernel && w.dilation == 1;
      if (!inside) continue;
      if (first_inside_ == end_inside_) first_inside_ = o;
      end_inside_ = o + 1;
    }
    auto *widths = reinterpret_cast<float *>(covered);
    std::fill(widths, widths + w.out, s_.divisor ? 1.f : float(w.kernel));
    widths_ = widths;
  }
  static uint64_t RoomFor(int64_t depth, int64_t height, int64_t width) {
    return uint64_t(depth + height + width) * sizeof(PoolAxis::Covered) + uint64_t(width) * sizeof(float);
  }

  int64_t planes() const { return s_.batch * s_.channels / lanes_; }
  int64_t rows() const { return s_.axis[0].out * s_.axis[1].out; }
  int64_t row() const { return s_.axis[2].out * lanes_; }  // floats of one of y
  int64_t window() const { return s_.axis[0].kernel * s_.axis[1].kernel * s_.axis[2].kernel; }

  /// Rows [begin, end) of all planes.
  void Compute(const float *x, float *y, int64_t begin, int64_t end) const {
    const int64_t in = s_.axis[0].in * s_.axis[1].in * s_.axis[2].in * lanes_;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t plane = k / rows(), at = k % rows(), depth = at / s_.axis[1].out;
      Row(x + plane * in, covered_[0][depth], covered_[1][at - depth * s_.axis[1].out], y + k * row());
    }
  }

 private:
  void Together(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more) const {
    (s_.max ? rows_.maxima_of_rows : rows_.sums_of_rows)(x, row, rows, n, to, more);
  }
  // to = what the rows of the window have from `column` on, n values, combined; unless it has no rows.
  void Combine(const float *x, const PoolAxis::Covered &d, const PoolAxis::Covered &h, int64_t column, int64_t n,
               float *to) const {
    const int64_t row = s_.axis[2].in * lanes_;
    for (int64_t i = 0; i < d.count && h.count > 0; ++i) {
      const float *from = x + ((d.first + i * s_.axis[0].dilation) * s_.axis[1].in + h.first) * row + column;
      Together(from, s_.axis[1].dilation * row, h.count, n, to, i > 0);
    }
  }
  float Start(bool any) const {
    if (!s_.max) return 0;
    return any ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::lowest();
  }

  void Row(const float *x, const PoolAxis::Covered &d, const PoolAxis::Covered &h, float *y) const {
    const bool any = d.count > 0 && h.count > 0;
    if (lanes_ > 1) return Pixels(x, d, h, any, y);
    const PoolAxis &w = s_.axis[2];
    float together[kRow + 1];  // the last one is read and not used
    const int64_t span = (w.kernel - 1) * w.dilation + 1, piece = std::max<int64_t>(1, (kRow - span) / w.stride);
    for (int64_t begin = 0; begin < w.out; begin += piece) {
      const int64_t end = std::min(w.out, begin + piece);
      const int64_t from = std::max<int64_t>(0, begin * w.stride - w.before);
      const int64_t stop = std::min(w.in, (end - 1) * w.stride - w.before + span);
      Combine(x, d, h, from, std::max<int64_t>(0, stop - from), together);
      const int64_t inside = any ? std::clamp(first_inside_, begin, end) : end;
      const int64_t behind = any ? std::clamp(end_inside_, inside, end) : end;
      for (int64_t o = begin; o < inside; ++o) y[o] = Window(d, h, any, covered_[2][o], together - from);
      if (inside < behind) Windows(d, h, together + covered_[2][inside].first - from, inside, behind, y);
      for (int64_t o = behind; o < end; ++o) y[o] = Window(d, h, any, covered_[2][o], together - from);
    }
  }

  // A row of pixels with all their channels.
  void Pixels(const float *x, const PoolAxis::Covered &d, const PoolAxis::Covered &h, bool any, float *y) const {
    const PoolAxis &w = s_.axis[2];
    const int64_t row = w.in * lanes_;
    for (int64_t o = 0; o < w.out; ++o) {
      const PoolAxis::Covered &c = covered_[2][o];
      if (!any || c.count == 0) std::fill(y, y + lanes_, Start(false));
      for (int64_t i = 0; i < d.count && c.count > 0; ++i)
        for (int64_t j = 0; j < h.count; ++j) {
          const int64_t line = (d.first + i * s_.axis[0].dilation) * s_.axis[1].in + h.first + j * s_.axis[1].dilation;
          Together(x + line * row + c.first * lanes_, w.dilation * lanes_, c.count, lanes_, y, i + j > 0);
        }
      Divide(d, h, c, y, lanes_);
      y += lanes_;
    }
  }

  // Of rows that are combined, which begin at `x`: a window of the width, and those from `begin` to `end`, which lie
  // inside and begin at `x`.
  float Window(const PoolAxis::Covered &d, const PoolAxis::Covered &h, bool any, const PoolAxis::Covered &w,
               const float *x) const {
    float value = Start(any && w.count > 0);
    const float *at = x + w.first;
    if (any)
      for (int64_t k = 0; k < w.count; ++k, at += s_.axis[2].dilation)
        value = !s_.max ? value + *at : *at > value || *at != *at ? *at : value;
    Divide(d, h, w, &value, 1);
    return value;
  }
  void Windows(const PoolAxis::Covered &d, const PoolAxis::Covered &h, const float *x, int64_t begin, int64_t end,
               float *y) const {
    const PoolAxis &w = s_.axis[2];
    PoolWindows windows{x, 0, 1, end - begin, w.stride, w.kernel, y + begin};
    windows.columns = widths_, windows.counted = float(Counted(d, h));
    (s_.max ? rows_.plain_maxima : rows_.plain_averages)(windows);
  }

  // A sum is divided by Counted of the window's rows times WidthOf of its columns.
  int64_t Counted(const PoolAxis::Covered &d, const PoolAxis::Covered &h) const {
    return s_.divisor ? s_.divisor : s_.counts_padding ? d.padded * h.padded : d.count * h.count;
  }
  int64_t WidthOf(const PoolAxis::Covered &w) const { return s_.divisor ? 1 : s_.counts_padding ? w.padded : w.count; }
  void Divide(const PoolAxis::Covered &d, const PoolAxis::Covered &h, const PoolAxis::Covered &w, float *y,
              int64_t n) const {
    if (s_.max) return;
    const int64_t count = Counted(d, h) * WidthOf(w);
    const float by = float(count == 0 ? 1 : count);
    for (int64_t i = 0; i < n; ++i) y[i] /= by;
  }

  const VolumeSpec &s_;
  const PoolRows &rows_;
  const int64_t lanes_;
  // Positions that each window covers along each axis; along the width those that lie inside as a whole, and how many
  // values those have.
  const PoolAxis::Covered *covered_[3];
  int64_t first_inside_ = 0, end_inside_ = 0;
  const float *widths_;
};

class PoolVolume final : public Kernel {
 public:
  /// `open`: the run tells the extents of `spec`.
  PoolVolume(const Context &context, const VolumeSpec &spec, bool open)
      : s_(spec), open_(open), rows_(PoolRowsFor(context.features)) {
    implementation = Text("direct:pool volume:", rows_.name);
    sizes_workspace = open;
    if (open) return;
    Reserve(PooledVolume::RoomFor(s_.axis[0].out, s_.axis[1].out, s_.axis[2].out));
    flops = double(s_.batch) * double(s_.channels);
    for (const PoolAxis &a : s_.axis) flops *= double(a.out) * double(a.kernel);
  }

  uint64_t WorkspaceFor(const int64_t *const *, const int64_t *const *output_dims) const override {
    const int64_t *space = output_dims[0] + (s_.channels_last ? 1 : 2);
    return PooledVolume::RoomFor(space[0], space[1], space[2]);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    VolumeSpec s = s_;
    if (open_) SetExtents(args.input_dims[0], args.output_dims[0], &s);
    const PooledVolume pooled(s, rows_, args.workspace);
    Parallel(
        pooled.planes() * pooled.rows(), 1 + 65536 / (pooled.row() * pooled.window()), [&](int64_t begin, int64_t end) {
          pooled.Compute(static_cast<const float *>(args.inputs[0]), static_cast<float *>(args.outputs[0]), begin, end);
        });
    return GE_SUCCESS;
  }

 private:
  const VolumeSpec s_;
  const bool open_;
  const PoolRows &rows_;
};

}  // namespace

void CheckPoolVolume(const Node &node) {
  VolumeSpec spec = ReadAttributes(node);
  if (node.known()) SetExtents(node.in(0).dims().data(), node.out(0).dims().data(), &spec);
}

std::unique_ptr<Kernel> CreatePoolVolume(const Context &context) {
  VolumeSpec spec = ReadAttributes(context.node);
  SetExtents(context.node.in(0).dims().data(), context.node.out(0).dims().data(), &spec);
  return std::make_unique<PoolVolume>(context, spec, false);
}

std::unique_ptr<Kernel> CreateOpenPoolVolume(const Context &context) {
  return std::make_unique<PoolVolume>(context, ReadAttributes(context.node), true);
}

}  // namespace onednn
