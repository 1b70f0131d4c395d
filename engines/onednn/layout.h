// TransData: channels into blocks and out of them.
#pragma once

#include "support.h"

namespace onednn {

void CheckTransData(const Node &node);
std::unique_ptr<Kernel> CreateTransData(const Context &context);
/// For images of all sizes.
std::unique_ptr<Kernel> CreateOpenTransData(const Context &context);

}  // namespace onednn
