/* securec.h in C99: what each function returns and leaves behind, worked out by hand from the documented rules. Buffers
 * lie between guards, so a write outside shows. */
#include "securec.h"

#include <setjmp.h>
/* cmocka wants the four before it. */
#include <cmocka.h>

#define HUGE_MAX ((size_t)SECUREC_MEM_MAX_LEN + 1)

static struct { char before[8], at[8], after[8]; } box;
static char *const d = box.at;

static void Fill(const char *text) {
  memset(&box, '#', sizeof box);
  if (text != NULL) memcpy(d, text, strlen(text) + 1);
}
/* `want` has the 8 bytes of the buffer. */
static void Left(const char *want) {
  assert_memory_equal(box.at, want, 8);
  assert_memory_equal(box.before, "########", 8);
  assert_memory_equal(box.after, "########", 8);
}

static void Values(void **state) {
  (void)state;
  assert_int_equal(EOK, 0);
  assert_int_equal(EINVAL, 22);
  assert_int_equal(ERANGE, 34);
  assert_int_equal(EINVAL_AND_RESET, 150);
  assert_int_equal(ERANGE_AND_RESET, 162);
  assert_int_equal(EOVERLAP_AND_RESET, 182);
  assert_true(SECUREC_MEM_MAX_LEN == 2147483647UL && SECUREC_STRING_MAX_LEN == 2147483647UL);
}

static void Memset(void **state) {
  (void)state;
  Fill(NULL);
  assert_int_equal(memset_s(d, 8, 'x', 3), EOK), Left("xxx#####");
  assert_int_equal(memset_s(d, 8, 'y', 0), EOK), Left("xxx#####");
  assert_int_equal(memset_s(d, 8, 'y', 8), EOK), Left("yyyyyyyy");
  assert_int_equal(memset_s(d, 5, 'z', 6), ERANGE_AND_RESET), Left("zzzzzyyy");
  assert_int_equal(memset_s(d, 0, 'q', 0), ERANGE), Left("zzzzzyyy");
  assert_int_equal(memset_s(d, HUGE_MAX, 'q', 1), ERANGE), Left("zzzzzyyy");
  assert_int_equal(memset_s(NULL, 8, 'q', 1), EINVAL);
  assert_int_equal(memset_s(NULL, 0, 'q', 1), ERANGE);
}

static void Memcpy(void **state) {
  (void)state;
  Fill(NULL);
  assert_int_equal(memcpy_s(d, 8, "abcdefgh", 8), EOK), Left("abcdefgh");
  assert_int_equal(memcpy_s(d, 8, "xy", 2), EOK), Left("xycdefgh");
  assert_int_equal(memcpy_s(d, 8, "xy", 0), EOK), Left("xycdefgh");
  assert_int_equal(memcpy_s(d, 8, d, 8), EOK), Left("xycdefgh");
  assert_int_equal(memcpy_s(d, 4, d + 4, 4), EOK), Left("efghefgh"); /* side by side is no overlap */
  assert_int_equal(memcpy_s(d, 6, d + 3, 4), EOVERLAP_AND_RESET), Left("\0\0\0\0\0\0gh");
  Fill("abcdefg");
  assert_int_equal(memcpy_s(d + 3, 5, d, 4), EOVERLAP_AND_RESET), Left("abc\0\0\0\0\0");
  Fill("abcdefg");
  assert_int_equal(memcpy_s(d, 5, "123456", 6), ERANGE_AND_RESET), Left("\0\0\0\0\0fg\0");
  Fill("abcdefg");
  assert_int_equal(memcpy_s(d, 3, NULL, 9), EINVAL_AND_RESET), Left("\0\0\0defg\0");
  assert_int_equal(memcpy_s(NULL, 8, d, 1), EINVAL);
  assert_int_equal(memcpy_s(d, 0, "x", 1), ERANGE);
  assert_int_equal(memcpy_s(d, HUGE_MAX, "x", 1), ERANGE), Left("\0\0\0defg\0");
}

static void Memmove(void **state) {
  (void)state;
  Fill("abcdefg");
  assert_int_equal(memmove_s(d + 2, 6, d, 5), EOK), Left("ababcde\0");
  assert_int_equal(memmove_s(d, 8, d + 1, 6), EOK), Left("babcdee\0");
  assert_int_equal(memmove_s(d, 4, d + 1, 5), ERANGE_AND_RESET), Left("\0\0\0\0dee\0");
  assert_int_equal(memmove_s(d, 8, NULL, 1), EINVAL_AND_RESET), Left("\0\0\0\0\0\0\0\0");
  assert_int_equal(memmove_s(NULL, 8, d, 1), EINVAL);
  assert_int_equal(memmove_s(d, 0, d, 1), ERANGE);
}

static void Strcpy(void **state) {
  const char bare[3] = {'1', '2', '3'};
  (void)state;
  Fill(NULL);
  assert_int_equal(strcpy_s(d, 8, "abcdefg"), EOK), Left("abcdefg\0");
  assert_int_equal(strcpy_s(d, 8, "xy"), EOK), Left("xy\0defg\0");
  assert_int_equal(strcpy_s(d, 8, d), EOK), Left("xy\0defg\0");
  assert_int_equal(strcpy_s(d, 3, "123"), ERANGE_AND_RESET), Left("\0y\0defg\0");
  assert_int_equal(strcpy_s(d, 4, "123"), EOK), Left("123\0efg\0");
  assert_int_equal(strcpy_s(d, 3, bare), ERANGE_AND_RESET), Left(
                                                                "\0"
                                                                "23\0efg\0");
  Fill("abc");
  assert_int_equal(strcpy_s(d + 1, 7, d), EOVERLAP_AND_RESET), Left("a\0c\0####");
  Fill("abc");
  assert_int_equal(strcpy_s(d, 8, d + 2), EOK), Left("c\0c\0####"); /* "c" and its zero, copied from behind */
  assert_int_equal(strcpy_s(d, 8, NULL), EINVAL_AND_RESET), Left("\0\0c\0####");
  assert_int_equal(strcpy_s(NULL, 8, "a"), EINVAL);
  assert_int_equal(strcpy_s(d, 0, "a"), ERANGE);
  assert_int_equal(strcpy_s(d, HUGE_MAX, "a"), ERANGE), Left("\0\0c\0####");
}

static void Strncpy(void **state) {
  const char bare[3] = {'1', '2', '3'};
  (void)state;
  Fill(NULL);
  assert_int_equal(strncpy_s(d, 8, "abcdefgh", 7), EOK), Left("abcdefg\0");
  assert_int_equal(strncpy_s(d, 8, "xyz", 2), EOK), Left("xy\0defg\0");
  assert_int_equal(strncpy_s(d, 8, "1", 5), EOK), Left("1\0\0defg\0"); /* not padded */
  assert_int_equal(strncpy_s(d, 4, bare, 3), EOK), Left("123\0efg\0");
  assert_int_equal(strncpy_s(d, 3, "abcdef", 3), ERANGE_AND_RESET), Left(
                                                                        "\0"
                                                                        "23\0efg\0");
  assert_int_equal(strncpy_s(d, 3, "ab", 100), EOK), Left("ab\0\0efg\0");
  assert_int_equal(strncpy_s(d, 3, "ab", 0), EOK), Left("\0b\0\0efg\0");
  Fill("abcdef");
  assert_int_equal(strncpy_s(d, 8, d + 2, 2), EOVERLAP_AND_RESET), Left("\0bcdef\0#"); /* the zero meets the source */
  assert_int_equal(strncpy_s(d, 8, d + 3, 2), EOK), Left("de\0def\0#");
  assert_int_equal(strncpy_s(d, 8, "a", HUGE_MAX), ERANGE_AND_RESET), Left("\0e\0def\0#");
  d[0] = 'x';
  assert_int_equal(strncpy_s(d, 8, NULL, 0), EINVAL_AND_RESET), Left("\0e\0def\0#");
  assert_int_equal(strncpy_s(NULL, 8, "a", 1), EINVAL);
  assert_int_equal(strncpy_s(d, 0, "a", 1), ERANGE);
}

static void Strcat(void **state) {
  (void)state;
  Fill("ab");
  assert_int_equal(strcat_s(d, 8, "cde"), EOK), Left("abcde\0##");
  assert_int_equal(strcat_s(d, 8, ""), EOK), Left("abcde\0##");
  assert_int_equal(strcat_s(d, 8, "fg"), EOK), Left("abcdefg\0");
  assert_int_equal(strcat_s(d, 8, "h"), ERANGE_AND_RESET), Left("\0bcdefg\0");
  Fill("abcdefg");
  assert_int_equal(strcat_s(d, 7, "h"), EINVAL_AND_RESET), Left("\0bcdefg\0"); /* no string of 7 bytes */
  Fill("abcdefg");
  assert_int_equal(strcat_s(d, 3, d + 3), EINVAL_AND_RESET),
      Left("\0bcdefg\0"); /* the source lies behind its 3 bytes */
  Fill("ab");
  assert_int_equal(strcat_s(d, 8, d), ERANGE_AND_RESET), Left("\0b\0#####");
  Fill("abc");
  assert_int_equal(strcat_s(d, 8, d + 1), EOVERLAP_AND_RESET), Left("\0bc\0####");
  Fill("abc");
  assert_int_equal(strcat_s(d, 8, NULL), EINVAL_AND_RESET), Left("\0bc\0####");
  assert_int_equal(strcat_s(NULL, 8, "a"), EINVAL);
  assert_int_equal(strcat_s(d, 0, "a"), ERANGE);
  assert_int_equal(strcat_s(d, HUGE_MAX, "a"), ERANGE), Left("\0bc\0####");
}

static void Strncat(void **state) {
  (void)state;
  Fill("ab");
  assert_int_equal(strncat_s(d, 8, "cdefghij", 3), EOK), Left("abcde\0##");
  assert_int_equal(strncat_s(d, 8, "fgh", 0), EOK), Left("abcde\0##");
  assert_int_equal(strncat_s(d, 8, "fg", 99), EOK), Left("abcdefg\0");
  assert_int_equal(strncat_s(d, 8, "hi", 1), ERANGE_AND_RESET), Left("\0bcdefg\0");
  Fill("abcdefg");
  assert_int_equal(strncat_s(d, 3, "h", 1), EINVAL_AND_RESET), Left("\0bcdefg\0");
  Fill("abc");
  assert_int_equal(strncat_s(d, 8, d + 1, 1), EOVERLAP_AND_RESET), Left("\0bc\0####");
  Fill("abc");
  assert_int_equal(strncat_s(d, 8, "d", HUGE_MAX), ERANGE_AND_RESET), Left("\0bc\0####");
  Fill("abc");
  assert_int_equal(strncat_s(d, 8, NULL, 1), EINVAL_AND_RESET), Left("\0bc\0####");
  assert_int_equal(strncat_s(NULL, 8, "a", 1), EINVAL);
  assert_int_equal(strncat_s(d, 0, "a", 1), ERANGE);
}

static void Strtok(void **state) {
  char text[] = ",;a,,bc;", only[] = ";;", *place = NULL;
  (void)state;
  assert_string_equal(strtok_s(text, ",;", &place), "a");
  assert_string_equal(strtok_s(NULL, ",;", &place), "bc");
  assert_null(strtok_s(NULL, ",;", &place));
  assert_null(strtok_s(NULL, ",;", &place));
  assert_memory_equal(text, ",;a\0,bc\0", 9);
  assert_null(strtok_s(only, ";", &place));
  assert_string_equal(strtok_s(text + 5, "", &place), "bc"); /* no separators: the rest */
  place = NULL;
  assert_null(strtok_s(NULL, ",", &place));
  assert_null(strtok_s(text, NULL, &place));
  assert_null(strtok_s(text, ",", NULL));
}

static void Sprintf(void **state) {
  const char *none = NULL;
  (void)state;
  Fill(NULL);
  assert_int_equal(sprintf_s(d, 8, "%d-%s", 42, "abc"), 6), Left("42-abc\0#");
  assert_int_equal(sprintf_s(d, 8, "%s", "1234567"), 7), Left("1234567\0");
  assert_int_equal(sprintf_s(d, 8, "%s", ""), 0), Left(
                                                      "\0"
                                                      "234567\0");
  assert_int_equal(sprintf_s(d, 4, "%s", "wxyz"), -1);
  assert_int_equal(d[0], '\0');
  assert_memory_equal(d + 4, "567", 4); /* behind destMax nothing is written */
  Fill("abc");
  assert_int_equal(sprintf_s(d, 8, none, 1), -1), Left("\0bc\0####");
  assert_int_equal(sprintf_s(NULL, 8, "a"), -1);
  Fill("abc");
  assert_int_equal(sprintf_s(d, 0, "a"), -1), Left("abc\0####");
  assert_int_equal(sprintf_s(d, HUGE_MAX, "a"), -1), Left("abc\0####");
}

static void Snprintf(void **state) {
  const char *none = NULL;
  (void)state;
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 8, 7, "%s", "1234567"), 7), Left("1234567\0");
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 8, 3, "%s", "123"), 3), Left("123\0####");
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 8, 3, "%s", "1234"), -1), Left("123\0####"); /* cut, and kept */
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 8, 0, "%s", "1"), -1), Left("\0#######");
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 4, 3, "%s", "12345"), -1), Left("123\0####");
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 4, 4, "%s", "12345"), -1); /* count does not bound it: emptied */
  assert_int_equal(d[0], '\0');
  assert_memory_equal(d + 4, "####", 4);
  Fill(NULL);
  assert_int_equal(snprintf_s(d, 8, 100, "%s", "1234"), 4), Left("1234\0###");
  assert_int_equal(snprintf_s(d, 8, SIZE_MAX, "%s", "abc"), 3), Left("abc\0\0###");
  assert_int_equal(snprintf_s(d, 8, SECUREC_STRING_MAX_LEN, "%s", "abc"), -1), Left("\0bc\0\0###");
  Fill("abc");
  assert_int_equal(snprintf_s(d, 8, 3, none, 1), -1), Left("\0bc\0####");
  assert_int_equal(snprintf_s(NULL, 8, 3, "a"), -1);
  Fill("abc");
  assert_int_equal(snprintf_s(d, 0, 0, "a"), -1), Left("abc\0####");
}

static void Truncated(void **state) {
  const char *none = NULL;
  (void)state;
  Fill(NULL);
  assert_int_equal(snprintf_truncated_s(d, 8, "%d", 12), 2), Left("12\0#####");
  assert_int_equal(snprintf_truncated_s(d, 4, "%s", "abcdef"), 3), Left("abc\0####");
  assert_int_equal(snprintf_truncated_s(d, 4, none, 1), -1), Left("\0bc\0####");
  assert_int_equal(snprintf_truncated_s(d, 0, "a"), -1), Left("\0bc\0####");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Values), cmocka_unit_test(Memset),  cmocka_unit_test(Memcpy),   cmocka_unit_test(Memmove),
      cmocka_unit_test(Strcpy), cmocka_unit_test(Strncpy), cmocka_unit_test(Strcat),   cmocka_unit_test(Strncat),
      cmocka_unit_test(Strtok), cmocka_unit_test(Sprintf), cmocka_unit_test(Snprintf), cmocka_unit_test(Truncated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
