// Images in NCHW or NHWC, and the geometry of sliding windows.
#pragma once

#include <string>

#include "common/node.h"

namespace host_cpu {

// A 4-D tensor by its logical dimensions and their strides, whatever the order in memory.
struct Image {
  int64_t n = 1, c = 1, h = 1, w = 1;
  int64_t sn = 0, sc = 0, sh = 0, sw = 0;

  bool is_nchw() const { return sw == 1 || (sc == h * w && sh == w); }
};

// Positions of H and W in lists that follow the layout's order: 2, 3 for NCHW, 1, 2 for NHWC.
inline bool IsChannelsLast(const std::string &format) { return format == "NHWC"; }

inline Image ImageOf(const Node &node, const Dims &d, bool channels_last) {
  if (d.n != 4)
    Fail(GE_PARAM_INVALID, "%s: shape %s has rank %d, expected 4", node.label().c_str(), ToText(d).c_str(), d.n);
  if (channels_last) return {d[0], d[3], d[1], d[2], d[1] * d[2] * d[3], 1, d[2] * d[3], d[3]};
  return {d[0], d[1], d[2], d[3], d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
}

struct Window {
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;
};

// H and W of a list in layout order (4 values), or the list itself when it has 2.
inline void ReadPair(const Node &node, const char *name, bool channels_last, int64_t *h, int64_t *w) {
  Dims list = node.Ints(name);
  if (list.n == 0) return;
  if (list.n != 4 && list.n != 2 && list.n != 1)
    Fail(GE_PARAM_INVALID, "%s: %s has %d values, expected 4", node.label().c_str(), name, list.n);
  int first = list.n == 4 ? (channels_last ? 1 : 2) : 0;
  *h = list[first];
  *w = list[list.n == 1 ? 0 : first + 1];
  if (*h <= 0 || *w <= 0)
    Fail(GE_PARAM_INVALID, "%s: %s has the values %lld and %lld, expected positive ones", node.label().c_str(), name,
         (long long)*h, (long long)*w);
}

inline void ReadPads(const Node &node, const char *name, Window *window) {
  Dims list = node.Ints(name);
  if (list.n == 0) return;
  if (list.n != 4) Fail(GE_PARAM_INVALID, "%s: %s has %d values, expected 4", node.label().c_str(), name, list.n);
  window->top = list[0];
  window->bottom = list[1];
  window->left = list[2];
  window->right = list[3];
}

// Padding of TensorFlow's SAME rule; the larger half goes to the end.
inline void SamePads(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation, int64_t *before,
                     int64_t *after) {
  int64_t total = std::max<int64_t>((out - 1) * stride + (kernel - 1) * dilation + 1 - in, 0);
  *before = total / 2;
  *after = total - *before;
}

inline int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

}  // namespace host_cpu
