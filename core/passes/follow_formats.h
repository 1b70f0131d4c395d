// The attribute data_format of convolutions says what the formats of their tensors say.
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// Where a convolution's input has one of the formats NCHW, NHWC, NCDHW and NDHWC, that is its layout (as inference has
/// it, protos/infer/window.h); the attribute follows, because kernels and rewrites read it. In the graph and its
/// subgraphs; a program's own kernel finds its attributes as they are.
void FollowFormats(Graph &root);

}  // namespace gec
