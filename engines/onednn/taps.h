// Convolutions of volumes (Conv3D, Conv3DV2, FusedConv3D), transposed ones (Conv2DTranspose, Conv3DTranspose,
// Conv3DTransposeV2, FusedConvTranspose), and those of images that conv_direct.cpp gives them.
#pragma once

#include "support.h"

namespace onednn {

void CheckTaps(const Node &node);
std::unique_ptr<Kernel> CreateTaps(const Context &context);
// One for all sizes.
std::unique_ptr<Kernel> CreateOpenTaps(const Context &context);

}  // namespace onednn
