// Padding with what x itself holds: reflected, mirrored with its edge, its edge repeated, or its other end.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

enum class Mode { kReflect, kSymmetric, kEdge, kWrap };

Mode ModeOf(const GeOpDesc &op) {
  const std::string mode = GeOpAttrString(&op, "mode", std::strcmp(op.type, "MirrorPad") == 0 ? "REFLECT" : "constant");
  if (mode == "reflect" || mode == "REFLECT") return Mode::kReflect;
  if (mode == "symmetric" || mode == "SYMMETRIC") return Mode::kSymmetric;
  if (mode == "edge") return Mode::kEdge;
  if (mode == "wrap" || mode == "circular") return Mode::kWrap;
  Refuse("mode " + mode + " is not supported");
}

/// The position of x that position `at` shows; x begins at 0.
int64_t Source(Mode mode, int64_t at, int64_t extent) {
  const int64_t last = extent - 1;
  if (mode == Mode::kEdge) return std::clamp<int64_t>(at, 0, last);
  if (mode == Mode::kReflect && last == 0) return 0;
  const int64_t period = mode == Mode::kWrap ? extent : mode == Mode::kSymmetric ? 2 * extent : 2 * last;
  const int64_t p = ((at % period) + period) % period;
  if (p < extent) return p;
  return mode == Mode::kSymmetric ? period - 1 - p : period - p;
}

class MirrorPadKernel : public Kernel {
 public:
  explicit MirrorPadKernel(const GeOpDesc &op) {
    const Dims x = DimsOf(op.inputs[0]);
    y_ = DimsOf(op.outputs[0]);
    bytes_ = ElementBytes(op.inputs[0].data_type);
    const std::vector<int64_t> pads = ConstantInts(op.inputs[1], "paddings");
    const bool pairs = std::strcmp(op.type, "PadV3") != 0 || GeOpAttrInt(&op, "paddings_contiguous", 1) != 0;
    const size_t rank = x.size();
    if (rank == 0 || rank != y_.size() || pads.size() != 2 * rank) Refuse("paddings does not fit the rank");
    const Mode mode = ModeOf(op);
    x_stride_.assign(rank, bytes_);
    for (size_t i = rank; i-- > 1;) x_stride_[i - 1] = x_stride_[i] * x[i];
    for (size_t i = 0; i < rank; ++i) {
      const int64_t before = pads[pairs ? 2 * i : i], after = pads[pairs ? 2 * i + 1 : rank + i];
      int64_t extent;
      if (__builtin_add_overflow(x[i], before, &extent) || __builtin_add_overflow(extent, after, &extent) ||
          extent != y_[i])
        Refuse("paddings " + std::to_string(before) + " and " + std::to_string(after) + " do not take " +
               std::to_string(x[i]) + " to " + std::to_string(y_[i]));
      if (x[i] == 0 && y_[i] != 0) Refuse("dimension " + std::to_string(i) + " is empty");
      std::vector<int64_t> from(static_cast<size_t>(y_[i]));
      for (size_t k = 0; k < from.size(); ++k)
        from[k] = Source(mode, static_cast<int64_t>(k) - before, x[i]) * x_stride_[i];
      from_.push_back(std::move(from));
      if (i + 1 < rank) continue;
      first_ = std::clamp<int64_t>(before, 0, y_[i]);  // what lies between is a run of x
      last_ = std::clamp<int64_t>(before + x[i], first_, y_[i]);
    }
    implementation = "mirror pad";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const size_t rank = y_.size();
    const int64_t inner = y_.back(), rows = Count(y_, 0, rank - 1);
    if (inner * rows == 0) return GE_SUCCESS;
    auto *x = static_cast<const char *>(args.inputs[0]);
    auto *y = static_cast<char *>(args.outputs[0]);
    Parallel(rows, std::max<int64_t>(1, 32768 / (inner * bytes_)), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const char *from = x;
        int64_t rest = row;
        for (size_t i = rank - 1; i-- > 0; rest /= y_[i]) from += from_[i][static_cast<size_t>(rest % y_[i])];
        char *to = y + row * inner * bytes_;
        Elements(from, 0, first_, to);
        if (last_ > first_)
          std::memcpy(to + first_ * bytes_, from + from_.back()[static_cast<size_t>(first_)],
                      static_cast<size_t>((last_ - first_) * bytes_));
        Elements(from, last_, inner, to);
      }
    });
    return GE_SUCCESS;
  }

 private:
  void Elements(const char *from, int64_t begin, int64_t end, char *to) const {
    for (int64_t k = begin; k < end; ++k)
      std::memcpy(to + k * bytes_, from + from_.back()[static_cast<size_t>(k)], static_cast<size_t>(bytes_));
  }

  Dims y_, x_stride_;
  std::vector<std::vector<int64_t>> from_;  // per dimension and position of y: where it is in x, in bytes
  int64_t bytes_, first_ = 0, last_ = 0;
};

void CheckMirrorPad(const GeOpDesc &op) {
  const int64_t bytes = ElementBytes(op.inputs[0].data_type);
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    Refuse(DataTypeName(op.inputs[0].data_type), " is not supported");
  ge::kit::RequirePlain(op.inputs[0], "x");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  (void)ModeOf(op);
  (void)ConstantInts(op.inputs[1], "paddings");
}

}  // namespace

bool IsMirrorPad(const GeOpDesc &op) {
  if (std::strcmp(op.type, "MirrorPad") == 0) return true;
  return std::strcmp(op.type, "PadV3") == 0 && std::strcmp(GeOpAttrString(&op, "mode", "constant"), "constant") != 0;
}

const Family &MirrorPadFamily() {
  static const Family family = {&CheckMirrorPad, [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<MirrorPadKernel>(op);
                                }};
  return family;
}

}  // namespace vec
