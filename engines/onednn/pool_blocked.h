// Maxima of images in channel blocks, in float32 and bf16, for one size or all.
#pragma once

#include "pool_spec.h"

namespace onednn {

/// True where x and y are blocks as the processor's kernels have them, and the maximum is asked for.
bool IsPoolOfBlocks(const Node &node, const PoolSpec &spec, uint64_t features);
/// `open`: the run tells the extents.
std::unique_ptr<Kernel> CreatePoolOfBlocks(const Context &context, const PoolSpec &spec, bool open);

}  // namespace onednn
