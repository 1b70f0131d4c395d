// The windows of a pooling node that have neither padding nor a part beyond the image.
#pragma once

#include <cstdint>

#include "core/passes/editor.h"

namespace gec {

struct PoolSides {
  int64_t size[2] = {0, 0}, step[2] = {0, 0};  // height and width; sizes of 0: the whole image
};

/// Of MaxPoolV3 and AvgPoolV2 of images, channels first or in blocks; false for others, and *why says what they are.
bool ReadPoolSides(const Node &node, PoolSides *sides, Refusal *why);

}  // namespace gec
