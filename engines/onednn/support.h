// Every kernel family of this engine starts from these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge/engine_kit.hpp"

namespace onednn {

// Rows of a tensor of these extents, each along the last one.
inline int64_t RowsOf(const int64_t *dims, int rank) {
  int64_t rows = 1;
  for (int d = 0; d + 1 < rank; ++d) rows *= dims[d];
  return rows;
}

using ge::kit::Count;
using ge::kit::Dims;
using ge::kit::Fail;
using ge::kit::Node;
using ge::kit::Packed;
using ge::kit::Refuse;
using ge::kit::RequireFloat;
using ge::kit::RequirePlain;
using ge::kit::Tensor;
using ge::kit::Text;
using ge::kit::ToText;

inline int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Out of line: GCC 12 warns of the vectors that it inlines into readers of several lists.
[[gnu::noinline]] inline Dims ListOf(const Node &node, const char *name) { return node.Ints(name); }

/// Refuses what is no image in planes, or with `nhwc` channels last, nor in blocks of channels; an absent tensor
/// passes.
[[gnu::noinline]] inline void RequireImage(const Tensor &t, bool nhwc, const char *what) {
  if (!t.present()) return;
  if (!t.blocked()) {
    RequirePlain(t, what);
    if (t.ranked() && t.rank() != 4) Refuse("rank ", t.rank(), " is not supported, expected 4");
  } else if (nhwc) {
    Refuse("data_format NHWC together with NC1HWC0 is not supported");
  } else if (t.rank() != 5 || (t.c0() != 8 && t.c0() != 16)) {
    Refuse("NC1HWC0 with other than 8 or 16 channels per block is not supported");
  }
}

class Kernel : public ge::kit::Kernel {
 public:
  bool reads_originals = false;  // run reads a constant as it is although some form of it was packed
};

// The arguments of a kernel's creation.
struct Context {
  const Node &node;
  const GeKernelEnv *env;
  uint64_t features;  // GE_CPU_* bits that the kernel may use
};

}  // namespace onednn
