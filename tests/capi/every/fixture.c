#include "tests/capi/every/fixture.h"
#include "tests/capi/small_models.h"

#include "ge/variables.h"

#include "ge/serialize.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- the list of cases ---- */

static Case *first, **last = &first;

void AddCase(Case *c) {
  *last = c;
  last = &c->next;
}
const Case *Cases(void) { return first; }

int ForEveryCase(void (*check)(const Case *c)) {
  const char *only = getenv("GE_CASE");
  int failures = 0;
  /* Engines are found and prototypes entered once, not in every process. */
  assert_true(GeEngineCount() > 0 && GeOpCount() > 0);
  for (const Case *c = first; c; c = c->next) {
    if (only && strcmp(only, c->function) != 0) continue;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      check(c); /* a failed assertion ends the process through CMocka, with a status of its own */
      fflush(NULL);
      _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) print_error("%s (%s): killed by signal %d\n", c->function, c->variant, WTERMSIG(status));
    else if (WEXITSTATUS(status)) print_error("%s (%s): failed, see above\n", c->function, c->variant);
    failures += status != 0;
  }
  return failures;
}

/* ---- files ---- */

static char folder[64];
static pid_t owner;

const char *Temp(const char *name) {
  static char paths[4][128];
  static int at;
  at = (at + 1) % 4;
  snprintf(paths[at], sizeof paths[at], "%s/%s", folder, name);
  return paths[at];
}

static void WriteFile(const char *name, const void *data, size_t size) {
  FILE *file = fopen(Temp(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

void MakeTemp(void) {
  strcpy(folder, "/tmp/ge_capi_every_XXXXXX");
  assert_non_null(mkdtemp(folder));
  owner = getpid();
  setenv("DUMP_GRAPH_PATH", folder, 1);
}

void RemoveTemp(void) {
  if (getpid() != owner) return;
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* ---- what is passed ---- */

/* ModelProto: ir_version 8, opset 13, graph g: relu: y = Relu(x), both float [2, 3] */
const unsigned char kSmallOnnx[] = SMALL_ONNX;
const size_t kSmallOnnxSize = sizeof kSmallOnnx;
const char kSmallTensorFlow[] = SMALL_TENSORFLOW;
const size_t kSmallTensorFlowSize = sizeof kSmallTensorFlow - 1;

static GeStatus RunTestPass(void *user, GeGraph *graph) {
  (void)user;
  return GeGraphNodeCount(graph) ? GE_SUCCESS : GE_FAILED;
}
static int destroyed_passes;
static void DestroyTestPass(void *user) {
  (void)user;
  ++destroyed_passes;
}
GePassTable kTestPass = {sizeof(GePassTable), "TestPass",      GE_STAGE_AFTER_INFER_SHAPE, 9,
                         RunTestPass,         DestroyTestPass, &destroyed_passes};

static GeStatus OpenEngine(const GeEngineHost *host, const char *path, const char *options, void **engine) {
  (void)host;
  (void)path;
  (void)options;
  *engine = &destroyed_passes;
  return GE_SUCCESS;
}
static void CloseEngine(void *engine) { (void)engine; }
static GeStatus CheckNode(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  (void)op;
  snprintf(reason, capacity, "takes nothing");
  return GE_UNSUPPORTED;
}
static GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  (void)op;
  (void)out;
  return (env->fail)(GE_UNSUPPORTED, "takes nothing");
}
const GeEngineTable kTestEngine = {.abi_version = GE_ENGINE_ABI_VERSION,
                                   .struct_size = sizeof(GeEngineTable),
                                   .name = "TestEngine",
                                   .version = "1",
                                   .cost = 1000,
                                   .open = OpenEngine,
                                   .close = CloseEngine,
                                   .check = CheckNode,
                                   .create_kernel = CreateKernel};

static int poison;

void *PassSlot(Fixture *w, void *slot) {
  void *value = &poison;
  memcpy(slot, &value, sizeof value);
  w->out_slot = slot;
  return slot;
}

/* ---- wrong handles ---- */

static void *Dead(int kind) {
  if (kind == KIND_GRAPH || kind == KIND_NODE) {
    GeGraph *graph = NULL;
    OK(GeGraphCreate("dead", &graph));
    GeNode *node = AddNode(graph, &kTestData, "dead", -1, -1);
    GeGraphDestroy(graph);
    return kind == KIND_GRAPH ? (void *)graph : (void *)node;
  }
  if (kind == KIND_TENSOR) {
    GeTensor *tensor = NULL;
    OK(GeTensorCreateEmpty(&tensor));
    GeTensorDestroy(tensor);
    return tensor;
  }
  if (kind == KIND_OPTIONS) {
    GeOptions *options = NULL;
    OK(GeOptionsCreate(&options));
    GeOptionsDestroy(options);
    return options;
  }
  if (kind == KIND_SESSION) {
    GeSessionHandle *session = NULL;
    OK(GeSessionCreate(NULL, &session));
    GeSessionDestroy(session);
    return session;
  }
  if (kind == KIND_BUILDER || kind == KIND_HOLDER) {
    EsCGraphBuilder *builder = EsCreateGraphBuilder("dead");
    EsCTensorHolder *holder = EsCreateGraphInput(builder, 0);
    EsDestroyGraphBuilder(builder);
    return kind == KIND_BUILDER ? (void *)builder : (void *)holder;
  }
  return NULL; /* a box of one pointer cannot be told from others once it is freed */
}

void *Instead(Fixture *w, int kind) {
  static uint64_t zeros[1024];
  if (w->wrong == WRONG_NULL) return NULL;
  w->kind = kind;
  if (kind == KIND_OTHER) return NULL;
  if (w->wrong == WRONG_ADDRESS) {
    int box = kind == KIND_ES_GRAPH || kind == KIND_ES_TENSOR || kind == KIND_ES_NODE;
    char *odd = (char *)zeros + 1;
    if (box) memcpy(&zeros[512], &odd, sizeof odd);
    return box ? (char *)&zeros[512] : odd;
  }
  void *dead = NULL;
  if (w->wrong == WRONG_DEAD) {
    FaultDisarmed(dead = Dead(kind));
    if (!dead) w->kind = KIND_OTHER;
    return dead;
  }
  if (kind == KIND_ES_NODE) return &w->tensor; /* a box of one pointer, too */
  if (kind == KIND_ES_TENSOR) return &w->graph;
  if (kind == KIND_ES_GRAPH) return &w->tensor;
  return kind == KIND_TENSOR ? (void *)w->graph : (void *)w->tensor;
}

/* ---- the fixture ---- */

static GeNode *Registered(GeGraph *graph, const char *type, const char *name, int32_t dyn_in) {
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = type, .name = name};
  if (dyn_in >= 0) {
    spec.input_counts = &dyn_in;
    spec.input_counts_size = 1;
  }
  GeNode *node = NULL;
  OK(GeGraphAddNode(graph, &spec, &node));
  return node;
}

static void MakeNet(Fixture *w) {
  OK(GeGraphCreate("net", &w->net));
  GeNode *data = Registered(w->net, "Data", "in", -1), *relu = Registered(w->net, "Relu", "relu", -1);
  GeTensorData desc = FloatDesc(kDims, 2);
  OK(GeNodeSetOutputDesc(data, 0, &desc));
  OK(GeGraphAddDataEdge(w->net, data, 0, relu, 0));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(w->net, &relu, &port, 1));
}

static void MakePattern(Fixture *w) {
  const int32_t port = 0;
  const GeAttrData index = {.name = "index", .type = C_VT_INT, .i = 0};
  GeGraph *any = NULL;
  OK(GeGraphCreate("any_relu", &any));
  GeNode *data = Registered(any, "Data", "any", -1), *relu = Registered(any, "Relu", "its_relu", -1);
  OK(GeNodeSetAttr(data, &index));
  OK(GeGraphAddDataEdge(any, data, 0, relu, 0));
  OK(GeGraphSetOutputs(any, &relu, &port, 1));
  OK(GePatternCreate(any, &w->pattern));
  OK(GePatternCapture(w->pattern, relu, 0));
  GeGraphDestroy(any);
  OK(GeMatcherCreate(w->pattern, w->net, 0, &w->matcher));
  OK(GeMatcherNext(w->matcher, &w->match));
  assert_non_null(w->match);
  OK(GeMatchCreateBoundary(w->match, &w->boundary));
  GeMatcherDestroy(w->matcher);
  OK(GeMatcherCreate(w->pattern, w->net, 0, &w->matcher));
  OK(GeGraphCreate("negative", &w->replacement));
  GeNode *in = Registered(w->replacement, "Data", "in", -1), *neg = Registered(w->replacement, "Neg", "neg", -1),
         *again = Registered(w->replacement, "Relu", "again", -1);
  OK(GeNodeSetAttr(in, &index));
  OK(GeGraphAddDataEdge(w->replacement, in, 0, neg, 0));
  OK(GeGraphAddDataEdge(w->replacement, neg, 0, again, 0));
  OK(GeGraphSetOutputs(w->replacement, &again, &port, 1));
  OK(GePassContextCreate("ByHand", &w->pass_context));
}

Fixture MakeFixture(int needs) {
  Fixture w;
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
  OK(GeNodeSetOutputAttr(w.a, 0, &list));
  OK(GeNodeSetInputAttr(w.a, 0, &list));
  OK(GeGraphSetAttr(w.graph, &list));
  GeTensorData desc = FloatData();
  OK(GeTensorCreate(&desc, &w.tensor));
  GeTensor *constant = NULL;
  OK(GeTensorCreate(&desc, &constant));
  OK(GeNodeSetAttrTensor(w.a, "value", constant));
  GeTensorDestroy(constant);
  GeGraph *inner = NULL;
  OK(GeGraphCreate("inner", &inner));
  OK(GeGraphAddSubgraph(w.graph, inner));
  GeGraphDestroy(inner);
  GeGraph *attached = NULL;
  OK(GeGraphCreate("attached", &attached));
  OK(GeNodeSetSubgraph(w.call, "cases0", attached));
  GeGraphDestroy(attached);
  OK(GeGraphCreate("sub", &w.sub));
  AddNode(w.sub, &kTestData, "inner", -1, -1);
  w.builder = EsCreateGraphBuilder("built");
  w.x = EsCreateGraphInput(w.builder, 0);
  assert_int_equal(EsSetGraphOutput(w.x, 0), 0);
  w.y = EsCreateScalarFloat(w.builder, 1.0f);
  OK(GeEsBuilderRetainGraph(w.builder, &w.built));
  if (needs & NEED_BOX) {
    EsCGraphBuilder *body = EsCreateGraphBuilder("body");
    assert_int_equal(EsSetGraphOutput(EsCreateGraphInput(body, 0), 0), 0);
    w.box = EsBuildGraphAndReset(body);
    EsDestroyGraphBuilder(body);
    assert_non_null(w.box);
  }
  if (needs & 1) MakeNet(&w);
  if (needs & 8192) MakePattern(&w);
  if (needs & 2) {
    OK(GeOptionsCreate(&w.options));
    OK(GeOptionsSet(w.options, "threads", "1"));
  }
  if (needs & 4) OK(GeCompile(w.net, w.options, &w.model));
  if (needs & 8) OK(GeRunContextCreate(w.model, &w.context));
  if (needs & 32768) {
    const char *input, *output;
    OK(GeModelGetInput(w.model, 0, &input, NULL));
    OK(GeModelGetOutput(w.model, 0, &output, NULL));
    OK(GeStateCreate(w.model, &input, &output, 1, NULL, &w.state));
  }
  if (needs & 16) {
    OK(GeSessionCreate(w.options, &w.session));
    OK(GeSessionAddGraph(w.session, 1, w.net, NULL));
    OK(GeSessionCompileGraph(w.session, 1));
    OK(GeSessionAddGraph(w.session, 2, w.net, NULL));
    const char *name = "v";
    const GeTensor *value = w.tensor;
    OK(GeSessionSetVariables(w.session, &name, &value, 1));
  }
  if (needs & 16384) OK(GeFlowCreate(w.net, w.options, &w.flow));
  if (needs & NEED_PASS) OK(GePassRegister(&kTestPass));
  if (needs & NEED_ENGINE) OK(GeEngineRegister(&kTestEngine, NULL));
  if ((needs & NEED_OFFLINE) == NEED_OFFLINE) OK(GeOfflineBuild(w.net, NULL, &w.offline, &w.offline_size));
  if (needs & NEED_AIR) OK(GeGraphSave(w.graph, Temp("small.air")));
  if (needs & NEED_ONNX) {
    WriteFile("small.onnx", kSmallOnnx, kSmallOnnxSize);
    WriteFile("small.pbtxt", kSmallTensorFlow, kSmallTensorFlowSize);
    WriteFile("bytes.bin", kValues, sizeof kValues);
  }
  if (needs & NEED_PROTOTYPE) {
    static int n;
    char name[32];
    snprintf(name, sizeof name, "TestFresh%d", ++n);
    GeOpSchema schema = kTestMix;
    schema.type = name;
    OK(GeOpRegister(&schema, NULL));
  }
  w.out_slot = NULL;
  return w;
}

void FreeFixture(Fixture *w) {
  void *slots[] = {&w->out_graph,    &w->out_tensor,       &w->out_box,     &w->out_es_tensor,
                   &w->out_builder,  &w->out_model,        &w->out_context, &w->out_session,
                   &w->out_options,  &w->out_pattern,      &w->out_matcher, &w->out_match,
                   &w->out_boundary, &w->out_pass_context, &w->out_flow,    &w->out_state};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
    void *value;
    memcpy(&value, slots[i], sizeof value);
    if (value == &poison) memset(slots[i], 0, sizeof value);
  }
  GeFlowDestroy(w->out_flow);
  GeFlowDestroy(w->flow);
  GeBytesDestroy(w->offline);
  GePatternDestroy(w->out_pattern);
  GeMatcherDestroy(w->out_matcher);
  GeMatchDestroy(w->out_match);
  GeBoundaryDestroy(w->out_boundary);
  GePassContextDestroy(w->out_pass_context);
  GePassContextDestroy(w->pass_context);
  GeMatchDestroy(w->match);
  GeMatcherDestroy(w->matcher);
  GeBoundaryDestroy(w->boundary);
  GePatternDestroy(w->pattern);
  GeGraphDestroy(w->replacement);
  GeGraphDestroy(w->out_graph);
  GeTensorDestroy(w->out_tensor);
  GeEsGraphDestroy(w->out_box);
  GeEsTensorDestroy(w->out_es_tensor);
  EsDestroyGraphBuilder(w->out_builder);
  GeRunContextDestroy(w->out_context);
  GeStateDestroy(w->out_state);
  GeStateDestroy(w->state);
  GeModelDestroy(w->out_model);
  GeSessionDestroy(w->out_session);
  GeOptionsDestroy(w->out_options);
  GeSessionDestroy(w->session);
  GeRunContextDestroy(w->context);
  GeModelDestroy(w->model);
  GeOptionsDestroy(w->options);
  GeGraphDestroy(w->net);
  GeEsGraphDestroy(w->box);
  GeTensorDestroy(w->tensor);
  GeGraphDestroy(w->built);
  EsDestroyGraphBuilder(w->builder);
  GeGraphDestroy(w->sub);
  GeGraphDestroy(w->graph);
  GePassUnregister(kTestPass.name); /* there or not */
  GeEngineUnload(kTestEngine.name);
  OK(GeFinalize());
  GeClearLastError();
}

static void Append(Text *t, GeGraph *graph) {
  if (!graph) return;
  char *text = GraphText(graph);
  for (const char *p = text; *p;) { /* Put takes lines */
    size_t n = strcspn(p, "\n");
    Put(t, "%.*s\n", (int)n, p);
    p += n + (p[n] == '\n');
  }
  free(text);
}

char *FixtureText(const Fixture *w) {
  Text t = {NULL, 0, 0};
  Append(&t, w->graph);
  Append(&t, w->sub);
  Append(&t, w->built);
  Append(&t, w->net);
  GeTensorData d;
  OK(GeTensorGetData(w->tensor, &d));
  PutDesc(&t, "tensor", &d);
  for (uint64_t i = 0; i < d.size / sizeof(float); ++i) Put(&t, " %g", (double)((const float *)d.data)[i]);
  Put(&t, "\nprototypes %zu passes %zu engines %zu inputs %lld\n", GeOpCount(), GePassCount(), GeEngineCount(),
      (long long)GeEsBuilderInputCount(w->builder));
  return t.data;
}
