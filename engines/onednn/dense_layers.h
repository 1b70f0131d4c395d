// FusedDenseLayers: dense layers of one row, all in one call.
#pragma once

#include "support.h"

namespace onednn {

void CheckDenseLayers(const Node &node);
std::unique_ptr<Kernel> CreateDenseLayers(const Context &context);

}  // namespace onednn
