// Convolutions of images to at most four channels, as the last layers of networks that make images are.
#pragma once

#include "conv.h"

namespace onednn {

/// True where the kernel serves: steps of 1, one group, few output channels, a filter that reaches not too far.
bool FitsThin(const ConvSpec &spec);
/// x in planes or in channel blocks of the processor's kernels, y and a residual in planes; filter and bias constant.
/// `open`: the run tells batch, height and width.
std::unique_ptr<Kernel> CreateThin(const Context &context, const ConvSpec &spec, bool open = false);

}  // namespace onednn
