// Maxima and averages of images by own kernels: in channel blocks or planes, for one size or all, maxima in bf16 too.
#pragma once

#include "pool_spec.h"

namespace onednn {

/// True where x and y lie in blocks as the processor's kernels have them, or both in planes.
bool HasRowPool(const Node &node, const PoolSpec &spec, uint64_t features);
/// `open`: the run tells the extents.
std::unique_ptr<Kernel> CreateRowPool(const Context &context, const PoolSpec &spec, bool open);

}  // namespace onednn
