/* Out of memory: the n-th allocation of a call fails, for n = 1, 2, … until the call succeeds; once only that one, once
 * all from there on. The call must say GE_OUT_OF_MEMORY (or succeed), and leave everything as it was. */
#include <errno.h>

#include "helpers.h"

/* ---- the allocator of this program: glibc's, with a trip wire for the thread under test ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static _Thread_local int armed, persistent;
static _Thread_local long left, failed;

static int Trip(void) {
  if (!armed) return 0;
  if (--left > 0) return 0;
  if (left < 0 && !persistent) return 0;
  ++failed;
  errno = ENOMEM;
  return 1;
}

#pragma GCC visibility push(default)
void *malloc(size_t size) { return Trip() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return Trip() ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return Trip() ? NULL : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) { return Trip() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  if (Trip()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
void free(void *block) { __libc_free(block); }
#pragma GCC visibility pop

/* ---- what is tried ---- */

typedef struct World {
  GeGraph *graph, *sub;
  GeNode *data, *a, *b, *call;
  EsCGraphBuilder *builder;
  EsCTensorHolder *x;
  GeTensor *tensor;
  GeGraph *built; /* the builder's graph, for comparing */
  GeGraph *other; /* what a call made */
  GeTensor *made;
  EsCGraph *box;
  EsCTensor *es_tensor;
} World;

static const int64_t kDims[] = {2, 3};
static const float kValues[6] = {1, 2, 3, 4, 5, 6};

static World Make(void) {
  World w;
  memset(&w, 0, sizeof w);
  OK(GeGraphCreate("world", &w.graph));
  w.data = AddNode(w.graph, &kTestData, "data", -1, -1);
  w.a = AddNode(w.graph, &kTestUnary, "a", -1, -1);
  w.b = AddNode(w.graph, &kTestBinary, "b", -1, -1);
  w.call = AddNode(w.graph, &kTestCall, "call", 2, 1);
  OK(GeGraphAddDataEdge(w.graph, w.data, 0, w.a, 0));
  OK(GeGraphAddDataEdge(w.graph, w.a, 0, w.b, 0));
  OK(GeGraphAddDataEdge(w.graph, w.data, 0, w.call, 1)); /* a third consumer needs room */
  OK(GeGraphAddControlEdge(w.graph, w.data, w.b));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(w.graph, &w.b, &port, 1));
  const char *const texts[] = {"one", "two"};
  GeAttrData list = {.name = "texts", .type = C_VT_LIST_STRING, .list = texts, .count = 2};
  OK(GeNodeSetAttr(w.a, &list));
  OK(GeGraphCreate("sub", &w.sub));
  AddNode(w.sub, &kTestData, "inner", -1, -1);
  w.builder = EsCreateGraphBuilder("built");
  w.x = EsCreateGraphInput(w.builder, 0);
  assert_int_equal(EsSetGraphOutput(w.x, 0), 0);
  OK(GeEsBuilderGetGraph(w.builder, &w.built));
  GeTensorData desc = FloatDesc(kDims, 2);
  desc.data = (void *)kValues;
  desc.size = sizeof kValues;
  OK(GeTensorCreate(&desc, &w.tensor));
  return w;
}

static void Free(World *w) {
  GeGraphDestroy(w->other);
  GeTensorDestroy(w->made);
  GeEsGraphDestroy(w->box);
  GeEsTensorDestroy(w->es_tensor);
  GeTensorDestroy(w->tensor);
  GeGraphDestroy(w->built);
  EsDestroyGraphBuilder(w->builder);
  GeGraphDestroy(w->sub);
  GeGraphDestroy(w->graph);
}

static char *WorldText(const World *w) {
  Text t = {NULL, 0, 0};
  char *parts[] = {GraphText(w->graph), GraphText(w->sub), GraphText(w->built)};
  for (int i = 0; i < 3; ++i) {
    for (const char *p = parts[i]; *p;) { /* Put takes lines */
      size_t n = strcspn(p, "\n");
      Put(&t, "%.*s\n", (int)n, p);
      p += n + (p[n] == '\n');
    }
    free(parts[i]);
  }
  return t.data;
}

static GeStatus PointerStatus(const void *pointer) { return pointer ? GE_SUCCESS : GeLastErrorCode(); }

static GeStatus CreateGraph(World *w) { return GeGraphCreate("a name that is longer than the object", &w->other); }
static GeStatus CloneGraph(World *w) { return GeGraphClone(w->graph, "copy", &w->other); }
static GeStatus AddOne(World *w) {
  int32_t counts[] = {5};
  GeNodeSpec spec = {.struct_size = sizeof spec,
                     .type = "TestMix",
                     .schema = &kTestMix,
                     .input_counts = counts,
                     .input_counts_size = 1,
                     .output_counts = counts,
                     .output_counts_size = 1};
  GeNode *node = NULL;
  return GeGraphAddNode(w->graph, &spec, &node);
}
static GeStatus RemoveOne(World *w) { return GeGraphRemoveNode(w->graph, w->a); }
static GeStatus AddData(World *w) { return GeGraphAddDataEdge(w->graph, w->data, 0, w->b, 1); }
static GeStatus AddControl(World *w) { return GeGraphAddControlEdge(w->graph, w->a, w->b); }
static GeStatus SetOutputs(World *w) {
  GeNode *nodes[] = {w->a, w->b, w->data};
  const int32_t ports[] = {0, 0, 0};
  return GeGraphSetOutputs(w->graph, nodes, ports, 3);
}
static GeStatus AddSub(World *w) { return GeGraphAddSubgraph(w->graph, w->sub); }
static GeStatus AttachSub(World *w) { return GeNodeSetSubgraph(w->call, "body", w->sub); }
static GeStatus SetDesc(World *w) {
  int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8};
  GeTensorData desc = FloatDesc(dims, 8);
  return GeNodeSetInputDesc(w->b, 1, &desc);
}
static GeStatus SetInts(World *w) {
  int64_t values[40] = {0};
  GeAttrData a = {.name = "some attribute", .type = C_VT_LIST_INT, .list = values, .count = 40};
  return GeNodeSetAttr(w->b, &a);
}
static GeStatus SetTexts(World *w) {
  const char *const texts[] = {"a text that is too long to be stored inside", "another one that is just as long"};
  GeAttrData a = {.name = "texts", .type = C_VT_LIST_STRING, .list = texts, .count = 2};
  return GeNodeSetAttr(w->a, &a);
}
static GeStatus SetPort(World *w) {
  GeAttrData a = {.name = "k", .type = C_VT_INT, .i = 1};
  return GeNodeSetOutputAttr(w->a, 0, &a);
}
static GeStatus GetTexts(World *w) {
  GeAttrData a;
  return GeNodeGetAttr(w->a, "texts", &a);
}
static GeStatus SetName(World *w) { return GeGraphSetName(w->graph, "a new name that does not fit inside either"); }
static GeStatus Verify(World *w) { return GeGraphVerify(w->sub); }
static GeStatus Infer(World *w) { return GeGraphInfer(w->sub, NULL, 0); }
static GeStatus NewTensor(World *w) {
  GeTensorData desc = FloatDesc(kDims, 2);
  return GeTensorCreate(&desc, &w->made);
}
static GeStatus CloneTensor(World *w) { return GeTensorClone(w->tensor, &w->made); }
static GeStatus SetBytes(World *w) { return GeTensorSetBytes(w->tensor, kValues, 8); }
static GeStatus Register(World *w) {
  (void)w;
  static int n;
  static char names[4096][24];
  GeOpSchema schema = kTestMix;
  snprintf(names[n % 4096], sizeof names[0], "TestOom%d", n);
  schema.type = names[n++ % 4096];
  return GeOpRegister(&schema, NULL);
}
static GeStatus NewBuilder(World *w) {
  (void)w;
  EsCGraphBuilder *builder = EsCreateGraphBuilder("a builder whose name is too long");
  GeStatus status = PointerStatus(builder);
  EsDestroyGraphBuilder(builder);
  return status;
}
static GeStatus NewInput(World *w) {
  return PointerStatus(EsCreateGraphInputWithDetails(w->builder, 1, "an input with a long name", NULL, C_DT_FLOAT,
                                                     C_FORMAT_ND, kDims, 2));
}
static GeStatus NewConst(World *w) { return PointerStatus(EsCreateConstFloat(w->builder, kValues, kDims, 2)); }
static GeStatus NewVariable(World *w) {
  return PointerStatus(EsCreateVariable(w->builder, 0, "a variable with a long name"));
}
static GeStatus NewEsTensor(World *w) {
  w->es_tensor = EsCreateEsCTensor(kValues, kDims, 2, C_DT_FLOAT, C_FORMAT_ND);
  return PointerStatus(w->es_tensor);
}
static GeStatus GraphAttr(World *w) {
  return EsSetStringAttrForGraph(w->builder, "k", "a value that is too long to be inside");
}
static GeStatus Build(World *w) {
  w->box = EsBuildGraphAndReset(w->builder);
  return PointerStatus(w->box);
}
static GeStatus EsNode(World *w) {
  EsCTensorHolder *many[] = {w->x, w->x, w->x, w->x, w->x};
  const GeEsInput inputs[] = {{w->x, NULL, 0}, {NULL, many, 5}, {NULL, NULL, 0}};
  const int64_t counts[] = {12};
  const GeEsAttr attrs[] = {
      {.ir_index = 0, .value = {.type = C_VT_INT, .i = 9}},
      {.ir_index = 2, .value = {.type = C_VT_STRING, .s = "a text that is too long to be inside"}}};
  const GeEsCall call = {.struct_size = sizeof call,
                         .schema = &kTestMix,
                         .inputs = inputs,
                         .output_counts = counts,
                         .attrs = attrs,
                         .attr_count = 2};
  EsCTensorHolder *out[2], **dynamic[2];
  return GeEsAddNode(&call, out, dynamic);
}
static GeStatus EsNodeWithSubgraph(World *w) {
  EsCTensorHolder *many[] = {w->x};
  const GeEsInput inputs[] = {{w->x, NULL, 0}, {NULL, many, 1}, {NULL, NULL, 0}};
  const int64_t counts[] = {1};
  /* Made beforehand by Prepare, so that only the call itself is tried. */
  const GeEsGraph graphs[] = {{.one = w->box}, {NULL, NULL, 0}};
  const GeEsCall call = {
      .struct_size = sizeof call, .schema = &kTestCall, .inputs = inputs, .output_counts = counts, .graphs = graphs};
  EsCTensorHolder *out[2], **dynamic[2];
  GeStatus status = GeEsAddNode(&call, out, dynamic);
  if (status == GE_SUCCESS) w->box = NULL; /* taken over */
  return status;
}
static void Prepare(World *w) {
  EsCGraphBuilder *body = EsCreateGraphBuilder("body");
  assert_int_equal(EsSetGraphOutput(EsCreateGraphInput(body, 0), 0), 0);
  w->box = EsBuildGraphAndReset(body);
  EsDestroyGraphBuilder(body);
  assert_non_null(w->box);
}

static const struct {
  const char *name;
  GeStatus (*run)(World *w);
  void (*prepare)(World *w);
} kCalls[] = {
    {"GeGraphCreate", CreateGraph, NULL},
    {"GeGraphClone", CloneGraph, NULL},
    {"GeGraphAddNode", AddOne, NULL},
    {"GeGraphRemoveNode", RemoveOne, NULL},
    {"GeGraphAddDataEdge", AddData, NULL},
    {"GeGraphAddControlEdge", AddControl, NULL},
    {"GeGraphSetOutputs", SetOutputs, NULL},
    {"GeGraphAddSubgraph", AddSub, NULL},
    {"GeNodeSetSubgraph", AttachSub, NULL},
    {"GeNodeSetInputDesc", SetDesc, NULL},
    {"GeNodeSetAttr (ints)", SetInts, NULL},
    {"GeNodeSetAttr (texts)", SetTexts, NULL},
    {"GeNodeSetOutputAttr", SetPort, NULL},
    {"GeNodeGetAttr", GetTexts, NULL},
    {"GeGraphSetName", SetName, NULL},
    {"GeGraphVerify", Verify, NULL},
    {"GeGraphInfer", Infer, NULL},
    {"GeTensorCreate", NewTensor, NULL},
    {"GeTensorClone", CloneTensor, NULL},
    {"GeTensorSetBytes", SetBytes, NULL},
    {"GeOpRegister", Register, NULL},
    {"EsCreateGraphBuilder", NewBuilder, NULL},
    {"EsCreateGraphInputWithDetails", NewInput, NULL},
    {"EsCreateConstFloat", NewConst, NULL},
    {"EsCreateVariable", NewVariable, NULL},
    {"EsCreateEsCTensor", NewEsTensor, NULL},
    {"EsSetStringAttrForGraph", GraphAttr, NULL},
    {"EsBuildGraphAndReset", Build, NULL},
    {"GeEsAddNode", EsNode, NULL},
    {"GeEsAddNode (subgraph)", EsNodeWithSubgraph, Prepare},
};

static void Try(int keep_failing) {
  for (size_t c = 0; c < sizeof kCalls / sizeof kCalls[0]; ++c) {
    long failures = 0;
    int done = 0;
    for (long n = 1; !done; ++n) {
      assert_true(n < 2000);
      World w = Make();
      if (kCalls[c].prepare) kCalls[c].prepare(&w);
      char *before = WorldText(&w);
      GeClearLastError();
      left = n;
      failed = 0;
      persistent = keep_failing;
      armed = 1;
      GeStatus status = kCalls[c].run(&w);
      armed = 0;
      if (status != GE_SUCCESS) {
        ++failures;
        if (status != GE_OUT_OF_MEMORY)
          fail_msg("%s, allocation %ld: %s: %s", kCalls[c].name, n, GeStatusName(status), GeLastErrorMessage());
        assert_non_null(strstr(GeLastErrorMessage(), "out of memory"));
        char *after = WorldText(&w);
        if (strcmp(before, after) != 0)
          fail_msg("%s, allocation %ld: state changed from\n%s\nto\n%s", kCalls[c].name, n, before, after);
        free(after);
        OK(GeGraphVerify(w.sub));
        /* What failed works now. */
        status = kCalls[c].run(&w);
        if (status != GE_SUCCESS)
          fail_msg("%s after allocation %ld failed: %s", kCalls[c].name, n, GeLastErrorMessage());
      }
      done = failed == 0;
      free(before);
      Free(&w);
    }
    /* An allocation that fails without notice would make this test blind. */
    if (failures == 0) fail_msg("%s: no allocation was made to fail", kCalls[c].name);
  }
}

static void OneAllocationFails(void **state) {
  (void)state;
  Try(0);
}

static void EveryAllocationFromThereFails(void **state) {
  (void)state;
  Try(1);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(OneAllocationFails),
      cmocka_unit_test(EveryAllocationFromThereFails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
