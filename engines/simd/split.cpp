// Parts of a tensor along one axis, for all sizes.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

class SplitKernel : public Kernel {
 public:
  SplitKernel(const GeOpDesc &op, const Cut &cut)
      : cut_(cut),
        rank_(static_cast<size_t>(op.inputs[cut.input].rank)),
        outputs_(op.output_count),
        bytes_(ElementBytes(op.inputs[cut.input].data_type)) {
    for (size_t k = 0; k < op.output_count; ++k)
      if (op.outputs[k].rank != static_cast<int32_t>(rank_)) Refuse("the ranks of input and outputs differ");
    implementation = "split";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t *in = args.input_dims[cut_.input];
    if (!Fits(args)) return env()->fail(GE_FAILED, "the shapes of input and outputs do not fit one another");
    const int64_t outer = Count(in, in + cut_.axis), inner = bytes_ * Count(in + cut_.axis + 1, in + rank_);
    const int64_t step = in[cut_.axis] * inner;
    const char *from = static_cast<const char *>(args.inputs[cut_.input]);
    for (size_t k = 0; k < outputs_; ++k) {
      const int64_t run = args.output_dims[k][cut_.axis] * inner;
      char *to = static_cast<char *>(args.outputs[k]);
      Parallel(run == 0 || !to || to == from ? 0 : outer, std::max<int64_t>(1, (1 << 17) / (run + 64)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin; o < end; ++o)
                   std::memcpy(to + o * run, from + o * step, static_cast<size_t>(run));
               });
      from += run;
    }
    return GE_SUCCESS;
  }

 private:
  /// Inference may have known too little to see it.
  bool Fits(const GeKernelArgs &args) const {
    const int64_t *in = args.input_dims[cut_.input];
    int64_t sum = 0;
    for (size_t k = 0; k < outputs_; ++k) {
      const int64_t *out = args.output_dims[k];
      sum += out[cut_.axis];
      for (size_t d = 0; d < rank_; ++d)
        if (d != cut_.axis && out[d] != in[d]) return false;
    }
    return sum == in[cut_.axis];
  }

  const Cut cut_;
  const size_t rank_, outputs_;
  const int64_t bytes_;
};

}  // namespace

void CheckSplitBlocks(const GeOpDesc &op, const Cut &cut) {
  const GeTensorData &x = op.inputs[cut.input];
  for (size_t k = 0; k < op.output_count; ++k) {
    const GeTensorData &y = op.outputs[k];
    if (y.data_type != x.data_type) Refuse("the data type changes");
    if (y.format != C_FORMAT_NC1HWC0 || y.rank != 5 || y.dims[4] != x.dims[4] || y.origin_rank != 4)
      Refuse("output ", k, " is not in the blocks of the input");
    if (k + 1 < op.output_count && (y.origin_dims[1] < 0 || y.origin_dims[1] % y.dims[4] != 0))
      Refuse("the channels of output ", k, " are no whole blocks");
  }
}

std::unique_ptr<Kernel> MakeOpenSplit(const GeOpDesc &op, const Cut &cut) {
  return std::make_unique<SplitKernel>(op, cut);
}

}  // namespace vec
