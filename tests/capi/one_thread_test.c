/* One thread at a time is inside a graph, a builder, a pattern and what belongs to them: a second one is refused, or
 * waits where a handler says so. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ge/pattern.h"
#include "ge/session.h"
#include "helpers.h"

static void Run(void *(*body)(void *), void *argument) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
}

/* A chain Data -> TestUnary with a subgraph, a pattern of the same form, and what is made of both. */
typedef struct Fixture {
  GeGraph *graph, *sub, *pattern_graph, *built;
  GeNode *data, *unary, *inner;
  GePattern *pattern;
  GeMatcher *matcher;
  GeMatch *match;
  GeBoundary *boundary;
  EsCGraphBuilder *builder;
  EsCTensorHolder *tensor;
  GeSessionHandle *session; /* shares the graph */
  long inside;              /* number of the thread that is inside */
  int refusals;
} Fixture;

static GeGraph *Chain(const char *name, GeNode **data, GeNode **unary) {
  GeGraph *graph = NULL;
  const int32_t port = 0;
  OK(GeGraphCreate(name, &graph));
  *data = AddNode(graph, &kTestData, "data", -1, -1);
  *unary = AddNode(graph, &kTestUnary, "unary", -1, -1);
  OK(GeGraphAddDataEdge(graph, *data, 0, *unary, 0));
  OK(GeGraphSetOutputs(graph, unary, &port, 1));
  return graph;
}

static void Setup(Fixture *w) {
  memset(w, 0, sizeof *w);
  GeNode *data, *unary;
  w->graph = Chain("shared graph", &w->data, &w->unary);
  w->pattern_graph = Chain("pattern graph", &data, &unary);
  w->sub = NULL;
  OK(GeGraphCreate("sub", &w->sub));
  w->inner = AddNode(w->sub, &kTestUnary, "inner", -1, -1);
  OK(GePatternCreate(w->pattern_graph, &w->pattern));
  OK(GeMatcherCreate(w->pattern, w->graph, 0, &w->matcher));
  OK(GeMatcherNext(w->matcher, &w->match));
  assert_non_null(w->match);
  OK(GeMatchCreateBoundary(w->match, &w->boundary));
  OK(GeGraphAddSubgraph(w->graph, w->sub));
  w->builder = EsCreateGraphBuilder("built");
  w->tensor = EsCreateGraphInput(w->builder, 0);
  assert_non_null(w->tensor);
  OK(GeEsBuilderRetainGraph(w->builder, &w->built));
  OK(GeSessionCreate(NULL, &w->session));
  OK(GeSessionAddSharedGraph(w->session, 1, w->graph, NULL));
}

static void Teardown(Fixture *w) {
  GeSessionDestroy(w->session);
  GeBoundaryDestroy(w->boundary);
  GeMatchDestroy(w->match);
  GeMatcherDestroy(w->matcher);
  GePatternDestroy(w->pattern);
  GeGraphDestroy(w->pattern_graph);
  GeGraphDestroy(w->sub);
  GeGraphDestroy(w->graph);
  GeGraphDestroy(w->built);
  EsDestroyGraphBuilder(w->builder);
}

/* ---- refused ---- */

/* The last error says who may not use what, and why. */
static void Expect(Fixture *w, const char *function, const char *what) {
  char here[64], there[64];
  const char *message = GeLastErrorMessage();
  snprintf(here, sizeof here, "thread %ld 'second' cannot use", (long)syscall(SYS_gettid));
  snprintf(there, sizeof there, "while thread %ld 'first' is inside", w->inside);
  const char *const parts[] = {function, what, here, there};
  for (size_t i = 0; i < 4; ++i) {
    if (!strstr(message, parts[i])) fail_msg("'%s' is not in '%s'", parts[i], message);
  }
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  GeClearLastError();
  ++w->refusals;
}
#define EXPECT(function, what, call)        \
  do {                                      \
    assert_int_equal((call), GE_BAD_STATE); \
    Expect(w, #function ":", what);         \
  } while (0)
#define EXPECT_NONE(function, what, call) \
  do {                                    \
    assert_true(!(call));                 \
    Expect(w, #function ":", what);       \
  } while (0)

static void *Second(void *argument) {
  Fixture *w = argument;
  GeNode *node = NULL;
  GeNodeIo io;
  GeMatch *match = NULL;
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "TestUnary", .name = "n", .schema = &kTestUnary};
  GeAttrData attr = {.name = "a", .type = C_VT_INT};
  pthread_setname_np(pthread_self(), "second");
  const char *const graph = "graph 'shared graph'";
  /* The graph, its nodes, its subgraphs. */
  EXPECT(GeGraphAddNode, graph, GeGraphAddNode(w->graph, &spec, &node));
  EXPECT(GeGraphAddNode, "graph 'sub'", GeGraphAddNode(w->sub, &spec, &node));
  EXPECT(GeGraphVerify, graph, GeGraphVerify(w->graph));
  EXPECT(GeNodeSetAttr, graph, GeNodeSetAttr(w->unary, &attr));
  EXPECT(GeNodeSetAttr, "graph 'sub'", GeNodeSetAttr(w->inner, &attr));
  EXPECT(GeGraphRemoveNode, graph, GeGraphRemoveNode(w->graph, w->unary));
  /* Functions without a status answer as for a null handle, and leave the reason. */
  assert_string_equal(GeGraphName(w->graph), "");
  Expect(w, "GeGraphName:", graph);
  assert_string_equal(GeNodeName(w->inner), "");
  Expect(w, "GeNodeName:", "graph 'sub'");
  EXPECT_NONE(GeGraphNodeCount, graph, GeGraphNodeCount(w->graph));
  EXPECT_NONE(GeNodeSchema, graph, GeNodeSchema(w->unary));
  EXPECT_NONE(GeNodeOriginCount, graph, GeNodeOriginCount(w->unary));
  /* The pattern's graph is entered too, and the match itself. */
  EXPECT(GePatternCapture, "graph 'shared graph'", GePatternCapture(w->pattern, w->unary, 0));
  EXPECT_NONE(GeGraphNodeCount, "graph 'pattern graph'", GeGraphNodeCount(w->pattern_graph));
  EXPECT(GeMatchGetCaptured, "a match", GeMatchGetCaptured(w->match, 0, &io));
  EXPECT(GeMatcherNext, graph, GeMatcherNext(w->matcher, &match));
  EXPECT_NONE(GeBoundaryInputCount, graph, GeBoundaryInputCount(w->boundary));
  GeMatchDestroy(w->match);
  Expect(w, "GeMatchDestroy:", "a match");
  /* A session that shares the graph reads it for a compile, on whatever thread. */
  assert_int_equal(GeSessionCompileGraph(w->session, 1), GE_BAD_STATE);
  Expect(w, "a call of a session:", graph);
  /* References are counted, not entered. */
  GeGraph *again = NULL;
  OK(GeGraphRetain(w->graph, &again));
  GeGraphDestroy(again);
  OK(GeNodeHandleRetain(w->unary));
  GeNodeHandleDestroy(w->unary);
  return NULL;
}

static void Inside(void *user, const char *text, size_t length) {
  Fixture *w = user;
  (void)text;
  (void)length;
  w->inside = (long)syscall(SYS_gettid);
  /* The thread itself goes on: calls nest. */
  assert_string_equal(GeGraphName(w->graph), "shared graph");
  assert_int_equal(GeGraphNodeCount(w->graph), 2);
  AddNode(w->sub, &kTestUnary, "made inside", -1, -1);
  Run(Second, w);
}

static void *First(void *argument) {
  Fixture *w = argument;
  pthread_setname_np(pthread_self(), "first");
  OK(GeMatchDescribe(w->match, Inside, w));
  return NULL;
}

static void ASecondThreadIsRefused(void **state) {
  (void)state;
  Fixture w;
  Setup(&w);
  Run(First, &w);
  assert_int_equal(w.refusals, 18);
  /* Nothing was changed by the calls that were refused, and everything can be used again. */
  assert_string_equal(GeGraphName(w.graph), "shared graph");
  assert_int_equal(GeGraphNodeCount(w.graph), 2);
  assert_int_equal(GeGraphNodeCount(w.sub), 2);
  AddNode(w.sub, &kTestUnary, "made afterwards", -1, -1);
  assert_int_equal(GeGraphNodeCount(w.sub), 3);
  Teardown(&w);
}

/* ---- builders ---- */

static void *SecondInBuilder(void *argument) {
  Fixture *w = argument;
  pthread_setname_np(pthread_self(), "second");
  const char *const built = "graph 'built'";
  EXPECT_NONE(EsCreateGraphInputWithDetails, built, EsCreateGraphInput(w->builder, 1));
  EXPECT_NONE(EsCreateScalarFloat, built, EsCreateScalarFloat(w->builder, 1));
  EXPECT_NONE(EsBuildGraphAndReset, built, EsBuildGraphAndReset(w->builder));
  assert_int_not_equal(EsSetShape(w->tensor, NULL, 0), 0);
  Expect(w, "EsSetShape:", built);
  EsCTensorHolder *made[1] = {NULL};
  GeEsInput x = {.one = w->tensor};
  GeEsCall call = {.struct_size = sizeof call, .schema = &kTestUnary, .inputs = &x};
  EXPECT(GeEsAddNode, built, GeEsAddNode(&call, made, NULL));
  return NULL;
}

static void InsideBuilder(void *user, const char *text, size_t length) {
  Fixture *w = user;
  (void)text;
  (void)length;
  w->inside = (long)syscall(SYS_gettid);
  assert_non_null(EsCreateScalarFloat(w->builder, 2));
  Run(SecondInBuilder, w);
}

static void *FirstInBuilder(void *argument) {
  Fixture *w = argument;
  GePattern *pattern = NULL;
  GeMatch *match = NULL;
  pthread_setname_np(pthread_self(), "first");
  OK(GePatternCreate(w->built, &pattern));
  OK(GeMatchCreate(pattern, &match));
  OK(GeMatchDescribe(match, InsideBuilder, w));
  GeMatchDestroy(match);
  GePatternDestroy(pattern);
  return NULL;
}

static void ABuilderBelongsToItsGraph(void **state) {
  (void)state;
  Fixture w;
  Setup(&w);
  Run(FirstInBuilder, &w);
  assert_int_equal(w.refusals, 5);
  assert_non_null(EsCreateGraphInput(w.builder, 1));
  Teardown(&w);
}

/* ---- many threads at once ---- */

enum { kThreads = 4, kRounds = 2000 };
typedef struct Worker {
  GeGraph *graph;
  EsCGraphBuilder *builder;
  int number, done, refused;
} Worker;

static void *AddNodes(void *argument) {
  Worker *self = argument;
  for (int i = 0; i < kRounds; ++i) {
    char name[32];
    snprintf(name, sizeof name, "n_%d_%d", self->number, i);
    GeNodeSpec spec = {.struct_size = sizeof spec, .type = "TestUnary", .name = name, .schema = &kTestUnary};
    GeNode *node = NULL;
    if (GeGraphAddNode(self->graph, &spec, &node) == GE_SUCCESS) ++self->done;
    else if (GeLastErrorCode() == GE_BAD_STATE) ++self->refused;
  }
  return NULL;
}

static void *AddConstants(void *argument) {
  Worker *self = argument;
  for (int i = 0; i < kRounds; ++i) {
    if (EsCreateScalarFloat(self->builder, 1)) ++self->done;
    else if (GeLastErrorCode() == GE_BAD_STATE) ++self->refused;
  }
  return NULL;
}

/* Returns how many calls succeeded; every other one was refused. */
static int Together(void *(*body)(void *), GeGraph *graph, EsCGraphBuilder *builder) {
  pthread_t threads[kThreads];
  Worker workers[kThreads];
  int done = 0;
  for (int i = 0; i < kThreads; ++i) {
    workers[i] = (Worker){graph, builder, i, 0, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, body, &workers[i]), 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(workers[i].done + workers[i].refused, kRounds);
    done += workers[i].done;
  }
  return done;
}

static int32_t Yield(void *user, uint32_t attempt) {
  (void)attempt;
  __atomic_fetch_add((int *)user, 1, __ATOMIC_RELAXED);
  return sched_yield() == 0;
}

/* Whatever the threads do, the graph stays whole and holds what was added. */
static void ThreadsTogether(int wait) {
  int asked = 0;
  GeGraph *graph = NULL, *built = NULL;
  OK(GeGraphCreate("together", &graph));
  EsCGraphBuilder *builder = EsCreateGraphBuilder("together");
  if (wait) GeSetBusyHandler(Yield, &asked);
  else GeSetLogCallback(NULL, NULL, GE_LOG_OFF); /* builders log what they refuse */
  const int added = Together(AddNodes, graph, NULL), constants = Together(AddConstants, NULL, builder);
  GeSetBusyHandler(NULL, NULL);
  GeSetLogCallback(NULL, NULL, GE_LOG_WARNING);
  if (wait) {
    assert_int_equal(added, kThreads * kRounds);
    assert_int_equal(constants, kThreads * kRounds);
  }
  assert_int_equal(GeGraphNodeCount(graph), added);
  OK(GeEsBuilderRetainGraph(builder, &built));
  assert_int_equal(GeGraphNodeCount(built), constants);
  for (size_t i = 0; i < GeGraphNodeCount(graph); i += 97) {
    GeNode *node = NULL, *found = NULL;
    OK(GeGraphGetNode(graph, i, &node));
    OK(GeGraphFindNode(graph, GeNodeName(node), &found));
    assert_ptr_equal(found, node);
  }
  GeGraphDestroy(built);
  GeGraphDestroy(graph);
  EsDestroyGraphBuilder(builder);
}

static void ThreadsThatAreRefusedHarmNothing(void **state) {
  (void)state;
  ThreadsTogether(0);
}

static void AHandlerMakesThreadsWait(void **state) {
  (void)state;
  ThreadsTogether(1);
}

/* ---- handing over ---- */

static void *Extend(void *argument) {
  AddNode(argument, &kTestUnary, NULL, -1, -1);
  return NULL;
}

static void AGraphIsHandedOverBetweenCalls(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  OK(GeGraphCreate("handed over", &graph));
  for (int i = 0; i < 50; ++i) {
    Run(Extend, graph);
    Extend(graph);
  }
  assert_int_equal(GeGraphNodeCount(graph), 100);
  GeGraphDestroy(graph);
}

/* What is destroyed by the thread that is inside is not left any more. */
static void DestroyInside(void *user, const char *text, size_t length) {
  (void)text;
  (void)length;
  Fixture *w = user;
  GePatternDestroy(w->pattern);
  w->pattern = NULL;
}

static void AThreadMayDestroyWhatItIsInside(void **state) {
  (void)state;
  Fixture w;
  Setup(&w);
  OK(GeMatchDescribe(w.match, DestroyInside, &w));
  Teardown(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ASecondThreadIsRefused),           cmocka_unit_test(ABuilderBelongsToItsGraph),
      cmocka_unit_test(ThreadsThatAreRefusedHarmNothing), cmocka_unit_test(AHandlerMakesThreadsWait),
      cmocka_unit_test(AGraphIsHandedOverBetweenCalls),   cmocka_unit_test(AThreadMayDestroyWhatItIsInside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
