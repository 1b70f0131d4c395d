// CommonLSTM and CommonGRU.
#pragma once

#include "support.h"

namespace onednn {

void CheckRecurrent(const Node &node);
std::unique_ptr<Kernel> CreateRecurrent(const Context &context);
std::unique_ptr<Kernel> CreateOpenRecurrent(const Context &context);

}  // namespace onednn
