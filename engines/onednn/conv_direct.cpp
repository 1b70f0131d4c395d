// Convolutions by the own kernels: 1 x 1 and depthwise, both sides in channel blocks; others by taps or Winograd's
// algorithm.
#include "conv_direct.h"
#include "pointwise_bf16.h"
#include "taps.h"
#include "thin.h"
#include "trial.h"
#include "winograd.h"

#include <algorithm>
#include <cstring>

namespace onednn {

namespace {

class Pointwise final : public DirectConv {
 public:
  Pointwise(const Context &context, const ConvSpec &spec, bool open) : DirectConv(context, spec, open) {
    w_ = PackedPointwise(context, 1, c_, s_.out_c, s_.in_c);
    implementation = Text("direct:1x1:", kernels_.name);
    threads_ = context.env->threads;
    if (!open) work_ = Split(s_);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    const Work work = open_ ? Split(SpecOf(args.input_dims[0], args.output_dims[0])) : work_;
    const int64_t pixels = work.pixels, groups = PointwiseGroups(out_blocks_);
    Parallel(work.batch * work.chunks * groups, work.grain, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t block = k % groups * 2, first = k / groups % work.chunks * work.chunk;
        const int64_t n = k / groups / work.chunks;
        PointwiseTile t;
        t.x = x + (n * in_blocks_ * pixels + first) * c_;
        t.in_blocks = s_.in_c / c_, t.rest = int(s_.in_c % c_);
        t.x_block = pixels * c_;
        t.w_block = in_blocks_ * c_ * c_;
        t.w = w_ + block * t.w_block;
        t.y_block = pixels * c_;
        t.pixels = std::min(work.chunk, pixels - first);
        t.blocks = PointwiseBlocksAt(block, out_blocks_);
        const int64_t at = ((n * out_blocks_ + block) * pixels + first) * c_;
        t.y = y + at;
        for (int b = 0; b < t.blocks; ++b) t.finish[b] = FinishOf(args, block + b, at + b * t.y_block);
        set_.pointwise(t);
        for (int b = 0; b < t.blocks; ++b) Activate(t.y + b * t.y_block, t.pixels * c_);
      }
    });
    return GE_SUCCESS;
  }

 private:
  struct Work {
    int64_t batch, pixels, chunk, chunks, grain;
  };
  // The inputs of a chunk of pixels stay in the second-level cache while all output channels are computed.
  Work Split(const ConvSpec &s) const {
    Work work{s.batch, s.out_h * s.out_w, 0, 0, 0};
    constexpr int64_t kCached = 512 << 10;  // bytes
    const int64_t groups = PointwiseGroups(out_blocks_);
    const int64_t most = std::max<int64_t>(28, kCached / int64_t(sizeof(float)) / (in_blocks_ * c_));
    int64_t chunks = (work.pixels + most - 1) / most;
    // Pieces enough for all threads to end at about the same time.
    if (threads_ > 1) chunks = std::max(chunks, (8 * threads_ + s.batch * groups - 1) / (s.batch * groups));
    work.chunk = std::max<int64_t>(28, RoundUp((work.pixels + chunks - 1) / chunks, 14));
    work.chunks = (work.pixels + work.chunk - 1) / work.chunk;
    constexpr double kGrainFlops = 200e3;
    work.grain = std::max<int64_t>(1, int64_t(kGrainFlops / (s.flops() / double(s.batch * work.chunks * groups))));
    return work;
  }
  const float *w_;
  int64_t threads_;
  Work work_{};
};

class Depthwise final : public DirectConv {
 public:
  Depthwise(const Context &context, const ConvSpec &spec, bool open) : DirectConv(context, spec, open) {
    w_ = PackedDepthwise(context, 1, c_, s_.out_c, s_.kernel_h * s_.kernel_w);
    implementation = Text("direct:dw:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) RunWith(SpecOf(args.input_dims[0], args.output_dims[0]), args);
    else RunWith(s_, args);
    return GE_SUCCESS;
  }

 private:
  void RunWith(const ConvSpec &s, const GeKernelArgs &args) const {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    constexpr double kGrainFlops = 100e3;
    const int64_t rows = s.batch * out_blocks_ * s.out_h;
    const int64_t grain = std::max<int64_t>(1, int64_t(kGrainFlops / (s.flops() / double(rows))));
    Parallel(rows, grain, [&](int64_t begin, int64_t end) {
      DepthwiseRows d = DepthwiseOf(s, c_);
      for (int64_t k = begin; k < end; k += d.rows) {
        const int64_t image = k / s.out_h, block = image % out_blocks_, at = k * s.out_w * c_;
        d.first = k % s.out_h;
        d.rows = std::min(end - k, s.out_h - d.first);
        d.x = x + image * s.in_h * s.in_w * c_;
        d.w = w_ + block * s.kernel_h * s.kernel_w * c_;
        d.y = y + at;
        d.finish = FinishOf(args, block, at);
        set_.depthwise(d);
        Activate(d.y, d.rows * s.out_w * c_);
      }
    });
  }

  const float *w_;
};

// From so many input channels on the own taps are ahead of the library's kernels, with AVX-512 and one group (measured:
// 1.02 to 1.26 times as fast with strides of 2); the library's first layers are faster.
constexpr int64_t kTapsChannels = 16;
// With AVX2 they are where groups are one or two blocks and rows not much shorter than a tile (1.2 to 1.5 times as fast
// at 14 x 14 pixels and above, 0.9 at 7 x 7), and where the library's activation takes more than its convolution (a
// tanh 5 ns, the own 1).
constexpr int64_t kTapsColumns = 10, kTapsBlocks = 2;

bool TapsAreFaster(const Context &context, const ConvSpec &s, int64_t c) {
  const bool window = s.kernel_h * s.kernel_w > 1;
  if (HasAvx512(context.features)) return window && s.groups == 1 && s.in_c >= kTapsChannels;
  if (s.groups == 1) return window && s.activation.kind == Act::kTanh;
  const int64_t in_g = s.in_c / s.groups, out_g = s.out_c / s.groups;
  const bool blocks = in_g % c == 0 && out_g % c == 0 && (!window || std::max(in_g, out_g) <= kTapsBlocks * c);
  return blocks && s.out_w >= kTapsColumns;
}

// The kernel of a convolution of any filter that is measured to be, or estimated as, the fastest of several; null: the
// library's.
std::unique_ptr<Kernel> ChooseWindowed(const Context &context, const ConvSpec &s, int64_t c, bool blocks) {
  if (Tunes(context)) {
    std::vector<MakeKernel> ways = {[&](const Context &to) { return CreateLibraryConv(to, s); }, &CreateTaps};
    for (int tile = 2; tile <= 4 && FitsWinograd(s, blocks); tile += 2)
      ways.push_back([&s, tile](const Context &to) { return CreateWinograd(to, s, tile); });
    if (!context.node.out(0).blocked() && FitsThin(s))
      ways.push_back([&s](const Context &to) { return CreateThin(to, s); });
    const size_t fastest = Fastest(context, ways);
    return fastest == 0 ? nullptr : ways[fastest](context);
  }
  if (const int tile = WinogradTile(s, c, blocks)) return CreateWinograd(context, s, tile);
  return TapsAreFaster(context, s, c) ? CreateTaps(context) : nullptr;
}

// For images of all sizes, chosen as for one of middle size.
std::unique_ptr<Kernel> ChooseOpen(const Context &context, const ConvSpec &s, int64_t c, bool blocks) {
  const int tile = WinogradTile(OfMiddleSize(s), c, blocks);
  return tile ? CreateWinograd(context, s, tile, true) : nullptr;
}

}  // namespace

std::unique_ptr<Kernel> CreateDirectConv(const Context &context, const ConvSpec &s, bool open) {
  const Node &node = context.node;
  const int64_t c = ConvKernelsFor(context.features).channels;
  const auto blocked = [&](const Tensor &t) { return t.blocked() && t.c0() == c; };
  const auto served = [&](const Tensor &t) { return blocked(t) || !t.blocked(); };
  const Tensor x = node.in(0), y = node.out(0);
  const bool blocks = blocked(x) && blocked(y);
  const bool pointwise = IsPointwise(s);
  if (s.types.bf16) {  // between blocks of known extents
    if (open || !blocks || (!pointwise && !FitsWinograd(s, blocks))) return nullptr;
    if (!pointwise && !Tunes(context) && WinogradTile(s, c, blocks) == 0) return nullptr;
  }
  if (s.nhwc || !served(x) || !served(y) || !node.in(1).constant()) return nullptr;
  if (s.bias >= 0 && !node.in(s.bias).constant()) return nullptr;
  if (s.residual >= 0 && (!served(node.in(s.residual)) || node.in(s.residual).blocked() != y.blocked())) return nullptr;
  if (!y.blocked() && FitsThin(s) && (open || !Tunes(context))) return CreateThin(context, s, open);
  // Channels that pad the last block stay zero.
  if (y.blocked() && s.out_c % c != 0 && !s.activation.keeps_zero()) return nullptr;
  const auto choose = [&] { return open ? ChooseOpen(context, s, c, blocks) : ChooseWindowed(context, s, c, blocks); };
  if (!blocks) return choose();
  if (s.depthwise()) return std::make_unique<Depthwise>(context, s, open);
  if (pointwise && s.types.bf16) return CreatePointwiseBf16(context, s);
  if (pointwise) return std::make_unique<Pointwise>(context, s, open);
  return choose();
}

}  // namespace onednn
