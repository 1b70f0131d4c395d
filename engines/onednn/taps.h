// Conv3D, Conv3DV2, FusedConv3D, Conv2DTranspose, Conv3DTranspose, Conv3DTransposeV2 and FusedConvTranspose.
#pragma once

#include "support.h"

namespace onednn {

void CheckTaps(const Node &node);
std::unique_ptr<Kernel> CreateTaps(const Context &context);
// One for all sizes.
std::unique_ptr<Kernel> CreateOpenTaps(const Context &context);

}  // namespace onednn
