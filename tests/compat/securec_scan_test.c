/* Reading and wide characters of securec.h in C99, worked out by hand. Destinations lie between guards, so a write
 * outside shows. */
#include "securec.h"

#include <locale.h>
#include <setjmp.h>
/* cmocka wants the four before it. */
#include <cmocka.h>

static struct { char before[8], at[8], after[8]; } box;
static char *const d = box.at;
static struct { wchar_t before[4], at[6], after[4]; } wide_box;
static wchar_t *const w = wide_box.at;

static void Fill(const char *text) {
  memset(&box, '#', sizeof box);
  if (text != NULL) memcpy(d, text, strlen(text) + 1);
}
static void Left(const char *want) {
  assert_memory_equal(box.at, want, 8);
  assert_memory_equal(box.before, "########", 8);
  assert_memory_equal(box.after, "########", 8);
}
static void WideFill(const wchar_t *text) {
  size_t i;
  for (i = 0; i < sizeof wide_box / sizeof(wchar_t); ++i) ((wchar_t *)(void *)&wide_box)[i] = L'#';
  if (text != NULL) wmemcpy(w, text, wcslen(text) + 1);
}
static void WideLeft(const wchar_t *want) {
  assert_int_equal(wmemcmp(w, want, 6), 0);
  assert_int_equal(wmemcmp(wide_box.before, L"####", 4), 0);
  assert_int_equal(wmemcmp(wide_box.after, L"####", 4), 0);
}

static void Texts(void **state) {
  char second[4] = "zz";
  (void)state;
  Fill(NULL);
  assert_int_equal(sscanf_s("  abc def", "%s", d, (size_t)8), 1), Left("abc\0####");
  assert_int_equal(sscanf_s("abcdefg", "%s", d, 8), 1), Left("abcdefg\0"); /* 7 and the zero; the size an int */
  assert_int_equal(sscanf_s("abcdefgh", "%s", d, (size_t)8), -1);
  assert_int_equal(d[0], '\0');
  Fill(NULL);
  assert_int_equal(sscanf_s("abc", "%s", d, (size_t)3), -1), Left("\0b######"); /* nothing behind its room */
  Fill(NULL);
  assert_int_equal(sscanf_s("abcdefgh", "%7s", d, (size_t)8), 1), Left("abcdefg\0"); /* the width ends it */
  assert_int_equal(sscanf_s("abcdefgh", "%7s", d, (size_t)7), -1);
  Fill("old");
  assert_int_equal(sscanf_s("abc", "%s", d, (size_t)0), -1), Left("old\0####");
  assert_int_equal(sscanf_s("one two", "%s%s", d, (size_t)8, second, sizeof second), 2), Left("one\0####");
  assert_string_equal(second, "two");
  assert_int_equal(sscanf_s("one three", "%s%s", d, (size_t)8, second, sizeof second), -1);
  assert_string_equal(second, "");
  assert_int_equal(sscanf_s("skip take", "%*s%s", d, (size_t)8), 1), Left("take\0###");
  assert_int_equal(sscanf_s("one", "%s%s", d, (size_t)8, second, sizeof second), 1); /* the second has no text */
  assert_int_equal(sscanf_s("abc", "%hs", d, (size_t)8), 1);
}

static void Characters(void **state) {
  char one = '#';
  (void)state;
  assert_int_equal(sscanf_s(" x", "%c", &one, (size_t)1), 1);
  assert_int_equal(one, ' '); /* white space is a character */
  Fill(NULL);
  assert_int_equal(sscanf_s("abcd", "%3c", d, (size_t)3), 1), Left("abc#####"); /* no zero */
  Fill(NULL);
  assert_int_equal(sscanf_s("abcd", "%4c", d, (size_t)3), -1), Left("\0bc#####");
  Fill(NULL);
  assert_int_equal(sscanf_s("ab", "%3c", d, (size_t)8), -1); /* the text ends before the first conversion */
  assert_int_equal(box.after[0], '#');
  assert_int_equal(sscanf_s("ab", "%*c%c", &one, (size_t)1), 1);
  assert_int_equal(one, 'b');
}

static void Sets(void **state) {
  (void)state;
  Fill(NULL);
  assert_int_equal(sscanf_s("abc123", "%[a-z]", d, (size_t)8), 1), Left("abc\0####");
  assert_int_equal(sscanf_s("12-3x", "%[0-9-]", d, (size_t)8), 1), Left("12-3\0###");
  assert_int_equal(sscanf_s("a]b,c", "%[^,]", d, (size_t)8), 1), Left("a]b\0\0###");
  assert_int_equal(sscanf_s("]]x", "%[]]", d, (size_t)8), 1), Left("]]\0\0\0###");
  assert_int_equal(sscanf_s("]x", "%[^]]", d, (size_t)8), 0), Left("]]\0\0\0###");     /* no match: left alone */
  assert_int_equal(sscanf_s("x y", "%[x ]%*c", d, (size_t)8), 1), Left("x \0\0\0###"); /* white space is not skipped */
  assert_int_equal(sscanf_s("aaaa", "%[a]", d, (size_t)4), -1);
  assert_int_equal(sscanf_s("aaaa", "%3[a]", d, (size_t)4), 1), Left("aaa\0\0###");
  assert_int_equal(sscanf_s("key=value", "%*[a-z]=%[a-z]", d, (size_t)8), 1), Left("value\0##");
  assert_int_equal(sscanf_s("abc", "%[abc", d, (size_t)8), -1); /* the set has no end */
  assert_int_equal(sscanf_s("\xe4\xf6", "%[\xe0-\xff]", d, (size_t)8), 1), Left("\xe4\xf6\0ue\0##");
}

static void Numbers(void **state) {
  int i = 0, used = 0;
  unsigned u = 0;
  short h = 0;
  signed char hh = 0;
  long l = 0;
  long long ll = 0;
  size_t z = 0;
  float f = 0;
  double g = 0;
  void *p = NULL;
  char text[8];
  (void)state;
  assert_int_equal(sscanf_s(" -12 0x1f 017 99%", "%d %i %o %u%%%n", &i, &l, &u, &z, &used), 4);
  assert_int_equal(i, -12);
  assert_int_equal(used, 17);
  assert_int_equal(sscanf_s("1 2 3 4 5", "%hhd%hd%ld%lld%zu", &hh, &h, &l, &ll, &z), 5);
  assert_true(hh == 1 && h == 2 && l == 3 && ll == 4 && z == 5);
  assert_int_equal(sscanf_s("2.5 -1e3 ff 0x10", "%f%lf%x%p", &f, &g, &u, &p), 4);
  assert_true(f == 2.5f && g == -1000 && u == 255 && p == (void *)16);
  assert_int_equal(sscanf_s("12345", "%2d%*2d%d", &i, &u), 2); /* widths, and one that is dropped */
  assert_true(i == 12 && u == 5);
  assert_int_equal(sscanf_s("7 x", "%d %d", &i, &u), 1);
  assert_int_equal(sscanf_s("x", "%d", &i), 0);
  assert_int_equal(sscanf_s("   ", "%d", &i), -1);
  assert_int_equal(sscanf_s("5", "%d%d", &i, &u), 1);
  assert_int_equal(sscanf_s("5", "%*d%d", &i), 0);
  assert_int_equal(sscanf_s("a=1,b=2", "a=%d,b=%d", &i, &u), 2);
  assert_int_equal(sscanf_s("a=1;b=2", "a=%d,b=%d", &i, &u), 1);
  assert_int_equal(sscanf_s("3 apples 0.5", "%d %7s %f", &i, text, sizeof text, &f), 3);
  assert_string_equal(text, "apples");
  assert_true(f == 0.5f);
}

static void Refused(void **state) {
  char *const none = NULL;
  const char *const no_format = NULL;
  int i = 3, j = 4;
  (void)state;
  assert_int_equal(sscanf_s(none, "%d", &i), -1);
  assert_int_equal(sscanf_s("1", no_format, &i), -1);
  assert_int_equal(sscanf_s("1", "%d", (int *)NULL), -1);
  assert_int_equal(sscanf_s("a", "%s", none, (size_t)4), -1);
  assert_int_equal(sscanf_s("1", "%1$d", &i), -1);
  assert_int_equal(sscanf_s("a", "%ms", &none, (size_t)4), -1);
  assert_int_equal(sscanf_s("1", "%0d", &i), -1);
  assert_int_equal(sscanf_s("1 2", "%d %y", &i, &j), -1);
  assert_int_equal(i, 1);
  assert_int_equal(j, 4);
  Fill("old");
  assert_int_equal(sscanf_s("", "%s", d, (size_t)8), -1), Left("\0ld\0####"); /* a text that was to come first is "" */
  Fill("old");
  assert_int_equal(sscanf_s("", "%d%s", &i, d, (size_t)8), -1), Left("old\0####");
}

static void Files(void **state) {
  FILE *file = tmpfile();
  int i = 0;
  (void)state;
  assert_non_null(file);
  assert_true(fputs("12 abc\nlonger_than_it,rest 7", file) >= 0);
  rewind(file);
  Fill(NULL);
  assert_int_equal(fscanf_s(file, "%d%s", &i, d, (size_t)8), 2), Left("abc\0####");
  assert_int_equal(i, 12);
  assert_int_equal(fscanf_s(file, " %6[a-z]", d, (size_t)8), 1), Left("longer\0#");
  assert_int_equal(fscanf_s(file, "%s", d, (size_t)4), -1);
  assert_int_equal(d[0], '\0');
  assert_int_equal(fscanf_s(file, "%*[^ ]%d", &i), 1);
  assert_int_equal(i, 7);
  assert_int_equal(fscanf_s(file, "%d", &i), -1);
  assert_int_equal(fscanf_s(NULL, "%d", &i), -1);
  assert_int_equal(fclose(file), 0);
}

static void StandardInput(void **state) {
  const char *const path = "securec_scan_test.tmp";
  FILE *file = fopen(path, "w");
  int i = 0;
  (void)state;
  assert_non_null(file);
  assert_true(fputs("5 word\r\nnext line\n123456789\n\nend", file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_non_null(freopen(path, "r", stdin));
  Fill(NULL);
  assert_int_equal(scanf_s("%d%s", &i, d, (size_t)8), 2), Left("word\0###");
  assert_int_equal(i, 5);
  assert_string_equal(gets_s(d, 8), ""); /* what is left of the line, without its end */
  assert_int_equal(box.after[0], '#');
  assert_string_equal(gets_s(d, 6), "next ");
  assert_string_equal(gets_s(d, 8), "line"); /* the rest of a line that was longer */
  assert_string_equal(gets_s(d, 8), "1234567");
  assert_string_equal(gets_s(d, 8), "89");
  assert_string_equal(gets_s(d, 8), "");
  assert_null(gets_s(NULL, 8));
  assert_null(gets_s(d, 0));
  assert_null(gets_s(d, (size_t)SECUREC_STRING_MAX_LEN + 1));
  assert_string_equal(gets_s(d, 8), "end");
  assert_null(gets_s(d, 8));
  assert_int_equal(d[0], '\0');
  assert_int_equal(remove(path), 0);
}

static void WideTexts(void **state) {
  int i = 0;
  float f = 0;
  (void)state;
  WideFill(NULL);
  assert_int_equal(swscanf_s(L" abcde 7", L"%ls%d", w, (size_t)6, &i), 2), WideLeft(L"abcde\0");
  assert_int_equal(i, 7);
  assert_int_equal(swscanf_s(L"abcdef", L"%ls", w, (size_t)6), -1);
  assert_int_equal(w[0], L'\0');
  WideFill(NULL);
  assert_int_equal(swscanf_s(L"xyz", L"%3lc", w, (size_t)3), 1), WideLeft(L"xyz###");
  assert_int_equal(swscanf_s(L"12ab", L"%l[0-9]", w, (size_t)6), 1), WideLeft(L"12\0###");
  assert_int_equal(swscanf_s(L"ab 2.5", L"%S %f", w, (size_t)6, &f), 2), WideLeft(L"ab\0###");
  assert_true(f == 2.5f);
  Fill(NULL);
  assert_int_equal(swscanf_s(L"abc", L"%s", d, (size_t)8), 1), Left("abc\0####"); /* bytes, as in the C library */
  assert_int_equal(swscanf_s(L"", L"%d", &i), -1);
  assert_int_equal(swscanf_s(NULL, L"%d", &i), -1);
  /* From bytes to wide characters and back, where a character has several bytes. */
  WideFill(NULL);
  assert_int_equal(sscanf_s("abc", "%ls", w, (size_t)6), 1), WideLeft(L"abc\0##");
  assert_int_equal(sscanf_s("abc", "%ls", w, (size_t)3), -1);
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) return;
  WideFill(NULL);
  assert_int_equal(sscanf_s("\xc3\xa4\xe2\x82\xac x", "%ls", w, (size_t)3), 1);
  assert_true(w[0] == 0xe4 && w[1] == 0x20ac && w[2] == 0 && w[3] == L'#');
  assert_int_equal(sscanf_s("a\xc3", "%ls", w, (size_t)6), -1); /* the second byte is missing */
  assert_int_equal(w[0], L'\0');
  assert_int_equal(sscanf_s("\xff", "%ls", w, (size_t)6), -1);
  Fill(NULL);
  assert_int_equal(swscanf_s(L"\x20ac\x20ac", L"%s", d, (size_t)7), 1), Left("\xe2\x82\xac\xe2\x82\xac\0#");
  assert_int_equal(swscanf_s(L"\x20ac\x20ac", L"%s", d, (size_t)6), -1); /* 6 bytes, and no room for the zero */
  assert_non_null(setlocale(LC_CTYPE, "C"));
}

static void WideFiles(void **state) {
  FILE *file = tmpfile();
  int i = 0;
  (void)state;
  assert_non_null(file);
  assert_true(fputws(L"word 42 longer", file) >= 0);
  rewind(file);
  WideFill(NULL);
  assert_int_equal(fwscanf_s(file, L"%ls %d", w, (size_t)6, &i), 2), WideLeft(L"word\0#");
  assert_int_equal(i, 42);
  assert_int_equal(fwscanf_s(file, L"%ls", w, (size_t)6), -1);
  assert_int_equal(fwscanf_s(NULL, L"%d", &i), -1);
  assert_int_equal(fclose(file), 0);
}

static void WideMemory(void **state) {
  (void)state;
  WideFill(NULL);
  assert_int_equal(wmemcpy_s(w, 6, L"abc", 2), EOK), WideLeft(L"ab####");
  assert_int_equal(wmemcpy_s(w, 6, w + 3, 3), EOK), WideLeft(L"######");
  WideFill(L"abcde");
  assert_int_equal(wmemcpy_s(w, 5, w + 1, 3), EOVERLAP_AND_RESET), WideLeft(L"\0\0\0\0\0\0");
  WideFill(L"abcde");
  assert_int_equal(wmemcpy_s(w, 2, L"xyz", 3), ERANGE_AND_RESET), WideLeft(L"\0\0cde\0");
  assert_int_equal(wmemcpy_s(w, 2, L"x", SIZE_MAX), ERANGE_AND_RESET);
  assert_int_equal(wmemcpy_s(w, 2, NULL, 1), EINVAL_AND_RESET);
  assert_int_equal(wmemcpy_s(NULL, 2, L"x", 1), EINVAL);
  assert_int_equal(wmemcpy_s(w, 0, L"x", 1), ERANGE);
  assert_int_equal(wmemcpy_s(w, SECUREC_WCHAR_MEM_MAX_LEN + 1, L"x", 1), ERANGE);
  WideFill(L"abcde");
  assert_int_equal(wmemmove_s(w + 1, 5, w, 4), EOK), WideLeft(L"aabcd\0");
  assert_int_equal(wmemmove_s(w, 2, L"xyz", 3), ERANGE_AND_RESET), WideLeft(L"\0\0bcd\0");
  assert_int_equal(wmemmove_s(w, SIZE_MAX, L"x", 1), ERANGE);
}

static void WideStrings(void **state) {
  wchar_t text[] = L",a;bc", *place = NULL;
  (void)state;
  WideFill(NULL);
  assert_int_equal(wcscpy_s(w, 6, L"abcde"), EOK), WideLeft(L"abcde\0");
  assert_int_equal(wcscpy_s(w, 5, L"vwxyz"), ERANGE_AND_RESET), WideLeft(L"\0bcde\0");
  assert_int_equal(wcscpy_s(w, 6, NULL), EINVAL_AND_RESET);
  assert_int_equal(wcscpy_s(NULL, 6, L"a"), EINVAL);
  assert_int_equal(wcscpy_s(w, 0, L"a"), ERANGE);
  assert_int_equal(wcscpy_s(w, SECUREC_WCHAR_STRING_MAX_LEN + 1, L"a"), ERANGE);
  WideFill(L"abc");
  assert_int_equal(wcscpy_s(w + 1, 5, w), EOVERLAP_AND_RESET), WideLeft(L"a\0c\0##");
  assert_int_equal(wcsncpy_s(w, 6, L"wxyz", 2), EOK), WideLeft(L"wx\0\0##");
  assert_int_equal(wcsncpy_s(w, 2, L"abcd", 2), ERANGE_AND_RESET), WideLeft(L"\0x\0\0##");
  assert_int_equal(wcsncpy_s(w, 6, L"a", SECUREC_WCHAR_STRING_MAX_LEN + 1), ERANGE_AND_RESET);
  WideFill(L"ab");
  assert_int_equal(wcscat_s(w, 6, L"cde"), EOK), WideLeft(L"abcde\0");
  assert_int_equal(wcscat_s(w, 6, L"f"), ERANGE_AND_RESET), WideLeft(L"\0bcde\0");
  WideFill(L"abcde");
  assert_int_equal(wcscat_s(w, 3, L"f"), EINVAL_AND_RESET), WideLeft(L"\0bcde\0"); /* no string of 3 characters */
  WideFill(L"ab");
  assert_int_equal(wcscat_s(w, 6, w), ERANGE_AND_RESET);
  WideFill(L"ab");
  assert_int_equal(wcscat_s(w, 6, w + 1), EOVERLAP_AND_RESET);
  WideFill(L"ab");
  assert_int_equal(wcsncat_s(w, 6, L"cdefg", 3), EOK), WideLeft(L"abcde\0");
  assert_int_equal(wcsncat_s(w, 6, L"fg", 1), ERANGE_AND_RESET);
  assert_true(wcscmp(wcstok_s(text, L",;", &place), L"a") == 0);
  assert_true(wcscmp(wcstok_s(NULL, L",;", &place), L"bc") == 0);
  assert_null(wcstok_s(NULL, L",;", &place));
  assert_null(wcstok_s(text, NULL, &place));
}

static void WidePrinting(void **state) {
  (void)state;
  WideFill(NULL);
  assert_int_equal(swprintf_s(w, 6, L"%d-%ls", 42, L"ab"), 5), WideLeft(L"42-ab\0");
  assert_int_equal(swprintf_s(w, 6, L"%ls", L"abcdef"), -1);
  assert_int_equal(w[0], L'\0');
  assert_int_equal(wide_box.after[0], L'#');
  WideFill(L"old");
  assert_int_equal(swprintf_s(w, 6, NULL), -1), WideLeft(L"\0ld\0##");
  assert_int_equal(swprintf_s(NULL, 6, L"a"), -1);
  WideFill(L"old");
  assert_int_equal(swprintf_s(w, 0, L"a"), -1), WideLeft(L"old\0##");
  assert_int_equal(swprintf_s(w, SECUREC_WCHAR_STRING_MAX_LEN + 1, L"a"), -1), WideLeft(L"old\0##");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Texts),       cmocka_unit_test(Characters),   cmocka_unit_test(Sets),
      cmocka_unit_test(Numbers),     cmocka_unit_test(Refused),      cmocka_unit_test(Files),
      cmocka_unit_test(WideTexts),   cmocka_unit_test(WideFiles),    cmocka_unit_test(WideMemory),
      cmocka_unit_test(WideStrings), cmocka_unit_test(WidePrinting), cmocka_unit_test(StandardInput),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
