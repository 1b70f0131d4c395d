/* Plug-ins: structs that the library hands to callbacks, and those that callbacks fill. */
#include "tests/abi/struct_consumer.h"
#include "tests/capi/small_models.h"

/* ---- an operator of two inputs whose output is a copy of the second; its size is known when it runs ---- */

CASE(GeInferContext)
CASE(GeInferDetails)
static GeStatus Infer(const GeInferContext *context) {
  FILLED_BY_LIBRARY(GeInferContext, context);
  FILLED_BY_LIBRARY(GeOpDesc, context->op);
  if (context->details) {
    FILLED_BY_LIBRARY(GeInferDetails, context->details);
    assert_int_equal(context->details->input_format(context->details, 0), C_FORMAT_ND);
  }
  context->outputs[0].rank = 1;
  context->outputs[0].dims[0] = GE_UNKNOWN_DIM;
  return GE_SUCCESS;
}
static const GeOpSchema kCopy = {.struct_size = sizeof(GeOpSchema),
                                 .type = "GrownCopy",
                                 .inputs = kX1X2,
                                 .input_count = 2,
                                 .outputs = kY,
                                 .output_count = 1};

/* What create_kernel says of the kernel that it filled. */
static enum { USUAL, SHORT, LONG, TOO_LONG, ADDED_SET, SIZE_LEFT_ALONE, FLAG_UNKNOWN } kernel_is;

CASE(GeEngineHost)
static GeStatus Open(const GeEngineHost *host, const char *path, const char *options, void **engine) {
  FILLED_BY_LIBRARY(GeEngineHost, host);
  *engine = (void *)host;
  return path && options ? GE_SUCCESS : GE_FAILED;
}
CASE(GeOpDesc)
static GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  FILLED_BY_LIBRARY(GeOpDesc, op);
  if (strcmp(op->type, kCopy.type) == 0) return GE_SUCCESS;
  snprintf(reason, capacity, "only %s", kCopy.type);
  return GE_UNSUPPORTED;
}
CASE(GeKernelArgs)
CASE(GeKernelAllocator)
static GeStatus Run(void *state, const GeKernelArgs *args) {
  (void)state;
  FILLED_BY_LIBRARY(GeKernelArgs, args);
  FILLED_BY_LIBRARY(GeKernelAllocator, args->allocator);
  memcpy(args->allocator->allocate(args->allocator->host, 0, 8), args->inputs[1], 8);
  ((int64_t *)args->workspace)[0] = 1;
  ((int64_t *)args->workspace)[1] = 2;
  return GE_SUCCESS;
}
CASE(GeKernelEnv)
CASE(GeKernel)
static GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  FILLED_BY_LIBRARY(GeEngineHost, (const GeEngineHost *)engine);
  FILLED_BY_LIBRARY(GeOpDesc, op);
  FILLED_BY_LIBRARY(GeKernelEnv, env);
  FILLED_BY_LIBRARY(GeKernel, out);
  if (kernel_is != SIZE_LEFT_ALONE) out->struct_size = sizeof *out;
  out->run = Run;
  out->workspace_bytes = 64;
  out->flags = GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_ALLOCATES_OUTPUTS;
  if (kernel_is == SHORT) out->struct_size = 16;
  if (kernel_is == LONG) out->struct_size += 64;
  if (kernel_is == TOO_LONG) out->struct_size = 4096;
  if (kernel_is == ADDED_SET) SET_ADDED(*out, 1);
  if (kernel_is == FLAG_UNKNOWN) out->flags |= 1u << 30;
  return GE_SUCCESS;
}
CASE(GeGraphView)
CASE(GeClaims)
CASE(GeRegion)
static int claims_seen, regions_seen;
#ifndef GE_TEST_ABI_1
static GeStatus Claim(void *engine, const GeGraphView *graph, const GeClaims *claims) {
  (void)engine;
  ++claims_seen;
  FILLED_BY_LIBRARY(GeGraphView, graph);
  FILLED_BY_LIBRARY(GeClaims, claims);
  for (int32_t i = 0; i < (int32_t)graph->node_count; ++i) {
    FILLED_BY_LIBRARY(GeOpDesc, graph->nodes[i]);
    if (strcmp(graph->nodes[i]->type, "Neg") == 0) OK(claims->take(claims->host, &i, 1));
  }
  return GE_SUCCESS;
}
static GeStatus CreateRegion(void *engine, const GeRegion *region, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  ++regions_seen;
  FILLED_BY_LIBRARY(GeRegion, region);
  FILLED_BY_LIBRARY(GeGraphView, region->graph);
  FILLED_BY_LIBRARY(GeKernel, out);
  return (env->fail)(GE_UNSUPPORTED, "only looking");
}
#endif
static GeEngineTable NewTable(void) {
  GeEngineTable table = {.abi_version = GE_ENGINE_ABI_VERSION,
                         .struct_size = sizeof table,
                         .name = "GrownEngine",
                         .open = Open,
                         .check = Check,
                         .create_kernel = CreateKernel};
#ifndef GE_TEST_ABI_1
  table.claim = Claim;
  table.create_region = CreateRegion;
#endif
  return table;
}

CASE(GeEngineTable)
CASE(GeEngineInfo)
CASE(GeMachineRates)
static void Engines(void **state) {
  (void)state;
  GeEngineTable table = NewTable();
  SIZE_IS_READ(GeEngineTable, table, GeEngineRegister(&table, NULL));
  table.flags = 1u << 30;
  REFUSED(GE_ABI_MISMATCH, "flags 1073741824", GeEngineRegister(&table, NULL));
  table.flags = 0;
  SET_ADDED(table, 1); /* offered, not asked for */
  OK(GeEngineRegister(&table, NULL));
  GeEngineInfo info = {.struct_size = sizeof info};
  FILLED_AS_FAR_AS_IT_FITS(GeEngineInfo, info, GeEngineAt(0, &info));
  assert_non_null(info.name);
  GeMachineRates rates = {.struct_size = sizeof rates};
  FILLED_AS_FAR_AS_IT_FITS(GeMachineRates, rates, GeMeasureMachine(1, &rates));
  OK(GeOpRegister(&kCopy, Infer));
  GeOpDesc op = {.struct_size = sizeof op, .type = kCopy.type, .name = "by hand"};
  GATE(GeOpDesc, op, GeEngineCheck("GrownEngine", &op));
  OK(GeEngineCheck("GrownEngine", &op));
}

CASE(GeMemorySpace)
#ifndef GE_TEST_ABI_1
static GeStatus Allocate(void *engine, uint64_t bytes, void **memory) {
  (void)engine, (void)bytes, (void)memory;
  return GE_OUT_OF_MEMORY;
}
static void Release(void *engine, void *memory) { (void)engine, (void)memory; }
static GeStatus Copy(void *engine, void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) {
  (void)engine, (void)stream, (void)to, (void)from, (void)bytes, (void)direction;
  return GE_FAILED;
}
#endif
static void Memory(void **state) {
  (void)state;
#ifndef GE_TEST_ABI_1
  GeMemorySpace space = {.struct_size = sizeof space,
                         .name = "grown",
                         .alignment = 64,
                         .allocate = Allocate,
                         .release = Release,
                         .copy = Copy};
  GeEngineTable table = NewTable();
  table.name = "EngineWithMemory";
  table.memory = &space;
  SIZE_IS_READ(GeMemorySpace, space, GeEngineRegister(&table, NULL));
  SET_ADDED(space, 1); /* offered, not asked for */
  OK(GeEngineRegister(&table, NULL));
  OK(GeEngineUnload("EngineWithMemory"));
#endif
}

/* ---- a graph with it ---- */

static const int64_t kTwo[] = {2};
static GeTensorData TwoFloats(float *values) {
  return (GeTensorData){.data_type = C_DT_FLOAT,
                        .format = C_FORMAT_ND,
                        .origin_format = C_FORMAT_ND,
                        .rank = 1,
                        .origin_rank = 1,
                        .dims = kTwo,
                        .origin_dims = kTwo,
                        .data = values,
                        .size = values ? 8 : 0};
}
static GeNode *Input(GeGraph *graph, int64_t index) {
  GeNode *node = AddNode(graph, &kTestData, index ? "x2" : "x1", -1, -1);
  const GeAttrData number = {.name = "index", .type = C_VT_INT, .i = index};
  OK(GeNodeSetAttr(node, &number));
  const GeTensorData desc = TwoFloats(NULL);
  OK(GeNodeSetOutputDesc(node, 0, &desc));
  return node;
}
static GeGraph *Net(const GeOpSchema *schema, GeNode **made) {
  GeGraph *graph = NULL;
  OK(GeGraphCreate("grown", &graph));
  GeNode *x1 = Input(graph, 0), *x2 = Input(graph, 1);
  const int dynamic = schema->inputs[0].kind == GE_IR_DYNAMIC;
  *made = AddNode(graph, schema, "copy", dynamic ? 2 : -1, dynamic ? 1 : -1);
  OK(GeGraphAddDataEdge(graph, x1, 0, *made, 0));
  OK(GeGraphAddDataEdge(graph, x2, 0, *made, 1));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(graph, made, &port, 1));
  return graph;
}
static GeStatus CompileAndRun(const GeGraph *graph, GeModel **model) {
  *model = NULL;
  GeStatus status = GeCompile(graph, NULL, model);
  if (status != GE_SUCCESS) return status;
  GeRunContext *context = NULL;
  OK(GeRunContextCreate(*model, &context));
  float one[] = {1, 2}, other[] = {3, 4}, result[2] = {0, 0};
  const GeTensorData inputs[] = {TwoFloats(one), TwoFloats(other)};
  GeTensorData output = {.data = result, .size = sizeof result};
  GeTensorData asks = inputs[0];
  asks.reserved = 5;
  const GeTensorData wrong[] = {asks, inputs[1]};
  if (kernel_is == USUAL)
    REFUSED(GE_DATA_MISMATCH, "has a reserved member that is not 0: 5", GeRun(context, wrong, 2, &output, 1));
  status = GeRun(context, inputs, 2, &output, 1);
  if (status == GE_SUCCESS) assert_memory_equal(result, other, sizeof other);
  if (kernel_is == USUAL) /* also where the plan was run before */
    REFUSED(GE_DATA_MISMATCH, "has a reserved member that is not 0: 5", GeRun(context, wrong, 2, &output, 1));
  GeRunContextDestroy(context);
  return status;
}

CASE(GePlacement)
CASE(GeModelMemory)
static void Kernels(void **state) {
  (void)state;
  GeNode *node;
  GeGraph *graph = Net(&kCopy, &node);
  GeModel *model = NULL;
  kernel_is = SHORT;
  REFUSED(GE_ABI_MISMATCH, "GeKernel.struct_size is 16, the least is ", CompileAndRun(graph, &model));
  GeModelDestroy(model);
  kernel_is = TOO_LONG;
  REFUSED(GE_ABI_MISMATCH, "GeKernel.struct_size is 4096, at most ", CompileAndRun(graph, &model));
  GeModelDestroy(model);
  kernel_is = FLAG_UNKNOWN;
  REFUSED(GE_ABI_MISMATCH, "made a kernel with flags ", CompileAndRun(graph, &model));
  GeModelDestroy(model);
#ifdef GE_TEST_LONGER
  kernel_is = ADDED_SET;
  REFUSED(GE_ABI_MISMATCH, "GeKernel has ", CompileAndRun(graph, &model));
  GeModelDestroy(model);
#endif
  kernel_is = SIZE_LEFT_ALONE;
  OK(CompileAndRun(graph, &model));
  GeModelDestroy(model);
  kernel_is = LONG; /* with zeros behind what the library knows */
  OK(CompileAndRun(graph, &model));
  GeModelDestroy(model);
  kernel_is = USUAL;
  OK(CompileAndRun(graph, &model));
  GePlacement place = {.struct_size = sizeof place};
  assert_int_not_equal(GeModelPlacementCount(model), 0);
  FILLED_AS_FAR_AS_IT_FITS(GePlacement, place, GeModelGetPlacement(model, 0, &place));
  assert_string_equal(place.engine, "GrownEngine");
  GeModelMemory memory = {.struct_size = sizeof memory};
  FILLED_AS_FAR_AS_IT_FITS(GeModelMemory, memory, GeModelGetMemory(model, &memory));
  GeModelDestroy(model);
  GeGraphDestroy(graph);
}

CASE(GeStateOptions)
static void Regions(void **state) {
  (void)state;
  const GeOpSchema *schema = NULL;
  OK(GeOpFind("Neg", &schema));
  GeGraph *graph = NULL;
  OK(GeGraphCreate("negative", &graph));
  GeNode *x = Input(graph, 0), *node = AddNode(graph, schema, "neg", -1, -1);
  OK(GeGraphAddDataEdge(graph, x, 0, node, 0));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(graph, &node, &port, 1));
  GeModel *model = NULL;
  claims_seen = regions_seen = 0;
  OK(GeCompile(graph, NULL, &model));
#ifdef GE_TEST_ABI_1
  const int asked = 0; /* the table ends before claim */
#else
  const int asked = 1;
#endif
  assert_int_equal(claims_seen, asked);
  assert_int_equal(regions_seen, asked);
  const char *input = NULL, *output = NULL;
  OK(GeModelGetInput(model, 0, &input, NULL));
  OK(GeModelGetOutput(model, 0, &output, NULL));
  GeStateOptions options = {.struct_size = sizeof options, .axis = -1};
  GeState *kept = NULL;
  GATE(GeStateOptions, options, GeStateCreate(model, &input, &output, 1, &options, &kept));
  OK(GeStateCreate(model, &input, &output, 1, &options, &kept));
  GeStateDestroy(kept);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
}

/* ---- a kernel for all sizes is asked for when the second size comes ---- */

static int opens_seen;
static GeStatus CheckNeg(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  if (strcmp(op->type, "Neg") == 0) return GE_SUCCESS;
  snprintf(reason, capacity, "only Neg");
  return GE_UNSUPPORTED;
}
static GeStatus RunNeg(void *state, const GeKernelArgs *args) {
  for (intptr_t i = 0; i < (intptr_t)state; ++i) ((float *)args->outputs[0])[i] = -((const float *)args->inputs[0])[i];
  return GE_SUCCESS;
}
static GeStatus CreateNeg(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  (void)engine, (void)env;
  out->struct_size = sizeof *out;
  out->run = RunNeg;
  out->state = (void *)(intptr_t)op->inputs[0].dims[0];
  return GE_SUCCESS;
}
CASE(GeOpenExtents)
#ifndef GE_TEST_ABI_1
static GeStatus CreateOpenNeg(void *engine, const GeOpDesc *op, const GeOpenExtents *extents, const GeKernelEnv *env,
                              GeKernel *out) {
  (void)engine;
  ++opens_seen;
  FILLED_BY_LIBRARY(GeOpenExtents, extents);
  FILLED_BY_LIBRARY(GeOpDesc, op);
  FILLED_BY_LIBRARY(GeKernel, out);
  assert_int_equal(op->inputs[0].dims[0], GE_UNKNOWN_DIM);
  assert_int_equal(extents->inputs[0][0].low, 2);
  return (env->fail)(GE_UNSUPPORTED, "only looking");
}
#endif
static void OpenExtents(void **state) {
  (void)state;
  OK(GeEngineUnload("GrownEngine")); /* which takes regions, and then every size has a graph of its own */
  GeEngineTable table = {.abi_version = GE_ENGINE_ABI_VERSION,
                         .struct_size = sizeof table,
                         .name = "OpenEngine",
                         .check = CheckNeg,
                         .create_kernel = CreateNeg};
#ifndef GE_TEST_ABI_1
  table.create_open_kernel = CreateOpenNeg;
#endif
  OK(GeEngineRegister(&table, NULL));
  const GeOpSchema *schema = NULL;
  OK(GeOpFind("Neg", &schema));
  GeGraph *graph = NULL;
  OK(GeGraphCreate("open", &graph));
  GeNode *x = Input(graph, 0), *node = AddNode(graph, schema, "neg", -1, -1);
  const int64_t unknown[] = {GE_UNKNOWN_DIM};
  GeTensorData desc = TwoFloats(NULL);
  desc.dims = desc.origin_dims = unknown;
  OK(GeNodeSetOutputDesc(x, 0, &desc));
  OK(GeGraphAddDataEdge(graph, x, 0, node, 0));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(graph, &node, &port, 1));
  GeModel *model = NULL;
  OK(GeCompile(graph, NULL, &model));
  GeRunContext *context = NULL;
  OK(GeRunContextCreate(model, &context));
  float values[4] = {1, 2, 3, 4};
  opens_seen = 0;
  for (int64_t size = 2; size <= 4; ++size) {
    GeTensorData in = TwoFloats(values), out = {0};
    in.dims = in.origin_dims = &size;
    in.size = (uint64_t)size * sizeof values[0];
    OK(GeRun(context, &in, 1, &out, 1));
    for (int64_t i = 0; i < size; ++i) assert_true(((const float *)out.data)[i] == -values[i]);
  }
#ifdef GE_TEST_ABI_1
  assert_int_equal(opens_seen, 0); /* the table ends before it */
#else
  assert_int_equal(opens_seen, 1);
#endif
  GeRunContextDestroy(context);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  OK(GeEngineUnload("OpenEngine"));
}

/* ---- data flow: messages in arrays, whose elements are as long as these headers have them ---- */

static int processed;
CASE(GeFlowHost)
static int32_t Process(void *user, void *instance, const GeFlowHost *host, const GeFlowMessage *const *inputs,
                       size_t input_count) {
  (void)user;
  (void)instance;
  FILLED_BY_LIBRARY(GeFlowHost, host);
  for (size_t i = 0; i < input_count; ++i) FILLED_BY_LIBRARY(GeFlowMessage, inputs[i]);
  ++processed;
  return (int32_t)host->set_output(host->self, 0, inputs[input_count - 1]);
}
static const GeIrPort kMany[] = {{"x", GE_IR_DYNAMIC, 0, "T"}}, kManyOut[] = {{"y", GE_IR_DYNAMIC, 0, "T"}};
static const GeOpSchema kFlowNode = {.struct_size = sizeof(GeOpSchema),
                                     .type = "FlowNode",
                                     .inputs = kMany,
                                     .input_count = 1,
                                     .outputs = kManyOut,
                                     .output_count = 1};
CASE(GeFlowFunction)
CASE(GeFlowMessage)
static void Flows(void **state) {
  (void)state;
  GeFlowFunction function = {.struct_size = sizeof function, .name = "GrownFunction", .process = Process};
  uint64_t token = 0;
  GATE(GeFlowFunction, function, GeFlowFunctionRegister(&function, &token));
  function.reserved = 1;
  REFUSED(GE_PARAM_INVALID, "GeFlowFunction.reserved is 1, it must be 0", GeFlowFunctionRegister(&function, &token));
  function.reserved = 0;
  OK(GeFlowFunctionRegister(&function, &token));
  GeNode *node;
  GeGraph *graph = Net(&kFlowNode, &node);
  const char *points[] = {
      "{\"point\": {\"name\": \"GrownFunction\", \"type\": \"FUNCTION\"}, \"inputs\": [], \"outputs\": [], "
      "\"subgraphs\": []}"};
  const GeAttrData list = {.name = "_dflow_process_points", .type = C_VT_LIST_STRING, .list = points, .count = 1};
  OK(GeNodeSetAttr(node, &list));
  const GeAttrData is_flow = {.name = "_dflow_is_flow_graph", .type = C_VT_BOOL, .i = 1};
  OK(GeGraphSetAttr(graph, &is_flow));
  GeFlow *flow = NULL;
  OK(GeFlowCreate(graph, NULL, &flow));
  float one[] = {1, 2}, other[] = {3, 4};
  const GeTensorData data[] = {TwoFloats(one), TwoFloats(other)};
  GeFlowMessage messages[2] = {{.struct_size = sizeof messages[0]}, {.struct_size = sizeof messages[1]}};
  for (int i = 0; i < 2; ++i) OK(GeTensorCreate(&data[i], &messages[i].tensor));
  GATE(GeFlowMessage, messages[0], GeFlowFeed(flow, NULL, messages, 2, 0));
  messages[1].struct_size += 8;
  REFUSED(GE_ABI_MISMATCH, "GeFlowMessage 1 has struct_size ", GeFlowFeed(flow, NULL, messages, 2, 0));
  messages[1].struct_size -= 8;
  OK(GeFlowFeed(flow, NULL, messages, 2, -1));
  GeFlowMessage result = {.struct_size = sizeof result};
  FILLED_AS_FAR_AS_IT_FITS(GeFlowMessage, result, GeFlowFetch(flow, NULL, &result, 1, -1));
  GeTensorData out;
  OK(GeTensorGetData(result.tensor, &out));
  assert_memory_equal(out.data, other, sizeof other);
  assert_int_equal(processed, 1);
  for (int i = 0; i < 2; ++i) GeTensorDestroy(messages[i].tensor);
  GeTensorDestroy(result.tensor);
  GeFlowDestroy(flow);
  GeGraphDestroy(graph);
  GeFlowFunctionUnregister(token);
}

/* ---- front ends ---- */

static int parsed;
static GeStatus MakeRelu(GeGraph *graph, GeNode **made) {
  const GeNodeSpec spec = {.struct_size = sizeof spec, .type = "Relu", .name = "made"};
  ++parsed;
  return GeGraphAddNode(graph, &spec, made);
}
static GeStatus Parse(void *user, const GeFrontNode *node, GeGraph *graph, GeNode **made) {
  (void)user;
  FILLED_BY_LIBRARY(GeFrontNode, node);
  return MakeRelu(graph, made);
}
CASE(GeParserPlugin)
CASE(GeFrontNode)
static void ParserPlugins(void **state) {
  (void)state;
  static const unsigned char kModel[] = SMALL_ONNX;
  const char *keys[] = {"ai.onnx::13::Relu"};
  GeParserPlugin plugin = {.struct_size = sizeof plugin,
                           .framework = GE_FRAMEWORK_ONNX,
                           .type = "Relu",
                           .origin_types = keys,
                           .origin_type_count = 1,
                           .parse = Parse};
  uint64_t token = 0;
  GATE(GeParserPlugin, plugin, GeParserPluginRegister(&plugin, &token));
  OK(GeParserPluginRegister(&plugin, &token));
  GeGraph *graph = NULL;
  parsed = 0;
  OK(GeOnnxImportBuffer(kModel, sizeof kModel, NULL, NULL, NULL, &graph));
  assert_int_equal(parsed, 1);
  GeGraphDestroy(graph);
  GeParserPluginUnregister(token);
}

static GeStatus ReplaceRelu(void *user, const GeFrontNode *const *nodes, size_t node_count, GeGraph *graph,
                            GeStatus (*replace)(void *sink, const GeScopeFusion *fusion), void *sink) {
  (void)user;
  (void)graph;
  for (size_t i = 0; i < node_count; ++i) {
    FILLED_BY_LIBRARY(GeFrontNode, nodes[i]);
    if (strcmp(nodes[i]->origin_type, "Relu") != 0) continue;
    const char *input = "x:0";
    const GeScopeNode made = {.name = "fused", .type = "GrownFused", .inputs = &input, .input_count = 1};
    const GeScopeOutput output = {"y:0", "fused:0"};
    GeScopeFusion fusion = {.struct_size = sizeof fusion,
                            .name = "scope/",
                            .replaced = &nodes[i]->name,
                            .replaced_count = 1,
                            .nodes = &made,
                            .node_count = 1,
                            .outputs = &output,
                            .output_count = 1};
    GATE(GeScopeFusion, fusion, replace(sink, &fusion));
    OK(replace(sink, &fusion));
  }
  return GE_SUCCESS;
}
static GeStatus ParseFused(void *user, const char *name, const GeFrontNode *const *nodes, size_t node_count,
                           GeGraph *graph, GeNode **made) {
  (void)user;
  (void)name;
  for (size_t i = 0; i < node_count; ++i) FILLED_BY_LIBRARY(GeFrontNode, nodes[i]);
  return MakeRelu(graph, made);
}
CASE(GeScopePass)
CASE(GeScopeFusion)
CASE(GeFusionParser)
static void ScopeFusions(void **state) {
  (void)state;
  static const char kModel[] = SMALL_TENSORFLOW;
  const char *keys[] = {"GrownFused"};
  GeScopePass pass = {.struct_size = sizeof pass, .name = "GrownScope", .general = 1, .run = ReplaceRelu};
  GeFusionParser parser = {
      .struct_size = sizeof parser, .type = "Relu", .origin_types = keys, .origin_type_count = 1, .parse = ParseFused};
  uint64_t tokens[2];
  GATE(GeScopePass, pass, GeScopePassRegister(&pass, &tokens[0]));
  GATE(GeFusionParser, parser, GeFusionParserRegister(&parser, &tokens[1]));
  OK(GeScopePassRegister(&pass, &tokens[0]));
  OK(GeFusionParserRegister(&parser, &tokens[1]));
  GeGraph *graph = NULL;
  parsed = 0;
  OK(GeTensorFlowImportBuffer(kModel, sizeof kModel - 1, NULL, 0, NULL, NULL, &graph));
  assert_int_equal(parsed, 1);
  GeGraphDestroy(graph);
  for (int i = 0; i < 2; ++i) GeScopeFusionUnregister(tokens[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Engines),      cmocka_unit_test(Memory),      cmocka_unit_test(Kernels),
      cmocka_unit_test(Regions),      cmocka_unit_test(Flows),       cmocka_unit_test(ParserPlugins),
      cmocka_unit_test(ScopeFusions), cmocka_unit_test(OpenExtents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
