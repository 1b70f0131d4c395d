// The key under which kernels are shared: everything create_kernel can read, so that two nodes with one key may share.
#pragma once

#include <string>

#include "ge/op.h"

namespace gec {

/// Serialises the whole description. Constants count by address: a kernel keeps its constants alive, so an address
/// stays theirs. A member added to GeOpDesc, GeTensorData or GeAttrData stops kernel_key.cpp from compiling.
std::string KernelKey(const GeOpDesc &op);

}  // namespace gec
