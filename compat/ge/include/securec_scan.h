/* Reading into destinations whose size is told: part of securec.h.
 *
 * Formats are the C library's, but %s, %c and %[ (with l: of wide characters) take two arguments, the destination and
 * its room in characters, an int or a size_t: char word[16]; int number; sscanf_s(line, "%15s %d", word, sizeof word,
 * &number); A text that does not fit with its final zero, or a %c with more characters than room, leaves "" in its
 * destination and ends the call with -1, whatever was set before. So do a null pointer, an unknown conversion
 * (positions such as %1$d, and %m, are unknown) and a multibyte character that is none. The functions return the number
 * of destinations set, or -1 also when the text ends before the first conversion; a text that was to come first is ""
 * then.
 *
 * Owner: all memory stays the caller's. Threads: any; those that read a file, one per file. Since: 0.1.0. */
#ifndef GE_SECUREC_SCAN_H_
#define GE_SECUREC_SCAN_H_

#include <ctype.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "utils/detail/securec_core.h"

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#endif

/* A conversion: %[*][width][modifiers]kind. */
typedef struct {
  int drop;
  unsigned width; /* 0: none */
  char kind;
  char modifiers[3];
} securec_spec_;

/* A destination of characters. */
typedef struct {
  void *to;          /* null: dropped */
  size_t room, used; /* characters */
  int wide;
  size_t ends;    /* 1: with a zero behind */
  int unfinished; /* a multibyte character has begun */
  mbstate_t state;
} securec_text_;

static inline int securec_one_of_(int c, const char *chars) {
  for (; *chars != '\0'; ++chars)
    if (c == *chars) return 1;
  return 0;
}

static inline void securec_text_end_(securec_text_ *text) {
  if (text->to == NULL) return;
  if (text->wide) SECUREC_CAST_(wchar_t *, text->to)[text->used] = L'\0';
  else SECUREC_CAST_(char *, text->to)[text->used] = '\0';
}

/* "" where there is room for it; -2, an error. */
static inline int securec_text_clear_(securec_text_ *text) {
  text->used = 0;
  if (text->room != 0) securec_text_end_(text);
  return -2;
}

/* A byte into a destination of wide characters. */
static inline int securec_put_wide_(securec_text_ *text, int c) {
  const char byte = SECUREC_CAST_(char, c);
  wchar_t wide = L'\0';
  const size_t used = mbrtowc(&wide, &byte, 1, &text->state);
  text->unfinished = used == SECUREC_CAST_(size_t, -2);
  if (text->unfinished) return 0;
  if (used == SECUREC_CAST_(size_t, -1)) return -3;
  if (text->used + text->ends >= text->room) return -1;
  SECUREC_CAST_(wchar_t *, text->to)[text->used++] = wide;
  return 0;
}

/* A wide character into a destination of bytes. */
static inline int securec_put_narrow_(securec_text_ *text, wint_t c) {
  char bytes[16]; /* at least MB_LEN_MAX */
  const size_t count = wcrtomb(bytes, SECUREC_CAST_(wchar_t, c), &text->state);
  if (count == SECUREC_CAST_(size_t, -1)) return -3;
  if (text->used + count + text->ends > text->room) return -1;
  memcpy(SECUREC_CAST_(char *, text->to) + text->used, bytes, count);
  text->used += count;
  return 0;
}

/* %n */
static inline void securec_count_(void *to, const char *modifiers, size_t count) {
  if (to == NULL) return;
  if (modifiers[0] == 'h' && modifiers[1] == 'h') *SECUREC_CAST_(signed char *, to) = SECUREC_CAST_(signed char, count);
  else if (modifiers[0] == 'h') *SECUREC_CAST_(short *, to) = SECUREC_CAST_(short, count);
  else if (modifiers[0] == '\0') *SECUREC_CAST_(int *, to) = SECUREC_CAST_(int, count);
  else *SECUREC_CAST_(long long *, to) = SECUREC_CAST_(long long, count); /* all others have 64 bits */
}

#define SECUREC_CH_ char
#define SECUREC_T_(x) x
#define SECUREC_NAME_(x) securec_narrow_##x##_
#define SECUREC_INT_ int
#define SECUREC_EOF_ EOF
#define SECUREC_FROM_CHAR_(c) SECUREC_CAST_(int, SECUREC_CAST_(unsigned char, c))
#define SECUREC_GET_ getc
#define SECUREC_UNGET_ ungetc
#define SECUREC_SCAN_ sscanf
#define SECUREC_FSCAN_ fscanf
#define SECUREC_SPACE_ isspace
#define SECUREC_IS_WIDE_ 0
#define SECUREC_PUT_OTHER_ securec_put_wide_
#include "utils/detail/securec_scan_body.h"
#undef SECUREC_CH_
#undef SECUREC_T_
#undef SECUREC_NAME_
#undef SECUREC_INT_
#undef SECUREC_EOF_
#undef SECUREC_FROM_CHAR_
#undef SECUREC_GET_
#undef SECUREC_UNGET_
#undef SECUREC_SCAN_
#undef SECUREC_FSCAN_
#undef SECUREC_SPACE_
#undef SECUREC_IS_WIDE_
#undef SECUREC_PUT_OTHER_

#define SECUREC_CH_ wchar_t
#define SECUREC_T_(x) L##x
#define SECUREC_NAME_(x) securec_wide_##x##_
#define SECUREC_INT_ wint_t
#define SECUREC_EOF_ WEOF
#define SECUREC_FROM_CHAR_(c) SECUREC_CAST_(wint_t, c)
#define SECUREC_GET_ getwc
#define SECUREC_UNGET_ ungetwc
#define SECUREC_SCAN_ swscanf
#define SECUREC_FSCAN_ fwscanf
#define SECUREC_SPACE_ iswspace
#define SECUREC_IS_WIDE_ 1
#define SECUREC_PUT_OTHER_ securec_put_narrow_
#include "utils/detail/securec_scan_body.h"
#undef SECUREC_CH_
#undef SECUREC_T_
#undef SECUREC_NAME_
#undef SECUREC_INT_
#undef SECUREC_EOF_
#undef SECUREC_FROM_CHAR_
#undef SECUREC_GET_
#undef SECUREC_UNGET_
#undef SECUREC_SCAN_
#undef SECUREC_FSCAN_
#undef SECUREC_SPACE_
#undef SECUREC_IS_WIDE_
#undef SECUREC_PUT_OTHER_

/** Reads from a text. -1 also for an empty text, and for one that is longer than SECUREC_STRING_MAX_LEN. */
SECUREC_API_ int vsscanf_s(const char *buffer, const char *format, va_list argList) {
  securec_narrow_source_ source = {buffer, NULL, 0};
  int count;
  if (buffer == NULL || format == NULL || strlen(buffer) > SECUREC_STRING_MAX_LEN) return -1;
  count = securec_narrow_scan_(&source, format, argList);
  return *buffer == '\0' ? -1 : count;
}
/** Reads from a file. */
SECUREC_API_ int vfscanf_s(FILE *stream, const char *format, va_list argList) {
  securec_narrow_source_ source = {NULL, stream, 0};
  return stream == NULL || format == NULL ? -1 : securec_narrow_scan_(&source, format, argList);
}
/** Reads from standard input. */
SECUREC_API_ int vscanf_s(const char *format, va_list argList) { return vfscanf_s(stdin, format, argList); }

/** vsscanf_s with the destinations as arguments. */
SECUREC_API_ int sscanf_s(const char *buffer, const char *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vsscanf_s(buffer, format, args);
  va_end(args);
  return count;
}
/** vfscanf_s with the destinations as arguments. */
SECUREC_API_ int fscanf_s(FILE *stream, const char *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vfscanf_s(stream, format, args);
  va_end(args);
  return count;
}
/** vscanf_s with the destinations as arguments. */
SECUREC_API_ int scanf_s(const char *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vscanf_s(format, args);
  va_end(args);
  return count;
}

/** The next line of standard input without its end; of one that is longer than destMax - 1 characters, as many, and the
 *  next call goes on there. Null at the end of the input, and for a buffer that is null or a destMax of 0 or more than
 * SECUREC_STRING_MAX_LEN. */
SECUREC_API_ char *gets_s(char *buffer, size_t destMax) {
  size_t length;
  if (buffer == NULL || destMax == 0 || destMax > SECUREC_STRING_MAX_LEN) return NULL;
  if (fgets(buffer, SECUREC_CAST_(int, destMax), stdin) == NULL) {
    buffer[0] = '\0';
    return NULL;
  }
  for (length = strlen(buffer); length > 0 && (buffer[length - 1] == '\n' || buffer[length - 1] == '\r'); --length)
    buffer[length - 1] = '\0';
  return buffer;
}

/* The same for wide texts and files of wide characters. As in the C library, %s is of bytes here too, and %ls of wide
 * characters. */
SECUREC_API_ int vswscanf_s(const wchar_t *buffer, const wchar_t *format, va_list argList) {
  securec_wide_source_ source = {buffer, NULL, 0};
  int count;
  if (buffer == NULL || format == NULL || wcslen(buffer) > SECUREC_STRING_MAX_LEN / sizeof(wchar_t)) return -1;
  count = securec_wide_scan_(&source, format, argList);
  return *buffer == L'\0' ? -1 : count;
}
SECUREC_API_ int vfwscanf_s(FILE *stream, const wchar_t *format, va_list argList) {
  securec_wide_source_ source = {NULL, stream, 0};
  return stream == NULL || format == NULL ? -1 : securec_wide_scan_(&source, format, argList);
}
SECUREC_API_ int vwscanf_s(const wchar_t *format, va_list argList) { return vfwscanf_s(stdin, format, argList); }

SECUREC_API_ int swscanf_s(const wchar_t *buffer, const wchar_t *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vswscanf_s(buffer, format, args);
  va_end(args);
  return count;
}
SECUREC_API_ int fwscanf_s(FILE *stream, const wchar_t *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vfwscanf_s(stream, format, args);
  va_end(args);
  return count;
}
SECUREC_API_ int wscanf_s(const wchar_t *format, ...) {
  va_list args;
  int count;
  va_start(args, format);
  count = vwscanf_s(format, args);
  va_end(args);
  return count;
}

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
