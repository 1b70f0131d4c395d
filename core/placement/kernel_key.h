// The key under which kernels are shared: everything create_kernel can read, so that two nodes with one key may share.
#pragma once

#include <string>

#include "ge/op.h"

namespace gec {

/// Serialises the whole description, and what is in force besides: whether a kernel of the program's own computes the
/// node (one type may be both the program's and the library's), and the row of traits. Constants and rows count by
/// address: a kernel keeps its constants alive, rows live until the process ends. A member added to GeOpDesc,
/// GeTensorData or GeAttrData stops kernel_key.cpp from compiling.
std::string KernelKey(const GeOpDesc &op, bool own_kernel, const GeOpTraits &traits);

}  // namespace gec
