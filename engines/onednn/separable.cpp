// The values between the convolutions never lie in memory as a whole, unless a squeeze has to see all that the
// depthwise convolution makes. Each sum is added up in the order in which the kernels of the single convolutions do it,
// so that the results are the same bit for bit. Not so with a squeeze: there the projection reads filters that are
// multiplied with the factors of the channels, which is less work than to multiply the pixels of a large image.
#include "separable.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "conv_direct.h"
#include "excitation.h"
#include "separable_spec.h"

namespace onednn {

namespace {

// One of the convolutions: constants, and what comes after its sums.
struct Stage {
  const float *w = nullptr, *bias = nullptr;
  Activation activation;

  ConvFinish FinishOf(int64_t channel, const float *residual) const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    ConvFinish f{bias ? bias + channel : nullptr, residual, -kInfinity, kInfinity};
    if (activation.kind == Act::kRelu) f.low = 0;
    if (activation.kind == Act::kClip) f.low = activation.alpha, f.high = activation.beta;
    return f;
  }
};

// Rows of blocks of channels: where the first lies, and the steps.
struct Rows {
  float *at;
  int64_t block;  // from one block to the next
  int64_t ring;   // row i lies in place i % ring
};

// What all sizes have in common.
struct Parts {
  const ConvKernelSet &set;
  const KernelSet &kernels;
  const GeKernelEnv *env;
  int64_t threads;
  Stage expand, depthwise, project;
  std::optional<Excitation> excitation;
};

// The work on images of one size.
class Images {
 public:
  Images(const Parts &parts, const SeparableSpec &spec)
      : parts_(parts),
        s_(spec),
        tiles_(CutSeparable(spec, parts.threads)),
        c_(spec.c),
        in_blocks_((spec.in_c + c_ - 1) / c_),
        blocks_(spec.blocks()),
        out_blocks_(spec.out_blocks()) {
    // Of an image that is made before it is projected.
    if (tiles_.whole || s_.squeezed) made_bytes_ = RoundUp(MadeStep(s_.out_h) * blocks_ * int64_t(sizeof(float)), 64);
    if (tiles_.whole) groups_ = PointwiseGroups(blocks_), workers_ = std::min(parts_.threads, groups_);
    else workers_ = std::min(parts_.threads, (s_.squeezed ? 1 : s_.batch) * tiles_.bands);
    // A line more for each block.
    worker_bytes_ = RoundUp(tiles_.bytes + 2 * blocks_ * kLine * int64_t(sizeof(float)), 64);
    if (!s_.squeezed) return;
    scales_pixels_ = s_.out_h * s_.out_w < s_.out_c;
    const int64_t channels = blocks_ * c_, weights = scales_pixels_ ? 0 : out_blocks_ * c_ * channels;
    excitation_bytes_ = RoundUp((tiles_.bands + 1) * channels + parts_.excitation->room(), 16) + weights;
    excitation_bytes_ *= int64_t(sizeof(float));
  }

  bool whole() const { return tiles_.whole; }
  uint64_t workspace() const { return uint64_t(made_bytes_ + excitation_bytes_ + workers_ * worker_bytes_); }

  void Run(const GeKernelArgs &args) const {
    if (!tiles_.whole && !s_.squeezed) return RunBands(args);
    for (int64_t image = 0; image < s_.batch; ++image) RunImage(args, image);
  }

 private:
  static constexpr int64_t kLine = 16;             // floats that keep equal distances from being powers of two
  static constexpr int64_t kWorthScaling = 16384;  // multiplications that are worth a thread

  int64_t MadeStep(int64_t rows) const { return rows * s_.out_w * c_ + kLine; }
  const float *Image(const GeKernelArgs &args, int64_t image) const {
    return static_cast<const float *>(args.inputs[kSepX]) + image * in_blocks_ * s_.in_h * s_.in_w * c_;
  }

  // Rows [begin, end) of some blocks of the expansion.
  void Expand(const float *x, int64_t block, int blocks, int64_t begin, int64_t end, const Rows &to) const {
    while (begin < end) {
      const int64_t place = begin % to.ring, rows = std::min(end - begin, to.ring - place);
      PointwiseTile t{};
      t.x = x + begin * s_.in_w * c_;
      t.in_blocks = s_.in_c / c_, t.rest = int(s_.in_c % c_), t.x_block = s_.in_h * s_.in_w * c_;
      t.w_block = in_blocks_ * c_ * c_, t.w = parts_.expand.w + block * t.w_block;
      t.y = to.at + place * s_.in_w * c_, t.y_block = to.block;
      t.pixels = rows * s_.in_w, t.blocks = blocks;
      for (int b = 0; b < blocks; ++b) t.finish[b] = parts_.expand.FinishOf((block + b) * c_, nullptr);
      parts_.set.pointwise(t);
      for (int b = 0; b < blocks; ++b) Activate(parts_.expand, t.y + b * t.y_block, t.pixels * c_);
      begin += rows;
    }
  }

  // Output rows of the depthwise convolution, one block.
  void Depthwise(const float *from, int64_t ring, int64_t block, int64_t first, int64_t rows, float *to) const {
    DepthwiseRows d{};
    d.x = from, d.row = s_.in_w * c_, d.ring = ring;
    d.in_h = s_.in_h, d.in_w = s_.in_w, d.out_w = s_.out_w;
    d.kernel_h = s_.kernel_h, d.kernel_w = s_.kernel_w, d.stride_h = s_.stride_h, d.stride_w = s_.stride_w;
    d.dilation_h = d.dilation_w = 1, d.pad_top = s_.pad_top, d.pad_left = s_.pad_left;
    d.w = parts_.depthwise.w + block * s_.kernel_h * s_.kernel_w * c_;
    d.y = to, d.first = first, d.rows = rows;
    d.finish = parts_.depthwise.FinishOf(block * c_, nullptr);
    parts_.set.depthwise(d);
    Activate(parts_.depthwise, to, rows * s_.out_w * c_);
  }

  // Some blocks of y, `pixels` from pixel `first` of the image on; w is the whole filter.
  void Project(const GeKernelArgs &args, int64_t image, const float *w, int64_t block, const float *from,
               int64_t from_block, int64_t first, int64_t pixels) const {
    const int64_t plane = s_.out_h * s_.out_w * c_, at = (image * out_blocks_ + block) * plane + first * c_;
    PointwiseTile t{};
    t.x = from, t.in_blocks = s_.channels / c_, t.rest = int(s_.channels % c_), t.x_block = from_block;
    t.w_block = blocks_ * c_ * c_, t.w = w + block * t.w_block;
    t.y = static_cast<float *>(args.outputs[0]) + at, t.y_block = plane;
    t.pixels = pixels, t.blocks = PointwiseBlocksAt(block, out_blocks_);
    const float *residual = s_.residual ? static_cast<const float *>(args.inputs[kSepResidual]) + at : nullptr;
    for (int b = 0; b < t.blocks; ++b)
      t.finish[b] = parts_.project.FinishOf((block + b) * c_, residual ? residual + b * plane : nullptr);
    parts_.set.pointwise(t);
    for (int b = 0; b < t.blocks; ++b) Activate(parts_.project, t.y + b * plane, pixels * c_);
  }

  void Activate(const Stage &stage, float *y, int64_t count) const {
    if (!Clips(stage.activation)) parts_.kernels.activate(count, y, stage.activation);
  }

  float *At(const GeKernelArgs &args, int64_t bytes) const {
    return reinterpret_cast<float *>(static_cast<char *>(args.workspace) + bytes);
  }
  float *Room(const GeKernelArgs &args, int64_t worker) const {
    return At(args, made_bytes_ + excitation_bytes_ + worker * worker_bytes_);
  }

  // An image whose depthwise convolution is computed before the projection begins.
  void RunImage(const GeKernelArgs &args, int64_t image) const {
    float *made = At(args, 0), *sums = At(args, made_bytes_);
    if (s_.squeezed) std::fill(sums, sums + tiles_.bands * blocks_ * c_, 0.0f);
    if (tiles_.whole) MakeWhole(args, image, made, sums);
    else MakeInBands(args, image, made, sums);
    const float *w = s_.squeezed ? Excite(sums, made) : parts_.project.w;
    const int64_t step = MadeStep(s_.out_h), pixels = s_.out_h * s_.out_w, groups = PointwiseGroups(out_blocks_);
    const int64_t parts =
        parts_.threads > 1 ? std::clamp<int64_t>((4 * parts_.threads + groups - 1) / groups, 1, pixels / 12 + 1) : 1;
    const int64_t part = (pixels + parts - 1) / parts;
    ge::kit::Parallel(*parts_.env, groups * parts, parts_.threads > 1 ? 1 : groups * parts,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t k = begin; k < end; ++k) {
                          const int64_t first = k % parts * part, count = std::min(part, pixels - first);
                          if (count > 0) Project(args, image, w, k / parts * 2, made + first * c_, step, first, count);
                        }
                      });
  }

  void MakeWhole(const GeKernelArgs &args, int64_t image, float *made, float *sums) const {
    const float *x = Image(args, image);
    const int64_t step = MadeStep(s_.out_h), plane = s_.in_h * s_.in_w * c_;
    ge::kit::ParallelPieces(*parts_.env, groups_, workers_, [&](int64_t k, int64_t worker) {
      const int64_t block = 2 * k;
      const int count = PointwiseBlocksAt(block, blocks_);
      const Rows rows{Room(args, worker), plane + kLine, s_.in_h};
      if (s_.expands) Expand(x, block, count, 0, s_.in_h, rows);
      for (int64_t b = block; b < block + count; ++b) {
        const float *from = s_.expands ? rows.at + (b - block) * rows.block : x + b * plane;
        Depthwise(from, s_.in_h, b, 0, s_.out_h, made + b * step);
        if (s_.squeezed) AddRows(made + b * step, s_.out_h, sums + b * c_);
      }
    });
  }

  void MakeInBands(const GeKernelArgs &args, int64_t image, float *made, float *sums) const {
    ge::kit::ParallelPieces(*parts_.env, tiles_.bands, workers_, [&](int64_t band, int64_t worker) {
      const int64_t step = MadeStep(s_.out_h);
      Band b = BandOf(args, image, band, Room(args, worker));
      for (; b.first < b.end; b.first += tiles_.rows)
        MakeRows(&b, made + b.first * s_.out_w * c_, step, sums + band * blocks_ * c_);
    });
  }

  // Row by row: a sum over a large image would lose digits.
  void AddRows(const float *y, int64_t rows, float *sums) const {
    for (int64_t r = 0; r < rows; ++r) parts_.set.sum_pixels(y + r * s_.out_w * c_, s_.out_w, sums);
  }

  // The filter of the projection, which has the factors of the channels in it where the pixels that it reads have not.
  const float *Excite(float *sums, float *made) const {
    const int64_t channels = blocks_ * c_;
    for (int64_t band = 1; band < tiles_.bands; ++band)
      for (int64_t i = 0; i < channels; ++i) sums[i] += sums[band * channels + i];
    float *factors = sums + tiles_.bands * channels, *room = factors + channels;
    const int64_t pixels = s_.out_h * s_.out_w;
    parts_.excitation->Factors(*parts_.env, sums, pixels, room, factors);
    std::fill(factors + s_.channels, factors + channels, 0.0f);
    if (scales_pixels_) {
      ge::kit::Parallel(*parts_.env, blocks_, 1 + kWorthScaling / (pixels * c_), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b)
          parts_.set.scale_pixels(made + b * MadeStep(s_.out_h), pixels, factors + b * c_);
      });
      return parts_.project.w;
    }
    float *w = sums + RoundUp((tiles_.bands + 1) * channels + parts_.excitation->room(), 16);
    const int64_t block = channels * c_;
    ge::kit::Parallel(*parts_.env, out_blocks_, 1 + kWorthScaling / block, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        parts_.set.scale_rows(parts_.project.w + b * block, channels, factors, w + b * block);
    });
    return w;
  }

  // Output rows [first, end) of an image, of which the rows that they read are expanded up to `expanded`.
  struct Band {
    const float *x;
    int64_t first, end, expanded;
    Rows ring;
  };
  Band BandOf(const GeKernelArgs &args, int64_t image, int64_t band, float *room) const {
    const int64_t first = s_.out_h * band / tiles_.bands;
    return {Image(args, image),
            first,
            s_.out_h * (band + 1) / tiles_.bands,
            std::max<int64_t>(0, first * s_.stride_h - s_.pad_top),
            {room, tiles_.ring * s_.in_w * c_ + kLine, tiles_.ring}};
  }

  // What the depthwise convolution makes of the next rows of a band, block by block; `sums` only with a squeeze.
  void MakeRows(Band *band, float *made, int64_t step, float *sums) const {
    const int64_t first = band->first, rows = std::min(tiles_.rows, band->end - first);
    const int64_t plane = s_.in_h * s_.in_w * c_;
    const int64_t needed = std::min(s_.in_h, (first + rows - 1) * s_.stride_h - s_.pad_top + s_.kernel_h);
    const Rows &ring = band->ring;
    for (int64_t block = 0, count; block < blocks_; block += count) {
      count = PointwiseBlocksAt(block, blocks_);
      if (s_.expands) {
        const Rows part{ring.at + block * ring.block, ring.block, ring.ring};
        Expand(band->x, block, int(count), band->expanded, needed, part);
      }
      for (int64_t b = block; b < block + count; ++b) {
        if (s_.expands) Depthwise(ring.at + b * ring.block, ring.ring, b, first, rows, made + b * step);
        else Depthwise(band->x + b * plane, s_.in_h, b, first, rows, made + b * step);
        if (s_.squeezed) AddRows(made + b * step, rows, sums + b * c_);
      }
    }
    band->expanded = std::max(band->expanded, needed);
  }

  void RunBands(const GeKernelArgs &args) const {
    ge::kit::ParallelPieces(*parts_.env, s_.batch * tiles_.bands, workers_, [&](int64_t k, int64_t worker) {
      const int64_t image = k / tiles_.bands, step = MadeStep(tiles_.rows);
      float *made = Room(args, worker);
      Band band = BandOf(args, image, k % tiles_.bands, made + blocks_ * step);
      for (; band.first < band.end; band.first += tiles_.rows) {
        const int64_t rows = std::min(tiles_.rows, band.end - band.first);
        MakeRows(&band, made, step, nullptr);
        for (int64_t block = 0; block < out_blocks_; block += PointwiseBlocksAt(block, out_blocks_))
          Project(args, image, parts_.project.w, block, made, step, band.first * s_.out_w, rows * s_.out_w);
      }
    });
  }

  const Parts &parts_;
  const SeparableSpec s_;
  const SeparableTiles tiles_;
  const int64_t c_, in_blocks_, blocks_, out_blocks_;
  int64_t groups_ = 0, workers_;
  // Of the workspace: what is made of an image; sums and factors of the channels, and filters with them; of each
  // worker.
  int64_t made_bytes_ = 0, excitation_bytes_ = 0, worker_bytes_;
  bool scales_pixels_ = false;
};

class Separable final : public Kernel {
 public:
  Separable(const Context &context, const SeparableSpec &spec, bool open)
      : s_(spec),
        parts_{s_.c == 16 ? kConvAvx512 : kConvAvx2,
               KernelsFor(context.features),
               context.env,
               std::max(1, context.env->threads),
               {},
               {},
               {},
               {}} {
    const int64_t c = s_.c;
    if (s_.expands) parts_.expand.w = PackedPointwise(context, kSepExpand, c, s_.channels, s_.in_c);
    parts_.depthwise.w = PackedDepthwise(context, kSepDepthwise, c, s_.channels, s_.kernel_h * s_.kernel_w);
    parts_.project.w = PackedPointwise(context, kSepProject, c, s_.out_c, s_.channels);
    parts_.expand.bias = Bias(context, kSepExpandBias, s_.channels);
    parts_.depthwise.bias = Bias(context, kSepDepthwiseBias, s_.channels);
    parts_.project.bias = Bias(context, kSepProjectBias, s_.out_c);
    parts_.expand.activation = s_.expand_activation;
    parts_.depthwise.activation = s_.depthwise_activation;
    parts_.project.activation = s_.activation;
    if (s_.squeezed)
      parts_.excitation.emplace(context, s_.channels, s_.squeezed, s_.squeeze_activation, s_.excite_activation);
    const char *cut = "";
    sizes_workspace = open;
    if (!open) {
      fixed_.emplace(parts_, s_);
      Reserve(fixed_->workspace());
      // The residual is often x. A band reads rows of x beside those that other bands write, an image is read before.
      if (s_.residual && (fixed_->whole() || s_.squeezed))
        aliases = {{GE_ALIAS_IN_PLACE, int32_t(kSepResidual), 0, 0, 0}};
      flops = s_.expand_flops() + s_.other_flops();
      cut = fixed_->whole() ? "image:" : "rows:";
    }
    implementation = Text("tiles:", cut, s_.expands ? "1x1+" : "",
                          s_.squeezed ? "dw+se+1x1:" : "dw+1x1:", c == 16 ? "avx512" : "avx2");
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return Images(parts_, SpecOf(input_dims, output_dims)).workspace();
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (fixed_) fixed_->Run(args);
    else Images(parts_, SpecOf(args.input_dims, args.output_dims)).Run(args);
    return GE_SUCCESS;
  }

 private:
  const float *Bias(const Context &context, size_t port, int64_t count) {
    return context.node.in(port).present() ? PackedBias(context, port, s_.c, count) : nullptr;
  }

  SeparableSpec SpecOf(const int64_t *const *input_dims, const int64_t *const *output_dims) const {
    SeparableSpec s = s_;
    s.SetExtents(input_dims[kSepX], output_dims[0]);
    return s;
  }

  const SeparableSpec s_;
  Parts parts_;
  std::optional<Images> fixed_;  // none: the run tells the size
};

std::unique_ptr<Kernel> Create(const Context &context, bool open) {
  const SeparableSpec spec = ReadSeparable(context.node);
  if (spec.c == 16 && !HasAvx512(context.features)) Refuse("blocks of 16 channels need AVX-512");
  return std::make_unique<Separable>(context, spec, open);
}

}  // namespace

void CheckSeparable(const Node &node) { ReadSeparable(node); }

std::unique_ptr<Kernel> CreateSeparable(const Context &context) { return Create(context, false); }
std::unique_ptr<Kernel> CreateOpenSeparable(const Context &context) { return Create(context, true); }

}  // namespace onednn
