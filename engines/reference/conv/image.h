// Images (NCHW, NHWC) and volumes (NCDHW, NDHWC), and the geometry of sliding windows.
#pragma once

#include <cstring>

#include <algorithm>
#include <string>

#include "common/node.h"

namespace reference {

// A 4-D or 5-D tensor by its logical dimensions and their strides, whatever the order in memory. An image is a volume
// of depth 1.
struct Image {
  int64_t n = 1, c = 1, h = 1, w = 1;
  int64_t sn = 0, sc = 0, sh = 0, sw = 0;
  int64_t d = 1, sd = 0;

  int64_t count() const { return n * c * d * h * w; }
};

// Where the spatial values are in lists that follow the layout's order: behind N and C, or between them.
inline bool IsChannelsLast(const std::string &format) { return format == "NHWC" || format == "NDHWC"; }

// Rank of the tensors that an operator slides its windows over.
inline int WindowRank(const Node &node) {
  if (!strcmp(node.type(), "FusedConvTranspose")) return node.String("data_format", "NCHW").size() == 5 ? 5 : 4;
  return strstr(node.type(), "3D") ? 5 : 4;
}

inline Image ImageOf(const Node &node, const Dims &d, bool channels_last, int rank = 4) {
  if (d.n != rank)
    Fail(GE_PARAM_INVALID, "%s: shape %s has rank %d, expected %d", node.label().c_str(), ToText(d).c_str(), d.n, rank);
  const int first = channels_last ? 1 : 2;  // of the spatial dimensions
  Image i;
  i.n = d[0], i.c = d[channels_last ? rank - 1 : 1];
  i.h = d[first + rank - 4], i.w = d[first + rank - 3];
  if (rank == 5) i.d = d[first];
  i.sw = channels_last ? i.c : 1;
  i.sh = i.w * i.sw, i.sd = i.h * i.sh;
  i.sc = channels_last ? 1 : i.d * i.sd;
  i.sn = i.c * i.d * i.h * i.w;
  return i;
}

struct Window {
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  int64_t kd = 1, sd = 1, dd = 1, front = 0, back = 0;
};

// The spatial values of a list in layout order (as many as the tensor has dimensions), or the list itself when it has
// only those, or one value for all.
inline void ReadSteps(const Node &node, const char *name, bool channels_last, int rank, int64_t *d, int64_t *h,
                      int64_t *w) {
  Dims list = node.Ints(name);
  if (list.n == 0) return;
  if (list.n != rank && list.n != rank - 2 && list.n != 1)
    Fail(GE_PARAM_INVALID, "%s: %s has %d values, expected %d", node.label().c_str(), name, list.n, rank);
  const int first = list.n == rank ? (channels_last ? 1 : 2) : 0, step = list.n == 1 ? 0 : 1;
  if (rank == 5) *d = list[first];
  *h = list[first + (rank - 4) * step];
  *w = list[first + (rank - 3) * step];
  if (*h <= 0 || *w <= 0 || *d <= 0)
    Fail(GE_PARAM_INVALID, "%s: %s has the values %lld and %lld%s, expected positive ones", node.label().c_str(), name,
         (long long)*h, (long long)*w, *d <= 0 ? (", and " + std::to_string(*d) + " in depth").c_str() : "");
}
inline void ReadPair(const Node &node, const char *name, bool channels_last, int64_t *h, int64_t *w) {
  int64_t depth = 1;
  ReadSteps(node, name, channels_last, 4, &depth, h, w);
}

// Before and after each spatial dimension; one value a dimension means both.
inline void ReadPads(const Node &node, const char *name, Window *window, int rank = 4) {
  Dims list = node.Ints(name);
  if (list.n == 0) return;
  const int count = 2 * (rank - 2);
  if (rank == 5 && list.n == 3) list = {list[0], list[0], list[1], list[1], list[2], list[2]};
  if (list.n != count)
    Fail(GE_PARAM_INVALID, "%s: %s has %d values, expected %d", node.label().c_str(), name, list.n, count);
  if (rank == 5) {
    window->front = list[0];
    window->back = list[1];
  }
  window->top = list[count - 4];
  window->bottom = list[count - 3];
  window->left = list[count - 2];
  window->right = list[count - 1];
}

// Padding of TensorFlow's SAME rule; the larger half goes to the end.
inline void SamePads(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation, int64_t *before,
                     int64_t *after) {
  int64_t total = std::max<int64_t>((out - 1) * stride + (kernel - 1) * dilation + 1 - in, 0);
  *before = total / 2;
  *after = total - *before;
}

inline int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

}  // namespace reference
