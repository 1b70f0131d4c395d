// WeightOnlyQuantizedMatMul: products with weights of 2, 4, 8 or 16 bits that stay packed.
#pragma once

#include "kernels.h"
#include "support.h"

namespace onednn {

void CheckLowBit(const Node &node);
std::unique_ptr<Kernel> CreateLowBit(const Context &context);

}  // namespace onednn
