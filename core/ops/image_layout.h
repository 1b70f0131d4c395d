// How images and volumes lie in memory, as formats of tensors and the attribute data_format say it.
#pragma once

#include <cstdint>

#include "core/ir/graph.h"

namespace gec {

/// "NHWC" of a tensor with four dimensions, "NCDHW" of one with five; null where the format is none that a program
/// gives to images and volumes, or the rank is another or unknown.
const char *LayoutOf(const TensorDesc &desc);

/// A format that a program gave the tensor, rather than one that engines compute in.
bool SaysLayout(const TensorDesc &desc);

/// The port of the images of an operator that has an input x and an attribute data_format; -1 for others and where
/// nothing is connected.
int32_t ImagePort(const Node &node);

/// An operator with images, a filter and an attribute data_format.
bool IsConvolution(const IrDef &ir);

}  // namespace gec
