// Numbers that choose among overloads of the formulas.
#pragma once

#include <cstdint>
#include <type_traits>

namespace vec {

template <int32_t kOpcode>
using Opcode = std::integral_constant<int32_t, kOpcode>;
template <int kBits>
using Bits = std::integral_constant<int, kBits>;

}  // namespace vec
