// Padding: with a constant, or with what x itself holds, reflected, mirrored with its edge, its edge repeated, or its
// other end. Negative padding cuts off. An element is one value, a block of channels, or all that lies behind the last
// axis that is padded.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

enum class Mode { kConstant, kReflect, kSymmetric, kEdge, kWrap };

Mode ModeOf(const GeOpDesc &op) {
  if (std::strcmp(op.type, "Pad") == 0) return Mode::kConstant;
  const std::string mode = GeOpAttrString(&op, "mode", std::strcmp(op.type, "MirrorPad") == 0 ? "REFLECT" : "constant");
  if (mode == "constant") return Mode::kConstant;
  if (mode == "reflect" || mode == "REFLECT") return Mode::kReflect;
  if (mode == "symmetric" || mode == "SYMMETRIC") return Mode::kSymmetric;
  if (mode == "edge") return Mode::kEdge;
  if (mode == "wrap" || mode == "circular") return Mode::kWrap;
  Refuse("mode " + mode + " is not supported");
}

/// The position of x that position `at` shows; x begins at 0. -1: none.
int64_t Source(Mode mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent) return at;
  const int64_t last = extent - 1;
  if (mode == Mode::kConstant) return -1;
  if (mode == Mode::kEdge) return std::clamp<int64_t>(at, 0, last);
  if (mode == Mode::kReflect && last == 0) return 0;
  // Turned once, as nearly all are, without a division.
  const int64_t once = mode == Mode::kWrap        ? (at < 0 ? at + extent : at - extent)
                       : mode == Mode::kSymmetric ? (at < 0 ? -1 - at : 2 * extent - 1 - at)
                                                  : (at < 0 ? -at : 2 * last - at);
  if (once >= 0 && once < extent) return once;
  const int64_t period = mode == Mode::kWrap ? extent : mode == Mode::kSymmetric ? 2 * extent : 2 * last;
  const int64_t p = ((at % period) + period) % period;
  if (p < extent) return p;
  return mode == Mode::kSymmetric ? period - 1 - p : period - p;
}

bool InBlocks(const GeTensorData &t) { return t.format == C_FORMAT_NC1HWC0 && t.rank == 5; }

class PadKernel : public Kernel {
 public:
  PadKernel(const GeOpDesc &op, bool open)
      : mode_(ModeOf(op)), bytes_(ElementBytes(op.inputs[0].data_type)), blocks_(InBlocks(op.inputs[0])), open_(open) {
    rank_ = static_cast<size_t>(op.inputs[0].rank) - (blocks_ ? 1 : 0);
    if (op.inputs[0].rank != op.outputs[0].rank || rank_ == 0 || rank_ > kMostRank)
      Refuse("the ranks of x and y differ, or are above 16");
    ReadPaddings(op);
    if (mode_ == Mode::kConstant && op.input_count > 2 && Present(op.inputs[2]))
      std::memcpy(fill_, op.inputs[2].data, static_cast<size_t>(bytes_));
    zero_ = std::all_of(fill_, fill_ + sizeof fill_, [](char b) { return b == 0; });
    if (blocks_ && (before_[0] || after_[0] || before_[1] || after_[1] || !zero_))
      Refuse("in blocks of channels only height and width are padded, with zeros or what x holds");
    implementation = mode_ == Mode::kConstant ? "pad" : "mirror pad";
    if (blocks_) implementation += " blocks";
    if (open) return;
    if (const std::string why = Misfit(op.inputs[0].dims, op.outputs[0].dims); !why.empty()) Refuse(why);
    walk_ = WalkOf(op.inputs[0].dims, op.outputs[0].dims);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (!open_) {
      RunWith(walk_, args);
      return GE_SUCCESS;
    }
    if (const std::string why = Misfit(args.input_dims[0], args.output_dims[0]); !why.empty()) Fail(GE_FAILED, why);
    RunWith(WalkOf(args.input_dims[0], args.output_dims[0]), args);
    return GE_SUCCESS;
  }

 private:
  static constexpr size_t kMostRank = 16;

  void ReadPaddings(const GeOpDesc &op) {
    const std::vector<int64_t> pads = ConstantInts(op.inputs[1], "paddings");
    const bool pairs = std::strcmp(op.type, "PadV3") != 0 || GeOpAttrInt(&op, "paddings_contiguous", 1) != 0;
    if (pads.size() != 2 * rank_) Refuse("paddings does not fit the rank");
    for (size_t i = 0; i < rank_; ++i) {
      before_[i] = pads[pairs ? 2 * i : i], after_[i] = pads[pairs ? 2 * i + 1 : rank_ + i];
      if (before_[i] != 0 || after_[i] != 0) last_ = i;
    }
  }

  /// Says why the extents do not fit one another; empty where they do.
  std::string Misfit(const int64_t *x, const int64_t *y) const {
    for (size_t i = 0; i < rank_; ++i) {
      int64_t extent;
      if (__builtin_add_overflow(x[i], before_[i], &extent) || __builtin_add_overflow(extent, after_[i], &extent) ||
          extent != y[i])
        return "paddings " + std::to_string(before_[i]) + " and " + std::to_string(after_[i]) + " do not take " +
               std::to_string(x[i]) + " to " + std::to_string(y[i]);
      if (x[i] == 0 && y[i] != 0 && mode_ != Mode::kConstant) return "dimension " + std::to_string(i) + " is empty";
    }
    return "";
  }

  /// Up to the last axis that is padded: extents, bytes from one position of x to the next, and those of an element.
  struct Walk {
    int64_t x[kMostRank], y[kMostRank], stride[kMostRank], element;
  };
  Walk WalkOf(const int64_t *x, const int64_t *y) const {
    Walk w{};
    w.element = bytes_ * (blocks_ ? x[4] : 1);
    for (size_t i = rank_; --i > last_;) w.element *= x[i];
    int64_t stride = w.element;
    for (size_t i = last_ + 1; i-- > 0; stride *= x[i]) w.x[i] = x[i], w.y[i] = y[i], w.stride[i] = stride;
    return w;
  }

  void RunWith(const Walk &w, const GeKernelArgs &args) const {
    int64_t rows = 1;
    for (size_t i = 0; i < last_; ++i) rows *= w.y[i];
    const int64_t row_bytes = w.y[last_] * w.element;
    if (row_bytes * rows == 0) return;
    auto *x = static_cast<const char *>(args.inputs[0]);
    auto *y = static_cast<char *>(args.outputs[0]);
    Parallel(rows, std::max<int64_t>(1, (1 << 17) / row_bytes), [&](int64_t begin, int64_t end) {
      int64_t index[kMostRank] = {}, source[kMostRank] = {}, rest = begin;
      const auto find = [&](size_t i) { source[i] = Source(mode_, index[i] - before_[i], w.x[i]); };
      for (size_t i = last_; i-- > 0; rest /= w.y[i]) {
        index[i] = rest % w.y[i];
        find(i);
      }
      for (int64_t row = begin; row < end; ++row) {
        bool outside = false;
        int64_t from = 0;
        for (size_t i = 0; i < last_; ++i) outside |= source[i] < 0, from += source[i] * w.stride[i];
        if (outside) Fill(y + row * row_bytes, row_bytes);
        else Row(w, x + from, y + row * row_bytes);
        for (size_t i = last_; i-- > 0;) {
          const bool wraps = ++index[i] == w.y[i];
          if (wraps) index[i] = 0;
          find(i);
          if (!wraps) break;
        }
      }
    });
  }

  /// Along the last axis that is padded: what lies between both ends is a run of x.
  void Row(const Walk &w, const char *x, char *y) const {
    const int64_t n = w.y[last_], before = before_[last_], first = std::clamp<int64_t>(before, 0, n);
    const int64_t behind = std::clamp<int64_t>(before + w.x[last_], first, n);
    End(w, x, 0, first, y);
    if (behind > first)
      std::memcpy(y + first * w.element, x + (first - before) * w.element,
                  static_cast<size_t>((behind - first) * w.element));
    End(w, x, behind, n, y);
  }
  void End(const Walk &w, const char *x, int64_t begin, int64_t end, char *y) const {
    if (mode_ == Mode::kConstant) return Fill(y + begin * w.element, (end - begin) * w.element);
    const auto copy = [&](auto bytes) {  // of a size that the compiler knows it is an instruction or two
      for (int64_t k = begin; k < end; ++k)
        std::memcpy(y + k * w.element, x + Source(mode_, k - before_[last_], w.x[last_]) * w.element,
                    static_cast<size_t>(bytes));
    };
    if (w.element == 4) copy(std::integral_constant<int64_t, 4>());
    else if (w.element == 32) copy(std::integral_constant<int64_t, 32>());
    else if (w.element == 64) copy(std::integral_constant<int64_t, 64>());
    else copy(w.element);
  }
  void Fill(char *y, int64_t bytes) const {
    if (zero_) {
      std::memset(y, 0, static_cast<size_t>(bytes));
      return;
    }
    for (int64_t at = 0; at < bytes; at += bytes_) std::memcpy(y + at, fill_, static_cast<size_t>(bytes_));
  }

  const Mode mode_;
  const int64_t bytes_;
  const bool blocks_, open_;
  bool zero_ = true;
  size_t rank_, last_ = 0;  // of blocks without their axis; the last axis that is padded
  int64_t before_[kMostRank] = {}, after_[kMostRank] = {};
  char fill_[8] = {};
  Walk walk_{};  // of a kernel for one size
};

void CheckPad(const GeOpDesc &op) {
  const GeTensorData &x = op.inputs[0], &y = op.outputs[0];
  NeedMovable(x);
  if (InBlocks(x) ? Present(y) && y.rank >= 0 && !InBlocks(y) : InBlocks(y)) Refuse("x and y lie in different layouts");
  if (!InBlocks(x)) ge::kit::RequirePlain(x, "x");
  if (x.rank < 1) Refuse("rank is 0 or unknown");
  const bool constant = ModeOf(op) == Mode::kConstant;
  if (constant && op.input_count > 2 && Present(op.inputs[2]) && !op.inputs[2].data)
    Refuse("constant_values is not constant");
  if (y.rank < 0) {
    (void)ConstantInts(op.inputs[1], "paddings");
    return;
  }
  const auto open = [](const GeTensorData &t) {
    return std::any_of(t.dims, t.dims + t.rank, [](int64_t d) { return d < 0; });
  };
  (void)PadKernel(op, open(x) || open(y));
}

}  // namespace

const Family &PadFamily() {
  using Made = std::unique_ptr<Kernel>;
  static const Family family = {
      &CheckPad, [](const GeOpDesc &op, const Table *) -> Made { return std::make_unique<PadKernel>(op, false); },
      [](const GeOpDesc &op, const GeOpenExtents &, const Table *) -> Made {
        return std::make_unique<PadKernel>(op, true);
      }};
  return family;
}

}  // namespace vec
