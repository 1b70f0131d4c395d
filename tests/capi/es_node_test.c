/* GeEsAddNode, the function under every generated builder function. */
#include "helpers.h"

static EsCGraphBuilder *b;
static EsCTensorHolder *x;

static int SetUp(void **state) {
  (void)state;
  b = EsCreateGraphBuilder("g");
  x = EsCreateGraphInput(b, 0);
  return x == NULL;
}
static int TearDown(void **state) {
  (void)state;
  EsDestroyGraphBuilder(b);
  return 0;
}

static GeNode *NodeOfHolder(EsCTensorHolder *holder) {
  assert_non_null(holder);
  GeNode *node = NULL;
  OK(GeEsNodeGet(EsGetProducer(holder), &node));
  return node;
}

/* Arguments of a TestMix call, all good; tests spoil one each. */
typedef struct Mix {
  GeEsInput inputs[3];
  EsCTensorHolder *many[2];
  int64_t counts[1];
  GeEsAttr attrs[3];
  GeEsCall call;
  EsCTensorHolder *out[2];
  EsCTensorHolder **dynamic[2];
} Mix;

static void Init(Mix *m) {
  memset(m, 0, sizeof *m);
  m->many[0] = m->many[1] = x;
  m->inputs[0].one = x;
  m->inputs[1].many = m->many;
  m->inputs[1].many_count = 2;
  m->counts[0] = 3;
  m->attrs[0] = (GeEsAttr){.ir_index = 0, .value = {.type = C_VT_INT, .i = 9}};
  m->attrs[1] = (GeEsAttr){.ir_index = 1, .value = {.type = C_VT_FLOAT, .f = 0.5}};
  m->attrs[2] = (GeEsAttr){.ir_index = 2, .value = {.type = C_VT_STRING, .s = "slow", .count = 4}};
  m->call = (GeEsCall){.struct_size = sizeof(GeEsCall),
                       .schema = &kTestMix,
                       .inputs = m->inputs,
                       .output_counts = m->counts,
                       .attrs = m->attrs,
                       .attr_count = 3};
}
static GeStatus Run(Mix *m) {
  memset(m->out, 0x55, sizeof m->out);
  memset(m->dynamic, 0x55, sizeof m->dynamic);
  GeStatus status = GeEsAddNode(&m->call, m->out, m->dynamic);
  if (status != GE_SUCCESS) {
    assert_null(m->out[0]);
    assert_null(m->out[1]);
    assert_null(m->dynamic[0]);
    assert_null(m->dynamic[1]);
  }
  return status;
}

static void PortsAndHolders(void **state) {
  (void)state;
  Mix m;
  Init(&m);
  OK(Run(&m));
  GeNode *node = NodeOfHolder(m.out[0]);
  assert_string_equal(GeNodeName(node), "TestMix_0");
  assert_int_equal(GeNodeInputCount(node), 4);
  assert_int_equal(GeNodeOutputCount(node), 4);
  GeNode *src = NULL;
  int32_t port = -1;
  for (int32_t i = 0; i < 3; ++i) {
    OK(GeNodeGetInputSource(node, i, &src, &port));
    assert_ptr_equal(src, NodeOfHolder(x));
  }
  OK(GeNodeGetInputSource(node, 3, &src, &port));
  assert_null(src);
  assert_int_equal(GeEsHolderIndex(m.out[0]), 0);
  assert_null(m.out[1]);
  assert_null(m.dynamic[0]);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(GeEsHolderIndex(m.dynamic[1][i]), i + 1);
    assert_ptr_equal(NodeOfHolder(m.dynamic[1][i]), node);
  }
  /* The optional input occupies its port. */
  m.inputs[2].one = m.dynamic[1][2];
  OK(Run(&m));
  OK(GeNodeGetInputSource(NodeOfHolder(m.out[0]), 3, &src, &port));
  assert_ptr_equal(src, node);
  assert_int_equal(port, 3);
  /* No elements at all. */
  m.inputs[1].many = NULL;
  m.inputs[1].many_count = 0;
  m.counts[0] = 0;
  OK(Run(&m));
  assert_int_equal(GeNodeInputCount(NodeOfHolder(m.out[0])), 2);
  assert_non_null(m.dynamic[1]);
}

static void DefaultsAreNotStored(void **state) {
  (void)state;
  Mix m;
  Init(&m);
  OK(Run(&m));
  GeNode *node = NodeOfHolder(m.out[0]);
  GeAttrData a;
  assert_int_equal(GeNodeAttrCount(node), 2); /* need, mode */
  OK(GeNodeGetAttr(node, "need", &a));
  assert_int_equal(a.i, 9);
  OK(GeNodeGetAttr(node, "mode", &a));
  assert_string_equal(a.s, "slow");
  REFUSED(GE_NOT_FOUND, "'scale'", GeNodeGetAttr(node, "scale", &a));
  m.attrs[1].value.f = 0.50000006;
  m.attrs[2].value.s = "fast";
  OK(Run(&m));
  node = NodeOfHolder(m.out[0]);
  assert_int_equal(GeNodeAttrCount(node), 2); /* need, scale: floats are told apart exactly */
  OK(GeNodeGetAttr(node, "scale", &a));
  assert_true((float)a.f == 0.50000006f);
}

/* Each list type equal to its default, and different from it. */
static void EveryTypeComparesWithItsDefault(void **state) {
  (void)state;
  static const int64_t ints[] = {1, 2}, ints2[] = {1, 3}, row[] = {4}, counts[] = {1};
  static const float floats[] = {0.1f, 1e-8f}, shown[] = {0.1f, 0.0f}, floats2[] = {0.1f, 0.5f};
  static const uint8_t bools[] = {1, 0}, bools2[] = {1, 1};
  static const int32_t types[] = {C_DT_INT8}, types2[] = {C_DT_BF16};
  static const char *const texts[] = {"a", "b"}, *const texts2[] = {"a", "c"};
  static const int64_t *const rows[] = {row};
  static const int64_t row2[] = {5};
  static const int64_t *const rows2[] = {row2};
  static const GeIrAttr attrs[] = {
      {{.name = "i", .type = C_VT_INT, .i = 3}, 0, 0},
      {{.name = "b", .type = C_VT_BOOL, .i = 1}, 0, 0},
      {{.name = "t", .type = C_VT_DATA_TYPE, .i = C_DT_FLOAT}, 0, 0},
      {{.name = "li", .type = C_VT_LIST_INT, .list = ints, .count = 2}, 0, 0},
      {{.name = "lf", .type = C_VT_LIST_FLOAT, .list = floats, .count = 2}, 0, 0},
      {{.name = "lb", .type = C_VT_LIST_BOOL, .list = bools, .count = 2}, 0, 0},
      {{.name = "lt", .type = C_VT_LIST_DATA_TYPE, .list = types, .count = 1}, 0, 0},
      {{.name = "ls", .type = C_VT_LIST_STRING, .list = texts, .count = 2}, 0, 0},
      {{.name = "lli", .type = C_VT_LIST_LIST_INT, .list = rows, .count = 1, .inner_counts = counts}, 0, 0},
  };
  enum { kCount = sizeof attrs / sizeof attrs[0] };
  static const GeOpSchema schema = {
      sizeof(GeOpSchema), "TestTypes", NULL, NULL, kX, 1, kY, 1, attrs, kCount, NULL, 0, NULL, 0, NULL};
  GeEsAttr given[kCount];
  for (uint32_t i = 0; i < kCount; ++i) given[i] = (GeEsAttr){.ir_index = i, .value = attrs[i].value};
  /* What a generated header prints for a default of 1e-8. */
  given[4].value.list = shown;
  const GeEsInput input = {x, NULL, 0};
  const GeEsCall call = {
      .struct_size = sizeof call, .schema = &schema, .inputs = &input, .attrs = given, .attr_count = kCount};
  EsCTensorHolder *out = NULL;
  OK(GeEsAddNode(&call, &out, NULL));
  assert_int_equal(GeNodeAttrCount(NodeOfHolder(out)), 0);
  given[0].value.i = 4;
  given[1].value.i = 0;
  given[2].value.i = C_DT_INT8;
  given[3].value.list = ints2;
  given[4].value.list = floats2;
  given[5].value.list = bools2;
  given[6].value.list = types2;
  given[7].value.list = texts2;
  given[8].value.list = rows2;
  OK(GeEsAddNode(&call, &out, NULL));
  assert_int_equal(GeNodeAttrCount(NodeOfHolder(out)), kCount);
  GeAttrData a;
  OK(GeNodeGetAttr(NodeOfHolder(out), "lli", &a));
  assert_int_equal(((const int64_t *const *)a.list)[0][0], 5);
  OK(GeNodeGetAttr(NodeOfHolder(out), "ls", &a));
  assert_string_equal(((const char *const *)a.list)[1], "c");
}

static void BadArguments(void **state) {
  (void)state;
  Mix m;
  GeGraph *graph = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  char *before = GraphText(graph);
#define SPOILED(code, text, spoil) \
  do {                             \
    Init(&m);                      \
    spoil;                         \
    REFUSED(code, text, Run(&m));  \
  } while (0)
  SPOILED(GE_PARAM_INVALID, "operator TestMix: input 'a' is null", m.inputs[0].one = NULL);
  SPOILED(GE_PARAM_INVALID, "element 1 of input 'v' is null", m.many[1] = NULL);
  SPOILED(GE_PARAM_INVALID, "input 'v' is null but has 2 elements", m.inputs[1].many = NULL);
  SPOILED(GE_PARAM_INVALID, "input 'v' has -1 elements", m.inputs[1].many_count = -1);
  SPOILED(GE_PARAM_INVALID, "input 'v' has 4294967297 elements", m.inputs[1].many_count = 4294967297);
  SPOILED(GE_PARAM_INVALID, "output 'z' has -1 elements", m.counts[0] = -1);
  SPOILED(GE_PARAM_INVALID, "inputs is null", m.call.inputs = NULL);
  SPOILED(GE_PARAM_INVALID, "output_counts is null", m.call.output_counts = NULL);
  SPOILED(GE_PARAM_INVALID, "attrs is null", m.call.attrs = NULL);
  SPOILED(GE_PARAM_INVALID, "required attribute 'need' is missing", m.attrs[0].ir_index = 1;
          m.attrs[0].value = m.attrs[1].value);
  SPOILED(GE_PARAM_INVALID, "attribute index 3", m.attrs[0].ir_index = 3);
  SPOILED(GE_PARAM_INVALID, "attribute 'need' has type 3, expected 4", m.attrs[0].value.type = C_VT_BOOL);
  SPOILED(GE_PARAM_INVALID, "attribute 'mode': attribute text is null", m.attrs[2].value.s = NULL);
#undef SPOILED
  Init(&m);
  m.call.struct_size = 8; /* nothing else of the struct is read then, so the outputs stay as they are */
  REFUSED(GE_ABI_MISMATCH, "struct_size is 8", GeEsAddNode(&m.call, m.out, m.dynamic));
  Init(&m);
  REFUSED(GE_PARAM_INVALID, "call is null", GeEsAddNode(NULL, m.out, m.dynamic));
  REFUSED(GE_PARAM_INVALID, "holders is null", GeEsAddNode(&m.call, NULL, m.dynamic));
  REFUSED(GE_PARAM_INVALID, "dynamic is null", GeEsAddNode(&m.call, m.out, NULL));
  m.call.schema = NULL;
  REFUSED(GE_PARAM_INVALID, "schema is null", GeEsAddNode(&m.call, m.out, m.dynamic));

  EsCGraphBuilder *other = EsCreateGraphBuilder("other");
  EsCTensorHolder *foreign = EsCreateGraphInput(other, 0);
  Init(&m);
  m.many[1] = foreign;
  REFUSED(GE_PARAM_INVALID, "element 1 of input 'v' belongs to another graph builder", Run(&m));

  char *after = GraphText(graph);
  assert_string_equal(before, after);
  /* The inputs say which graph it is; the owner builder counts only where there is none. */
  Init(&m);
  m.call.builder = other;
  OK(Run(&m));
  assert_ptr_equal(EsGetOwnerBuilder(m.out[0]), b);
  EsDestroyGraphBuilder(other);
  free(before);
  free(after);
  GeGraphDestroy(graph);
}

static void OwnerBuilder(void **state) {
  (void)state;
  static const GeIrPort optional[] = {{"o", GE_IR_OPTIONAL, 0, "T"}};
  static const GeOpSchema schema = {
      sizeof(GeOpSchema), "TestOptional", NULL, NULL, optional, 1, kY, 1, NULL, 0, NULL, 0, NULL, 0, NULL};
  GeEsInput input = {NULL, NULL, 0};
  GeEsCall call = {.struct_size = sizeof call, .schema = &schema, .inputs = &input};
  EsCTensorHolder *out = NULL;
  REFUSED(GE_PARAM_INVALID, "no input and no owner builder", GeEsAddNode(&call, &out, NULL));
  call.builder = b;
  OK(GeEsAddNode(&call, &out, NULL));
  call.builder = NULL;
  input.one = x;
  OK(GeEsAddNode(&call, &out, NULL));
  assert_ptr_equal(EsGetOwnerBuilder(out), b);
}

static void OperatorWithoutOutputs(void **state) {
  (void)state;
  const GeEsInput input = {x, NULL, 0};
  const GeEsCall call = {.struct_size = sizeof call, .schema = &kTestSink, .inputs = &input};
  EsCTensorHolder *sink = NULL;
  OK(GeEsAddNode(&call, &sink, NULL));
  assert_int_equal(GeEsHolderIndex(sink), -1);
  assert_string_equal(GeNodeName(NodeOfHolder(sink)), "TestSink_0");
  REFUSED(GE_PARAM_INVALID, "has no outputs", EsSetGraphOutput(sink, 0));
  REFUSED(GE_PARAM_INVALID, "has no outputs", EsSetDataType(sink, C_DT_FLOAT));
  const GeEsInput from_sink = {sink, NULL, 0};
  const GeEsCall next = {.struct_size = sizeof next, .schema = &kTestUnary, .inputs = &from_sink};
  EsCTensorHolder *out = NULL;
  REFUSED(GE_PARAM_INVALID, "which has no outputs", GeEsAddNode(&next, &out, NULL));
  /* It can still be ordered. */
  assert_int_equal(EsAddControlEdge(x, &sink, 1), 0);
}

static void TensorAttributes(void **state) {
  (void)state;
  static const GeIrAttr value[] = {{{.name = "value", .type = C_VT_TENSOR}, 0, 0}};
  static const GeOpSchema schema = {
      sizeof(GeOpSchema), "TestTensor", NULL, NULL, NULL, 0, kY, 1, value, 1, NULL, 0, NULL, 0, NULL};
  const float data[] = {1, 2};
  int64_t dims[] = {2};
  EsCTensor *tensor = EsCreateEsCTensor(data, dims, 1, C_DT_FLOAT, C_FORMAT_ND);
  GeEsAttr attr = {.ir_index = 0, .value = {.type = C_VT_TENSOR}, .tensor = tensor};
  const GeEsCall call = {.struct_size = sizeof call, .schema = &schema, .builder = b, .attrs = &attr, .attr_count = 1};
  EsCTensorHolder *out = NULL;
  OK(GeEsAddNode(&call, &out, NULL));
  GeAttrData a;
  OK(GeNodeGetAttr(NodeOfHolder(out), "value", &a));
  assert_memory_equal(a.tensor->data, data, 8);
  attr.tensor = NULL;
  REFUSED(GE_PARAM_INVALID, "attribute 'value': tensor is null", GeEsAddNode(&call, &out, NULL));
  assert_null(out);
}

/* What a builder took over is refused a second time, by it and by others, and stays the builder's. */
static void ConsumedTensorsAreRefused(void **state) {
  (void)state;
  static const GeIrAttr value[] = {{{.name = "value", .type = C_VT_TENSOR}, 0, 0}};
  static const GeOpSchema schema = {
      sizeof(GeOpSchema), "TestTensor", NULL, NULL, NULL, 0, kY, 1, value, 1, NULL, 0, NULL, 0, NULL};
  const float data[] = {1, 2};
  const int64_t dims[] = {2};
  EsCGraphBuilder *other = EsCreateGraphBuilder("other");
  GeEsAttr attr = {.value = {.type = C_VT_TENSOR}, .tensor = EsCreateEsCTensor(data, dims, 1, C_DT_FLOAT, C_FORMAT_ND)};
  GeEsCall call = {.struct_size = sizeof call, .schema = &schema, .builder = NULL, .attrs = &attr, .attr_count = 1};
  EsCTensorHolder *out = NULL;
  /* A call that fails takes nothing over. */
  REFUSED(GE_PARAM_INVALID, "no owner builder", GeEsAddNode(&call, &out, NULL));
  call.builder = b;
  OK(GeEsAddNode(&call, &out, NULL));
  REFUSED(GE_BAD_STATE, "attribute 'value': tensor was handed over to a builder before",
          GeEsAddNode(&call, &out, NULL));
  call.builder = other;
  REFUSED(GE_BAD_STATE, "handed over to a builder before", GeEsAddNode(&call, &out, NULL));
  GeClearLastError();
  GeEsTensorDestroy(attr.tensor);
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  EsDestroyGraphBuilder(other);
}

/* ---- subgraphs ---- */

/* A graph with `outputs` outputs that all show Data 0; data indexes as given. */
static EsCGraph *Body(const char *name, int inputs, int outputs) {
  EsCGraphBuilder *body = EsCreateGraphBuilder(name);
  EsCTensorHolder *first = NULL;
  for (int i = 0; i < inputs; ++i) {
    EsCTensorHolder *in = EsCreateGraphInput(body, i);
    if (!first) first = in;
  }
  for (int i = 0; i < outputs; ++i) assert_int_equal(EsSetGraphOutput(first, i), 0);
  EsCGraph *graph = EsBuildGraphAndReset(body);
  EsDestroyGraphBuilder(body);
  assert_non_null(graph);
  return graph;
}

typedef struct Call {
  GeEsInput inputs[3];
  EsCTensorHolder *many[2];
  int64_t counts[1];
  EsCGraph *cases[2];
  GeEsGraph graphs[2];
  GeEsCall call;
  EsCTensorHolder *out[2];
  EsCTensorHolder **dynamic[2];
} Call;

static void InitCall(Call *c, const GeOpSchema *schema) {
  memset(c, 0, sizeof *c);
  c->many[0] = c->many[1] = x;
  c->inputs[0].one = x;
  c->inputs[1].many = c->many;
  c->inputs[1].many_count = 2;
  c->counts[0] = 1;
  c->call = (GeEsCall){.struct_size = sizeof(GeEsCall),
                       .schema = schema,
                       .inputs = c->inputs,
                       .output_counts = c->counts,
                       .graphs = c->graphs};
}

static void SubgraphsAreAttached(void **state) {
  (void)state;
  Call c;
  InitCall(&c, &kTestCall);
  c.graphs[0].one = Body("body", 2, 1);
  c.cases[0] = Body("first", 1, 1);
  c.cases[1] = Body("second", 2, 1);
  c.graphs[1].many = c.cases;
  c.graphs[1].many_count = 2;
  OK(GeEsAddNode(&c.call, c.out, c.dynamic));
  GeNode *node = NodeOfHolder(c.out[0]);
  const char *want[][2] = {{"body", "body"}, {"cases0", "first"}, {"cases1", "second"}};
  assert_int_equal(GeNodeSubgraphCount(node), 3);
  for (size_t i = 0; i < 3; ++i) {
    const char *ir = NULL, *name = NULL;
    OK(GeNodeGetSubgraphName(node, i, &ir, &name));
    assert_string_equal(ir, want[i][0]);
    assert_string_equal(name, want[i][1]);
  }
  GeGraph *graph = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  assert_int_equal(GeGraphSubgraphCount(graph), 3);
  GeGraphDestroy(graph);
}

static void ConsumedSubgraphsAreRefused(void **state) {
  (void)state;
  Call c;
  InitCall(&c, &kTestCall);
  EsCGraph *body = c.graphs[0].one = Body("body", 2, 1);
  OK(GeEsAddNode(&c.call, c.out, c.dynamic));
  InitCall(&c, &kTestCall);
  c.graphs[0].one = body;
  REFUSED(GE_BAD_STATE, "subgraph 'body' (graph 'body') was handed over to a builder before",
          GeEsAddNode(&c.call, c.out, c.dynamic));
  GeClearLastError();
  GeEsGraphDestroy(body);
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  /* It can still be read. */
  GeGraph *graph = NULL;
  OK(GeEsGraphRetainGraph(body, &graph));
  assert_string_equal(GeGraphName(graph), "body");
  GeGraphDestroy(graph);
}
static void SubgraphChecks(void **state) {
  (void)state;
  Call c;
  GeGraph *graph = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  char *before = GraphText(graph);
  struct {
    EsCGraph *body;
    GeStatus code;
    const char *text;
  } cases[] = {
      {Body("body", 2, 2), GE_GRAPH_INVALID, "subgraph 'body' (graph 'body'): it has 2 outputs, the operator has 1"},
      {Body("body", 3, 1), GE_GRAPH_INVALID, "Data index 2 is out of range, the operator passes 2 inputs"},
      {NULL, GE_PARAM_INVALID, "subgraph 'body' is null"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    InitCall(&c, &kTestCall);
    c.graphs[0].one = cases[i].body;
    REFUSED(cases[i].code, cases[i].text, GeEsAddNode(&c.call, c.out, c.dynamic));
    /* Not taken over: still ours. */
    GeEsGraphDestroy(cases[i].body);
  }
  /* Without NetOutput, with an index twice, and without one. */
  GeGraph *raw = NULL;
  OK(GeGraphCreate("raw", &raw));
  EsCGraph *box = NULL;
  OK(GeEsGraphCreate(raw, &box));
  InitCall(&c, &kTestCall);
  c.graphs[0].one = box;
  REFUSED(GE_GRAPH_INVALID, "it has 0 NetOutput nodes", GeEsAddNode(&c.call, c.out, c.dynamic));
  GeNode *d0 = AddNode(raw, &kTestData, "d0", -1, -1);
  REFUSED(GE_GRAPH_INVALID, "Data 'd0' has no integer attribute 'index'", GeEsAddNode(&c.call, c.out, c.dynamic));
  GeAttrData zero = {.name = "index", .type = C_VT_INT};
  OK(GeNodeSetAttr(d0, &zero));
  OK(GeNodeSetAttr(AddNode(raw, &kTestData, "d1", -1, -1), &zero));
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "NetOutput", .name = "net", .schema = NULL};
  int32_t one = 1;
  spec.input_counts = &one;
  spec.input_counts_size = 1;
  GeNode *net = NULL;
  OK(GeGraphAddNode(raw, &spec, &net));
  REFUSED(GE_GRAPH_INVALID, "Data index 0 occurs twice", GeEsAddNode(&c.call, c.out, c.dynamic));
  GeGraphDestroy(raw);
  GeEsGraphDestroy(box);

  InitCall(&c, &kTestCall);
  c.graphs[0].one = Body("same", 1, 1);
  c.cases[0] = c.graphs[0].one;
  c.graphs[1].many = c.cases;
  c.graphs[1].many_count = 1;
  REFUSED(GE_PARAM_INVALID, "passed twice", GeEsAddNode(&c.call, c.out, c.dynamic));
  GeEsGraphDestroy(c.graphs[0].one);
  c.call.graphs = NULL;
  REFUSED(GE_PARAM_INVALID, "graphs is null", GeEsAddNode(&c.call, c.out, c.dynamic));
  char *after = GraphText(graph);
  assert_string_equal(before, after);
  free(before);
  free(after);
  GeGraphDestroy(graph);
}

static void WhileConditionHasItsOwnCount(void **state) {
  (void)state;
  const GeOpSchema *schema = NULL;
  OK(GeOpFind("While", &schema));
  EsCTensorHolder *vars[] = {x, x};
  const GeEsInput input = {NULL, vars, 2};
  const int64_t counts[] = {2};
  GeEsGraph graphs[] = {{.one = Body("cond", 2, 1)}, {.one = Body("body", 2, 1)}};
  GeEsCall call = {
      .struct_size = sizeof call, .schema = schema, .inputs = &input, .output_counts = counts, .graphs = graphs};
  EsCTensorHolder *out = NULL, **dynamic = NULL;
  REFUSED(GE_GRAPH_INVALID, "subgraph 'body'", GeEsAddNode(&call, &out, &dynamic));
  GeEsGraphDestroy(graphs[1].one);
  graphs[1].one = Body("body", 2, 2);
  OK(GeEsAddNode(&call, &out, &dynamic));
  assert_int_equal(GeEsHolderIndex(dynamic[1]), 1);
}

/* The node is made, the build fails: as GE has it. */
static void RepeatedSubgraphNamesFailTheBuild(void **state) {
  (void)state;
  Call c;
  InitCall(&c, &kTestCall);
  c.graphs[0].one = Body("same", 1, 1);
  c.cases[0] = Body("same", 1, 1);
  c.graphs[1].many = c.cases;
  c.graphs[1].many_count = 1;
  OK(GeEsAddNode(&c.call, c.out, c.dynamic));
  assert_non_null(c.out[0]);
  EsSetGraphOutput(c.out[0], 0);
  GeClearLastError();
  assert_null(EsBuildGraphAndReset(b));
  assert_int_equal(GeLastErrorCode(), GE_GRAPH_INVALID);
  assert_non_null(strstr(GeLastErrorMessage(),
                         "E18888: EsBuildGraphAndReset: graph 'g': TestCall 'TestCall_0': subgraph 'cases0': the name "
                         "'same' is taken"));
  /* It stays so. */
  assert_null(EsBuildGraphAndReset(b));
}

static void NestedSubgraphsMoveToTheRoot(void **state) {
  (void)state;
  EsCGraphBuilder *outer = b;
  EsCTensorHolder *outer_x = x;
  /* A body that itself calls a body. */
  b = EsCreateGraphBuilder("middle");
  x = EsCreateGraphInput(b, 0);
  Call c;
  InitCall(&c, &kTestCall);
  c.graphs[0].one = Body("innermost", 1, 1);
  OK(GeEsAddNode(&c.call, c.out, c.dynamic));
  assert_int_equal(EsSetGraphOutput(c.out[0], 0), 0);
  EsCGraph *middle = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  b = outer;
  x = outer_x;
  InitCall(&c, &kTestCall);
  c.graphs[0].one = middle;
  OK(GeEsAddNode(&c.call, c.out, c.dynamic));
  assert_int_equal(EsSetGraphOutput(c.out[0], 0), 0);
  EsCGraph *box = EsBuildGraphAndReset(b);
  GeGraph *root = NULL, *found = NULL;
  OK(GeEsGraphRetainGraph(box, &root));
  assert_int_equal(GeGraphSubgraphCount(root), 2);
  OK(GeGraphRetainSubgraphByName(root, "innermost", &found));
  OK(GeGraphVerify(root));
  GeGraphDestroy(found);
  GeGraphDestroy(root);
  GeEsGraphDestroy(box);
}

/* Generated wrappers say Tensor() by a null pointer, the registry by an empty tensor: one prototype. */
static void NullTensorDefaultIsTheRegisteredOne(void **state) {
  (void)state;
  const GeOpSchema *registered = NULL;
  OK(GeOpFind("Const", &registered));
  assert_int_equal(registered->attr_count, 1);
  GeIrAttr attr = registered->attrs[0];
  attr.value.tensor = NULL;
  GeOpSchema written = *registered;
  written.attrs = &attr;
  GeGraph *graph = NULL;
  GeNode *first = NULL, *second = NULL;
  OK(GeGraphCreate("g", &graph));
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "Const", .schema = registered};
  OK(GeGraphAddNode(graph, &spec, &first));
  spec.schema = &written;
  OK(GeGraphAddNode(graph, &spec, &second));
  assert_ptr_equal(GeNodeSchema(first), GeNodeSchema(second));
  GeGraphDestroy(graph);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
#define TEST(name) cmocka_unit_test_setup_teardown(name, SetUp, TearDown)
  const struct CMUnitTest tests[] = {
      TEST(PortsAndHolders),
      TEST(DefaultsAreNotStored),
      TEST(EveryTypeComparesWithItsDefault),
      TEST(BadArguments),
      TEST(OwnerBuilder),
      TEST(OperatorWithoutOutputs),
      TEST(TensorAttributes),
      TEST(SubgraphsAreAttached),
      TEST(ConsumedTensorsAreRefused),
      TEST(ConsumedSubgraphsAreRefused),
      TEST(SubgraphChecks),
      TEST(RepeatedSubgraphNamesFailTheBuild),
      TEST(WhileConditionHasItsOwnCount),
      TEST(NestedSubgraphsMoveToTheRoot),
      TEST(NullTensorDefaultIsTheRegisteredOne),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
