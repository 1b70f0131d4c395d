/**
 * Characters of UTF-8: the one reader of them that the library and its engines have.
 */
#ifndef GE_UTF8_H_
#define GE_UTF8_H_

#include <stddef.h>
#include <stdint.h>

/**
 * The character at the beginning of a text of `size` bytes, at least one. *bytes is how many of them it takes, and 0
 * where there is none: a form longer than needed, a surrogate, what lies above U+10FFFF and what ends too early are no
 * characters.
 */
static inline uint32_t GeFirstCharacter(const char *text, size_t size, size_t *bytes) {
  const unsigned char first = (unsigned char)text[0];
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  *bytes = 0;
  if (length == 0 || length > size) return 0;
  for (size_t i = 1; i < length; ++i) {
    const unsigned char next = (unsigned char)text[i];
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
  *bytes = length;
  return code;
}

#endif
