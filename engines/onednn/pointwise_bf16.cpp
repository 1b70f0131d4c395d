#include "pointwise_bf16.h"

#include <algorithm>
#include <cstring>

#include "bf16_kernels.h"
#include "conv_direct.h"

namespace onednn {

namespace {

constexpr int64_t kC = 16, kPairs = kC / 2;

class PointwiseBf16 final : public DirectConv {
 public:
  PointwiseBf16(const Context &context, const ConvSpec &spec)
      : DirectConv(context, spec, false),
        bf16_(Bf16KernelsFor(context.features)),
        threads_(std::max(1, context.env->threads)),
        pixels_(s_.out_h * s_.out_w),
        through_floats_(s_.types.y_bf16 && !Clips(s_.activation)) {
    PackFilter(context);
    Split();
    implementation = Text("direct:1x1:", bf16_.name);
    flops_type = C_DT_BF16;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t groups = PointwiseGroups(out_blocks_), tasks = s_.batch * chunks_ * groups;
    const int64_t workers = std::clamp<int64_t>(int64_t(flops / kGrainFlops), 1, std::min(threads_, tasks));
    ParallelPieces(tasks, workers, [&](int64_t k, int64_t worker) {
      float *room = static_cast<float *>(args.workspace) + worker * RoomOf();
      RunTask(args, k % groups * 2, k / groups % chunks_ * chunk_, k / groups / chunks_, room);
    });
    return GE_SUCCESS;
  }

 private:
  static constexpr double kGrainFlops = 400e3;
  static constexpr int kMostBlocks = 3;

  // Sums that an activation has yet to change, before they are rounded.
  int64_t RoomOf() const { return through_floats_ ? kMostBlocks * chunk_ * kC : 0; }

  void RunTask(const GeKernelArgs &args, int64_t block, int64_t first, int64_t image, float *room) const {
    PointwiseTile t{};
    t.x = static_cast<const float *>(args.inputs[0]) + (image * in_blocks_ * pixels_ + first) * kPairs;
    t.in_blocks = in_blocks_, t.x_block = pixels_ * kPairs;
    t.w_block = in_blocks_ * kPairs * kC;
    t.w = w_ + block * t.w_block;
    t.pixels = std::min(chunk_, pixels_ - first);
    t.blocks = PointwiseBlocksAt(block, out_blocks_);
    const int64_t at = ((image * out_blocks_ + block) * pixels_ + first) * kC, bytes = int64_t(s_.types.y_bytes());
    char *const y = static_cast<char *>(args.outputs[0]) + at * bytes;
    t.y = through_floats_ ? room : reinterpret_cast<float *>(y);
    t.y_block = through_floats_ ? t.pixels * kC : pixels_ * kC;
    t.halves = s_.types.y_bf16 && !through_floats_;
    for (int b = 0; b < t.blocks; ++b) {
      t.finish[b] = {bias_ ? bias_ + (block + b) * kC : nullptr, nullptr, low_, high_};
      if (s_.residual < 0) continue;
      const char *from = static_cast<const char *>(args.inputs[s_.residual]) + (at + b * pixels_ * kC) * bytes;
      t.finish[b].residual = reinterpret_cast<const float *>(from);
      if (!through_floats_) continue;
      // Sums replace it in the order in which they read it.
      bf16_.widen(t.pixels * kC, reinterpret_cast<const uint16_t *>(from), room + b * t.y_block);
      t.finish[b].residual = room + b * t.y_block;
    }
    bf16_.pointwise(t);
    for (int b = 0; b < t.blocks; ++b) {
      if (!through_floats_) {
        if (!s_.types.y_bf16) Activate(t.y + b * t.y_block, t.pixels * kC);
        continue;
      }
      float *sums = room + b * t.y_block;
      Activate(sums, t.pixels * kC);
      bf16_.round(t.pixels * kC, sums, reinterpret_cast<uint16_t *>(y) + b * pixels_ * kC);
    }
  }

  // As many pixels at a time as leave their inputs in the second-level cache while all output channels are computed,
  // or their sums in the first-level one.
  void Split() {
    constexpr int64_t kCached = 512 << 10, kSums = 20 << 10;  // bytes
    const int64_t groups = PointwiseGroups(out_blocks_), least = 28;
    int64_t most = std::max(least, kCached / (in_blocks_ * kC * int64_t(sizeof(uint16_t))));
    if (through_floats_) most = std::min(most, kSums / (2 * kC * int64_t(sizeof(float))));
    int64_t chunks = (pixels_ + most - 1) / most;
    // Pieces enough for all threads to end at about the same time.
    if (threads_ > 1) chunks = std::max(chunks, (8 * threads_ + s_.batch * groups - 1) / (s_.batch * groups));
    chunk_ = std::max(least, RoundUp((pixels_ + chunks - 1) / chunks, 14));
    chunks_ = (pixels_ + chunk_ - 1) / chunk_;
    Reserve(uint64_t(threads_ * RoomOf()) * sizeof(float));
  }

  // [block of y][block of x][pair of channels of x][channel of y]
  void PackFilter(const Context &context) {
    const Tensor filter = context.node.in(1);
    const int64_t in_c = s_.in_c, out_c = s_.out_c, rows = in_blocks_ * kC;
    const bool hwcn = s_.hwcn;
    w_ = static_cast<const float *>(
        Packed(*context.env, filter.address(), Text("direct:1x1:bf16:", hwcn ? "h" : "o", in_c, "x", out_c),
               uint64_t(out_blocks_ * rows * kC) * sizeof(uint16_t), [=, this](const void *source, void *out) {
                 const auto *from = static_cast<const uint16_t *>(source);
                 auto *to = static_cast<uint16_t *>(out);
                 memset(to, 0, size_t(out_blocks_ * rows * kC) * sizeof(uint16_t));
                 for (int64_t o = 0; o < out_c; ++o)
                   for (int64_t i = 0; i < in_c; ++i)
                     to[((o / kC * rows + i / 2 * 2) * kC) + o % kC * 2 + i % 2] =
                         hwcn ? from[i * out_c + o] : from[o * in_c + i];
               }));
  }

  const Bf16KernelSet &bf16_;
  const int64_t threads_, pixels_;
  const bool through_floats_;
  int64_t chunk_ = 0, chunks_ = 0;
  const float *w_ = nullptr;
};

}  // namespace

std::unique_ptr<Kernel> CreatePointwiseBf16(const Context &context, const ConvSpec &spec) {
  return std::make_unique<PointwiseBf16>(context, spec);
}

}  // namespace onednn
