// MaxPool3D and AvgPool3D.
#pragma once

#include "support.h"

namespace onednn {

void CheckPoolVolume(const Node &node);
std::unique_ptr<Kernel> CreatePoolVolume(const Context &context);
/// One for volumes of all sizes.
std::unique_ptr<Kernel> CreateOpenPoolVolume(const Context &context);

}  // namespace onednn
