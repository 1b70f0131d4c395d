// MaxPool3D and AvgPool3D.
#pragma once

#include "support.h"

namespace onednn {

void CheckPoolVolume(const Node &node);
std::unique_ptr<Kernel> CreatePoolVolume(const Context &context);

}  // namespace onednn
