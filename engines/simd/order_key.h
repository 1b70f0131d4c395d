// A value and its position as one number, so that sorting needs no comparison of two things.
#pragma once

#include <cstdint>
#include <cstring>

namespace vec {

/// Grows with what comes first: larger values (smaller ones where those are asked for), earlier positions among equals.
/// A NaN is the largest value; -0 equals 0. Positions are below 2^32.
inline uint64_t KeyOf(float value, int64_t position, bool largest) {
  uint32_t bits;
  if (value == 0) value = 0;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t order = value != value ? UINT32_MAX : (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  if (!largest) order = ~order;
  return uint64_t{order} << 32 | (UINT32_MAX - static_cast<uint32_t>(position));
}
inline int64_t PositionOf(uint64_t key) { return UINT32_MAX - static_cast<uint32_t>(key); }

}  // namespace vec
