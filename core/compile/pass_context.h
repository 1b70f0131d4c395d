// What passes may ask of the engines.
#pragma once

#include "core/passes/pass.h"
#include "core/placement/kernels.h"

namespace gec {

/// A context whose questions these kernels' engines answer. They must outlive it.
PassContext PassContextFor(const KernelFactory &kernels);

}  // namespace gec
