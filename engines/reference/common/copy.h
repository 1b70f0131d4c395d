// Copying elements of any size between strided arrangements: the body of every operator that only moves data.
#pragma once

#include "common/node.h"

namespace reference {

// out[sum index * out_strides] = in[sum index * in_strides] for every index of dims; strides in elements, may be
// negative or 0.
void CopyStrided(const Call &call, const void *in, const Dims &in_strides, void *out, const Dims &out_strides,
                 const Dims &dims, size_t element);

// Same, with `out` dense in the order of dims.
inline void CopyToDense(const Call &call, const void *in, const Dims &in_strides, void *out, const Dims &dims,
                        size_t element) {
  CopyStrided(call, in, in_strides, out, RowMajorStrides(dims), dims, element);
}

// memcpy that accepts equal pointers and no bytes.
void CopyBytes(const Call &call, const void *in, void *out, int64_t bytes);

inline const void *Shift(const void *p, int64_t elements, size_t element) {
  return static_cast<const char *>(p) + elements * int64_t(element);
}
inline void *Shift(void *p, int64_t elements, size_t element) {
  return static_cast<char *>(p) + elements * int64_t(element);
}

}  // namespace reference
