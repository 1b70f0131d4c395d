#include "layout.h"

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

}  // namespace onednn
