// MaxPoolV3, AvgPoolV2, MaxPool, AvgPool, Pooling and GlobalAveragePool.
#pragma once

#include "support.h"

namespace onednn {

void CheckPool(const Node &node);
std::unique_ptr<Kernel> CreatePool(const Context &context);
// One for all batches, heights and widths.
std::unique_ptr<Kernel> CreateOpenPool(const Context &context);
void CheckGlobalAveragePool(const Node &node);
std::unique_ptr<Kernel> CreateGlobalAveragePool(const Context &context);
// One for all batches, heights and widths.
std::unique_ptr<Kernel> CreateOpenGlobalAveragePool(const Context &context);

}  // namespace onednn
