/* Wide characters: part of securec.h. Sizes and counts are in characters, not bytes. */
#ifndef GE_SECUREC_WIDE_H_
#define GE_SECUREC_WIDE_H_

#include <wchar.h>

#include "utils/detail/securec_core.h"

/* The largest destMax, in characters. */
#define SECUREC_WCHAR_STRING_MAX_LEN (SECUREC_STRING_MAX_LEN / sizeof(wchar_t))
#define SECUREC_WCHAR_MEM_MAX_LEN (SECUREC_MEM_MAX_LEN / sizeof(wchar_t))

static inline size_t securec_wide_length_(const wchar_t *text, size_t max) {
  size_t length = 0;
  while (length < max && text[length] != L'\0') ++length;
  return length;
}

static inline errno_t securec_wide_reset_(wchar_t *dest, errno_t reason) {
  dest[0] = L'\0';
  return reason;
}

static inline errno_t securec_wide_check_(wchar_t *dest, size_t dest_max, const wchar_t *src) {
  if (dest_max == 0 || dest_max > SECUREC_WCHAR_STRING_MAX_LEN) return ERANGE;
  if (dest == NULL) return EINVAL;
  return src == NULL ? securec_wide_reset_(dest, EINVAL_AND_RESET) : EOK;
}

static inline int securec_wide_overlap_(const wchar_t *a, size_t a_length, const wchar_t *b, size_t b_length) {
  return securec_overlap_(a, a_length * sizeof(wchar_t), b, b_length * sizeof(wchar_t));
}

static inline errno_t securec_wide_copy_(wchar_t *dest, size_t dest_max, const wchar_t *src, size_t length) {
  if (length >= dest_max) return securec_wide_reset_(dest, ERANGE_AND_RESET);
  if (dest != src) {
    if (securec_wide_overlap_(dest, length + 1, src, length + 1)) return securec_wide_reset_(dest, EOVERLAP_AND_RESET);
    memmove(dest, src, length * sizeof(wchar_t));
  }
  dest[length] = L'\0';
  return EOK;
}

static inline errno_t securec_wide_append_(wchar_t *dest, size_t dest_max, size_t used, const wchar_t *src,
                                           size_t length) {
  if (dest != src && securec_wide_overlap_(dest, used + length + 1, src, length + 1) &&
      !(used == dest_max && SECUREC_ADDRESS_(dest) + used * sizeof(wchar_t) <= SECUREC_ADDRESS_(src)))
    return securec_wide_reset_(dest, EOVERLAP_AND_RESET);
  if (used == dest_max) return securec_wide_reset_(dest, EINVAL_AND_RESET);
  if (length >= dest_max - used || dest == src) return securec_wide_reset_(dest, ERANGE_AND_RESET);
  memmove(dest + used, src, length * sizeof(wchar_t));
  dest[used + length] = L'\0';
  return EOK;
}

/** Copies `count` characters between ranges that do not overlap; dest == src is fine. */
SECUREC_API_ errno_t wmemcpy_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count) {
  if (destMax == 0 || destMax > SECUREC_WCHAR_MEM_MAX_LEN) return ERANGE;
  if (count > destMax) count = destMax + 1; /* refused by memcpy_s as well, and its bytes are a size_t */
  return memcpy_s(dest, destMax * sizeof(wchar_t), src, count * sizeof(wchar_t));
}

/** Copies `count` characters; the ranges may overlap. */
SECUREC_API_ errno_t wmemmove_s(wchar_t *dest, size_t destMax, const wchar_t *src, size_t count) {
  if (destMax == 0 || destMax > SECUREC_WCHAR_MEM_MAX_LEN) return ERANGE;
  if (count > destMax) count = destMax + 1;
  return memmove_s(dest, destMax * sizeof(wchar_t), src, count * sizeof(wchar_t));
}

/** Copies a string with its zero. */
SECUREC_API_ errno_t wcscpy_s(wchar_t *strDest, size_t destMax, const wchar_t *strSrc) {
  const errno_t reason = securec_wide_check_(strDest, destMax, strSrc);
  if (reason != EOK) return reason;
  return securec_wide_copy_(strDest, destMax, strSrc, securec_wide_length_(strSrc, destMax));
}

/** Copies at most `count` characters and always a zero behind them; does not pad. */
SECUREC_API_ errno_t wcsncpy_s(wchar_t *strDest, size_t destMax, const wchar_t *strSrc, size_t count) {
  const errno_t reason = securec_wide_check_(strDest, destMax, strSrc);
  if (reason != EOK) return reason;
  if (count > SECUREC_WCHAR_STRING_MAX_LEN) return securec_wide_reset_(strDest, ERANGE_AND_RESET);
  return securec_wide_copy_(strDest, destMax, strSrc, securec_wide_length_(strSrc, count < destMax ? count : destMax));
}

/** Appends a string. Appending a string to itself is refused with ERANGE_AND_RESET. */
SECUREC_API_ errno_t wcscat_s(wchar_t *strDest, size_t destMax, const wchar_t *strSrc) {
  const errno_t reason = securec_wide_check_(strDest, destMax, strSrc);
  size_t used;
  if (reason != EOK) return reason;
  used = securec_wide_length_(strDest, destMax);
  return securec_wide_append_(strDest, destMax, used, strSrc, securec_wide_length_(strSrc, destMax - used));
}

/** Appends at most `count` characters of a string. */
SECUREC_API_ errno_t wcsncat_s(wchar_t *strDest, size_t destMax, const wchar_t *strSrc, size_t count) {
  const errno_t reason = securec_wide_check_(strDest, destMax, strSrc);
  size_t used;
  if (reason != EOK) return reason;
  if (count > SECUREC_WCHAR_STRING_MAX_LEN) return securec_wide_reset_(strDest, ERANGE_AND_RESET);
  used = securec_wide_length_(strDest, destMax);
  return securec_wide_append_(strDest, destMax, used, strSrc,
                              securec_wide_length_(strSrc, count < destMax - used ? count : destMax - used));
}

/** As strtok_s. */
SECUREC_API_ wchar_t *wcstok_s(wchar_t *strToken, const wchar_t *strDelimit, wchar_t **context) {
  wchar_t *end;
  if (context == NULL || strDelimit == NULL) return NULL;
  if (strToken == NULL) strToken = *context;
  if (strToken == NULL) return NULL;
  strToken += wcsspn(strToken, strDelimit);
  end = strToken + wcscspn(strToken, strDelimit);
  *context = end;
  if (end == strToken) return NULL;
  if (*end != L'\0') {
    *end = L'\0';
    *context = end + 1;
  }
  return strToken;
}

/** Prints. What does not fit gives "" and -1. */
SECUREC_API_ int vswprintf_s(wchar_t *strDest, size_t destMax, const wchar_t *format, va_list argList) {
  int length = -1;
  if (strDest == NULL || destMax == 0 || destMax > SECUREC_WCHAR_STRING_MAX_LEN) return -1;
  if (format != NULL) length = vswprintf(strDest, destMax, format, argList);
  if (length < 0) strDest[0] = L'\0';
  return length < 0 ? -1 : length;
}

/** vswprintf_s with the values as arguments. */
SECUREC_API_ int swprintf_s(wchar_t *strDest, size_t destMax, const wchar_t *format, ...) {
  va_list args;
  int length;
  va_start(args, format);
  length = vswprintf_s(strDest, destMax, format, args);
  va_end(args);
  return length;
}

#endif
