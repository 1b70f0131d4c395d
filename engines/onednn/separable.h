// FusedSeparableConv2D: a 1 x 1 convolution, a depthwise one and another 1 x 1 one, tile by tile.
#pragma once

#include "support.h"

namespace onednn {

void CheckSeparable(const Node &node);
std::unique_ptr<Kernel> CreateSeparable(const Context &context);
/// One for images of all sizes.
std::unique_ptr<Kernel> CreateOpenSeparable(const Context &context);

}  // namespace onednn
