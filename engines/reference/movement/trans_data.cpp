// TransData: between layouts of four-dimensional tensors, blocked channels (NC1HWC0) included.
#include <string>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

// Logical extents n, c, h, w of a layout and the strides of each in memory. Blocked: c = c1 * c0 + position.
struct Layout {
  int64_t n = 1, c = 1, h = 1, w = 1;
  int64_t sn = 0, sc = 0, sh = 0, sw = 0;
  bool blocked = false;
  int64_t c0 = 1, sc1 = 0;
};

Layout LayoutOf(const Node &node, const std::string &format, const Dims &d, const char *what) {
  const int rank = format == "NC1HWC0" ? 5 : 4;
  if (d.n != rank)
    Fail(GE_PARAM_INVALID, "%s: %s has shape %s, expected rank %d for %s", node.label().c_str(), what,
         ToText(d).c_str(), rank, format.c_str());
  const Dims s = RowMajorStrides(d);
  if (format == "NCHW") return {d[0], d[1], d[2], d[3], s[0], s[1], s[2], s[3]};
  if (format == "NHWC") return {d[0], d[3], d[1], d[2], s[0], s[3], s[1], s[2]};
  if (format == "HWCN") return {d[3], d[2], d[0], d[1], s[3], s[2], s[0], s[1]};
  return {d[0], d[1] * d[4], d[2], d[3], s[0], s[4], s[2], s[3], true, d[4], s[1]};
}

Kernel CreateTransData(const Node &node, const OpEntry &) {
  const Layout from = LayoutOf(node, node.String("src_format", ""), node.in_dims(0), "src");
  const Layout to = LayoutOf(node, node.String("dst_format", ""), node.out_dims(0), "dst");
  // Between two blocked layouts, or between two plain ones, channels are the same; blocked ones may be padded.
  const int64_t channels = from.blocked && !to.blocked ? to.c : from.c;
  const bool fits =
      from.n == to.n && from.h == to.h && from.w == to.w &&
      (from.blocked == to.blocked ? from.c == to.c && from.c0 == to.c0
                                  : (from.blocked ? from.c : to.c) >= channels &&
                                        (from.blocked ? from.c - channels < from.c0 : to.c - channels < to.c0));
  if (!fits)
    Fail(GE_PARAM_INVALID, "%s: shape %s does not become %s", node.label().c_str(), ToText(node.in_dims(0)).c_str(),
         ToText(node.out_dims(0)).c_str());
  const size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  if (from.blocked == to.blocked) {
    const Dims dims =
        from.blocked ? Dims{from.n, from.c / from.c0, from.c0, from.h, from.w} : Dims{from.n, from.c, from.h, from.w};
    const Dims in =
        from.blocked ? Dims{from.sn, from.sc1, from.sc, from.sh, from.sw} : Dims{from.sn, from.sc, from.sh, from.sw};
    const Dims out = to.blocked ? Dims{to.sn, to.sc1, to.sc, to.sh, to.sw} : Dims{to.sn, to.sc, to.sh, to.sw};
    kernel.run = [=](const Call &call) { CopyStrided(call, call.in(0), in, call.out(0), out, dims, element); };
    return kernel;
  }
  const int64_t bytes = node.out_count(0) * int64_t(element);
  kernel.run = [=](const Call &call) {
    const Layout &b = from.blocked ? from : to, &p = from.blocked ? to : from;
    if (to.blocked && channels != to.c) memset(call.out(0), 0, size_t(bytes));  // the padding
    for (int64_t c1 = 0; c1 * b.c0 < channels; ++c1) {
      const int64_t count = channels - c1 * b.c0 < b.c0 ? channels - c1 * b.c0 : b.c0;
      const Dims dims{b.n, b.h, b.w, count}, blocked{b.sn, b.sh, b.sw, b.sc}, plain{p.sn, p.sh, p.sw, p.sc};
      const int64_t blocked_at = c1 * b.sc1, plain_at = c1 * b.c0 * p.sc;
      if (from.blocked)
        CopyStrided(call, Shift(call.in(0), blocked_at, element), blocked, Shift(call.out(0), plain_at, element), plain,
                    dims, element);
      else
        CopyStrided(call, Shift(call.in(0), plain_at, element), plain, Shift(call.out(0), blocked_at, element), blocked,
                    dims, element);
    }
  };
  return kernel;
}

void CheckTransData(const Node &node) {
  for (const char *attr : {"src_format", "dst_format"}) {
    std::string format = node.String(attr, "");
    if (format != "NCHW" && format != "NHWC" && format != "HWCN" && format != "NC1HWC0")
      Fail(GE_UNSUPPORTED, "%s: %s '%s' is not supported", node.label().c_str(), attr, format.c_str());
  }
}

const OpEntry kTransData[] = {{"TransData", kMovable, &CreateTransData, &CheckTransData}};

}  // namespace

OpTable TransDataOps() { return TableOf(kTransData); }

}  // namespace reference
