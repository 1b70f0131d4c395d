// Padding with a constant, the edge, a reflection or the other end.
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

enum class PadMode { kConstant, kReflect, kSymmetric, kEdge, kWrap };

// Position in x for position `at` of the output along one axis, -1 for the constant.
int64_t Source(PadMode mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent) return at;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return at < 0 ? 0 : extent - 1;
    case PadMode::kWrap:
      return ((at % extent) + extent) % extent;
    case PadMode::kSymmetric: {
      int64_t period = 2 * extent, p = ((at % period) + period) % period;
      return p < extent ? p : period - 1 - p;
    }
    default: {
      if (extent == 1) return 0;
      int64_t period = 2 * (extent - 1), p = ((at % period) + period) % period;
      return p < extent ? p : period - p;
    }
  }
}

PadMode ModeOf(const Node &node) {
  const std::string_view type = node.type();
  if (type == "Pad" || type == "PadV2") return PadMode::kConstant;
  std::string mode = node.String("mode", type == "MirrorPad" ? "REFLECT" : "constant");
  if (mode == "constant") return PadMode::kConstant;
  if (mode == "reflect" || mode == "REFLECT") return PadMode::kReflect;
  if (mode == "symmetric" || mode == "SYMMETRIC") return PadMode::kSymmetric;
  if (mode == "edge") return PadMode::kEdge;
  if (mode == "wrap" || mode == "circular") return PadMode::kWrap;
  Fail(GE_UNSUPPORTED, "%s: mode '%s' is unknown", node.label().c_str(), mode.c_str());
}

void CheckPad(const Node &node) { ModeOf(node); }

Kernel CreatePad(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), y = node.out_dims(0);
  const PadMode mode = ModeOf(node);
  // Pairs (before, after) per dimension, or all values before and then all after.
  const bool pairs = std::string_view(node.type()) != "PadV3" || node.Bool("paddings_contiguous", true);
  IntsInput input = node.IntsOf(1);
  const bool with_value = node.has(2) && node.in_count(2) > 0;
  const size_t element = ElementSize(node.in_type(0));
  if (x.n != y.n) Fail(GE_PARAM_INVALID, "%s: x has rank %d, output %d", label.c_str(), x.n, y.n);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    Dims paddings = input.Read(call), before;
    if (paddings.n != 2 * x.n)
      Fail(GE_PARAM_INVALID, "%s: paddings have %d values, expected %d", label.c_str(), paddings.n, 2 * x.n);
    for (int i = 0; i < x.n; ++i) {
      before.push(paddings[pairs ? 2 * i : i]);
      int64_t after = paddings[pairs ? 2 * i + 1 : x.n + i];
      if (x[i] + before[i] + after != y[i])
        Fail(GE_PARAM_INVALID, "%s: dimension %d of extent %lld with paddings %lld and %lld does not give %lld",
             label.c_str(), i, (long long)x[i], (long long)before[i], (long long)after, (long long)y[i]);
      if (x[i] == 0 && y[i] != 0 && mode != PadMode::kConstant)
        Fail(GE_PARAM_INVALID, "%s: dimension %d is empty", label.c_str(), i);
    }
    if (y.count() == 0) return;
    static constexpr char kZero[16] = {};
    const void *value = with_value ? call.in(2) : kZero;
    const Dims strides = RowMajorStrides(x);
    const int64_t inner = y.n ? y[y.n - 1] : 1, rows = y.count() / inner;
    const int64_t x_inner = x.n ? x[x.n - 1] : 1, lead = x.n ? before[x.n - 1] : 0;
    call.Parallel(rows, std::max<int64_t>(1, 4096 / inner), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        int64_t from = 0, rest = row;
        bool constant = false;
        for (int i = y.n - 2; i >= 0; --i) {
          int64_t source = Source(mode, rest % y[i] - before[i], x[i]);
          constant |= source < 0;
          from += source * strides[i];
          rest /= y[i];
        }
        for (int64_t j = 0; j < inner; ++j) {
          int64_t source = constant ? -1 : Source(mode, j - lead, x_inner);
          memcpy(Shift(call.out(0), row * inner + j, element),
                 source < 0 ? value : Shift(call.in(0), from + source, element), element);
        }
      }
    });
  };
  return kernel;
}

const OpEntry kPad[] = {
    {"Pad", kMovable, &CreatePad},
    {"PadV2", kMovable, &CreatePad},
    {"PadV3", kMovable, &CreatePad, &CheckPad},
    {"MirrorPad", kMovable, &CreatePad, &CheckPad},
};

}  // namespace

OpTable PadOps() { return TableOf(kPad); }

}  // namespace reference
