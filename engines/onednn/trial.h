// Kernels that are made to be measured (option tune).
#pragma once

#include <functional>

#include "support.h"

namespace onednn {

using MakeKernel = std::function<std::unique_ptr<Kernel>(const Context &)>;

/// The model wants the fastest of several kernels.
bool Tunes(const Context &context);

/// The one of `ways` whose kernel takes least time with the node's shapes; one that cannot be made takes infinitely
/// long, and the first one wins where that is all. What the trials pack is given back. Every constant of the node has
/// to be one.
size_t Fastest(const Context &context, const std::vector<MakeKernel> &ways);

}  // namespace onednn
