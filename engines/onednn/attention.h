// ScaledDotProductAttention.
#pragma once

#include "support.h"

namespace onednn {

void CheckAttention(const Node &node);
std::unique_ptr<Kernel> CreateAttention(const Context &context);
std::unique_ptr<Kernel> CreateOpenAttention(const Context &context);

}  // namespace onednn
