/* Copying, joining and writing into destinations whose size is told: part of securec.h. */
#ifndef GE_SECUREC_CORE_H_
#define GE_SECUREC_CORE_H_

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef errno_t
typedef int errno_t;
#endif

#ifndef EOK
#define EOK 0
#endif
#ifndef EINVAL
#define EINVAL 22
#endif
#ifndef ERANGE
#define ERANGE 34
#endif
#ifndef EINVAL_AND_RESET
#define EINVAL_AND_RESET 150
#endif
#ifndef ERANGE_AND_RESET
#define ERANGE_AND_RESET 162
#endif
#ifndef EOVERLAP_AND_RESET
#define EOVERLAP_AND_RESET 182
#endif

/* The largest destMax, in bytes. */
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL

/* The C library of a toolkit root, libc_sec.so, has these functions under their names, for programs that declare them
 * otherwise: it is this header, with another linkage. */
#ifndef SECUREC_API_
#define SECUREC_API_ static inline
#endif

#ifdef __cplusplus
#define SECUREC_ADDRESS_(p) reinterpret_cast<uintptr_t>(p)
#define SECUREC_CAST_(type, value) static_cast<type>(value)
#else
#define SECUREC_ADDRESS_(p) ((uintptr_t)(p))
#define SECUREC_CAST_(type, value) ((type)(value))
#endif
#ifdef __GNUC__
#define SECUREC_PRINTF_(format_at, first) __attribute__((format(printf, format_at, first)))
/* A compiler must not drop the writes before this because nobody reads them: programs wipe secrets with memset_s. */
#define SECUREC_KEEP_(p) __asm__ __volatile__("" : : "r"(p) : "memory")
#else
#define SECUREC_PRINTF_(format_at, first)
#define SECUREC_KEEP_(p) ((void)(p))
#endif

/* Length of `text`, at most `max`; nothing behind is read. A loop, as compilers warn of memchr with a bound that is
 * larger than a literal. */
static inline size_t securec_length_(const char *text, size_t max) {
  size_t length = 0;
  while (length < max && text[length] != '\0') ++length;
  return length;
}

/* True where two ranges share a byte. */
static inline int securec_overlap_(const void *a, size_t a_size, const void *b, size_t b_size) {
  const uintptr_t first = SECUREC_ADDRESS_(a), second = SECUREC_ADDRESS_(b);
  return first < second ? second - first < a_size : first - second < b_size;
}

static inline errno_t securec_reset_(char *dest, errno_t reason) {
  dest[0] = '\0';
  return reason;
}

/* Argument checks of every string function. */
static inline errno_t securec_check_(char *dest, size_t dest_max, const char *src) {
  if (dest_max == 0 || dest_max > SECUREC_STRING_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  return src == NULL ? securec_reset_(dest, EINVAL_AND_RESET) : EOK;
}

/* Copies `length` characters and ends them with a zero. The same address is no overlap. */
static inline errno_t securec_copy_(char *dest, size_t dest_max, const char *src, size_t length) {
  if (length >= dest_max) return securec_reset_(dest, ERANGE_AND_RESET);
  if (dest != src) {
    if (securec_overlap_(dest, length + 1, src, length + 1)) return securec_reset_(dest, EOVERLAP_AND_RESET);
    memmove(dest, src, length);
  }
  dest[length] = '\0';
  return EOK;
}

static inline errno_t securec_append_(char *dest, size_t dest_max, size_t used, const char *src, size_t length) {
  if (dest != src && securec_overlap_(dest, used + length + 1, src, length + 1) &&
      !(used == dest_max && SECUREC_ADDRESS_(dest) + used <= SECUREC_ADDRESS_(src)))
    return securec_reset_(dest, EOVERLAP_AND_RESET);
  if (used == dest_max) return securec_reset_(dest, EINVAL_AND_RESET);
  if (length >= dest_max - used || dest == src) return securec_reset_(dest, ERANGE_AND_RESET);
  memmove(dest + used, src, length);
  dest[used + length] = '\0';
  return EOK;
}

/** Sets `count` bytes to `c`. With count > destMax all destMax bytes are set and the answer is ERANGE_AND_RESET.
 *  The writes are kept by the compiler even if nothing reads them. */
SECUREC_API_ errno_t memset_s(void *dest, size_t destMax, int c, size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  memset(dest, c, count < destMax ? count : destMax);
  SECUREC_KEEP_(dest);
  return count > destMax ? ERANGE_AND_RESET : EOK;
}

/** Copies `count` bytes between ranges that do not overlap; dest == src is fine. */
SECUREC_API_ errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count) {
  errno_t reason = EOK;
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  if (src == NULL) {
    reason = EINVAL_AND_RESET;
  } else if (count > destMax) {
    reason = ERANGE_AND_RESET;
  } else if (dest != src) {
    if (!securec_overlap_(dest, count, src, count)) {
      memmove(dest, src, count); /* after a check that compilers do not see through when they warn of memcpy */
      return EOK;
    }
    reason = EOVERLAP_AND_RESET;
  }
  if (reason != EOK) memset(dest, 0, destMax);
  return reason;
}

/** Copies `count` bytes; the ranges may overlap. */
SECUREC_API_ errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  if (src == NULL || count > destMax) {
    memset(dest, 0, destMax);
    return src == NULL ? EINVAL_AND_RESET : ERANGE_AND_RESET;
  }
  memmove(dest, src, count);
  return EOK;
}

/** Copies a string with its zero. */
SECUREC_API_ errno_t strcpy_s(char *strDest, size_t destMax, const char *strSrc) {
  const errno_t reason = securec_check_(strDest, destMax, strSrc);
  if (reason != EOK) return reason;
  return securec_copy_(strDest, destMax, strSrc, securec_length_(strSrc, destMax));
}

/** Copies at most `count` characters and always a zero behind them; does not pad. */
SECUREC_API_ errno_t strncpy_s(char *strDest, size_t destMax, const char *strSrc, size_t count) {
  const errno_t reason = securec_check_(strDest, destMax, strSrc);
  if (reason != EOK) return reason;
  if (count > SECUREC_STRING_MAX_LEN) return securec_reset_(strDest, ERANGE_AND_RESET);
  return securec_copy_(strDest, destMax, strSrc, securec_length_(strSrc, count < destMax ? count : destMax));
}

/** Appends a string. Appending a string to itself is refused with ERANGE_AND_RESET. */
SECUREC_API_ errno_t strcat_s(char *strDest, size_t destMax, const char *strSrc) {
  const errno_t reason = securec_check_(strDest, destMax, strSrc);
  size_t used;
  if (reason != EOK) return reason;
  used = securec_length_(strDest, destMax);
  return securec_append_(strDest, destMax, used, strSrc, securec_length_(strSrc, destMax - used));
}

/** Appends at most `count` characters of a string. */
SECUREC_API_ errno_t strncat_s(char *strDest, size_t destMax, const char *strSrc, size_t count) {
  const errno_t reason = securec_check_(strDest, destMax, strSrc);
  size_t used;
  if (reason != EOK) return reason;
  if (count > SECUREC_STRING_MAX_LEN) return securec_reset_(strDest, ERANGE_AND_RESET);
  used = securec_length_(strDest, destMax);
  return securec_append_(strDest, destMax, used, strSrc,
                         securec_length_(strSrc, count < destMax - used ? count : destMax - used));
}

/** Next token of a string whose separators are the characters of strDelimit; null when there is none. The first call
 *  gives the string, later ones null; *context is the caller's and keeps the place. Separators are overwritten by
 * zeros. */
SECUREC_API_ char *strtok_s(char *strToken, const char *strDelimit, char **context) {
  char *end;
  if (context == NULL || strDelimit == NULL) return NULL;
  if (strToken == NULL) strToken = *context;
  if (strToken == NULL) return NULL;
  strToken += strspn(strToken, strDelimit);
  end = strToken + strcspn(strToken, strDelimit);
  *context = end;
  if (end == strToken) return NULL;
  if (*end != '\0') {
    *end = '\0';
    *context = end + 1;
  }
  return strToken;
}

/* vsnprintf into `size` bytes: -1 for an error, -2 for a text that was cut. */
SECUREC_PRINTF_(3, 0)
static inline int securec_print_(char *dest, size_t size, const char *format, va_list args) {
  const int length = vsnprintf(dest, size, format, args);
  if (length < 0) return -1;
  return SECUREC_CAST_(size_t, length) < size ? length : -2;
}

/* Argument checks of the printing functions; a destination that is there becomes "". */
static inline int securec_printable_(char *dest, size_t dest_max, int good) {
  if (dest == NULL || dest_max == 0 || dest_max > SECUREC_STRING_MAX_LEN) return 0;
  if (!good) dest[0] = '\0';
  return good;
}

/** Prints. What does not fit gives "" and -1. */
SECUREC_PRINTF_(3, 0)
SECUREC_API_ int vsprintf_s(char *strDest, size_t destMax, const char *format, va_list argList) {
  int length;
  if (!securec_printable_(strDest, destMax, format != NULL)) return -1;
  length = securec_print_(strDest, destMax, format, argList);
  if (length >= 0) return length;
  strDest[0] = '\0';
  return -1;
}

/** Prints at most `count` characters. With count < destMax a longer text is cut to `count` characters and the answer is
 *  -1 all the same; with count >= destMax a text that does not fit into destMax gives "" and -1. */
SECUREC_PRINTF_(4, 0)
SECUREC_API_ int vsnprintf_s(char *strDest, size_t destMax, size_t count, const char *format, va_list argList) {
  const int good = format != NULL && (count < SECUREC_STRING_MAX_LEN || count == SIZE_MAX);
  int length;
  if (!securec_printable_(strDest, destMax, good)) return -1;
  length = securec_print_(strDest, count < destMax ? count + 1 : destMax, format, argList);
  if (length >= 0) return length;
  if (length == -1 || count >= destMax) strDest[0] = '\0';
  return -1;
}

/** Prints what fits: a longer text is cut to destMax - 1 characters, and that is the answer. */
SECUREC_PRINTF_(3, 0)
SECUREC_API_ int vsnprintf_truncated_s(char *strDest, size_t destMax, const char *format, va_list argList) {
  int length;
  if (!securec_printable_(strDest, destMax, format != NULL)) return -1;
  length = securec_print_(strDest, destMax, format, argList);
  if (length == -2) return SECUREC_CAST_(int, destMax - 1);
  if (length == -1) strDest[0] = '\0';
  return length;
}

/** vsprintf_s with the values as arguments. */
SECUREC_PRINTF_(3, 4)
SECUREC_API_ int sprintf_s(char *strDest, size_t destMax, const char *format, ...) {
  va_list args;
  int length;
  va_start(args, format);
  length = vsprintf_s(strDest, destMax, format, args);
  va_end(args);
  return length;
}

/** vsnprintf_s with the values as arguments. */
SECUREC_PRINTF_(4, 5)
SECUREC_API_ int snprintf_s(char *strDest, size_t destMax, size_t count, const char *format, ...) {
  va_list args;
  int length;
  va_start(args, format);
  length = vsnprintf_s(strDest, destMax, count, format, args);
  va_end(args);
  return length;
}

/** vsnprintf_truncated_s with the values as arguments. */
SECUREC_PRINTF_(3, 4)
SECUREC_API_ int snprintf_truncated_s(char *strDest, size_t destMax, const char *format, ...) {
  va_list args;
  int length;
  va_start(args, format);
  length = vsnprintf_truncated_s(strDest, destMax, format, args);
  va_end(args);
  return length;
}

#endif
