// PNG files as image tensors.
#pragma once

#include <string>

#include "native.h"
#include "npy.h"

namespace tool {

// The picture as the input wants it: [.., C, H, W] or [.., H, W, C] with 1 or 3 channels, chosen by the input's shape,
// scaled to its size (nearest sample) when that is known; bytes 0 … 255 for integer inputs, 0 … 1 for float ones.
// Samples count as stored: no gamma, the high byte of 16 bits, no alpha, BT.601 luma where one channel is wanted.
Array ReadPng(const std::string &path, const Port &input);

}  // namespace tool
