// Expand and BroadcastTo at all sizes: rows of x again and again.
#include <algorithm>
#include <cstring>

#include "space.h"

namespace vec {
namespace {

class ExpandKernel : public Kernel {
 public:
  explicit ExpandKernel(const GeOpDesc &op)
      : in_rank_(static_cast<size_t>(op.inputs[0].rank)),
        out_rank_(static_cast<size_t>(op.outputs[0].rank)),
        bytes_(ElementBytes(op.inputs[0].data_type)) {
    if (out_rank_ > Space::kMaxRank || in_rank_ > out_rank_) Refuse("rank above 8, or one that shrinks");
    implementation = "expand";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    int64_t room[Space::RoomFor(1)];
    const Extents in(args.input_dims[0], in_rank_), out(args.output_dims[0], out_rank_);
    for (size_t k = 0; k < in_rank_; ++k)
      if (const int64_t extent = in[in_rank_ - 1 - k]; extent != 1 && extent != out[out_rank_ - 1 - k])
        return env()->fail(GE_FAILED, "x does not broadcast to the output");
    const Space space = Collapse(out, {&in, 1}, room);
    const int64_t inner = space.inner(), rows = Count(space.dims, space.dims + space.rank - 1);
    if (inner == 0 || rows == 0) return GE_SUCCESS;
    const auto *from = static_cast<const char *>(args.inputs[0]);
    auto *to = static_cast<char *>(args.outputs[0]);
    Parallel(rows, std::max<int64_t>(1, (1 << 16) / (inner * bytes_ + 16)), [&](int64_t begin, int64_t end) {
      RowWalk walk(space, begin);
      for (int64_t row = begin; row < end; ++row, walk.Next()) {
        char *out_row = to + row * inner * bytes_;
        const char *in_row = from + walk.offset(0) * bytes_;
        if (space.step(0) != 0) std::memcpy(out_row, in_row, static_cast<size_t>(inner * bytes_));
        else Repeat(in_row, out_row, inner);
      }
    });
    return GE_SUCCESS;
  }

 private:
  /// One element, doubled until the row is full.
  void Repeat(const char *element, char *row, int64_t count) const {
    std::memcpy(row, element, static_cast<size_t>(bytes_));
    for (int64_t done = 1; done < count;) {
      const int64_t more = std::min(done, count - done);
      std::memcpy(row + done * bytes_, row, static_cast<size_t>(more * bytes_));
      done += more;
    }
  }

  const size_t in_rank_, out_rank_;
  const int64_t bytes_;
};

}  // namespace

std::unique_ptr<Kernel> MakeOpenExpand(const GeOpDesc &op) { return std::make_unique<ExpandKernel>(op); }

}  // namespace vec
