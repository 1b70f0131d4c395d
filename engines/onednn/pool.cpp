#include "pool.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels.h"
#include "onednn.h"
#include "pool_rows.h"
#include "pool_spec.h"

namespace onednn {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

Tag TagOf(const Tensor &t, bool nhwc) {
  if (t.blocked()) return t.c0() == 8 ? Tag::nChw8c : Tag::nChw16c;
  return nhwc ? Tag::nhwc : Tag::nchw;
}

// oneDNN's maximum passes over NaN and never falls below the lowest finite number. Planes that hold what is no finite
// number are done again: a NaN in the window is its maximum, and a window of -inf gives -inf.
class NonFinitePlanes {
 public:
  // `lanes` values of one pixel lie side by side; `planes` of them follow each other.
  NonFinitePlanes(const PoolSpec &spec, int64_t planes, int64_t lanes) : s_(spec), planes_(planes), lanes_(lanes) {}

  void Redo(const GeKernelEnv *env, const float *x, float *y) const {
    const int64_t in = s_.in_h * s_.in_w * lanes_, out = s_.out_h * s_.out_w * lanes_;
    ge::kit::Parallel(*env, planes_, 1 + 65536 / (in + 1), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        if (!Finite(x + p * in, in)) Plane(x + p * in, y + p * out);
    });
  }

 private:
  static bool Finite(const float *x, int64_t n) {
    constexpr uint32_t kExponent = 0x7f800000u;
    uint32_t found = 0;
    for (int64_t i = 0; i < n; ++i) {
      uint32_t bits;
      memcpy(&bits, x + i, sizeof bits);
      found |= (bits & kExponent) == kExponent;
    }
    return found == 0;
  }

  void Plane(const float *x, float *y) const {
    for (int64_t oh = 0; oh < s_.out_h; ++oh) {
      for (int64_t ow = 0; ow < s_.out_w; ++ow, y += lanes_) {
        const int64_t h = oh * s_.stride_h - s_.pad_top, w = ow * s_.stride_w - s_.pad_left;
        const int64_t first_row = std::max<int64_t>(h, 0), rows = std::min(h + s_.kernel_h, s_.in_h) - first_row;
        const int64_t first = std::max<int64_t>(w, 0), columns = std::min(w + s_.kernel_w, s_.in_w) - first;
        const bool padding_only = rows <= 0 || columns <= 0;
        std::fill(y, y + lanes_,
                  padding_only ? std::numeric_limits<float>::lowest() : -std::numeric_limits<float>::infinity());
        for (int64_t i = first_row; i < first_row + rows; ++i) {
          for (int64_t j = first; j < first + columns; ++j) {
            const float *from = x + (i * s_.in_w + j) * lanes_;
            for (int64_t k = 0; k < lanes_; ++k)
              if (from[k] > y[k] || from[k] != from[k]) y[k] = from[k];  // once NaN, nothing is larger
          }
        }
      }
    }
  }

  PoolSpec s_;
  int64_t planes_, lanes_;
};

// Sums of planes for both layouts. Blocks of C0 channels are summed side by side, planes one by one.
class GlobalAverage final : public Kernel {
 public:
  GlobalAverage(const Tensor &x, const Tensor &y, bool open) : rank_(x.rank()), open_(open) {
    Dims dims = x.logical();
    if (dims[1] < 1) Refuse("with channels that a run tells its kernel serves one size");
    batch_ = dims[0], channels_ = dims[1], pixels_ = Count(dims, 2);
    x_block_ = x.blocked() ? x.c0() : 1;
    y_channels_ = y.blocked() ? RoundUp(channels_, y.c0()) : channels_;
    implementation = "onednn:global_average";
    flops = open ? 0 : double(Count(dims));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (!open_) {
      RunWith(args, batch_, pixels_);
      return GE_SUCCESS;
    }
    const int64_t *dims = args.input_dims[0];
    int64_t pixels = 1;
    for (int d = 2; d < (x_block_ == 1 ? rank_ : 4); ++d) pixels *= dims[d];
    RunWith(args, dims[0], pixels);
    return GE_SUCCESS;
  }

 private:
  void RunWith(const GeKernelArgs &args, int64_t batch, int64_t pixels) const {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    int64_t blocks = (channels_ + x_block_ - 1) / x_block_;
    int64_t grain = 1 + 65536 / (pixels * x_block_ + 1);
    Parallel(batch * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t n = i / blocks, first = i % blocks * x_block_;
        float *out = y + n * y_channels_ + first;
        int64_t count = std::min(x_block_, channels_ - first);
        const float *in = x + i * pixels * x_block_;
        float scale = 1.f / float(pixels);
        if (x_block_ == 1) {
          *out = Sum(in, pixels) * scale;
        } else {
          float sum[16] = {};
          if (x_block_ == 8) BlockSum<8>(in, pixels, sum);
          else BlockSum<16>(in, pixels, sum);
          for (int64_t c = 0; c < count; ++c) out[c] = sum[c] * scale;
        }
      }
    });
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t c = channels_; c < y_channels_; ++c) y[n * y_channels_ + c] = 0;
  }

  // With a known number of channels the sums stay in registers. Two of each, so that one addition need not wait for
  // the one before.
  template <int C>
  static void BlockSum(const float *in, int64_t pixels, float *sum) {
    float even[C] = {}, odd[C] = {};
    int64_t p = 0;
    for (; p + 2 <= pixels; p += 2)
      for (int c = 0; c < C; ++c) even[c] += in[p * C + c], odd[c] += in[(p + 1) * C + c];
    for (int c = 0; c < C; ++c) sum[c] = even[c] + odd[c] + (p < pixels ? in[p * C + c] : 0.f);
  }

  static float Sum(const float *in, int64_t pixels) {
    float lane[16] = {};
    int64_t p = 0;
    for (; p + 16 <= pixels; p += 16)
      for (int k = 0; k < 16; ++k) lane[k] += in[p + k];
    float sum = 0;
    for (float v : lane) sum += v;
    for (; p < pixels; ++p) sum += in[p];
    return sum;
  }

  const int rank_;
  const bool open_;
  int64_t batch_, channels_, pixels_, x_block_, y_channels_;
};

}  // namespace

void CheckPool(const Node &node) {
  PoolSpec spec = ReadPool(node);
  if (node.known()) ReadExtents(node, &spec);
  if (spec.bf16 && !HasRowPool(node, spec, kAvx512Features))
    Refuse("DT_BF16 is supported for the maximum only, of planes or blocks of 16 channels");
}

std::unique_ptr<Kernel> CreateOpenPool(const Context &context) {
  const PoolSpec spec = ReadPool(context.node);
  if (spec.ceil && !spec.max && !spec.exclusive)
    Refuse("of averages that count padding, with ceil_mode, a kernel serves one size");
  if (!HasRowPool(context.node, spec, context.features))
    Refuse("of a whole image, or in other than planes and blocks, a kernel serves one size");
  return CreateRowPool(context, spec, true);
}

std::unique_ptr<Kernel> CreatePool(const Context &context) {
  const Node &node = context.node;
  PoolSpec s = ReadPool(node);
  ReadExtents(node, &s);
  if (HasRowPool(node, s, context.features)) return CreateRowPool(context, s, false);
  NeedLibrary(context.features);
  Tensor x = node.in(0), y = node.out(0);
  Tag x_tag = TagOf(x, s.nhwc), y_tag = TagOf(y, s.nhwc);
  // Padded channels count as channels when the layouts agree: they stay zero.
  int64_t channels = x.blocked() && x_tag == y_tag ? RoundUp(s.channels, x.c0()) : s.channels;
  auto desc = [&](int64_t c, int64_t h, int64_t w, Tag tag) {
    return memory::desc({s.batch, c, h, w}, memory::data_type::f32, tag);
  };
  memory::desc src = desc(channels, s.in_h, s.in_w, x_tag);
  memory::desc dst = desc(channels, s.out_h, s.out_w, x_tag);
  auto algorithm = s.max         ? dnnl::algorithm::pooling_max
                   : s.exclusive ? dnnl::algorithm::pooling_avg_exclude_padding
                                 : dnnl::algorithm::pooling_avg_include_padding;
  dnnl::pooling_forward::desc pool(dnnl::prop_kind::forward_inference, algorithm, src, dst, {s.stride_h, s.stride_w},
                                   {s.kernel_h, s.kernel_w}, {s.pad_top, s.pad_left}, {s.pad_bottom, s.pad_right});
  dnnl::pooling_forward::primitive_desc pd(pool, PlainAttributes(), CpuEngine());
  auto program = std::make_unique<Program>();
  Operand result = x_tag == y_tag ? Operand::Output(0) : program->Temporary(dst.get_size());
  program->Add(
      dnnl::pooling_forward(pd),
      {{DNNL_ARG_SRC, src, Operand::Input(0)}, {DNNL_ARG_DST, dst, result}, program->Scratchpad(pd.scratchpad_desc())});
  if (s.max) {
    const int64_t lanes = x.blocked() ? x.c0() : s.nhwc ? s.channels : 1;
    const int64_t planes = s.batch * ((s.channels + lanes - 1) / lanes);
    NonFinitePlanes planes_again(s, planes, lanes);
    const GeKernelEnv *env = context.env;
    program->Add([=](const GeKernelArgs &args) {
      planes_again.Redo(env, static_cast<const float *>(args.inputs[0]), static_cast<float *>(result.address(args)));
    });
  }
  if (x_tag != y_tag) program->AddReorder(dst, result, desc(s.channels, s.out_h, s.out_w, y_tag), Operand::Output(0));
  program->implementation = Text("onednn:", pd.impl_info_str());
  program->flops = double(s.batch * s.channels * s.out_h * s.out_w * s.kernel_h * s.kernel_w);
  program->Finish();
  return program;
}

void CheckGlobalAveragePool(const Node &node) {
  RequireFloat(node.in(0), "x");
  for (const Tensor &t : {node.in(0), node.out(0)}) {
    if (!t.present()) continue;
    if (t.blocked()) {
      if (t.rank() != 5 || (t.c0() != 8 && t.c0() != 16))
        Refuse("NC1HWC0 with other than 8 or 16 channels per block is not supported");
    } else {
      RequirePlain(t, "x or y");
      if (t.format() == C_FORMAT_NHWC) Refuse("format NHWC is not supported");
      if (t.ranked() && t.rank() < 3) Refuse("rank ", t.rank(), " is not supported, expected at least 3");
    }
  }
  if (node.known() && Count(node.in(0).dims()) == 0) Refuse("empty tensors are not supported");
}

std::unique_ptr<Kernel> CreateGlobalAveragePool(const Context &context) {
  CheckGlobalAveragePool(context.node);
  return std::make_unique<GlobalAverage>(context.node.in(0), context.node.out(0), false);
}
std::unique_ptr<Kernel> CreateOpenGlobalAveragePool(const Context &context) {
  CheckGlobalAveragePool(context.node);
  return std::make_unique<GlobalAverage>(context.node.in(0), context.node.out(0), true);
}

}  // namespace onednn
