// FusedConvPool2D: a convolution whose result is pooled piece by piece, before it would go to memory.
#pragma once

#include "conv.h"
#include "conv_kernels.h"

namespace onednn {

void CheckConvPool(const Node &node);
std::unique_ptr<Kernel> CreateConvPool(const Context &context);
/// One for images of all sizes.
std::unique_ptr<Kernel> CreateOpenConvPool(const Context &context);

/// The name of a convolution's kernel ends with this where it pools.
inline const char *PoolName(const ConvWindow &w) { return !w.pools ? "" : w.max ? ":max" : ":average"; }

/// Some windows side by side in one block of `c` channels: y[i] of the pixels from x[i * window.w * c] on, in window.h
/// rows that are `row` floats apart.
void PoolSome(const PoolRows &rows, const ConvWindow &window, int64_t c, const float *x, int64_t row, int64_t n,
              float *y);

}  // namespace onednn
