/* The cases are complete: every name of capi/exported_symbols.txt has one, with a letter for each pointer parameter
 * that the headers declare. */
#include <ctype.h>
#include <glob.h>

#include "tests/capi/every/fixture.h"

/* Functions that no public header declares, with their pointer parameters: generated headers do. */
static const struct {
  const char *name;
  int pointers;
} kGenerated[] = {{"EsAdd", 2}, {"EsSub", 2}, {"EsMul", 2}, {"EsDiv", 2}};

/* Functions without a case, with the reason: none. */
static const struct { const char *name, *reason; } kExempt[] = {{NULL, NULL}};

static char *ReadFile(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be opened", path);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  text[size] = 0;
  fclose(file);
  return text;
}

static void BlankComments(char *text) {
  for (char *p = text; (p = strstr(p, "/*"));) {
    char *end = strstr(p, "*/");
    assert_non_null(end);
    memset(p, ' ', (size_t)(end + 2 - p));
  }
}

/* Is the parameter a pointer? Callback types are. */
static int IsPointer(const char *begin, const char *end) {
  static const char *const callbacks[] = {"GeTextFn",       "GeLogFn",          "GeInferFn",
                                          "GeRegistryEdit", "GeSessionRunDone", "GeSessionWatch",
                                          "GeMakeShared",   "GeBusyFn",         "GeInterruptFn"};
  for (const char *p = begin; p < end; ++p) {
    if (*p == '*') return 1;
  }
  for (size_t i = 0; i < sizeof callbacks / sizeof callbacks[0]; ++i) {
    const char *at = strstr(begin, callbacks[i]);
    if (at && at < end) return 1;
  }
  return 0;
}

/* Pointer parameters of `name` as the header declares it; -1: not declared there. */
static int PointersIn(const char *header, const char *name) {
  size_t length = strlen(name);
  for (const char *p = header; (p = strstr(p, name)); p += length) {
    int whole = p > header && !isalnum((unsigned char)p[-1]) && p[-1] != '_' && p[length] == '(';
    if (!whole) continue;
    const char *line = p; /* a declaration is marked GE_API */
    while (line > header && line[-1] != '\n' && line[-1] != ';') --line;
    if (!strstr(line, "GE_API") || strstr(line, "GE_API") > p) continue;
    int count = 0, depth = 0;
    const char *begin = p + length + 1;
    for (const char *q = begin; depth >= 0; ++q) {
      assert_true(*q);
      if (*q == '(') ++depth;
      if (*q == ')') --depth;
      if ((*q == ',' && depth == 0) || depth < 0) {
        count += IsPointer(begin, q);
        begin = q + 1;
      }
    }
    return count;
  }
  return -1;
}

static int Declared(const char *name) {
  for (size_t i = 0; i < sizeof kGenerated / sizeof kGenerated[0]; ++i) {
    if (strcmp(kGenerated[i].name, name) == 0) return kGenerated[i].pointers;
  }
  static char *headers[64];
  static size_t count;
  if (!count) {
    glob_t found;
    assert_int_equal(glob(GE_SOURCE_DIR "/capi/include/ge/*.h", 0, NULL, &found), 0);
    assert_int_equal(glob(GE_SOURCE_DIR "/capi/include/*.h", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      assert_true(count < sizeof headers / sizeof headers[0]);
      BlankComments(headers[count++] = ReadFile(found.gl_pathv[i]));
    }
    globfree(&found);
  }
  for (size_t i = 0; i < count; ++i) {
    int pointers = PointersIn(headers[i], name);
    if (pointers >= 0) return pointers;
  }
  return -1;
}

static void EveryFunctionHasACase(void **state) {
  (void)state;
  char *names = ReadFile(GE_SOURCE_DIR "/capi/exported_symbols.txt");
  size_t total = 0, problems = 0;
  for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
    ++total;
    int exempt = 0;
    for (size_t i = 0; kExempt[i].name; ++i) exempt |= strcmp(kExempt[i].name, name) == 0;
    int declared = Declared(name), cases = 0;
    if (declared < 0) {
      print_error("%s is exported, but no header declares it\n", name);
      ++problems;
    }
    for (const Case *c = Cases(); c; c = c->next) {
      if (strcmp(c->function, name) != 0) continue;
      ++cases;
      int letters = (int)strcspn(c->pointers, "+");
      if (letters != declared) {
        print_error("%s (%s): %d letters for %d pointer parameters\n", name, c->variant, letters, declared);
        ++problems;
      }
    }
    if (!cases && !exempt) {
      print_error("%s has no case in tests/capi/every\n", name);
      ++problems;
    }
    if (cases && exempt) {
      print_error("%s is exempt, but has a case\n", name);
      ++problems;
    }
  }
  free(names);
  assert_true(total > 0);
  assert_int_equal(problems, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(EveryFunctionHasACase)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
