// The windows of a pooling node that have neither padding nor a part beyond the image.
#pragma once

#include <cstdint>

#include "core/passes/editor.h"

namespace gec {

struct PoolSides {
  int64_t size[2], step[2];  // height and width
};

/// Of MaxPoolV3 and AvgPoolV2 of images, channels first or in blocks; false for others, and *why says what they are.
/// Extents have no part in it: a graph for all sizes has the same nodes as one for a single one.
bool ReadPoolSides(const Node &node, PoolSides *sides, Refusal *why);

}  // namespace gec
