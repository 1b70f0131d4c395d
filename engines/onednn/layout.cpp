#include "layout.h"

#include <algorithm>
#include <cstring>

#include "onednn.h"

namespace onednn {

namespace {

void RequireBlocks(const Tensor &t, const char *what) {
  if (t.rank() != 5 || (t.c0() != 8 && t.c0() != 16))
    Refuse(what, ": NC1HWC0 with other than 8 or 16 channels per block is not supported");
}

// Nearest neighbour with whole factors on NCHW or NC1HWC0: every pixel becomes a rectangle.
class ResizeNearest final : public Kernel {
 public:
  ResizeNearest(const GeKernelEnv *env, const Tensor &x, int64_t factor_h, int64_t factor_w)
      : env_(env), factor_h_(factor_h), factor_w_(factor_w) {
    Dims d = x.dims();
    planes_ = d[0] * d[1], h_ = d[2], w_ = d[3], block_ = x.blocked() ? d[4] : 1;
    implementation = "onednn:resize_nearest";
    flops = double(Count(d) * factor_h * factor_w);
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    int64_t row = w_ * factor_w_ * block_;
    Parallel(planes_ * h_, 1 + 16384 / (row * factor_h_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const float *in = x + r * w_ * block_;
        float *out = y + r * factor_h_ * row;
        if (block_ == 1) {
          for (int64_t j = 0; j < w_; ++j)
            for (int64_t k = 0; k < factor_w_; ++k) out[j * factor_w_ + k] = in[j];
        } else if (block_ == 16) {
          Widen<16>(in, out);
        } else {
          Widen<8>(in, out);
        }
        for (int64_t k = 1; k < factor_h_; ++k) memcpy(out + k * row, out, row * sizeof(float));
      }
    });
    return GE_SUCCESS;
  }

 private:
  template <int kBlock>
  void Widen(const float *in, float *out) const {
    for (int64_t j = 0; j < w_; ++j)
      for (int64_t k = 0; k < factor_w_; ++k)
        memcpy(out + (j * factor_w_ + k) * kBlock, in + j * kBlock, kBlock * sizeof(float));
  }
  const GeKernelEnv *env_;
  int64_t factor_h_, factor_w_, planes_, h_, w_, block_;
};

// The factor by which an axis grows, when every coordinate rule of the node maps output i to input i / factor.
int64_t WholeFactor(int64_t in, int64_t out, const char *axis) {
  if (in <= 0 || out % in)
    Refuse("resizing ", axis, " from ", in, " to ", out, " is not supported, only whole factors");
  return out / in;
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
  if (x.format() != y.format() || x.blocked() != y.blocked()) Refuse("x and y have different formats");
  if (x.blocked()) {
    RequireBlocks(x, "x");
    RequireBlocks(y, "y");
    if (x.c0() != y.c0()) Refuse("x and y have different block sizes");
  } else {
    RequirePlain(x, "x");
    if (x.format() == C_FORMAT_NHWC) Refuse("format NHWC is not supported");
  }
  Dims in = x.logical(), out = y.logical();
  if (in.size() != 4 || out.size() != 4) Refuse("rank ", int64_t(in.size()), " is not supported, expected 4");
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
  return std::make_unique<ResizeNearest>(context.env, context.node.in(0), out[2] / in[2], out[3] / in[3]);
}

}  // namespace onednn
