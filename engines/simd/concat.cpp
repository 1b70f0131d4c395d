// Concatenation along any axis, for one size or all. What the first operand holds stays where it is when the output
// lies in the same memory, as a cache does to which a step appends.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

class ConcatKernel : public Kernel {
 public:
  ConcatKernel(const GeOpDesc &op, const Joined &joined, bool open)
      : joined_(joined), open_(open), rank_(static_cast<size_t>(op.outputs[0].rank)) {
    bytes_ = ElementBytes(op.inputs[joined.first].data_type);
    out_ = DimsOf(op.outputs[0]);
    for (size_t i = joined.first; i < joined.last; ++i) in_.push_back(DimsOf(op.inputs[i]));
    for (const Dims &dims : in_)
      if (dims.size() != rank_) Refuse("the ranks of inputs and output differ");
    implementation = "concat";
    if (joined.first < 64) {
      strided_inputs = uint64_t{1} << joined.first;
      aliases.push_back(
          {GE_ALIAS_EXTENDS, static_cast<int32_t>(joined.first), 0, 0, static_cast<uint64_t>(joined.axis)});
    }
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const size_t axis = static_cast<size_t>(joined_.axis);
    const int64_t *out = open_ ? args.output_dims[0] : out_.data();
    int64_t outer = 1, inner = bytes_;
    for (size_t d = 0; d < axis; ++d) outer *= out[d];
    for (size_t d = axis + 1; d < rank_; ++d) inner *= out[d];
    if (!Fits(args, axis)) return env()->fail(GE_FAILED, "the shapes of inputs and output do not fit one another");
    const int64_t step = Step(args.output_strides, 0, axis, out[axis] * inner);
    int64_t at = 0;
    for (size_t k = 0; k < in_.size(); ++k) {
      const size_t port = joined_.first + k;
      const int64_t extent = open_ ? args.input_dims[port][axis] : in_[k][axis], run = extent * inner;
      const int64_t own = Step(args.input_strides, port, axis, run);
      const char *from = static_cast<const char *>(args.inputs[port]);
      char *to = static_cast<char *>(args.outputs[0]) + at;
      at += run;
      if (run == 0 || (from == to && (own == step || outer == 1))) continue;  // it is there
      Parallel(outer, std::max<int64_t>(1, (1 << 17) / (run + 64)), [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) std::memcpy(to + o * step, from + o * own, static_cast<size_t>(run));
      });
    }
    return GE_SUCCESS;
  }

 private:
  /// Inference may have known too little to see it.
  bool Fits(const GeKernelArgs &args, size_t axis) const {
    if (!open_) return true;
    int64_t sum = 0;
    for (size_t k = 0; k < in_.size(); ++k) {
      const int64_t *dims = args.input_dims[joined_.first + k], *out = args.output_dims[0];
      sum += dims[axis];
      for (size_t d = 0; d < rank_; ++d)
        if (d != axis && dims[d] != out[d]) return false;
    }
    return sum == args.output_dims[0][axis];
  }
  /// Bytes from one piece to the next: the dimensions before the axis are dense beside it.
  int64_t Step(const int64_t *const *strides, size_t port, size_t axis, int64_t dense) const {
    return strides && strides[port] && axis > 0 ? strides[port][axis - 1] * bytes_ : dense;
  }

  const Joined joined_;
  const bool open_;
  const size_t rank_;
  int64_t bytes_;
  Dims out_;
  std::vector<Dims> in_;
};

}  // namespace

bool RowsAreShort(const GeTensorData &whole, size_t axis) {
  constexpr int64_t kLine = 64;
  const Dims dims = DimsOf(whole);
  int64_t row = ElementBytes(whole.data_type);
  if (dims[axis] < 0) return false;  // pieces are as long as a run makes them
  for (size_t d = axis + 1; d < dims.size(); ++d) {
    if (dims[d] < 0) return false;  // the height of an image, say
    row *= dims[d];
  }
  return row < kLine;
}

std::unique_ptr<Kernel> MakeConcat(const GeOpDesc &op, const Joined &joined, bool open) {
  return std::make_unique<ConcatKernel>(op, joined, open);
}

}  // namespace vec
