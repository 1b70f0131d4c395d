// Small windows of blocks of channels are computed from the rows that they cover at once. Others first combine these
// rows to one, and then what lies in their width: a window of k by k takes 2 k steps in place of k * k. A NaN is the
// maximum.
#include "pool_rows.h"

#include <algorithm>
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

  // Pixels of a row with the padding that its windows cover, and one behind them that is read and not used.
  static int64_t Width(const PoolSpec &s) { return (s.out_w - 1) * s.stride_w + s.kernel_w; }
  static int64_t RoomyWidth(const PoolSpec &s) { return Width(s) + 1; }
  // Before the threads' rooms: columns that each window of a row has.
  int64_t ColumnsOf(const PoolSpec &s) const { return s.max ? 0 : s.out_w; }
  // A thread's rows: what is combined, and in float32 the rows of x that a window has, and a row of y.
  int64_t RoomOf(const PoolSpec &s) const {
    return (RoomyWidth(s) + (s.bf16 ? std::min(s.kernel_h, s.in_h) * s.in_w + s.out_w : 0)) * c_;
  }
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
      columns[o] = float(s.exclusive ? std::max<int64_t>(1, inside) : s.kernel_w);
    }
    ParallelPieces(rows, workers, [&](int64_t i, int64_t worker) {
      Row(s, args.inputs[0], i / s.out_h, i % s.out_h, args.outputs[0], columns,
          columns + ColumnsOf(s) + worker * RoomOf(s));
    });
  }

  void Row(const PoolSpec &s, const void *x, int64_t plane, int64_t row, void *y, const float *columns,
           float *room) const {
    const int64_t top = row * s.stride_h - s.pad_top, begin = std::max<int64_t>(0, top);
    const int64_t rows = std::min(top + s.kernel_h, s.in_h) - begin, pixels = s.in_w * c_;
    const int64_t first = (plane * s.in_h + begin) * pixels, out = (plane * s.out_h + row) * s.out_w * c_;
    float *const wide = room + RoomyWidth(s) * c_, *const narrow = wide + std::min(s.kernel_h, s.in_h) * pixels;
    PoolWindows w{static_cast<const float *>(x) + first, pixels, rows, s.out_w, s.stride_w, s.kernel_w, nullptr};
    w.y = s.bf16 ? narrow : static_cast<float *>(y) + out;
    w.columns = columns, w.counted = float(s.exclusive ? rows : s.kernel_h);
    if (s.bf16 && rows > 0)
      kBf16Avx512.widen(rows * pixels, static_cast<const uint16_t *>(x) + first, wide), w.x = wide;
    if (rows <= 0) std::fill(w.y, w.y + s.out_w * c_, Nothing(s));
    else if (c_ > 1 && (s.kernel_w <= 3 || s.kernel_w <= s.stride_w || s.out_w == 1)) FromRows(s, w);
    else FromCombined(s, w, room);
    if (s.bf16) kBf16Avx512.round(s.out_w * c_, narrow, static_cast<uint16_t *>(y) + out);
  }

  static float Nothing(const PoolSpec &s) { return s.max ? -std::numeric_limits<float>::infinity() : 0.f; }

  // Of blocks of channels; w.x: the first pixel of the rows.
  void FromRows(const PoolSpec &s, const PoolWindows &w) const {
    const auto some = [&](int64_t o, int64_t n, int64_t begin, int64_t kernel) {
      PoolWindows part = w;
      part.x += begin * c_, part.y += o * c_, part.columns += o, part.n = n, part.kernel = kernel;
      if (kernel <= 0) std::fill(part.y, part.y + c_, Nothing(s));
      else (s.max ? rows_.maxima : rows_.averages)(part);
    };
    const auto at_edge = [&](int64_t o) {
      const int64_t left = o * s.stride_w - s.pad_left, begin = std::max<int64_t>(0, left);
      some(o, 1, begin, std::min(left + s.kernel_w, s.in_w) - begin);
    };
    const int64_t room = s.in_w + s.pad_left - s.kernel_w;  // how far the last window inside may begin
    const int64_t inside = std::min(s.out_w, (s.pad_left + s.stride_w - 1) / s.stride_w);
    const int64_t behind = std::clamp(room < 0 ? 0 : room / s.stride_w + 1, inside, s.out_w);
    for (int64_t o = 0; o < inside; ++o) at_edge(o);
    if (inside < behind) some(inside, behind - inside, inside * s.stride_w - s.pad_left, s.kernel_w);
    for (int64_t o = behind; o < s.out_w; ++o) at_edge(o);
  }

  // Pixels that windows cover: the first ones may be padding, and the last ones of x may be passed over.
  void FromCombined(const PoolSpec &s, PoolWindows w, float *room) const {
    const int64_t width = Width(s), inside = std::min(s.in_w, width - s.pad_left);
    float *const at = room + s.pad_left * c_, *const behind = at + inside * c_;
    std::fill(room, at, Nothing(s));
    std::fill(behind, room + width * c_, Nothing(s));
    (s.max ? rows_.maxima_of_rows : rows_.sums_of_rows)(w.x, w.row, w.rows, inside * c_, at, false);
    w.x = room, w.rows = 1;
    if (c_ > 1) (s.max ? rows_.maxima : rows_.averages)(w);
    else (s.max ? rows_.plain_maxima : rows_.plain_averages)(w);
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
