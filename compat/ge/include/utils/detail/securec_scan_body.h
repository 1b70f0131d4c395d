/* Reading by a format, once for narrow and once for wide text: securec_scan.h includes this twice, with
 *   SECUREC_CH_        the type of a character
 *   SECUREC_T_(x)      a literal of it
 *   SECUREC_NAME_(x)   a name of this kind
 *   SECUREC_INT_, SECUREC_EOF_   what reading a character gives
 *   SECUREC_GET_, SECUREC_UNGET_, SECUREC_SCAN_, SECUREC_FSCAN_, SECUREC_SPACE_   the C library's functions
 *   SECUREC_IS_WIDE_   0 or 1
 * Texts and single characters are read here, because their room has to be watched; numbers are read by the C library,
 * one at a time. */
#ifdef SECUREC_CH_

typedef struct {
  const SECUREC_CH_ *at; /* of a text; null for a file */
  FILE *file;
  size_t read; /* characters so far */
} SECUREC_NAME_(source);

static inline SECUREC_INT_ SECUREC_NAME_(next)(SECUREC_NAME_(source) * source) {
  SECUREC_INT_ c;
  if (source->file != NULL) {
    c = SECUREC_GET_(source->file);
    if (c == SECUREC_EOF_) return c;
  } else {
    if (*source->at == SECUREC_T_('\0')) return SECUREC_EOF_;
    c = SECUREC_FROM_CHAR_(*source->at);
    ++source->at;
  }
  ++source->read;
  return c;
}

static inline void SECUREC_NAME_(back)(SECUREC_NAME_(source) * source, SECUREC_INT_ c) {
  if (c == SECUREC_EOF_) return;
  --source->read;
  if (source->file != NULL) (void)SECUREC_UNGET_(c, source->file);
  else --source->at;
}

/* One directive of the C library, which ends in %n: what it returns, or -2 where it did not come to its end. */
static inline int SECUREC_NAME_(step)(SECUREC_NAME_(source) * source, const SECUREC_CH_ *directive, void *to) {
  int used = -1, got;
  if (to != NULL)
    got = source->file != NULL ? SECUREC_FSCAN_(source->file, directive, to, &used)
                               : SECUREC_SCAN_(source->at, directive, to, &used);
  else
    got = source->file != NULL ? SECUREC_FSCAN_(source->file, directive, &used)
                               : SECUREC_SCAN_(source->at, directive, &used);
  if (used > 0) {
    source->read += SECUREC_CAST_(size_t, used);
    if (source->file == NULL) source->at += used;
  }
  return got == EOF ? EOF : used < 0 ? -2 : got;
}

/* A character, where it comes into the destination: -1 when there is no room, -3 when it cannot be converted. */
static inline int SECUREC_NAME_(put)(securec_text_ *text, SECUREC_INT_ c) {
  if (text->to == NULL) return 0; /* read and dropped */
  if (text->wide == SECUREC_IS_WIDE_) {
    if (text->used + text->ends >= text->room) return -1;
    SECUREC_CAST_(SECUREC_CH_ *, text->to)[text->used++] = SECUREC_CAST_(SECUREC_CH_, c);
    return 0;
  }
  return SECUREC_PUT_OTHER_(text, c);
}

/* True when the set behind '[' has a character; *end becomes what is behind its ']', or null where there is none. */
static inline int SECUREC_NAME_(in_set)(const SECUREC_CH_ *set, SECUREC_INT_ c, const SECUREC_CH_ **end) {
  const int others = *set == SECUREC_T_('^');
  const SECUREC_CH_ *at = set + others, *const first = at;
  int found = 0;
  for (; *at != SECUREC_T_('\0') && (at == first || *at != SECUREC_T_(']')); ++at) {
    if (*at == SECUREC_T_('-') && at != first && at[1] != SECUREC_T_(']') && at[1] != SECUREC_T_('\0')) {
      if (c >= SECUREC_FROM_CHAR_(at[-1]) && c <= SECUREC_FROM_CHAR_(at[1])) found = 1;
      continue;
    }
    if (c == SECUREC_FROM_CHAR_(*at)) found = 1;
  }
  *end = *at == SECUREC_T_(']') ? at + 1 : NULL;
  return found != others;
}

/* %s, %c or %[: 1 done, 0 no match, EOF nothing left, -2 an error. `set` is for %[. */
static inline int SECUREC_NAME_(text)(SECUREC_NAME_(source) * source, securec_spec_ *spec, securec_text_ *text,
                                      const SECUREC_CH_ *set) {
  const size_t most = spec->width != 0 ? spec->width : spec->kind == 'c' ? 1 : SIZE_MAX;
  const SECUREC_CH_ *end;
  size_t count = 0;
  SECUREC_INT_ c = SECUREC_EOF_;
  text->ends = spec->kind == 'c' ? 0 : 1;
  if (text->to != NULL && text->room == 0) return -2;
  if (spec->kind == 's') {
    do c = SECUREC_NAME_(next)(source);
    while (c != SECUREC_EOF_ && SECUREC_SPACE_(c));
    SECUREC_NAME_(back)(source, c);
  }
  for (; count < most; ++count) {
    c = SECUREC_NAME_(next)(source);
    if (c == SECUREC_EOF_) break;
    if ((spec->kind == 's' && SECUREC_SPACE_(c)) || (spec->kind == '[' && !SECUREC_NAME_(in_set)(set, c, &end))) {
      SECUREC_NAME_(back)(source, c);
      break;
    }
    if (SECUREC_NAME_(put)(text, c) != 0) return securec_text_clear_(text);
  }
  if (text->unfinished) return securec_text_clear_(text); /* in the middle of a multibyte character */
  if (count == 0 || (spec->kind == 'c' && count < most)) return c == SECUREC_EOF_ ? EOF : 0;
  if (text->ends) securec_text_end_(text);
  return 1;
}

/* Writes "%[*][width]<modifiers><kind>%n"; the room is for the longest. */
static inline void SECUREC_NAME_(directive)(SECUREC_CH_ *out, const securec_spec_ *spec) {
  char text[40];
  int i = snprintf(text, sizeof text, "%%%s", spec->drop ? "*" : "");
  if (spec->width != 0) i += snprintf(text + i, sizeof text - SECUREC_CAST_(size_t, i), "%u", spec->width);
  (void)snprintf(text + i, sizeof text - SECUREC_CAST_(size_t, i), "%s%c%%n", spec->modifiers, spec->kind);
  for (i = 0; text[i] != '\0'; ++i) out[i] = SECUREC_CAST_(SECUREC_CH_, text[i]);
  out[i] = SECUREC_T_('\0');
}

/* The reader for the character behind '%'; null for an unknown one. */
static inline const SECUREC_CH_ *SECUREC_NAME_(parse)(const SECUREC_CH_ *at, securec_spec_ *spec) {
  const securec_spec_ none = {0, 0, 0, {'\0', '\0', '\0'}};
  size_t i = 0;
  *spec = none;
  if (*at == SECUREC_T_('*')) {
    spec->drop = 1;
    ++at;
  }
  for (; *at >= SECUREC_T_('0') && *at <= SECUREC_T_('9'); ++at) {
    spec->width = spec->width * 10 + SECUREC_CAST_(unsigned, *at - SECUREC_T_('0'));
    if (spec->width == 0 || spec->width > 99999999) return NULL;
  }
  while (i < 2 && securec_one_of_(SECUREC_CAST_(int, *at), "hlLqjzt")) {
    spec->modifiers[i++] = SECUREC_CAST_(char, *at);
    ++at;
  }
  if (!securec_one_of_(SECUREC_CAST_(int, *at), "diouxXaAeEfFgGpncCsS[")) return NULL;
  spec->kind = SECUREC_CAST_(char, *at);
  if (spec->kind == 'C' || spec->kind == 'S') {
    spec->kind = spec->kind == 'C' ? 'c' : 's';
    spec->modifiers[0] = 'l';
  }
  return at + 1;
}

/* The fields that were set, or -1. */
static inline int SECUREC_NAME_(scan)(SECUREC_NAME_(source) * source, const SECUREC_CH_ *format, va_list list) {
  int set = 0, done = 0, got = 1; /* done: a conversion succeeded, even if its value is dropped */
  SECUREC_CH_ directive[40];
  va_list args;
  va_copy(args, list);
  while (got > 0 && *format != SECUREC_T_('\0')) {
    securec_spec_ spec;
    if (*format != SECUREC_T_('%') || format[1] == SECUREC_T_('%')) { /* white space, or a character as it is */
      size_t i = 0;
      if (*format == SECUREC_T_('%')) directive[i++] = *format++;
      directive[i++] = *format++;
      directive[i++] = SECUREC_T_('%');
      directive[i++] = SECUREC_T_('n');
      directive[i] = SECUREC_T_('\0');
      got = SECUREC_NAME_(step)(source, directive, NULL);
      got = got == EOF ? EOF : got == -2 ? 0 : 1;
      continue;
    }
    format = SECUREC_NAME_(parse)(format + 1, &spec);
    if (format == NULL) {
      va_end(args);
      return -1;
    }
    if (spec.kind == 'n') {
      if (!spec.drop) securec_count_(va_arg(args, void *), spec.modifiers, source->read);
    } else if (securec_one_of_(spec.kind, "cs[")) {
      const SECUREC_CH_ *const chars = format;
      securec_text_ text;
      memset(&text, 0, sizeof text);
      text.wide = spec.modifiers[0] == 'l';
      if (spec.kind == '[') (void)SECUREC_NAME_(in_set)(chars, 0, &format);
      if (!spec.drop) {
        text.to = va_arg(args, void *);
        text.room = va_arg(args, size_t) & 0xffffffffUL; /* programs pass an int as well */
      }
      got = format == NULL || (!spec.drop && text.to == NULL) ? -2 : SECUREC_NAME_(text)(source, &spec, &text, chars);
      if (got == EOF && !done && text.to != NULL) (void)securec_text_clear_(&text);
      if (got == 1) {
        done = 1;
        set += !spec.drop;
      }
    } else {
      void *const to = spec.drop ? NULL : va_arg(args, void *);
      if (!spec.drop && to == NULL) {
        got = -2;
        break;
      }
      SECUREC_NAME_(directive)(directive, &spec);
      got = SECUREC_NAME_(step)(source, directive, to);
      if (got == -2) got = 0; /* no match */
      else if (got != EOF) {
        got = 1;
        done = 1;
        set += !spec.drop;
      }
    }
  }
  va_end(args);
  if (got == -2) return -1;
  return got == EOF && !done ? -1 : set;
}

#endif
