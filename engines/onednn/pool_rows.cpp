// A row of y is the maximum or the sum of the rows that its windows cover, and then of what lies in their width: a
// window of k by k takes 2 k steps in place of k * k. A NaN is the maximum.
#include "pool_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bf16_kernels.h"
#include "conv_kernels.h"

namespace onednn {

namespace {

class RowPool final : public Kernel {
 public:
  RowPool(const Context &context, const PoolSpec &spec, bool open)
      : s_(spec),
        open_(open),
        c_(context.node.in(0).blocked() ? ConvKernelsFor(context.features).channels : 1),
        rows_(PoolRowsFor(context.features)),
        threads_(std::max<int64_t>(1, context.env->threads)) {
    implementation = Text(s_.max ? "direct:max:" : "direct:average:", s_.bf16 ? "bf16" : rows_.name);
    sizes_workspace = open;
    if (open) return;
    Reserve(WorkspaceOf(s_));
    flops = double(s_.batch * s_.channels * s_.out_h * s_.out_w) * double(s_.kernel_h + s_.kernel_w);
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(SpecOf(input_dims[0], output_dims[0]));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    RunWith(open_ ? SpecOf(args.input_dims[0], args.output_dims[0]) : s_, args);
    return GE_SUCCESS;
  }

 private:
  // N, C1, H, W, C0 or N, C, H, W.
  PoolSpec SpecOf(const int64_t *x, const int64_t *y) const {
    PoolSpec s = s_;
    s.SetExtents({x[0], x[1] * c_, x[2], x[3]}, {y[0], y[1] * c_, y[2], y[3]});
    return s;
  }

  // Pixels of a row with the padding that its windows cover.
  static int64_t Width(const PoolSpec &s) { return (s.out_w - 1) * s.stride_w + s.kernel_w; }
  // Before the threads' rooms: columns that each window of a row has.
  int64_t ColumnsOf(const PoolSpec &s) const { return s.max ? 0 : s.out_w; }
  // A thread's rows: what is combined, a row of x in float32, a row of y.
  int64_t RoomOf(const PoolSpec &s) const { return (Width(s) + (s.bf16 ? s.in_w + s.out_w : 0)) * c_; }
  uint64_t WorkspaceOf(const PoolSpec &s) const {
    return uint64_t(ColumnsOf(s) + threads_ * RoomOf(s)) * sizeof(float);
  }

  void RunWith(const PoolSpec &s, const GeKernelArgs &args) const {
    const int64_t planes = s.batch * ((s.channels + c_ - 1) / c_), rows = planes * s.out_h;
    constexpr int64_t kGrain = 65536;  // steps; less stays on one thread
    const int64_t work = rows * c_ * (s.in_w * s.kernel_h + s.out_w * s.kernel_w);
    const int64_t workers = std::clamp<int64_t>(work / kGrain, 1, std::min(threads_, rows));
    float *const columns = static_cast<float *>(args.workspace);
    for (int64_t o = 0; o < ColumnsOf(s); ++o) {
      const int64_t first = o * s.stride_w - s.pad_left;
      const int64_t inside = std::min(first + s.kernel_w, s.in_w) - std::max<int64_t>(0, first);
      columns[o] = float(s.exclusive ? inside : s.kernel_w);
    }
    ParallelPieces(rows, workers, [&](int64_t i, int64_t worker) {
      Row(s, args.inputs[0], i / s.out_h, i % s.out_h, args.outputs[0], columns,
          columns + ColumnsOf(s) + worker * RoomOf(s));
    });
  }

  void Row(const PoolSpec &s, const void *x, int64_t plane, int64_t row, void *y, const float *columns,
           float *room) const {
    const int64_t top = row * s.stride_h - s.pad_top, width = Width(s);
    // Pixels that windows cover: the first ones may be padding, and the last ones of x may be passed over.
    const int64_t left = s.pad_left, inside = std::min(s.in_w, width - left);
    float *const at = room + left * c_, *const behind = at + inside * c_, *const wide = room + width * c_;
    const float nothing = s.max ? -std::numeric_limits<float>::infinity() : 0.f;
    std::fill(room, at, nothing);
    std::fill(behind, wide, nothing);
    const int64_t begin = std::max<int64_t>(0, top), end = std::min(top + s.kernel_h, s.in_h);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = (plane * s.in_h + i) * s.in_w * c_;
      const float *from = wide;
      if (s.bf16) kBf16Avx512.widen(inside * c_, static_cast<const uint16_t *>(x) + first, wide);
      else from = static_cast<const float *>(x) + first;
      if (i > begin) (s.max ? rows_.max : rows_.add)(at, from, inside * c_);
      else memcpy(at, from, size_t(inside * c_) * sizeof(float));
    }
    const int64_t out = (plane * s.out_h + row) * s.out_w * c_;
    float *const to = s.bf16 ? wide + s.in_w * c_ : static_cast<float *>(y) + out;
    const float counted = float(s.exclusive ? end - begin : s.kernel_h);
    if (!s.max)
      (c_ > 1 ? rows_.averages : rows_.plain_averages)(room, s.out_w, s.stride_w, s.kernel_w, columns, counted, to);
    else (c_ > 1 ? rows_.windows : rows_.plain_maxima)(room, s.out_w, s.stride_w, s.kernel_w, to);
    if (s.bf16) kBf16Avx512.round(s.out_w * c_, to, static_cast<uint16_t *>(y) + out);
  }

  const PoolSpec s_;
  const bool open_;
  const int64_t c_;  // channels that lie side by side
  const PoolRows &rows_;
  const int64_t threads_;
};

}  // namespace

bool HasRowPool(const Node &node, const PoolSpec &spec, uint64_t features) {
  const int64_t c = ConvKernelsFor(features).channels;
  const Tensor x = node.in(0), y = node.out(0);
  const bool blocks = x.blocked() && y.blocked() && x.c0() == c && y.c0() == c;
  return (spec.max || !spec.bf16) && !spec.global && (blocks || (!spec.nhwc && !x.blocked() && !y.blocked()));
}

std::unique_ptr<Kernel> CreateRowPool(const Context &context, const PoolSpec &spec, bool open) {
  return std::make_unique<RowPool>(context, spec, open);
}

}  // namespace onednn
