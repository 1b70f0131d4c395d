/* Out of memory in every function: the n-th allocation of a call fails, for n = 1, 2, … until nothing fails any more;
 * once only that one, once all from there on. The call says GE_OUT_OF_MEMORY (or succeeds) and leaves everything as it
 * was, loses no memory, and works when it is repeated. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/capi/every/fault.h"
#include "tests/capi/every/fixture.h"

/* Above this many allocations not each one is tried: a compile makes thousands, and its parts repeat. Under a sanitizer
 * a call takes twenty times as long, so there fewer are: the plain build looks at each. */
#ifdef __SANITIZE_ADDRESS__
#define DENSE 40
#define STEP 41
#else
#define DENSE 600
#define STEP 7
#endif

typedef struct Outcome {
  long failed; /* allocations made to fail */
  int refused; /* the call said so */
  long leaked;
} Outcome;

/* For what: a function (that of the case, or one that it calls beside it), what was worked at, or a size; how much: a
 * number of bytes. */
static int Tells(const Case *c, const char *message) {
  static const char *const kWork[] = {
      "out of memory in Ge", "out of memory in importing ", "memory during inference", "engine ",
      " bytes for ",         " the text of an error"};
  int what = strstr(message, c->function) != NULL;
  for (size_t i = 0; i < sizeof kWork / sizeof *kWork; ++i) what |= strstr(message, kWork[i]) != NULL;
  return what && (strstr(message, " MB") || strstr(message, " bytes"));
}

static Outcome Once(const Case *c, long n, int keep_failing) {
  Outcome outcome = {0, 0, 0};
  long blocks = FaultLive();
  Fixture w = MakeFixture(c->needs);
  char *before = FixtureText(&w);
  GeClearLastError();
  FaultArm(n, keep_failing);
  GeStatus status = c->call(&w, 0);
  outcome.failed = FaultDisarm(NULL);
  if (status != GE_SUCCESS) {
    outcome.refused = 1;
    if (status != GE_OUT_OF_MEMORY || !strstr(GeLastErrorMessage(), "memory"))
      fail_msg("%s (%s), allocation %ld: %s: %s", c->function, c->variant, n, GeStatusName(status),
               GeLastErrorMessage());
    if (!Tells(c, GeLastErrorMessage()))
      fail_msg("%s (%s), allocation %ld: the message does not say for what and how much: %s", c->function, c->variant,
               n, GeLastErrorMessage());
    assert_int_equal(GeLastErrorCode(), GE_OUT_OF_MEMORY);
    if (w.out_slot) {
      void *value;
      memcpy(&value, w.out_slot, sizeof value);
      if (value) fail_msg("%s, allocation %ld: the output is not set to null", c->function, n);
    }
    char *after = FixtureText(&w);
    if (strcmp(before, after) != 0)
      fail_msg("%s (%s), allocation %ld: state changed from\n%s\nto\n%s", c->function, c->variant, n, before, after);
    free(after);
    OK(GeGraphVerify(w.sub));
    /* What failed works now. */
    status = c->call(&w, 0);
    if (status != GE_SUCCESS)
      fail_msg("%s (%s), again after allocation %ld failed: %s", c->function, c->variant, n, GeLastErrorMessage());
  }
  free(before);
  FreeFixture(&w);
  outcome.leaked = FaultLive() - blocks;
  return outcome;
}

static void Fails(const Case *c, int keep_failing) {
  long refused = 0, failed = 0;
  for (long n = 1;; n += n < DENSE ? 1 : STEP) {
    assert_true(n < 100000);
    Outcome outcome = Once(c, n, keep_failing);
    /* Caches grow the first time; what grows every time is lost. */
    for (int again = 0; outcome.leaked > 0 && again < 4; ++again) outcome.leaked = Once(c, n, keep_failing).leaked;
    if (outcome.leaked > 0 && !(c->needs & KEEPS))
      fail_msg("%s (%s), allocation %ld: %ld blocks are lost", c->function, c->variant, n, outcome.leaked);
    refused += outcome.refused;
    failed += outcome.failed;
    if (outcome.failed == 0) break;
  }
  /* An allocation that fails without notice would make this test blind. */
  if (c->memory == NEVER && failed) fail_msg("%s (%s) allocates", c->function, c->variant);
  if (c->memory != NEVER && !failed) fail_msg("%s (%s) does not allocate", c->function, c->variant);
  if (c->memory == ALLOCATES && !refused) fail_msg("%s (%s) never fails", c->function, c->variant);
  if (c->memory == TOLERATES && refused) fail_msg("%s (%s) fails", c->function, c->variant);
}

static void Check(const Case *c) {
  Fails(c, 0);
  Fails(c, 1);
}

static void EveryAllocationFails(void **state) {
  (void)state;
  /* The memory of builders' tensors rests before it is used again: from here on it is not new any more. */
  for (int i = 0; i < 300; ++i) {
    EsCGraphBuilder *builder = EsCreateGraphBuilder("rests");
    assert_non_null(EsCreateGraphInput(builder, 0));
    EsDestroyGraphBuilder(builder);
  }
  GeMachineRates rates = {.struct_size = sizeof rates}; /* measured once */
  OK(GeMeasureMachine(1, &rates));
  assert_int_equal(ForEveryCase(Check), 0);
}

/* The first use finds and loads the engines. Without memory it fails, and the next one finds them all. Not tried with
 * the engines that bring oneDNN and Highway: these libraries end the process when they cannot allocate while being
 * loaded.
 */
static void FindingEngines(void **state) {
  (void)state;
  static const char *const engines[] = {"reference", "views"};
  char from[512], to[512];
  assert_int_equal(mkdir(Temp("engines"), 0700), 0);
  for (int i = 0; i < 2; ++i) {
    snprintf(from, sizeof from, "%s/libge_engine_%s.so", getenv("GE_ENGINE_DIR"), engines[i]);
    snprintf(to, sizeof to, "%s/libge_engine_%s.so", Temp("engines"), engines[i]);
    assert_int_equal(symlink(from, to), 0);
  }
  for (long n = 1, failed = 1; failed; n += 1 + n / 40) {
    int out[2];
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
      setenv("GE_ENGINE_DIR", Temp("engines"), 1);
      FaultArm(n, 0);
      size_t count = GeEngineCount();
      failed = FaultDisarm(NULL);
      int fine = count ? 1 : GeLastErrorCode() == GE_OUT_OF_MEMORY;
      size_t again = GeEngineCount();
      fine = fine && again == 2;
      for (size_t i = 0; i < again; ++i) {
        GeEngineInfo info = {.struct_size = sizeof info};
        fine = fine && GeEngineAt(i, &info) == GE_SUCCESS && !*info.error;
        if (!fine) print_error("allocation %ld: engine %zu: %s %s\n", n, i, info.name, info.error);
      }
      if (write(out[1], &failed, sizeof failed) != sizeof failed) fine = 0;
      _exit(!fine);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status) fail_msg("allocation %ld: status %d", n, status);
    assert_int_equal(read(out[0], &failed, sizeof failed), sizeof failed);
    close(out[0]);
    close(out[1]);
  }
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  MakeTemp();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(FindingEngines), /* first: nothing is loaded yet */
      cmocka_unit_test(EveryAllocationFails),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  RemoveTemp();
  return failures;
}
