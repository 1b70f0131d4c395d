// Characters of UTF-8, and their case in the alphabets that have one and are in use.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "ge/utf8.h"

namespace reference {

/// The character at `at`, which moves behind it. A byte that is no UTF-8 is a character of its own (above all others).
inline uint32_t NextCharacter(std::string_view text, size_t *at) {
  size_t size = 0;
  const uint32_t c = GeFirstCharacter(text.data() + *at, text.size() - *at, &size);
  if (size == 0) return 0x110000 + uint8_t(text[(*at)++]);
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

/// Letters that differ in case only, other forms of them included (the long s, the sign of the ohm), group by group.
inline std::vector<std::vector<uint32_t>> LettersByCase() {
  static constexpr uint32_t kForms[][2] = {
      {0x212A, 'k'},  {0x17F, 's'},   {0x212B, 0xE5},   {0x2126, 0x3C9}, {0xB5, 0x3BC},   {0x3C2, 0x3C3},
      {0x3D0, 0x3B2}, {0x3D1, 0x3B8}, {0x3F4, 0x3B8},   {0x3D5, 0x3C6},  {0x3D6, 0x3C0},  {0x3F0, 0x3BA},
      {0x3F1, 0x3C1}, {0x3F5, 0x3B5}, {0x1E9B, 0x1E61}, {0x1E9E, 0xDF},  {0x1FBE, 0x3B9}, {0x345, 0x3B9},
  };
  std::map<uint32_t, std::vector<uint32_t>> groups;
  for (uint32_t c = 0; c < 0x2000; ++c)
    if (LowerCase(c) != c) groups[LowerCase(c)].push_back(c);
  for (const auto &[form, letter] : kForms) groups[letter].push_back(form);
  std::vector<std::vector<uint32_t>> all;
  for (auto &[letter, others] : groups) {
    others.push_back(letter);
    all.push_back(std::move(others));
  }
  return all;
}

}  // namespace reference
