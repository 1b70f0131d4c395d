// Batch normalisation with constant statistics, as the passes read it.
#pragma once

#include "core/passes/editor.h"

namespace gec {

/// y[c] = x[c] * factor[c] + shift[c]
struct Affine {
  std::vector<float> factor, shift;
};

/// What BatchNorm or BNInfer does to each channel; false unless scale, offset, mean and variance are constant lists of
/// float32 with one number per channel.
bool ReadBatchNorm(const Node &node, Affine *out);

}  // namespace gec
