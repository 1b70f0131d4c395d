// Tensors written on the command line: 16000, true, 1,2,3 or [[1, 2], [3, 4]].
#pragma once

#include <string>

#include "native.h"
#include "npy.h"

namespace tool {

/// The text as an array of the input's type and shape. One number fills the input, a plain list is given its shape;
/// open dimensions follow from the number of values, and are 1 for one number. Throws Usage with input, value and what
/// the input takes.
Array ReadLiteral(const std::string &text, const Port &input);

}  // namespace tool
