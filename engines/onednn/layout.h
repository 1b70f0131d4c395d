// Operators that move elements between layouts or resolutions: TransData and Resize.
#pragma once

#include "support.h"

namespace onednn {

void CheckTransData(const Node &node);
std::unique_ptr<Kernel> CreateTransData(const Context &context);
/// For images of all sizes, as the next one.
std::unique_ptr<Kernel> CreateOpenTransData(const Context &context);
std::unique_ptr<Kernel> CreateOpenResize(const Context &context);
void CheckResize(const Node &node);
std::unique_ptr<Kernel> CreateResize(const Context &context);

}  // namespace onednn
