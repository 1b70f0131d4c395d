#include "protos/infer/window.h"

namespace gec::infer {

ImageAxes AxesOf(Context &c, const std::string &format) {
  if (format == "NCHW") return {};
  if (format == "NHWC") return {0, 3, 1, 2};
  c.Fail("data_format is '", format, "', expected NCHW or NHWC");
}

std::string ConvLayout(Context &c, size_t x, const char *fallback) {
  const GeTensorData &in = c.In(x);
  switch (in.format) {
    case C_FORMAT_NCHW:
    case C_FORMAT_NHWC:
    case C_FORMAT_NCDHW:
    case C_FORMAT_NDHWC: {
      const std::string name = GeFormatName(in.format);
      if (in.rank < 0 || name.size() == static_cast<size_t>(in.rank)) return name;
      break;
    }
    default:
      break;
  }
  return c.StringAttr("data_format", fallback);
}

ImageAxes AxesOfInput(Context &c) { return c.In(0).format == C_FORMAT_NHWC ? ImageAxes{0, 3, 1, 2} : ImageAxes{}; }

Padding NamedPadding(Context &c, const char *attr) {
  std::string padding = c.StringAttr(attr);
  if (padding == "SAME") return Padding::kSame;
  if (padding == "VALID") return Padding::kValid;
  c.Fail(attr, " is '", padding, "', expected SAME or VALID");
}

/// Of a symbolic extent; whether the window fits is checked when its number is known.
static int64_t SymbolicExtent(Context &c, int64_t in, const Window &w, Padding padding) {
  if (padding == Padding::kSame) return c.ExtentOf(c.Quotient(c.Sum(in, w.stride - 1), w.stride));
  int64_t reach = c.CheckedAdd(c.CheckedMul(w.kernel - 1, w.dilation, "the window"), 1, "the window");
  int64_t added = padding == Padding::kExplicit ? c.CheckedAdd(w.before, w.after, "the padding") : 0;
  const bool ceil = w.ceil_mode && w.stride != 1;
  // Otherwise a last window may start in the padding behind, where it does not count.
  if (ceil && w.stride > reach - (padding == Padding::kExplicit ? w.after : 0)) return -1;
  return c.ExtentOf(c.Sum(c.Quotient(c.Sum(in, added - reach + (ceil ? w.stride - 1 : 0)), w.stride), 1));
}

int64_t SlideExtent(Context &c, int64_t in, const Window &w, Padding padding, const char *axis) {
  if (w.stride < 1) c.Fail("the stride along the ", axis, " is ", w.stride, ", expected at least 1");
  if (w.dilation < 1) c.Fail("the dilation along the ", axis, " is ", w.dilation, ", expected at least 1");
  if (w.kernel == 0) c.Fail("the window has no extent along the ", axis);
  if (padding == Padding::kExplicit && (w.before < 0 || w.after < 0))
    c.Fail("the padding along the ", axis, " is ", w.before, " and ", w.after, ", expected no negative values");
  if (w.kernel < 0 || in == -1) return -1;
  if (IsSymbolic(in)) return SymbolicExtent(c, in, w, padding);
  if (padding == Padding::kSame) return in / w.stride + (in % w.stride != 0);
  int64_t reach = c.CheckedAdd(c.CheckedMul(w.kernel - 1, w.dilation, "the window"), 1, "the window");
  int64_t padded = in;
  if (padding == Padding::kExplicit)
    padded = c.CheckedAdd(c.CheckedAdd(in, w.before, "the padded extent"), w.after, "the padded extent");
  int64_t room = padded - reach;
  if (room < 0)
    c.Fail("the window reaches over ", reach, " positions along the ", axis, ", but the padded input has only ",
           padded);
  int64_t steps = room / w.stride;
  // With ceil_mode a last window that starts inside the input or its leading padding counts although it reaches out.
  const int64_t last = room - room % w.stride, end = c.CheckedAdd(in, w.before, "the padded extent");
  if (w.ceil_mode && last != room && last < end - w.stride) ++steps;
  return steps + 1;
}

int64_t SpreadExtent(Context &c, int64_t in, const Window &w, int64_t extra, const std::string &where) {
  if (in == -1 || w.kernel < 0) return -1;
  constexpr const char *kWhat = "an output extent";
  const auto minus = [&](int64_t value, int64_t other) {
    return other == INT64_MIN ? c.CheckedAdd(c.CheckedAdd(value, INT64_MAX, kWhat), 1, kWhat)
                              : c.CheckedAdd(value, -other, kWhat);
  };
  const int64_t reach = c.CheckedAdd(c.CheckedMul(w.kernel - 1, w.dilation, "the window"), 1, "the window");
  if (IsSymbolic(in)) {
    const int64_t added = minus(minus(c.CheckedAdd(reach, extra, kWhat), w.before), w.after);
    return c.ExtentOf(c.Sum(c.Product(c.Sum(in, -1), w.stride), added));
  }
  int64_t size = c.CheckedMul(in - 1, w.stride, kWhat);
  size = minus(minus(c.CheckedAdd(c.CheckedAdd(size, reach, kWhat), extra, kWhat), w.before), w.after);
  if (size < 0) c.Fail("the padding leaves ", size, " positions along ", where);
  return size;
}

}  // namespace gec::infer
