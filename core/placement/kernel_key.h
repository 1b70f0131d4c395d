// The key under which kernels are shared: everything create_kernel can read, so that two nodes with one key may share.
#pragma once

#include <string>

#include "ge/op.h"

namespace gec {

/// Serialises the whole description, and whether a kernel of the program's own computes the node: one type may be both
/// the program's and the library's. Constants count by address: a kernel keeps its constants alive, so an address stays
/// theirs. A member added to GeOpDesc, GeTensorData or GeAttrData stops kernel_key.cpp from compiling.
std::string KernelKey(const GeOpDesc &op, bool own_kernel);
/// The same behind what `key` holds.
void AppendKernelKey(std::string &key, const GeOpDesc &op, bool own_kernel);

}  // namespace gec
