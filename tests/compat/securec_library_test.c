/* libc_sec.so: a program that declares the functions itself, as those do that were built with another header. */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

int memcpy_s(void *dest, size_t destMax, const void *src, size_t count);
int strcpy_s(char *strDest, size_t destMax, const char *strSrc);
int sprintf_s(char *strDest, size_t destMax, const char *format, ...);
int sscanf_s(const char *buffer, const char *format, ...);
int wcscpy_s(wchar_t *strDest, size_t destMax, const wchar_t *strSrc);
char *strtok_s(char *strToken, const char *strDelimit, char **context);

int main(void) {
  char text[8] = "", list[] = "a,b", *place = NULL;
  wchar_t wide[4];
  int number = 0;
  if (memcpy_s(text, sizeof text, "abc", 4) != 0 || strcmp(text, "abc") != 0) return 1;
  if (strcpy_s(text, 2, "abc") == 0 || text[0] != '\0') return 2;
  if (sprintf_s(text, sizeof text, "%d-%s", 42, "x") != 4 || strcmp(text, "42-x") != 0) return 3;
  if (sscanf_s("17 seven", "%d%s", &number, text, (unsigned)sizeof text) != 2 || number != 17) return 4;
  if (sscanf_s("17 eighteen", "%d%s", &number, text, (unsigned)sizeof text) != -1 || text[0] != '\0') return 5;
  if (wcscpy_s(wide, 4, L"abc") != 0 || wcscpy_s(wide, 3, L"abc") == 0) return 6;
  if (strcmp(strtok_s(list, ",", &place), "a") != 0 || strcmp(strtok_s(NULL, ",", &place), "b") != 0) return 7;
  return 0;
}
