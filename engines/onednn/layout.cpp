#include "layout.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "conv_kernels.h"
#include "onednn.h"

namespace onednn {

namespace {

void RequireBlocks(const Tensor &t, const char *what) {
  if (t.rank() != 5 || (t.c0() != 8 && t.c0() != 16))
    Refuse(what, ": NC1HWC0 with other than 8 or 16 channels per block is not supported");
}

// Images of all sizes into blocks of channels and out of them.
class Reorder final : public Kernel {
 public:
  Reorder(const Tensor &plain, const Tensor &blocked, bool into)
      : into_(into), channels_(plain.dims()[1]), c_(blocked.c0()), set_(c_ == 16 ? kConvAvx512 : kConvAvx2) {
    implementation = Text("direct:reorder:", c_ == 16 ? "avx512" : "avx2");
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t *plain = into_ ? args.input_dims[0] : args.output_dims[0];
    const int64_t batch = plain[0], pixels = plain[2] * plain[3], blocks = (channels_ + c_ - 1) / c_;
    constexpr int64_t kPiece = 1024;  // pixels: what they are moved from and to stays in the first-level cache
    const int64_t pieces = (pixels + kPiece - 1) / kPiece;
    const float *from = static_cast<const float *>(args.inputs[0]);
    float *to = static_cast<float *>(args.outputs[0]);
    Parallel(batch * blocks * pieces, 2, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t block = k / pieces % blocks, first = k % pieces * kPiece,
                      count = std::min(kPiece, pixels - first);
        const int channels = int(std::min(c_, channels_ - block * c_));
        const int64_t planes = ((k / pieces / blocks) * channels_ + block * c_) * pixels + first;
        const int64_t in_block = (k / pieces * pixels + first) * c_;
        if (!into_) {
          set_.unblock(from + in_block, c_, to + planes, pixels, count, channels);
          continue;
        }
        if (channels < c_) memset(to + in_block, 0, size_t(count * c_) * sizeof(float));
        set_.block(from + planes, pixels, to + in_block, c_, count, channels);
      }
    });
    return GE_SUCCESS;
  }

 private:
  const bool into_;
  const int64_t channels_, c_;
  const ConvKernelSet &set_;
};

// Nearest neighbour with whole factors on NCHW or NC1HWC0: every pixel becomes a rectangle.
class ResizeNearest final : public Kernel {
 public:
  ResizeNearest(const Tensor &x, int64_t factor_h, int64_t factor_w)
      : factor_h_(factor_h), factor_w_(factor_w), block_(x.blocked() ? x.c0() : 1) {
    implementation = "onednn:resize_nearest";
    const Dims dims = x.dims();
    open_ = std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; });
    if (open_) return;
    std::copy_n(dims.begin(), 4, x_);
    flops = double(Count(dims) * factor_h * factor_w);
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    const int64_t *dims = open_ ? args.input_dims[0] : x_;
    const int64_t width = dims[3], row = width * factor_w_ * block_;
    Parallel(dims[0] * dims[1] * dims[2], 1 + 16384 / (row * factor_h_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const float *in = x + r * width * block_;
        float *out = y + r * factor_h_ * row;
        if (block_ == 1) {
          WidenPlane(in, width, out);
        } else if (block_ == 16) {
          Widen<16>(in, width, out);
        } else {
          Widen<8>(in, width, out);
        }
        for (int64_t k = 1; k < factor_h_; ++k) memcpy(out + k * row, out, row * sizeof(float));
      }
    });
    return GE_SUCCESS;
  }

 private:
  template <int kBlock>
  void Widen(const float *in, int64_t width, float *out) const {
    for (int64_t j = 0; j < width; ++j)
      for (int64_t k = 0; k < factor_w_; ++k)
        memcpy(out + (j * factor_w_ + k) * kBlock, in + j * kBlock, kBlock * sizeof(float));
  }
  // Of factors that the compiler knows it makes vectors.
  void WidenPlane(const float *in, int64_t width, float *out) const {
    const auto widen = [&](auto factor) {
      for (int64_t j = 0; j < width; ++j)
        for (int64_t k = 0; k < factor; ++k) out[j * factor + k] = in[j];
    };
    if (factor_w_ == 1) memcpy(out, in, size_t(width) * sizeof(float));
    else if (factor_w_ == 2) widen(std::integral_constant<int64_t, 2>());
    else if (factor_w_ == 4) widen(std::integral_constant<int64_t, 4>());
    else widen(factor_w_);
  }
  const int64_t factor_h_, factor_w_, block_;
  bool open_;
  int64_t x_[4] = {};  // N, C or C1, H, W, unless the run tells
};

// The factor by which an axis grows, when every coordinate rule of the node maps output i to input i / factor.
int64_t WholeFactor(int64_t in, int64_t out, const char *axis) {
  if (in <= 0 || out % in)
    Refuse("resizing ", axis, " from ", in, " to ", out, " is not supported, only whole factors");
  return out / in;
}

// For Resize.
void RequireSameLayout(const Tensor &x, const Tensor &y) {
  if (x.format() != y.format() || x.blocked() != y.blocked()) Refuse("x and y have different formats");
  if (x.blocked()) {
    RequireBlocks(x, "x");
    RequireBlocks(y, "y");
    if (x.c0() != y.c0()) Refuse("x and y have different block sizes");
    return;
  }
  RequirePlain(x, "x");
  if (x.format() == C_FORMAT_NHWC) Refuse("format NHWC is not supported");
  if (x.rank() != 4 || y.rank() != 4) Refuse("rank ", x.rank(), " is not supported, expected 4");
}

}  // namespace

void CheckTransData(const Node &node) {
  if (!node.in(0).present() || node.in(0).type() != C_DT_BF16) RequireFloat(node.in(0), "src");
  if (node.out(0).present() && node.out(0).type() != node.in(0).type()) Refuse("src and dst have different types");
  std::string from = node.String("src_format", ""), to = node.String("dst_format", "");
  bool into = from == "NCHW" && to == "NC1HWC0", outof = from == "NC1HWC0" && to == "NCHW";
  if (!into && !outof) Refuse("TransData from ", from, " to ", to, " is not supported");
  if (node.Int("groups", 1) != 1) Refuse("groups other than 1 is not supported");
  if (node.Int("src_subformat", 0) != 0 || node.Int("dst_subformat", 0) != 0) Refuse("subformats are not supported");
  if (!node.known()) return;
  const Tensor blocked = into ? node.out(0) : node.in(0), plain = into ? node.in(0) : node.out(0);
  if (!blocked.blocked()) Refuse("the NC1HWC0 side has another format");
  RequireBlocks(blocked, into ? "dst" : "src");
  RequirePlain(plain, into ? "src" : "dst");
  if (plain.rank() != 4 || blocked.logical() != plain.dims())
    Refuse("shapes do not fit: ", ToText(plain.dims()), " and ", ToText(blocked.logical()));
  if (Count(plain.dims()) == 0) Refuse("empty tensors are not supported");
}

std::unique_ptr<Kernel> CreateOpenTransData(const Context &context) {
  CheckTransData(context.node);
  const bool into = context.node.String("dst_format", "") == "NC1HWC0";
  const Tensor from = context.node.in(0), to = context.node.out(0);
  const Tensor &plain = into ? from : to, &blocked = into ? to : from;
  if (from.type() != C_DT_FLOAT) Refuse("a reorder in bf16 serves one size");
  if (!blocked.blocked()) Refuse("the NC1HWC0 side has another format");
  RequireBlocks(blocked, into ? "dst" : "src");
  RequirePlain(plain, into ? "src" : "dst");
  if (plain.rank() != 4 || plain.dims()[1] < 1) Refuse("the channels are open");
  if (blocked.c0() == 16 && !HasAvx512(context.features)) Refuse("blocks of 16 channels need AVX-512");
  return std::make_unique<Reorder>(plain, blocked, into);
}

std::unique_ptr<Kernel> CreateTransData(const Context &context) {
  CheckTransData(context.node);
  NeedLibrary(context.features);
  using dnnl::memory;
  auto desc = [](const Tensor &t) {
    using Tag = memory::format_tag;
    return memory::desc(t.logical(), FloatOf(t.type() == C_DT_BF16),
                        !t.blocked()  ? Tag::nchw
                        : t.c0() == 8 ? Tag::nChw8c
                                      : Tag::nChw16c);
  };
  auto program = std::make_unique<Program>();
  program->AddReorder(desc(context.node.in(0)), Operand::Input(0), desc(context.node.out(0)), Operand::Output(0));
  program->implementation = "onednn:reorder";
  program->Finish();
  return program;
}

void CheckResize(const Node &node) {
  RequireFloat(node.in(0), "x");
  if (node.String("mode", "nearest") != "nearest") Refuse("mode ", node.String("mode", ""), " is not supported");
  std::string rule = node.String("coordinate_transformation_mode", "half_pixel");
  std::string round = node.String("nearest_mode", "round_prefer_floor");
  // With whole factors these map output i to input i / factor: (i + 0.5) / f - 0.5 rounded, or i / f rounded down.
  bool fits = (rule == "asymmetric" && round == "floor") ||
              (rule == "half_pixel" && (round == "round_prefer_floor" || round == "round_prefer_ceil"));
  if (!fits) Refuse("nearest with ", rule, " and ", round, " is not supported");
  if (!node.known()) return;
  const Tensor x = node.in(0), y = node.out(0);
  RequireSameLayout(x, y);
  Dims in = x.logical(), out = y.logical();
  if (in[0] != out[0] || in[1] != out[1]) Refuse("resizing batch or channels is not supported");
  if (Count(in) == 0) Refuse("empty tensors are not supported");
  WholeFactor(in[2], out[2], "height");
  WholeFactor(in[3], out[3], "width");
  // Scales that do not divide evenly can give the same shape but other coordinates.
  if (node.in(2).present() && node.in(2).type() == C_DT_FLOAT && Count(node.in(2).dims()) == 4) {
    if (!node.in(2).constant()) Refuse("scales is not a constant");
    const float *scales = static_cast<const float *>(node.in(2).content());
    for (int i = 0; i < 4; ++i)
      if (scales[i] * float(in[i]) != float(out[i])) Refuse("scales that are not whole factors are not supported");
  }
}

std::unique_ptr<Kernel> CreateResize(const Context &context) {
  CheckResize(context.node);
  Dims in = context.node.in(0).logical(), out = context.node.out(0).logical();
  return std::make_unique<ResizeNearest>(context.node.in(0), out[2] / in[2], out[3] / in[3]);
}

std::unique_ptr<Kernel> CreateOpenResize(const Context &context) {
  CheckResize(context.node);
  const Tensor x = context.node.in(0), y = context.node.out(0), scales = context.node.in(2);
  RequireSameLayout(x, y);
  if (!scales.present() || scales.type() != C_DT_FLOAT || !scales.constant() || Count(scales.dims()) != 4)
    Refuse("without constant scales a kernel serves one size");
  const float *by = static_cast<const float *>(scales.content());
  constexpr float kMost = 1 << 20;
  for (int i = 0; i < 4; ++i)
    if (by[i] != std::floor(by[i]) || !(by[i] >= 1 && by[i] <= (i < 2 ? 1 : kMost)))
      Refuse("scales that are not whole factors are not supported");
  return std::make_unique<ResizeNearest>(x, int64_t(by[2]), int64_t(by[3]));
}

}  // namespace onednn
