// 1 x 1 convolutions between channel blocks in bf16, with AVX512-BF16.
#pragma once

#include "conv.h"

namespace onednn {

/// Of stride 1 and one group, without padding, for known extents; filter and bias are constant.
std::unique_ptr<Kernel> CreatePointwiseBf16(const Context &context, const ConvSpec &spec);

}  // namespace onednn
