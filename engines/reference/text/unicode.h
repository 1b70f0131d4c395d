// Characters of UTF-8, and their case in the alphabets that have one and are in use.
#pragma once

#include <cstdint>
#include <string_view>

namespace reference {

/// The character at `at`, which moves behind it. A byte that is no UTF-8 is a character of its own (above all others).
inline uint32_t NextCharacter(std::string_view text, size_t *at) {
  const auto byte = [&](size_t i) { return uint8_t(text[i]); };
  const uint32_t first = byte(*at);
  const size_t size = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  bool good = size > 0 && first < 0xF5 && *at + size <= text.size();
  uint32_t c = size == 1 ? first : size == 2 ? first & 31 : size == 3 ? first & 15 : first & 7;
  for (size_t i = 1; good && i < size; ++i) {
    good = (byte(*at + i) & 0xC0) == 0x80;
    c = c << 6 | (byte(*at + i) & 63);
  }
  if (!good) {
    ++*at;
    return 0x110000 + first;
  }
  *at += size;
  return c;
}

/// How many bytes the character takes; `out` may be null.
inline size_t PutCharacter(uint32_t c, char *out) {
  if (c >= 0x110000) {
    if (out) *out = char(c - 0x110000);
    return 1;
  }
  const size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (!out) return size;
  if (size == 1) {
    out[0] = char(c);
    return 1;
  }
  for (size_t i = size; i-- > 1; c >>= 6) out[i] = char(0x80 | (c & 63));
  out[0] = char((size == 2 ? 0xC0 : size == 3 ? 0xE0 : 0xF0) | c);
  return size;
}

/// The other case of Latin, Greek, Cyrillic and Armenian letters where that is one letter.
inline uint32_t LowerCase(uint32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB && c != 0x3A2) || (c >= 0x410 && c <= 0x42F))
    return c + 32;
  if (c == 0x178) return 0xFF;
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x531 && c <= 0x556) return c + 48;
  const bool even_is_upper = (c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14A && c <= 0x177) ||
                             (c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) || (c >= 0x4D0 && c <= 0x52F) ||
                             (c >= 0x1E00 && c <= 0x1E95) || (c >= 0x1EA0 && c <= 0x1EFF);
  if (even_is_upper) return c % 2 == 0 ? c + 1 : c;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return c % 2 == 1 ? c + 1 : c;
  return c;
}

inline uint32_t UpperCase(uint32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  if (c == 0xFF) return 0x178;
  if (c == 0x3C2) return 0x3A3;  // the sigma at the end of words
  // Letters that are the lower case of another one.
  for (uint32_t step : {32u, 1u, 80u, 48u, 37u, 63u, 64u, 38u})
    if (c > step + 0x7F && LowerCase(c - step) == c && c - step != c) return c - step;
  return c;
}

}  // namespace reference
