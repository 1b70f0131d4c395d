// By Winograd's algorithm a window lies within the outputs of a tile, so that winograd.cpp pools what it has just
// transformed. A 1 x 1 convolution is computed here, a row of windows at a time, or, where one window is as wide as the
// image, in pieces that are pooled each and then together: that serves a maximum over all pixels, which may be many.
#include "conv_pool.h"

#include <algorithm>
#include <array>

#include "conv_direct.h"
#include "winograd.h"

namespace onednn {

namespace {

class PooledPointwise final : public DirectConv {
 public:
  PooledPointwise(const Context &context, const ConvSpec &spec, bool open)
      : DirectConv(context, spec, open),
        pool_(PoolRowsFor(context.features)),
        threads_(std::max<int64_t>(1, context.env->threads)) {
    w_ = PackedPointwise(context, 1, c_, s_.out_c, s_.in_c);
    implementation = Text("direct:1x1:", kernels_.name, PoolName(s_.window));
    sizes_workspace = open;
    if (open) return;
    work_ = Cut(s_);
    Reserve(WorkspaceOf(work_));
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(Cut(SpecOf(input_dims[0], output_dims[0])));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) RunWith(Cut(SpecOf(args.input_dims[0], args.output_dims[0])), args);
    else RunWith(work_, args);
    return GE_SUCCESS;
  }

 private:
  // Units are some output blocks of a chunk of a row of windows: all of it, or, where it is one window, as many pixels
  // of x as stay in a cache. A unit is computed in pieces.
  struct Work {
    ConvSpec s;
    int64_t rows, columns;  // of windows
    int64_t pixels;         // of a row, with those behind the last window
    int64_t chunk, chunks;  // pixels, and how many a row has
    int64_t piece, pieces;  // the same; with more than one the row is one window
    int64_t units, workers;
  };

  Work Cut(const ConvSpec &s) const {
    constexpr int64_t kCached = 256 << 10;  // bytes of x that stay in the second-level cache for all output channels
    constexpr int64_t kPiece = 112;         // pixels of three blocks, which stay in the first-level cache
    constexpr double kLeastFlops = 200e3;   // of a worker
    Work z{s, s.out_h / s.window.h, s.out_w / s.window.w, s.window.h * s.in_w, 0, 1, 0, 1, 0, 1};
    const int64_t groups = PointwiseGroups(out_blocks_), rows = s.batch * z.rows;
    z.chunk = z.piece = z.pixels;
    if (s.window.w == s.in_w && z.pixels > kPiece) {
      z.piece = kPiece;
      z.chunk = std::max(kPiece, kCached / int64_t(sizeof(float)) / (in_blocks_ * c_) / kPiece * kPiece);
      if (threads_ > 1) z.chunk = std::min(z.chunk, RoundUp(z.pixels * rows * groups / (8 * threads_) + 1, kPiece));
      z.chunks = (z.pixels + z.chunk - 1) / z.chunk;
      z.pieces = (z.pixels + z.piece - 1) / z.piece;
    }
    z.units = rows * z.chunks * groups;
    z.workers = std::clamp<int64_t>(int64_t(s.flops() / kLeastFlops), 1, std::min(threads_, z.units));
    return z;
  }
  // What a worker computes of three blocks, and what was pooled of each piece.
  int64_t MadeFloats(const Work &z) const { return 3 * z.piece * c_; }
  int64_t PartFloats(const Work &z) const {
    return z.pieces == 1 ? 0 : z.s.batch * z.rows * z.pieces * out_blocks_ * c_;
  }
  uint64_t WorkspaceOf(const Work &z) const {
    return uint64_t(PartFloats(z) + threads_ * MadeFloats(z)) * sizeof(float);
  }

  void RunWith(const Work &z, const GeKernelArgs &args) const {
    float *const parts = static_cast<float *>(args.workspace), *const rooms = parts + PartFloats(z);
    float *const y = static_cast<float *>(args.outputs[0]);
    const int64_t groups = PointwiseGroups(out_blocks_), row = out_blocks_ * c_;
    ParallelPieces(z.units, z.workers, [&](int64_t unit, int64_t worker) {
      const int64_t block = unit % groups * 2, at = unit / groups / z.chunks;
      const int64_t begin = unit / groups % z.chunks * z.chunk, end = std::min(begin + z.chunk, z.pixels);
      float *const made = rooms + worker * MadeFloats(z);
      for (int64_t first = begin; first < end; first += z.piece) {
        const PointwiseTile t = Multiply(z, args, at, first, std::min(z.piece, end - first), block, made);
        float *const part = parts + (at * z.pieces + first / z.piece) * row;
        for (int b = 0; b < t.blocks; ++b) {
          const float *sums = made + b * t.y_block;
          if (z.pieces > 1) PoolPiece(sums, t.pixels, part + (block + b) * c_);
          else PoolSome(pool_, z.s.window, c_, sums, z.s.in_w * c_, z.columns, y + PlaceOf(z, at, block + b));
        }
      }
    });
    if (z.pieces > 1) Combine(z, parts, y);
  }

  // Of a block of row `at` of windows, counted through all images.
  int64_t PlaceOf(const Work &z, int64_t at, int64_t block) const {
    return ((at / z.rows * out_blocks_ + block) * z.rows + at % z.rows) * z.columns * c_;
  }

  PointwiseTile Multiply(const Work &z, const GeKernelArgs &args, int64_t at, int64_t first, int64_t pixels,
                         int64_t block, float *made) const {
    const int64_t plane = z.s.in_h * z.s.in_w, before = at / z.rows * in_blocks_ * plane + at % z.rows * z.pixels;
    PointwiseTile t;
    t.x = static_cast<const float *>(args.inputs[0]) + (before + first) * c_;
    t.in_blocks = s_.in_c / c_, t.rest = int(s_.in_c % c_);
    t.x_block = plane * c_;
    t.w_block = in_blocks_ * c_ * c_;
    t.w = w_ + block * t.w_block;
    t.pixels = pixels;
    t.y = made, t.y_block = t.pixels * c_;
    t.blocks = PointwiseBlocksAt(block, out_blocks_);
    for (int b = 0; b < t.blocks; ++b) t.finish[b] = FinishOf(args, block + b, 0);
    set_.pointwise(t);
    Activate(made, t.blocks * t.y_block);
    return t;
  }

  // The maximum or the sum of some pixels of a block.
  void PoolPiece(const float *x, int64_t pixels, float *to) const {
    constexpr float kOnce = 1;
    PoolWindows w{x, 0, 1, 1, pixels, pixels, to};
    w.columns = &kOnce;
    (s_.window.max ? pool_.maxima : pool_.averages)(w);
  }

  void Combine(const Work &z, const float *parts, float *y) const {
    const int64_t row = out_blocks_ * c_;
    for (int64_t at = 0; at < z.s.batch * z.rows; ++at)
      for (int64_t block = 0; block < out_blocks_; ++block) {
        const float *part = parts + at * z.pieces * row + block * c_;
        float *to = y + PlaceOf(z, at, block);
        (s_.window.max ? pool_.maxima_of_rows : pool_.sums_of_rows)(part, row, z.pieces, c_, to, false);
        for (int64_t i = 0; i < c_ && !s_.window.max; ++i) to[i] /= float(z.pixels);
      }
  }

  const PoolRows &pool_;
  const int64_t threads_;
  const float *w_;
  Work work_{};
};

// The tile of Winograd's algorithm that has whole windows and pays, or 0.
int TileOf(const ConvSpec &s, int64_t c) {
  if (s.dilation_h > 1 || s.dilation_w > 1) return 0;
  const int tile = WinogradTile(s, c, true);
  const bool whole = s.window.h > 0 && s.window.w > 0 && tile % s.window.h == 0 && tile % s.window.w == 0;
  return whole ? tile : 0;
}

// Refuses what has no kernel of its own: there two operators are as fast.
ConvSpec Read(const Node &node, bool open, int *tile) {
  const ConvSpec s = ReadConv(node, open);
  const Tensor x = node.in(0), y = node.out(0);
  if (!x.blocked() || !y.blocked() || x.c0() != y.c0()) Refuse("x and y are not both in blocks of channels");
  if (!node.in(1).constant()) Refuse("filter is not constant");
  if (s.bias >= 0 && !node.in(size_t(s.bias)).constant()) Refuse("bias is not constant");
  if (s.out_c % y.c0() != 0 && !s.activation.keeps_zero())
    Refuse("the activation fills the last block with other than zeros");
  *tile = IsPointwise(s) ? 0 : TileOf(open ? OfMiddleSize(s) : s, y.c0());
  if (!IsPointwise(s) && *tile == 0)
    Refuse("only 1 x 1 convolutions, and those by Winograd's algorithm whose tiles have whole windows, are pooled");
  return s;
}

std::unique_ptr<Kernel> Create(const Context &context, bool open) {
  int tile = 0;
  const ConvSpec s = Read(context.node, open, &tile);
  const int64_t c = ConvKernelsFor(context.features).channels;
  if (context.node.out(0).c0() != c)
    Refuse("blocks of ", context.node.out(0).c0(),
           " channels are not those of this "
           "processor, ",
           c);
  if (tile) return CreateWinograd(context, s, tile, open);
  return std::make_unique<PooledPointwise>(context, s, open);
}

}  // namespace

void PoolSome(const PoolRows &rows, const ConvWindow &window, int64_t c, const float *x, int64_t row, int64_t n,
              float *y) {
  constexpr int64_t kAtOnce = 64;
  static constexpr auto kOnes = [] {
    std::array<float, kAtOnce> ones{};
    for (float &one : ones) one = 1;
    return ones;
  }();
  for (int64_t o = 0; o < n; o += kAtOnce) {
    PoolWindows w{x + o * window.w * c, row, window.h, std::min(kAtOnce, n - o), window.w, window.w, y + o * c};
    w.columns = kOnes.data(), w.counted = float(window.h * window.w);
    (window.max ? rows.maxima : rows.averages)(w);
  }
}

void CheckConvPool(const Node &node) {
  int tile = 0;
  Read(node, !node.known(), &tile);
}

std::unique_ptr<Kernel> CreateConvPool(const Context &context) { return Create(context, false); }
std::unique_ptr<Kernel> CreateOpenConvPool(const Context &context) { return Create(context, true); }

}  // namespace onednn
