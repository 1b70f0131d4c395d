// Maxima of images by own kernels: in channel blocks or planes, in float32 and bf16, for one size or all.
#pragma once

#include "pool_spec.h"

namespace onednn {

/// True where x and y lie in blocks as the processor's kernels have them, or both in planes, and the maximum is asked
/// for.
bool HasMaxPool(const Node &node, const PoolSpec &spec, uint64_t features);
/// `open`: the run tells the extents.
std::unique_ptr<Kernel> CreateMaxPool(const Context &context, const PoolSpec &spec, bool open);

}  // namespace onednn
