// Filters and biases of the own convolutions in the order in which their kernels read them.
#include <algorithm>
#include <cstring>

#include "conv_direct.h"

namespace onednn {

namespace {

struct PointwiseFilter {
  int64_t c, out_c, in_c;
  bool hwcn;
  const KernelSet &kernels;

  int64_t blocks() const { return (out_c + c - 1) / c; }
  int64_t rows() const { return RoundUp(in_c, c); }

  // As blocks of output channels, in each a row of c of them for every input channel.
  void Pack(const GeKernelEnv &env, const float *from, float *to) const {
    ge::kit::Parallel(env, blocks(), 1 + 200000 / (rows() * c), [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) PackBlock(block, from, to + block * rows() * c);
    });
  }

  void PackBlock(int64_t block, const float *from, float *panel) const {
    const int64_t first = block * c, count = std::min(c, out_c - first);
    if (hwcn) {
      for (int64_t i = 0; i < in_c; ++i) {
        memcpy(panel + i * c, from + i * out_c + first, static_cast<size_t>(count) * sizeof(float));
        for (int64_t o = count; o < c; ++o) panel[i * c + o] = 0;
      }
    } else {
      kernels.transpose(count, in_c, from + first * in_c, in_c, panel, c);
    }
    memset(panel + in_c * c, 0, static_cast<size_t>((rows() - in_c) * c) * sizeof(float));
  }
};

}  // namespace

const float *PackedPointwise(const Context &context, size_t port, int64_t c, int64_t out_c, int64_t in_c) {
  const Tensor filter = context.node.in(port);
  const PointwiseFilter f{c, out_c, in_c, filter.format() == C_FORMAT_HWCN, KernelsFor(context.features)};
  const uint64_t bytes = static_cast<uint64_t>(f.blocks() * f.rows() * f.c) * sizeof(float);
  return static_cast<const float *>(
      Packed(*context.env, filter.address(), Text("direct:1x1:", f.c, f.hwcn ? "h" : "o", in_c, "x", out_c), bytes,
             [&](const void *source, void *out) {
               f.Pack(*context.env, static_cast<const float *>(source), static_cast<float *>(out));
             }));
}

const float *PackedDepthwise(const Context &context, size_t port, int64_t c, int64_t channels, int64_t taps) {
  const Tensor filter = context.node.in(port);
  const int64_t blocks = (channels + c - 1) / c;
  const bool hwcn = filter.format() == C_FORMAT_HWCN;
  return static_cast<const float *>(Packed(
      *context.env, filter.address(), Text("direct:dw:", c, hwcn ? "h" : "o", channels, "x", taps),
      static_cast<uint64_t>(blocks * taps * c) * sizeof(float), [=](const void *source, void *out) {
        const float *from = static_cast<const float *>(source);
        float *to = static_cast<float *>(out);
        for (int64_t o = 0; o < blocks * c; ++o)
          for (int64_t k = 0; k < taps; ++k)
            to[(o / c * taps + k) * c + o % c] = o >= channels ? 0 : hwcn ? from[k * channels + o] : from[o * taps + k];
      }));
}

const float *PackedBias(const Context &context, size_t port, int64_t c, int64_t count) {
  const int64_t told = RoundUp(count, c);
  const float *from = static_cast<const float *>(context.node.in(port).content());
  if (count == told) return from;
  return static_cast<const float *>(Packed(*context.env, from, Text("onednn:bias:", count, ":", told),
                                           static_cast<uint64_t>(told) * sizeof(float),
                                           [=](const void *source, void *out) {
                                             memset(out, 0, static_cast<size_t>(told) * sizeof(float));
                                             memcpy(out, source, static_cast<size_t>(count) * sizeof(float));
                                           }));
}

}  // namespace onednn
