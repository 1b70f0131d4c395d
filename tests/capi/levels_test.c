/* Levels that are numbers: of messages (ge/status.h, ge/log.h) and of passes (ge/pass.h). */
#include <limits.h>
#include <stdlib.h>

#include "ge/log.h"
#include "ge/pass.h"
#include "tests/capi/small_graphs.h"

static char seen[128];

static void Note(void *user, int32_t level, const char *message) {
  (void)user;
  const size_t used = strlen(seen);
  snprintf(seen + used, sizeof seen - used, "%d%s ", level, message);
}

/* The messages of all kinds of levels that a sink with this lowest level gets. */
static const char *SeenFrom(int32_t least) {
  seen[0] = '\0';
  GeSetLogCallback(Note, NULL, least);
  const int32_t levels[] = {INT_MIN, -1, GE_LOG_DEBUG, GE_LOG_INFO, GE_LOG_WARNING, GE_LOG_ERROR, GE_LOG_OFF, INT_MAX};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
    const char message[] = {(char)('a' + (char)i), '\0'};
    GeLogMessage(levels[i], message);
  }
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  return seen;
}

static void LevelsOfMessages(void **state) {
  (void)state;
  const char *const all = "0a 0b 0c 1d 2e 3f 3g 3h ";
  assert_string_equal(SeenFrom(GE_LOG_DEBUG), all);
  assert_string_equal(SeenFrom(-1), all);
  assert_string_equal(SeenFrom(INT_MIN), all);
  assert_string_equal(SeenFrom(GE_LOG_INFO), "1d 2e 3f 3g 3h ");
  assert_string_equal(SeenFrom(GE_LOG_WARNING), "2e 3f 3g 3h ");
  assert_string_equal(SeenFrom(GE_LOG_ERROR), "3f 3g 3h ");
  assert_string_equal(SeenFrom(GE_LOG_OFF), "");
  assert_string_equal(SeenFrom(INT_MAX), "");
}

static int runs[6];

static GeStatus Count(void *user, GeGraph *graph) {
  (void)graph;
  ++*(int *)user;
  return GE_NOT_CHANGED;
}

/* A pass of each level, and which of them run in a compile with an opt_level. */
static void LevelsOfPasses(void **state) {
  (void)state;
  static const int32_t levels[] = {-1, 0, 1, 2, 3, 4};
  char name[32];
  for (int i = 0; i < 6; ++i) {
    snprintf(name, sizeof name, "LevelPass%d", i);
    const GePassTable table = {.struct_size = sizeof table,
                               .name = name,
                               .stage = GE_STAGE_AFTER_INFER_SHAPE,
                               .level = levels[i],
                               .run = Count,
                               .user = &runs[i]};
    OK(GePassRegister(&table));
  }
  const char *const compiles[] = {"0", "1", "2", "3", "4", "2147483647", NULL /* as 2 */};
  for (int c = 0; c < 7; ++c) {
    memset(runs, 0, sizeof runs);
    GeModelDestroy(ReverseModel(0, compiles[c] ? "opt_level" : NULL, compiles[c]));
    const int32_t level = compiles[c] ? (int32_t)strtol(compiles[c], NULL, 10) : 2;
    for (int i = 0; i < 6; ++i) {
      const int want = levels[i] <= level;
      if ((runs[i] > 0) != want)
        fail_msg("opt_level %d: the pass of level %d ran %d times", (int)level, (int)levels[i], runs[i]);
    }
  }
  GeGraph *graph = NULL;
  OK(GeGraphCreate("by hand", &graph));
  memset(runs, 0, sizeof runs);
  assert_int_equal(GePassRun("LevelPass5", graph), GE_NOT_CHANGED);
  assert_int_equal(runs[5], 1);
  GeGraphDestroy(graph);
  for (int i = 0; i < 6; ++i) {
    snprintf(name, sizeof name, "LevelPass%d", i);
    OK(GePassUnregister(name));
  }
}

static void OtherOptLevelsAreRefused(void **state) {
  (void)state;
  GeOptions *options = NULL;
  OK(GeOptionsCreate(&options));
  REFUSED(GE_OPTION_INVALID, "an integer from 0 to 2147483647", GeOptionsSet(options, "opt_level", "2147483648"));
  REFUSED(GE_OPTION_INVALID, "an integer from 0 to 2147483647", GeOptionsSet(options, "opt_level", "-1"));
  REFUSED(GE_OPTION_INVALID, "an integer from 0 to 1024", GeOptionsSet(options, "threads", "1025"));
  GeOptionsDestroy(options);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(LevelsOfMessages),
      cmocka_unit_test(LevelsOfPasses),
      cmocka_unit_test(OtherOptLevelsAreRefused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
