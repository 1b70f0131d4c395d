// Lanes of a block would be idle but for a few of them, so the lanes are pixels here, and each weight is one number for
// all of them. A piece of y is added up some channels of x at a time, which lie beside it with their padding: a whole
// image with padding would go to memory and come back, and planes of many images are a power of two apart, so that few
// of them fit a cache at once.
#include "thin.h"

#include <algorithm>
#include <cstring>

#include "conv_direct.h"

namespace onednn {

namespace {

constexpr int64_t kPiece = 8192;  // floats of y that a cache holds

class Thin final : public DirectConv {
 public:
  Thin(const Context &context, const ConvSpec &spec, bool open)
      : DirectConv(context, spec, open),
        blocked_(context.node.in(0).blocked()),
        copies_(blocked_ || s_.pad_top + s_.pad_bottom + s_.pad_left + s_.pad_right > 0),
        threads_(std::max(1, context.env->threads)) {
    PackFilter(context);
    implementation = Text("direct:thin:", kernels_.name);
    sizes_workspace = open;
    if (!open) Reserve(WorkspaceOf(s_));
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(SpecOf(input_dims[0], output_dims[0]));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) RunWith(SpecOf(args.input_dims[0], args.output_dims[0]), args);
    else RunWith(s_, args);
    return GE_SUCCESS;
  }

 private:
  // Pieces of some rows, and of very wide ones a part of each row, with what a piece reads.
  struct Cut {
    int64_t rows, columns, bands, parts;
    int64_t read_rows, read_columns, plane;  // of a channel; with some floats so that planes differ in the cache
  };
  Cut CutOf(const ConvSpec &s) const {
    Cut cut{};
    const int64_t most = kPiece / s.out_c;
    cut.parts = (s.out_w + most - 1) / most;
    cut.columns = (s.out_w + cut.parts - 1) / cut.parts;
    cut.rows = std::clamp<int64_t>(most / cut.columns, 1, s.out_h);
    if (threads_ > 1) cut.rows = std::clamp<int64_t>(s.batch * s.out_h / (4 * threads_), 1, cut.rows);
    cut.bands = (s.out_h + cut.rows - 1) / cut.rows;
    if (const int64_t jobs = s.batch * cut.bands * cut.parts; threads_ > 1 && jobs < 4 * threads_) {  // sounds, say
      constexpr int64_t kLeast = 256;
      cut.parts =
          std::clamp<int64_t>(cut.parts * 4 * threads_ / jobs, cut.parts, std::max(cut.parts, s.out_w / kLeast));
      cut.columns = (s.out_w + cut.parts - 1) / cut.parts;
      cut.parts = (s.out_w + cut.columns - 1) / cut.columns;
    }
    cut.read_rows = cut.rows + (s.kernel_h - 1) * s.dilation_h;
    cut.read_columns = cut.columns + (s.kernel_w - 1) * s.dilation_w;
    cut.plane = RoundUp(cut.read_rows * cut.read_columns, 16) + 16;
    return cut;
  }
  int64_t Workers(const ConvSpec &s, const Cut &cut) const {
    constexpr double kGrainFlops = 100e3;
    const double most = s.flops() / kGrainFlops;
    return std::clamp<int64_t>(int64_t(std::min(most, 1e6)), 1, std::min(threads_, s.batch * cut.bands * cut.parts));
  }
  uint64_t WorkspaceOf(const ConvSpec &s) const {
    const Cut cut = CutOf(s);
    return copies_ ? uint64_t(Workers(s, cut) * c_ * cut.plane) * sizeof(float) : 0;
  }

  // [channel of x][tap][channel of y].
  void PackFilter(const Context &context) {
    const int64_t taps = s_.kernel_h * s_.kernel_w, in_c = s_.in_c, out_c = s_.out_c;
    const bool hwcn = s_.hwcn;
    w_ = static_cast<const float *>(
        Packed(*context.env, context.node.in(1).address(), Text("thin:", hwcn ? "h" : "o", in_c, "x", out_c, ":", taps),
               uint64_t(in_c * taps * kThinChannels) * sizeof(float), [=](const void *source, void *out) {
                 const float *from = static_cast<const float *>(source);
                 float *to = static_cast<float *>(out);
                 for (int64_t i = 0; i < in_c; ++i)
                   for (int64_t k = 0; k < taps; ++k)
                     for (int64_t o = 0; o < kThinChannels; ++o, ++to)
                       *to = o >= out_c ? 0 : hwcn ? from[(k * in_c + i) * out_c + o] : from[(o * in_c + i) * taps + k];
               }));
  }

  struct Piece {
    int64_t image, row, column, rows, columns;
  };

  void RunWith(const ConvSpec &s, const GeKernelArgs &args) const {
    const Cut cut = CutOf(s);
    ParallelPieces(s.batch * cut.bands * cut.parts, Workers(s, cut), [&](int64_t k, int64_t worker) {
      Piece p{};
      p.image = k / cut.parts / cut.bands;
      p.row = k / cut.parts % cut.bands * cut.rows, p.column = k % cut.parts * cut.columns;
      p.rows = std::min(cut.rows, s.out_h - p.row), p.columns = std::min(cut.columns, s.out_w - p.column);
      float *room = static_cast<float *>(args.workspace) + worker * c_ * cut.plane;
      Compute(s, cut, args, p, room);
    });
  }

  void Compute(const ConvSpec &s, const Cut &cut, const GeKernelArgs &args, const Piece &p, float *room) const {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]) + p.image * s.out_c * s.out_h * s.out_w;
    const int64_t plane = s.out_h * s.out_w, taps = s.kernel_h * s.kernel_w, first = p.row * s.out_w + p.column;
    const bool begun = s.residual >= 0;
    if (begun) Begin(s, args, p, y + first);
    const int64_t step = copies_ ? cut.read_columns : s.in_w;
    TapsTile t{};
    t.x_pixel = 1, t.channels = t.last = 1, t.x_block = copies_ ? cut.plane : s.in_h * s.in_w;
    t.taps[0] = 1, t.taps[1] = s.kernel_h, t.taps[2] = s.kernel_w;
    t.x_tap[1] = s.dilation_h * step, t.x_tap[2] = s.dilation_w;
    t.w_tap[1] = s.kernel_w * kThinChannels, t.w_tap[2] = kThinChannels, t.w_block = taps * kThinChannels;
    t.y_pixel = 1, t.y_block = plane, t.pixels = p.columns, t.blocks = int(s.out_c), t.bias = bias_;
    for (int64_t channel = 0; channel < s.in_c; channel += c_) {
      t.in_blocks = std::min(c_, s.in_c - channel);
      t.w = w_ + channel * t.w_block;
      t.more = channel > 0 || begun;
      const float *from = room;
      if (copies_) Copy(s, cut, x, p, channel, int(t.in_blocks), room);
      else from = x + ((p.image * s.in_c + channel) * s.in_h + p.row) * s.in_w + p.column;
      for (int64_t r = 0; r < p.rows; ++r) {
        if (copies_ && channel + c_ < s.in_c) Ask(s, cut, x, p, channel + c_, r);
        t.x = from + r * step, t.y = y + first + r * s.out_w;
        set_.taps_thin(t);
      }
    }
    if (s.activation.kind == Act::kNone) return;
    const bool dense = p.columns == s.out_w;  // rows of the piece follow one another
    for (int64_t o = 0; o < s.out_c; ++o)
      for (int64_t r = 0; r < (dense ? 1 : p.rows); ++r)
        kernels_.activate(p.columns * (dense ? p.rows : 1), y + o * plane + first + r * s.out_w, s.activation);
  }

  // y = bias + residual, which may be the same memory.
  void Begin(const ConvSpec &s, const GeKernelArgs &args, const Piece &p, float *y) const {
    const float *residual =
        static_cast<const float *>(args.inputs[s.residual]) + (y - static_cast<const float *>(args.outputs[0]));
    for (int64_t o = 0; o < s.out_c; ++o) {
      const float bias = bias_ ? bias_[o] : 0.f;
      for (int64_t r = 0; r < p.rows; ++r) {
        const int64_t at = (o * s.out_h + r) * s.out_w;
#pragma GCC ivdep
        for (int64_t i = 0; i < p.columns; ++i) y[at + i] = residual[at + i] + bias;
      }
    }
  }

  // Channels of x from one that begins a block on.
  const float *ImageOf(const ConvSpec &s, const float *x, const Piece &p, int64_t channel) const {
    const int64_t plane = s.in_h * s.in_w;
    return x + (blocked_ ? (p.image * in_blocks_ + channel / c_) * c_ : p.image * s.in_c + channel) * plane;
  }

  // While row r of a piece is computed: asks for the share of it of what the next channels bring. Rows of planes are
  // too short for the processor to see what comes next.
  void Ask(const ConvSpec &s, const Cut &cut, const float *x, const Piece &p, int64_t channel, int64_t r) const {
    const int64_t top = p.row - s.pad_top, left = std::max<int64_t>(0, p.column - s.pad_left);
    const int64_t read = p.rows + (s.kernel_h - 1) * s.dilation_h;
    const int64_t begin = std::max<int64_t>(0, top + read * r / p.rows);
    const int64_t end = std::min(s.in_h, top + read * (r + 1) / p.rows), lanes = blocked_ ? c_ : 1;
    const int64_t floats = (std::min(s.in_w, left + cut.read_columns) - left) * lanes;
    const float *image = ImageOf(s, x, p, channel);
    for (int64_t c = 0; c < (blocked_ ? 1 : std::min(c_, s.in_c - channel)); ++c)
      for (int64_t row = begin; row < end; ++row) {
        const float *from = image + ((c * s.in_h + row) * s.in_w + left) * lanes;
        for (int64_t i = 0; i < floats; i += kLineAhead) __builtin_prefetch(from + i, 0, 2);
      }
  }

  // What a piece reads of some channels of x, zeros in the padding.
  void Copy(const ConvSpec &s, const Cut &cut, const float *x, const Piece &p, int64_t channel, int channels,
            float *to) const {
    const int64_t top = p.row - s.pad_top, left = p.column - s.pad_left, width = cut.read_columns;
    const int64_t begin = std::clamp<int64_t>(-left, 0, width), end = std::clamp<int64_t>(s.in_w - left, begin, width);
    const int64_t plane = s.in_h * s.in_w;
    const float *image = ImageOf(s, x, p, channel);
    const int64_t rows = p.rows + (s.kernel_h - 1) * s.dilation_h;
    for (int64_t r = 0; r < rows; ++r, to += width) {
      const bool inside = top + r >= 0 && top + r < s.in_h && begin < end;
      const int64_t first = inside ? begin : width, behind = inside ? end : width;
      const int64_t at = (top + r) * s.in_w + left + first;
      for (int c = 0; c < channels; ++c) {
        float *row = to + c * cut.plane;
        std::fill(row, row + first, 0.f);
        if (inside && !blocked_) memcpy(row + first, image + c * plane + at, size_t(behind - first) * sizeof(float));
        std::fill(row + behind, row + width, 0.f);
      }
      if (inside && blocked_) set_.unblock(image + at * c_, c_, to + first, cut.plane, behind - first, channels);
    }
  }

  const bool blocked_, copies_;
  const int64_t threads_;
  const float *w_ = nullptr;
};

}  // namespace

bool FitsThin(const ConvSpec &s) {
  constexpr int64_t kMostBeside = 1024;  // rows or columns that a piece reads beside its own
  return s.groups == 1 && s.out_c <= kThinChannels && s.stride_h == 1 && s.stride_w == 1 && !s.nhwc &&
         (s.kernel_h - 1) * s.dilation_h <= kMostBeside && (s.kernel_w - 1) * s.dilation_w <= kMostBeside;
}

std::unique_ptr<Kernel> CreateThin(const Context &context, const ConvSpec &spec, bool open) {
  return std::make_unique<Thin>(context, spec, open);
}

}  // namespace onednn
