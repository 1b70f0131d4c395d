#include "parsers/onnx/window.h"

#include <algorithm>

#include "parsers/onnx/formula.h"

namespace gec::onnx {

bool Window::dilated() const {
  return std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
}

List AttrOr(NodeContext &c, const char *name, size_t n, int64_t fallback) {
  List values = c.Ints(name);
  if (values.empty()) values.assign(n, fallback);
  if (values.size() != n) c.Refuse(Reason::kInvalidModel, Str(name, " has ", values.size(), " values, expected ", n));
  return values;
}

namespace {
// The same as a formula of extents that a run tells.
void OpenSamePads(NodeContext &c, Endpoint x, Window &w, bool upper, Endpoint weights) {
  Formula f(c);
  Endpoint none = c.ConstInts({0, 0}, "no_pads");
  std::vector<Endpoint> before = {none}, behind = {none};
  for (size_t i = 0; i < w.spatial; ++i) {
    const int64_t axis = static_cast<int64_t>(i) + 2;
    Endpoint in = f.Dim(x, axis), stride = f.Int(w.strides[i]);
    Endpoint kernel = w.kernel[i] >= 0 ? f.Int(w.kernel[i]) : f.Dim(weights, axis);
    Endpoint reach =
        f.Mul(f.Sub(kernel, f.Int(1)), f.Int(w.dilations[i]));  // from a window's first element to its last
    Endpoint steps = f.FloorDiv(f.Sub(in, f.Int(1)), stride);
    Endpoint total = f.Max(f.Sub(f.Add(f.Mul(steps, stride), reach), f.Sub(in, f.Int(1))), f.Int(0));
    Endpoint less = f.FloorDiv(total, f.Int(2)), more = f.Sub(total, less);
    before.push_back(upper ? less : more);
    behind.push_back(upper ? more : less);
    w.begin[i] = w.end[i] = 0;
  }
  before.insert(before.end(), behind.begin(), behind.end());
  w.open_pads = f.Vector(before);
}

// Pads of auto_pad SAME_*: the output has ceil(input / stride) elements.
void SamePads(NodeContext &c, Endpoint x, Window &w, bool upper, bool may_open, Endpoint weights) {
  Shape s = c.ShapeOf(x);
  auto extent_of = [&](size_t i) {
    return s.has_rank() && i + 2 < static_cast<size_t>(s.rank()) ? s[i + 2] : int64_t{-1};
  };
  for (size_t i = 0; may_open && i < w.spatial; ++i) {
    if (w.kernel[i] < 0 || (w.strides[i] != 1 && extent_of(i) < 0)) return OpenSamePads(c, x, w, upper, weights);
  }
  for (size_t i = 0; i < w.spatial; ++i) {
    int64_t extent = (w.kernel[i] - 1) * w.dilations[i] + 1, total;
    if (w.strides[i] == 1) {
      total = extent - 1;
    } else {
      int64_t in = extent_of(i);
      if (in > INT32_MAX) c.Refuse(Reason::kLimit, Str("dimension ", i + 2, " is ", in, ", the limit is ", INT32_MAX));
      if (in < 0) {
        c.Refuse(Reason::kNeedsStatic,
                 Str("auto_pad with stride ", w.strides[i], " needs dimension ", i + 2, " of the input"));
      }
      int64_t out = (in + w.strides[i] - 1) / w.strides[i];
      total = std::max<int64_t>((out - 1) * w.strides[i] + extent - in, 0);
    }
    w.begin[i] = upper ? total / 2 : total - total / 2;
    w.end[i] = total - w.begin[i];
  }
}

}  // namespace

void CheckWindow(NodeContext &c, const Window &w) {
  for (size_t i = 0; i < w.spatial; ++i) {
    if (w.kernel[i] == 0 || w.kernel[i] < -1 || w.strides[i] <= 0 || w.dilations[i] <= 0 || w.kernel[i] > INT32_MAX ||
        w.strides[i] > INT32_MAX || w.dilations[i] > INT32_MAX) {
      c.Refuse(Reason::kInvalidModel, Str("kernel ", w.kernel[i], ", stride ", w.strides[i], ", dilation ",
                                          w.dilations[i], " of dimension ", i + 2, " must be positive 32-bit numbers"));
    }
    const auto [least, most] = std::minmax(w.begin[i], w.end[i]);
    if (least < -INT32_MAX || most > INT32_MAX) {
      c.Refuse(Reason::kInvalidModel, Str("pads of dimension ", i + 2, " are out of range"));
    }
  }
}

void CheckPoolPads(NodeContext &c, const Window &w) {
  for (size_t i = 0; i < w.spatial; ++i) {
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1, pad = std::max(w.begin[i], w.end[i]);
    if (pad >= reach || std::min(w.begin[i], w.end[i]) < 0)
      c.Refuse(Reason::kInvalidModel, Str("pads of dimension ", i + 2, " are ", w.begin[i], " and ", w.end[i],
                                          ", allowed are 0 to ", reach - 1, " for a kernel of ", w.kernel[i]));
  }
}

Endpoint WithOpenPads(NodeContext &c, Endpoint x, const Window &w, Endpoint value) {
  return w.open_pads ? Formula(c).Pad(x, w.open_pads, value) : x;
}

Window ReadWindow(NodeContext &c, Endpoint x, List kernel, bool dilated, bool may_open, Endpoint weights) {
  Window w;
  w.kernel = std::move(kernel);
  w.spatial = w.kernel.size();
  if (w.spatial == 0) c.Refuse(Reason::kInvalidModel, "the kernel has no dimensions");
  w.strides = AttrOr(c, "strides", w.spatial, 1);
  w.dilations = dilated ? AttrOr(c, "dilations", w.spatial, 1) : List(w.spatial, 1);
  List pads = AttrOr(c, "pads", 2 * w.spatial, 0);
  w.begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(w.spatial));
  w.end.assign(pads.begin() + static_cast<std::ptrdiff_t>(w.spatial), pads.end());
  CheckWindow(c, w);
  std::string automatic = c.String("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    SamePads(c, x, w, automatic == "SAME_UPPER", may_open, weights);
  } else if (automatic == "VALID") {
    w.begin.assign(w.spatial, 0);
    w.end.assign(w.spatial, 0);
  } else if (automatic != "NOTSET" && !automatic.empty()) {
    c.Refuse(Reason::kInvalidModel, "attribute 'auto_pad' is '" + automatic + "'");
  }
  return w;
}

List WithNC(const List &spatial) {
  List all = {1, 1};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

List Interleaved(const Window &w) {
  List pads;
  for (size_t i = 0; i < w.spatial; ++i) {
    pads.push_back(w.begin[i]);
    pads.push_back(w.end[i]);
  }
  return pads;
}

void Widen(Window &w) {
  for (List *l : {&w.kernel, &w.strides, &w.dilations}) l->insert(l->begin(), 1);
  w.begin.insert(w.begin.begin(), 0);
  w.end.insert(w.end.begin(), 0);
  w.spatial = 2;
}

}  // namespace gec::onnx
