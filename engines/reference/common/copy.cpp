#include "common/copy.h"

#include <algorithm>

namespace reference {
namespace {

struct Bytes16 {
  uint64_t low, high;
};

template <class T>
void Row(const char *in, int64_t in_stride, char *out, int64_t out_stride, int64_t n) {
  const T *from = reinterpret_cast<const T *>(in);
  T *to = reinterpret_cast<T *>(out);
  for (int64_t i = 0; i < n; ++i) to[i * out_stride] = from[i * in_stride];
}

void CopyRow(const char *in, int64_t in_stride, char *out, int64_t out_stride, int64_t n, size_t element) {
  if (in_stride == 1 && out_stride == 1) {
    memcpy(out, in, size_t(n) * element);
    return;
  }
  switch (element) {
    case 1:
      return Row<uint8_t>(in, in_stride, out, out_stride, n);
    case 2:
      return Row<uint16_t>(in, in_stride, out, out_stride, n);
    case 4:
      return Row<uint32_t>(in, in_stride, out, out_stride, n);
    case 8:
      return Row<uint64_t>(in, in_stride, out, out_stride, n);
    default:
      return Row<Bytes16>(in, in_stride, out, out_stride, n);
  }
}

}  // namespace

void CopyStrided(const Call &call, const void *in, const Dims &in_strides, void *out, const Dims &out_strides,
                 const Dims &dims, size_t element) {
  if (dims.count() == 0) return;
  // Neighbouring dimensions that both sides walk through in one step become one.
  Dims d, si, so;
  for (int i = 0; i < dims.n; ++i) {
    if (dims[i] == 1) continue;
    int last = d.n - 1;
    if (last >= 0 && si[last] == in_strides[i] * dims[i] && so[last] == out_strides[i] * dims[i]) {
      d[last] *= dims[i];
      si[last] = in_strides[i];
      so[last] = out_strides[i];
    } else {
      d.push(dims[i]);
      si.push(in_strides[i]);
      so.push(out_strides[i]);
    }
  }
  if (d.n == 0) {
    d.push(1);
    si.push(1);
    so.push(1);
  }
  const int64_t inner = d[d.n - 1], rows = d.count(0, d.n - 1);
  const int64_t pieces = std::max<int64_t>(1, inner / (1 << 15));  // one long row is shared, too
  const int64_t piece = (inner + pieces - 1) / pieces;
  call.Parallel(rows * pieces, std::max<int64_t>(1, (1 << 14) / piece), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t rest = t / pieces, first = t % pieces * piece, n = std::min(piece, inner - first);
      if (n <= 0) continue;
      int64_t from = first * si[d.n - 1], to = first * so[d.n - 1];
      for (int i = d.n - 2; i >= 0; --i) {
        from += rest % d[i] * si[i];
        to += rest % d[i] * so[i];
        rest /= d[i];
      }
      CopyRow(static_cast<const char *>(in) + from * int64_t(element), si[d.n - 1],
              static_cast<char *>(out) + to * int64_t(element), so[d.n - 1], n, element);
    }
  });
}

void CopyBytes(const Call &call, const void *in, void *out, int64_t bytes) {
  if (in == out || bytes == 0) return;
  call.Parallel(bytes, 1 << 18, [&](int64_t begin, int64_t end) {
    memcpy(static_cast<char *>(out) + begin, static_cast<const char *>(in) + begin, size_t(end - begin));
  });
}

}  // namespace reference
