/* Threads that help a run belong to the thread that calls it, as ge/model.h says. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/capi/small_graphs.h"

enum { kLength = 1 << 20 }; /* work for more than one thread */

static int Threads(void) {
  DIR *folder = opendir("/proc/self/task");
  assert_non_null(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

/* Threads that were told to end are gone a little later. */
static void ExpectThreads(int want, const char *when) {
  for (int wait = 0; Threads() != want && wait < 5000; ++wait) usleep(1000);
  if (Threads() != want) fail_msg("%s there are %d threads, expected %d", when, Threads(), want);
}

static GeModel *Model(const char *key, const char *value) {
  GeGraph *graph = NULL;
  const int32_t port = 0;
  OK(GeGraphCreate("exp", &graph));
  GeNode *y = AddUnary(graph, "Tanh", "y", AddInput(graph, "x", 0, C_DT_FLOAT));
  OK(GeGraphSetOutputs(graph, &y, &port, 1));
  return CompileAndDestroy(graph, key, value);
}

static void RunOnce(GeRunContext *context) {
  static float values[kLength];
  const int64_t length = kLength;
  GeTensorData input = Floats(values, &length), output = {0};
  OK(GeRun(context, &input, 1, &output, 1));
}

static GeRunContext *ContextOf(GeModel *model) {
  GeRunContext *context = NULL;
  OK(GeRunContextCreate(model, &context));
  return context;
}

typedef struct Caller {
  GeModel *model;
  int threads; /* while it has run, and others have */
  pthread_barrier_t *all_have_run, *counted;
} Caller;

static void *RunAndWait(void *argument) {
  Caller *self = argument;
  GeRunContext *context = ContextOf(self->model);
  RunOnce(context);
  pthread_barrier_wait(self->all_have_run);
  pthread_barrier_wait(self->counted);
  GeRunContextDestroy(context);
  return NULL;
}

/* First of all tests: nobody ran before. */
static void OneThreadStartsNone(void **state) {
  (void)state;
  GeModel *model = Model("threads", "1");
  GeRunContext *context = ContextOf(model);
  const int before = Threads();
  RunOnce(context);
  assert_int_equal(Threads(), before);
  GeRunContextDestroy(context);
  GeModelDestroy(model);
}

static void HelpersBelongToTheCaller(void **state) {
  (void)state;
  const int before = Threads();
  GeModel *model = Model("threads", "3"), *other = Model("threads", "3");
  GeRunContext *contexts[] = {ContextOf(model), ContextOf(model), ContextOf(other)};
  for (int i = 0; i < 3; ++i) {
    RunOnce(contexts[i]);
    ExpectThreads(before + 2, "after runs of contexts on one thread");
  }
  for (int i = 0; i < 3; ++i) GeRunContextDestroy(contexts[i]);
  ExpectThreads(before + 2, "after the contexts' end");
  /* Two more callers: each has helpers of its own, which end with it. */
  pthread_barrier_t run, counted;
  pthread_t threads[2];
  Caller callers[2];
  pthread_barrier_init(&run, NULL, 3);
  pthread_barrier_init(&counted, NULL, 3);
  for (int i = 0; i < 2; ++i) {
    callers[i] = (Caller){model, 0, &run, &counted};
    assert_int_equal(pthread_create(&threads[i], NULL, RunAndWait, &callers[i]), 0);
  }
  pthread_barrier_wait(&run);
  ExpectThreads(before + 2 + 2 * 3, "with two more callers");
  pthread_barrier_wait(&counted);
  for (int i = 0; i < 2; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  ExpectThreads(before + 2, "after the callers' end");
  GeModelDestroy(model);
  GeModelDestroy(other);
  pthread_barrier_destroy(&run);
  pthread_barrier_destroy(&counted);
}

static void ATimeLimitGivesEachContextAThread(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  GeOptions *options = NULL;
  GeModel *model = NULL;
  const int32_t port = 0;
  OK(GeGraphCreate("limited", &graph));
  GeNode *y = AddUnary(graph, "Tanh", "y", AddInput(graph, "x", 0, C_DT_FLOAT));
  OK(GeGraphSetOutputs(graph, &y, &port, 1));
  OK(GeOptionsCreate(&options));
  OK(GeOptionsSet(options, "threads", "2"));
  OK(GeOptionsSet(options, "engine_time_limit", "60000"));
  OK(GeCompile(graph, options, &model));
  GeOptionsDestroy(options);
  GeGraphDestroy(graph);
  const int before = Threads();
  GeRunContext *contexts[] = {ContextOf(model), ContextOf(model)};
  RunOnce(contexts[0]);
  RunOnce(contexts[1]);
  ExpectThreads(before + 2 * 2, "with two contexts");
  GeRunContextDestroy(contexts[0]);
  GeRunContextDestroy(contexts[1]);
  ExpectThreads(before, "after the contexts' end");
  GeModelDestroy(model);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(OneThreadStartsNone),
      cmocka_unit_test(HelpersBelongToTheCaller),
      cmocka_unit_test(ATimeLimitGivesEachContextAThread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
