// Gather and GatherV2: whole runs of elements along one axis, by indices that a run brings.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

class GatherKernel : public Kernel {
 public:
  GatherKernel(const GeOpDesc &op, bool open)
      : open_(open),
        axis_(Axis(op)),
        rank_(static_cast<size_t>(op.inputs[0].rank)),
        index_rank_(static_cast<size_t>(op.inputs[1].rank)),
        bytes_(ElementBytes(op.inputs[0].data_type)),
        wide_(op.inputs[1].data_type == C_DT_INT64) {
    implementation = "gather";
    if (!open) sizes_ = SizesOf(op.inputs[0].dims, op.inputs[1].dims);
  }
  static size_t Axis(const GeOpDesc &op) {
    if (std::strcmp(op.type, "Gather") == 0) return 0;
    return static_cast<size_t>(AxisInput(op, 2, static_cast<size_t>(op.inputs[0].rank), "axis"));
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const Sizes s = open_ ? SizesOf(args.input_dims[0], args.input_dims[1]) : sizes_;
    auto *src = static_cast<const char *>(args.inputs[0]);
    auto *dst = static_cast<char *>(args.outputs[0]);
    if (wide_) Copy(s, src, static_cast<const int64_t *>(args.inputs[1]), dst);
    else Copy(s, src, static_cast<const int32_t *>(args.inputs[1]), dst);
    return GE_SUCCESS;
  }

 private:
  struct Sizes {
    int64_t outer, limit, run, count;  // run in bytes
  };
  template <class Index>
  void Copy(const Sizes &s, const char *src, const Index *index, char *dst) const {
    for (int64_t i = 0; i < s.count; ++i) {
      if (index[i] < -s.limit || index[i] >= s.limit)
        Fail(GE_DATA_MISMATCH, "index ", int64_t{index[i]}, " at position ", i, " is outside [-", s.limit, ", ",
             s.limit, ")");
    }
    Parallel(s.outer * s.count, std::max<int64_t>(1, (1 << 16) / (s.run + 16)), [&](int64_t begin, int64_t end) {
      while (begin < end) {  // the part of it that is within one of the outer slices
        const int64_t outer = begin / s.count, first = begin % s.count, n = std::min(end - begin, s.count - first);
        CopyRuns(s, src + outer * s.limit * s.run, index + first, n, dst + begin * s.run);
        begin += n;
      }
    });
  }
  template <class Index>
  static void CopyRuns(const Sizes &s, const char *src, const Index *index, int64_t n, char *dst) {
    const auto at = [&](int64_t i) { return src + (index[i] < 0 ? index[i] + s.limit : int64_t{index[i]}) * s.run; };
    // A copy whose size is known is an instruction, not a call.
    if (s.run == 4)
      for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * 4, at(i), 4);
    else if (s.run == 8)
      for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * 8, at(i), 8);
    else
      for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * s.run, at(i), static_cast<size_t>(s.run));
  }
  Sizes SizesOf(const int64_t *x, const int64_t *indices) const {
    return {Count(x, x + axis_), x[axis_], Count(x + axis_ + 1, x + rank_) * bytes_,
            Count(indices, indices + index_rank_)};
  }
  const bool open_;
  const size_t axis_, rank_, index_rank_;
  const int64_t bytes_;
  const bool wide_;
  Sizes sizes_{};  // of a kernel for one size
};

void CheckGather(const GeOpDesc &op) {
  NeedMovable(op.inputs[0]);
  if (op.inputs[0].rank < 1) Refuse("x is a scalar");
  if (op.inputs[1].data_type != C_DT_INT64 && op.inputs[1].data_type != C_DT_INT32)
    Refuse(DataTypeName(op.inputs[1].data_type), " is not supported for indices");
  if (GeOpAttrInt(&op, "batch_dims", 0) != 0) Refuse("batch_dims is not 0");
  (void)GatherKernel::Axis(op);
}

}  // namespace

const Family &GatherFamily() {
  static const Family family = {
      &CheckGather,
      [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
        return std::make_unique<GatherKernel>(op, false);
      },
      [](const GeOpDesc &op, const GeOpenExtents &, const Table *) -> std::unique_ptr<Kernel> {
        return std::make_unique<GatherKernel>(op, true);
      }};
  return family;
}

}  // namespace vec
