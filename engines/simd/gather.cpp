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
    auto index = [&](int64_t i) {
      return wide_ ? static_cast<const int64_t *>(args.inputs[1])[i] : static_cast<const int32_t *>(args.inputs[1])[i];
    };
    for (int64_t i = 0; i < s.count; ++i) {
      int64_t at = index(i);
      if (at < -s.limit || at >= s.limit) {
        Fail(GE_DATA_MISMATCH, "index ", at, " at position ", i, " is outside [-", s.limit, ", ", s.limit, ")");
      }
    }
    Parallel(s.outer * s.count, std::max<int64_t>(1, (1 << 16) / (s.run + 16)), [&](int64_t begin, int64_t end) {
      for (int64_t job = begin; job < end; ++job) {
        int64_t at = index(job % s.count);
        if (at < 0) at += s.limit;
        std::memcpy(dst + job * s.run, src + (job / s.count * s.limit + at) * s.run, static_cast<size_t>(s.run));
      }
    });
    return GE_SUCCESS;
  }

 private:
  struct Sizes {
    int64_t outer, limit, run, count;  // run in bytes
  };
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
