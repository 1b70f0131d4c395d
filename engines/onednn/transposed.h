// Conv2DTranspose and FusedConvTranspose: by taps, or by Winograd's algorithm where that is faster.
#pragma once

#include "support.h"

namespace onednn {

std::unique_ptr<Kernel> CreateTransposed(const Context &context);
/// One for images of all sizes.
std::unique_ptr<Kernel> CreateOpenTransposed(const Context &context);

}  // namespace onednn
