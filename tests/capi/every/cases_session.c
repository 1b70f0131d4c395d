/* Sessions beyond add, compile and run; registries of a process. */
#include "ge/registry.h"
#include "ge/session.h"
#include "tests/capi/every/fixture.h"

static char g_memory[4096] __attribute__((aligned(64)));

static void *Allocate(void *user, uint64_t size, void **block) {
  (void)user;
  *block = g_memory;
  return size <= sizeof g_memory ? g_memory : NULL;
}
static void Release(void *user, void *block) {
  (void)user;
  (void)block;
}
static void Count(void *user) { ++*(int *)user; }
static GeStatus Watch(void *user, uint32_t id, const char *const *names, GeTensor *const *values, size_t count) {
  (void)user;
  (void)id;
  (void)names;
  for (size_t i = 0; i < count; ++i) GeTensorDestroy(values[i]);
  return GE_SUCCESS;
}
static void Done(void *user, GeStatus status, GeTensor *const *outputs, size_t count) {
  (void)status;
  (void)user;
  for (size_t i = 0; i < count; ++i) GeTensorDestroy(outputs[i]);
}
/* A session of its own that ends with the call, so that nothing is queued any more. */
static GeSessionHandle *Lone(Fixture *w) {
  GeSessionHandle *session = NULL;
  FaultDisarmed({
    OK(GeSessionCreate(w->options, &session));
    OK(GeSessionAddGraph(session, 1, w->net, NULL));
    OK(GeSessionCompileGraph(session, 1));
  });
  return session;
}

VALUE(GeIsInitialized, "", NEVER, 0, GeIsInitialized() == 0)
VALUE(GeSessionId, "N", NEVER, NEED_SESSION, (GeSessionId(P(1, w->session)) == UINT64_MAX) == (null == 1))
STATUS(GeSessionAddSharedGraph, "RRN", ALLOCATES, NEED_SESSION,
       GeSessionAddSharedGraph(P(1, w->session), 3, P(2, w->net), P(3, w->options)))
DO(GeSessionGetGraphState, "RR", NEVER, NEED_SESSION, {
  GeSessionGraphState state = GE_SESSION_GRAPH_LOADED;
  GeStatus status = GeSessionGetGraphState(P(1, w->session), 1, P(2, &state));
  if (status == GE_SUCCESS) assert_int_equal(state, GE_SESSION_GRAPH_COMPILED);
  return status;
})
DO(GeSessionGetGraphOption, "RRR", NEVER, NEED_SESSION, {
  const char *value = "none";
  GeStatus status = GeSessionGetGraphOption(P(1, w->session), 1, P(2, "threads"), P(3, &value));
  if (status == GE_SUCCESS) assert_string_equal(value, "1");
  return status;
})
DO(GeCurrentOption, "RR", NEVER, 0, {
  const char *value = "none";
  GeStatus status = GeCurrentOption(P(1, "threads"), P(2, &value));
  if (status == GE_SUCCESS) assert_null(value);
  return status;
})
DO(GeSessionCompileGraphFor, "RR", ALLOCATES, NEED_SESSION, {
  GeTensorData input = FloatData();
  return GeSessionCompileGraphFor(P(1, w->session), 2, P(2, &input), 1);
})
STATUS(GeSessionCompileGraphForStreams, "R", ALLOCATES, NEED_SESSION,
       GeSessionCompileGraphForStreams(P(1, w->session), 2))
STATUS(GeSessionLoad, "R", ALLOCATES, NEED_SESSION, GeSessionLoad(P(1, w->session), 2))
STATUS(GeSessionLoadWithOptions, "RN", ALLOCATES, NEED_SESSION,
       GeSessionLoadWithOptions(P(1, w->session), 2, P(2, w->options)))
STATUS(GeSessionSetMemory, "RR", ALLOCATES, NEED_SESSION,
       GeSessionSetMemory(P(1, w->session), 1, GE_SESSION_MEMORY_FEATURE, P(2, g_memory), sizeof g_memory))
DO(GeSessionRegisterAllocator, "RNR+NRRN", ALLOCATES, NEED_SESSION, {
  int ended = 0;
  GeStreamAllocator allocator = {.struct_size = sizeof allocator, .user = P(4, &ended)};
  allocator.allocate = null == 5 ? NULL : Allocate;
  allocator.release = null == 6 ? NULL : Release;
  allocator.destroy = null == 4 || null == 7 ? NULL : Count;
  GeStatus status = GeSessionRegisterAllocator(P(1, w->session), P(2, &ended), P(3, &allocator));
  if (status == GE_SUCCESS && null != 1) OK(GeSessionUnregisterAllocator(w->session, null == 2 ? NULL : &ended));
  if (null != 4 && null != 7) assert_int_equal(ended, status == GE_SUCCESS);
  return status;
})
DO(GeSessionUnregisterAllocator, "RN", NEVER, NEED_SESSION, {
  GeStreamAllocator allocator = {.struct_size = sizeof allocator, .allocate = Allocate, .release = Release};
  const void *stream = null == 2 ? NULL : &g_memory;
  FaultDisarmed(OK(GeSessionRegisterAllocator(w->session, stream, &allocator)));
  return GeSessionUnregisterAllocator(P(1, w->session), stream);
})
DO(GeSessionRunGraphAsync, "RRNNN+R", ALLOCATES, NEED_SESSION, {
  int ended = 0;
  GeSessionHandle *session = Lone(w);
  const GeTensor *inputs[] = {P(6, w->tensor)};
  GeStatus status =
      GeSessionRunGraphAsync(P(1, session), 1, P(2, inputs), 1, null == 3 ? NULL : Done,
                             null == 4 || null == 5 ? NULL : &ended, null == 4 || null == 5 ? NULL : Count);
  FaultDisarmed(GeSessionDestroy(session));
  if (null != 4 && null != 5) assert_int_equal(ended, 1);
  return status;
})
DO(GeSessionRunGraphOnStream, "RR+RRR", ALLOCATES, NEED_SESSION, {
  const GeTensor *inputs[] = {P(4, w->tensor)};
  GeTensor *outputs[1] = {NULL};
  GeStreamRun run = {.struct_size = sizeof run, .input_count = 1, .output_count = 1};
  run.inputs = P(3, inputs);
  run.outputs = P(5, outputs);
  GeStatus status = GeSessionRunGraphOnStream(P(1, w->session), 1, P(2, &run));
  if (status != GE_SUCCESS) {
    assert_null(outputs[0]);
    return status;
  }
  GeTensorData out;
  OK(GeTensorGetData(outputs[0], &out));
  CheckRelu(&out);
  GeTensorDestroy(outputs[0]);
  return status;
})
DO(GeSessionRegisterWatch, "RRSNN", ALLOCATES, NEED_SESSION, {
  int ended = 0;
  int counts = null != 4 && null != 5;
  GeSessionHandle *session = Lone(w);
  GeStatus status = GeSessionRegisterWatch(P(1, session), P(2, "Summary"), null == 3 ? NULL : Watch,
                                           counts ? &ended : NULL, counts ? Count : NULL);
  FaultDisarmed(GeSessionDestroy(session));
  if (counts) assert_int_equal(ended, status == GE_SUCCESS);
  return status;
})
DO(GeSessionFlowPorts, "RNN", ALLOCATES, NEED_SESSION, {
  size_t inputs = 0, outputs = 0;
  GeStatus status = GeSessionFlowPorts(P(1, w->session), 2, P(2, &inputs), P(3, &outputs));
  if (status == GE_SUCCESS) assert_int_equal(inputs + outputs, null == 2 || null == 3 ? 1 : 2);
  return status;
})
DO(GeSessionFeedFlow, "RNR", ALLOCATES, NEED_SESSION, {
  const uint32_t index = 0;
  const GeFlowMessage message = {.struct_size = sizeof message, .tensor = w->tensor};
  return GeSessionFeedFlow(P(1, w->session), 2, P(2, &index), P(3, &message), 1, -1);
})
DO(GeSessionFetchFlow, "RNR", ALLOCATES, NEED_SESSION, {
  const uint32_t index = 0;
  const GeFlowMessage fed = {.struct_size = sizeof fed, .tensor = w->tensor};
  FaultDisarmed(OK(GeSessionFeedFlow(w->session, 2, &index, &fed, 1, -1)));
  GeFlowMessage message = {.struct_size = sizeof message};
  GeStatus status = GeSessionFetchFlow(P(1, w->session), 2, P(2, &index), P(3, &message), 1, -1);
  if (status == GE_SUCCESS && null != 3) assert_non_null(message.tensor);
  GeTensorDestroy(message.tensor);
  return status;
})

static void WriteOne(void *user, void *value) {
  (void)user;
  *(int *)value = 1;
}
DO(GeRegistryChange, "RRRN", ALLOCATES, KEEPS, {
  static int n;
  char name[32];
  snprintf(name, sizeof name, "name %d", n += !null);
  return GeRegistryChange(P(1, "kind"), P(2, name), P(3, WriteOne), P(4, &n));
})
DO(GeRegistryRead, "RRR", NEVER, 0, {
  int value = 7;
  GeStatus status = GeRegistryRead(P(1, "no such kind"), P(2, "name"), P(3, &value), sizeof value);
  if (status == GE_SUCCESS) assert_int_equal(value, 0);
  return status;
})
DO(GeRegistryFind, "RRR", NEVER, 0, {
  const void *value = &value;
  GeStatus status = GeRegistryFind(P(1, "no such kind"), P(2, "name"), P(3, &value));
  if (null != 3) assert_null(value);
  return status;
})
DO(GeWarningAdd, "R", ALLOCATES, 0, {
  GeStatus status = GeWarningAdd(P(1, "a line that is longer than a short text"));
  FaultDisarmed(OK(GeWarningsTake(IgnoreText, NULL)));
  return status;
})
DO(GeWarningsTake, "RN", ALLOCATES, 0, {
  FaultDisarmed(OK(GeWarningAdd("a line that is longer than a short text")));
  return GeWarningsTake(P(1, IgnoreText), P(2, (void *)w));
})
