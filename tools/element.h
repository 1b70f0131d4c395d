// Elements of tensors as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tool {

using ElementReader = double (*)(const char *data, size_t index);
// The reader of a data type's elements (C_DataType); null where they are no real numbers.
ElementReader ReaderOf(int32_t type);

// Floating point types that have a reader.
bool IsReal(int32_t type);

// The nearest number of 16 bits: IEEE's, and the upper half of a float.
uint16_t HalfBits(double value);
uint16_t BrainFloatBits(double value);

}  // namespace tool
