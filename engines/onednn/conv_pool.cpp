// By Winograd's algorithm a window lies within the outputs of a tile, so that winograd.cpp pools what it has just
// transformed. A 1 x 1 convolution is computed here, some rows of windows at a time.
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
  // How an image is cut: a unit is some output blocks of some rows of windows.
  struct Work {
    ConvSpec s;
    int64_t rows, columns;    // of windows
    int64_t pixels;           // of a row of windows, with those behind the last one
    int64_t at_once, chunks;  // rows of windows, and how often that many
    int64_t units, workers;
  };

  Work Cut(const ConvSpec &s) const {
    constexpr int64_t kLeast = 112;        // pixels: each unit reads its filter
    constexpr double kLeastFlops = 200e3;  // of a worker
    Work z{};
    z.s = s;
    z.rows = s.out_h / s.window.h, z.columns = s.out_w / s.window.w, z.pixels = s.window.h * s.in_w;
    z.at_once = std::clamp<int64_t>(kLeast / z.pixels, 1, z.rows);
    z.chunks = (z.rows + z.at_once - 1) / z.at_once;
    z.at_once = (z.rows + z.chunks - 1) / z.chunks;
    z.units = s.batch * z.chunks * PointwiseGroups(out_blocks_);
    z.workers = std::clamp<int64_t>(int64_t(s.flops() / kLeastFlops), 1, std::min(threads_, z.units));
    return z;
  }
  // A worker computes so many of three blocks at a time.
  int64_t MadeFloats(const Work &z) const { return 3 * z.at_once * z.pixels * c_; }
  uint64_t WorkspaceOf(const Work &z) const { return uint64_t(threads_ * MadeFloats(z)) * sizeof(float); }

  void RunWith(const Work &z, const GeKernelArgs &args) const {
    const int64_t groups = PointwiseGroups(out_blocks_);
    ParallelPieces(z.units, z.workers, [&](int64_t unit, int64_t worker) {
      const int64_t block = unit % groups * 2, first = unit / groups % z.chunks * z.at_once;
      const int64_t image = unit / groups / z.chunks, rows = std::min(z.at_once, z.rows - first);
      float *const made = static_cast<float *>(args.workspace) + worker * MadeFloats(z);
      const PointwiseTile t = Multiply(z, args, image, first, rows, block, made);
      for (int b = 0; b < t.blocks; ++b) {
        const int64_t before = (image * out_blocks_ + block + b) * z.rows + first;
        float *const y = static_cast<float *>(args.outputs[0]) + before * z.columns * c_;
        for (int64_t row = 0; row < rows; ++row)
          PoolSome(pool_, z.s.window, c_, made + b * t.y_block + row * z.pixels * c_, z.s.in_w * c_, z.columns,
                   y + row * z.columns * c_);
      }
    });
  }

  // Of some rows of windows; leaves the blocks one behind the other.
  PointwiseTile Multiply(const Work &z, const GeKernelArgs &args, int64_t image, int64_t first, int64_t rows,
                         int64_t block, float *made) const {
    const int64_t plane = z.s.in_h * z.s.in_w;
    PointwiseTile t;
    t.x = static_cast<const float *>(args.inputs[0]) + (image * in_blocks_ * plane + first * z.pixels) * c_;
    t.in_blocks = s_.in_c / c_, t.rest = int(s_.in_c % c_);
    t.x_block = plane * c_;
    t.w_block = in_blocks_ * c_ * c_;
    t.w = w_ + block * t.w_block;
    t.pixels = rows * z.pixels;
    t.y = made, t.y_block = t.pixels * c_;
    t.blocks = PointwiseBlocksAt(block, out_blocks_);
    for (int b = 0; b < t.blocks; ++b) t.finish[b] = FinishOf(args, block + b, 0);
    set_.pointwise(t);
    Activate(made, t.blocks * t.y_block);
    return t;
  }

  const PoolRows &pool_;
  const int64_t threads_;
  const float *w_;
  Work work_{};
};

bool HasWholeWindows(const ConvSpec &s, int tile) { return tile % s.window.h == 0 && tile % s.window.w == 0; }

// A tile that pays for images of middle size, whatever the extents: a graph for all sizes has the same nodes as one for
// a single one.
bool FitsTiles(const ConvSpec &s, int64_t c) {
  if (s.dilation_h > 1 || s.dilation_w > 1) return false;
  const int tile = WinogradTile(OfMiddleSize(s), c, true);
  return tile > 0 && HasWholeWindows(s, tile);
}

// Refuses what has no kernel of its own: there two operators are as fast.
ConvSpec Read(const Node &node, bool open) {
  const ConvSpec s = ReadConv(node, open);
  const Tensor x = node.in(0), y = node.out(0);
  if (!x.blocked() || !y.blocked() || x.c0() != y.c0()) Refuse("x and y are not both in blocks of channels");
  if (!node.in(1).constant()) Refuse("filter is not constant");
  if (s.bias >= 0 && !node.in(size_t(s.bias)).constant()) Refuse("bias is not constant");
  if (s.out_c % y.c0() != 0 && !s.activation.keeps_zero())
    Refuse("the activation fills the last block with other than zeros");
  if (!IsPointwise(s) && !FitsTiles(s, y.c0()))
    Refuse("only 1 x 1 convolutions, and those by Winograd's algorithm whose tiles have whole windows, are pooled");
  return s;
}

std::unique_ptr<Kernel> Create(const Context &context, bool open) {
  const ConvSpec s = Read(context.node, open);
  const int64_t c = ConvKernelsFor(context.features).channels, of_y = context.node.out(0).c0();
  if (of_y != c) Refuse("blocks of ", of_y, " channels are not those of this processor, ", c);
  if (IsPointwise(s)) return std::make_unique<PooledPointwise>(context, s, open);
  const ConvSpec middle = OfMiddleSize(s);
  const int tile = WinogradTile(open ? middle : s, c, true);
  const bool serves = tile > 0 && HasWholeWindows(s, tile);
  return CreateWinograd(context, s, serves ? tile : WinogradTile(middle, c, true), open);
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

void CheckConvPool(const Node &node) { Read(node, !node.known()); }

std::unique_ptr<Kernel> CreateConvPool(const Context &context) { return Create(context, false); }
std::unique_ptr<Kernel> CreateOpenConvPool(const Context &context) { return Create(context, true); }

}  // namespace onednn
