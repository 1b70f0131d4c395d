/* Every pointer parameter of every function in turn null, the others valid: refused with a message that says so and
 * everything as before, or a documented meaning. */
#include "tests/capi/every/fixture.h"

static void Refused(const Case *c, char kind, int number, Fixture *w, GeStatus status, const char *before) {
  const char *message = GeLastErrorMessage();
  /* A null inside data that is fed to a run is a mismatch of the data. */
  if (status != GE_PARAM_INVALID && status != GE_DATA_MISMATCH)
    fail_msg("%s (%s), pointer %d null: %s: %s", c->function, c->variant, number, GeStatusName(status), message);
  assert_int_equal(GeLastErrorCode(), status);
  assert_true(*message);
  if (kind == 'R' && !strstr(message, "null"))
    fail_msg("%s, pointer %d null: the message is '%s'", c->function, number, message);
  if (w->out_slot) {
    void *value;
    memcpy(&value, w->out_slot, sizeof value);
    if (value) fail_msg("%s, pointer %d null: the output is not set to null", c->function, number);
  }
  char *after = FixtureText(w);
  if (strcmp(before, after) != 0)
    fail_msg("%s, pointer %d null: state changed from\n%s\nto\n%s", c->function, number, before, after);
  free(after);
}

static void Check(const Case *c) {
  char kinds[32] = "N"; /* 0: everything is valid */
  for (const char *p = c->pointers; *p; ++p) {
    if (*p != '+') strncat(kinds, p, 1);
  }
  for (int number = 0; kinds[number]; ++number) {
    Fixture w = MakeFixture(c->needs);
    char *before = FixtureText(&w);
    GeClearLastError();
    GeStatus status = c->call(&w, number);
    if (kinds[number] != 'N') Refused(c, kinds[number], number, &w, status, before);
    else if (status != GE_SUCCESS)
      fail_msg("%s (%s), pointer %d null: %s: %s", c->function, c->variant, number, GeStatusName(status),
               GeLastErrorMessage());
    free(before);
    FreeFixture(&w);
  }
}

static void EveryPointerNull(void **state) {
  (void)state;
  assert_int_equal(ForEveryCase(Check), 0);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  MakeTemp();
  const struct CMUnitTest tests[] = {cmocka_unit_test(EveryPointerNull)};
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  RemoveTemp();
  return failures;
}
