/* Programs that pass structs to the library: each gate takes what it knows of a longer or a shorter struct. */
#include "tests/abi/struct_consumer.h"

static GeGraph *NewGraph(void) {
  GeGraph *graph = NULL;
  OK(GeGraphCreate("grown", &graph));
  return graph;
}

CASE(GeOpSchema)
static void Schemas(void **state) {
  (void)state;
  GeOpSchema schema = kTestUnary;
  schema.type = "GrownSchema";
  GATE(GeOpSchema, schema, GeOpRegister(&schema, NULL));
  OK(GeOpRegister(&schema, NULL));
  OK(GeOpRegister(&schema, NULL)); /* the same again */
  const GeOpSchema *found = NULL;
  OK(GeOpFind("GrownSchema", &found));
  assert_int_equal(found->input_count, 1);
  FILLED_BY_LIBRARY(GeOpSchema, found);
}

CASE(GeOpTraits)
static void Traits(void **state) {
  (void)state;
  GeOpTraits traits = {.struct_size = sizeof traits, .flags = GE_TRAIT_PURE};
  GATE(GeOpTraits, traits, GeOpSetTraits("GrownTraits", &traits));
  OK(GeOpSetTraits("GrownTraits", &traits));
  const GeOpTraits *found = NULL;
  OK(GeOpFindTraits("GrownTraits", &found));
  assert_int_equal(found->flags, GE_TRAIT_PURE);
  FILLED_BY_LIBRARY(GeOpTraits, found);
}

CASE(GeNodeSpec)
static void NodeSpecs(void **state) {
  (void)state;
  GeGraph *graph = NewGraph();
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "TestUnary", .name = "a", .schema = &kTestUnary};
  GeNode *node = NULL;
  GATE(GeNodeSpec, spec, GeGraphAddNode(graph, &spec, &node));
  assert_int_equal(GeGraphNodeCount(graph), 0);
  OK(GeGraphAddNode(graph, &spec, &node));
  assert_string_equal(GeNodeName(node), "a");
  GeGraphDestroy(graph);
}

/* The same schema, one more time at another address, is the same operator. */
CASE(GeEsCall)
static void EsCalls(void **state) {
  (void)state;
  EsCGraphBuilder *builder = EsCreateGraphBuilder("grown");
  const GeEsInput input = {.one = EsCreateGraphInput(builder, 0)};
  GeOpSchema schema = kTestUnary;
  GeEsCall call = {.struct_size = sizeof call, .schema = &schema, .inputs = &input};
  EsCTensorHolder *made = NULL;
  GATE(GeEsCall, call, GeEsAddNode(&call, &made, NULL));
  GATE(GeOpSchema, schema, GeEsAddNode(&call, &made, NULL));
  for (int i = 0; i < 3; ++i) {
    OK(GeEsAddNode(&call, &made, NULL));
    assert_non_null(made);
  }
  ADDED_IS_REFUSED(GeOpSchema, schema, GeEsAddNode(&call, &made, NULL)); /* also once it is known */
  schema.brief = "another text"; /* at the same address: told apart by what it says */
  OK(GeEsAddNode(&call, &made, NULL));
  EsDestroyGraphBuilder(builder);
}

static GeStatus NothingToDo(void *user, GeGraph *graph) {
  (void)user;
  (void)graph;
  return GE_NOT_CHANGED;
}
CASE(GePassTable)
CASE(GePassInfo)
static void Passes(void **state) {
  (void)state;
  GePassTable table = {.struct_size = sizeof table, .name = "GrownPass", .level = 3, .run = NothingToDo};
  GATE(GePassTable, table, GePassRegister(&table));
  OK(GePassRegister(&table));
  GePassInfo info = {.struct_size = sizeof info};
  FILLED_AS_FAR_AS_IT_FITS(GePassInfo, info, GePassAt(0, &info));
  assert_non_null(info.name);
  OK(GePassUnregister("GrownPass"));
}

static GeStatus NothingToDoHere(void *user, void *instance, GeGraph *graph, GePassContext *context) {
  (void)user;
  (void)instance;
  (void)graph;
  (void)context;
  return GE_NOT_CHANGED;
}
CASE(GeCustomPassTable)
static void CustomPasses(void **state) {
  (void)state;
  GeCustomPassTable table = {
      .struct_size = sizeof table, .name = "GrownCustom", .kind = GE_PASS_FUSION, .run = NothingToDoHere};
  uint64_t token = 0;
  GATE(GeCustomPassTable, table, GeCustomPassRegister(&table, &token));
  OK(GeCustomPassRegister(&table, &token));
  assert_int_not_equal(token, 0);
  GeCustomPassUnregister(token);
}

static GeStatus NoMatch(void *user, GeMatch *match, GePassContext *context, GeGraph **out) {
  (void)user;
  (void)match;
  (void)context;
  (void)out;
  return GE_FAILED;
}
static GeStatus NoNode(void *user, GeNode *node, GePassContext *context, GeGraph **out) {
  (void)user;
  (void)node;
  (void)context;
  (void)out;
  return GE_FAILED;
}
CASE(GeFusionHooks)
CASE(GeDecomposeHooks)
CASE(GeRewriteOptions)
CASE(GeRefusal)
CASE(GeRewriteCounts)
static void Rewriting(void **state) {
  (void)state;
  GeGraph *graph = NewGraph();
  GeFusionHooks fusion = {.struct_size = sizeof fusion, .replace = NoMatch};
  GATE(GeFusionHooks, fusion, GeGraphFuse(graph, NULL, 0, 0, &fusion, NULL));
  REFUSED(GE_NOT_CHANGED, "", GeGraphFuse(graph, NULL, 0, 0, &fusion, NULL));
  GeDecomposeHooks decompose = {.struct_size = sizeof decompose, .replace = NoNode};
  GATE(GeDecomposeHooks, decompose, GeGraphDecompose(graph, NULL, 0, &decompose, NULL));
  REFUSED(GE_NOT_CHANGED, "", GeGraphDecompose(graph, NULL, 0, &decompose, NULL));
  GeRewriteOptions options = {.struct_size = sizeof options};
  GATE(GeRewriteOptions, options, GeGraphRewrite(graph, NULL, NULL, 0, &options, NULL, NULL, NULL));
  GeRewriteCounts counts = {.struct_size = sizeof counts};
  FILLED_AS_FAR_AS_IT_FITS(GeRewriteCounts, counts, GeGraphRewrite(graph, NULL, NULL, 0, NULL, NULL, NULL, &counts));
  GePassContext *context = NULL;
  OK(GePassContextCreate("ByHand", &context));
  GeRefusal refusal = {.struct_size = sizeof refusal, .expected = "more", .actual = "less"};
  GATE(GeRefusal, refusal, GePassContextRefuse(context, &refusal));
  OK(GePassContextRefuse(context, &refusal));
  GePassContextDestroy(context);
  GeGraphDestroy(graph);
}

static GeStatus NothingDone(void *user, GeGraph *graph, GePassContext *context) {
  (void)user;
  (void)graph;
  (void)context;
  return GE_NOT_CHANGED;
}
CASE(GePassFunction)
CASE(GeInstrumentTable)
CASE(GePassScopeParts)
CASE(GeConfigKey)
CASE(GeDiagnostic)
static void PassManager(void **state) {
  (void)state;
  GePass *pass = NULL;
  GePassFunction function = {.struct_size = sizeof function, .name = "Grown", .run = NothingDone};
  GATE(GePassFunction, function, GePassMake(&function, &pass));
  OK(GePassMake(&function, &pass));
  GePassDestroy(pass);
  GeInstrument *instrument = NULL;
  GeInstrumentTable table = {.struct_size = sizeof table, .name = "Grown"};
  GATE(GeInstrumentTable, table, GeInstrumentMake(&table, &instrument));
  OK(GeInstrumentMake(&table, &instrument));
  GePassScope *scope = NULL;
  GePassScopeParts parts = {.struct_size = sizeof parts, .level = 2, .collect_diagnostics = 1};
  parts.instruments = &instrument;
  parts.instrument_count = 1;
  GATE(GePassScopeParts, parts, GePassScopeCreate(&parts, &scope));
  OK(GePassScopeCreate(&parts, &scope));
  GeInstrumentDestroy(instrument);
  GeConfigKey key = {.struct_size = sizeof key};
  FILLED_AS_FAR_AS_IT_FITS(GeConfigKey, key, GeConfigKeyAt(0, &key));
  assert_non_null(key.name);
  OK(GePassScopeEnter(scope));
  OK(GePassScopeReport(GE_LOG_WARNING, "node", "a remark"));
  OK(GePassScopeExit(scope));
  GeDiagnostic remark = {.struct_size = sizeof remark};
  FILLED_AS_FAR_AS_IT_FITS(GeDiagnostic, remark, GePassScopeDiagnosticAt(scope, 0, &remark));
  assert_string_equal(remark.text, "a remark");
  GePassScopeDestroy(scope);
}

static void *Allocate(void *user, uint64_t size, void **block) {
  (void)user;
  (void)size;
  *block = NULL;
  return NULL;
}
static void Release(void *user, void *block) {
  (void)user;
  (void)block;
}
CASE(GeStreamAllocator)
CASE(GeStreamRun)
static void Sessions(void **state) {
  (void)state;
  GeSessionHandle *session = NULL;
  OK(GeSessionCreate(NULL, &session));
  const int stream = 0;
  GeStreamAllocator allocator = {.struct_size = sizeof allocator, .allocate = Allocate, .release = Release};
  GATE(GeStreamAllocator, allocator, GeSessionRegisterAllocator(session, &stream, &allocator));
  OK(GeSessionRegisterAllocator(session, &stream, &allocator));
  OK(GeSessionUnregisterAllocator(session, &stream));
  GeStreamRun run = {.struct_size = sizeof run, .stream = &stream};
  GATE(GeStreamRun, run, GeSessionRunGraphOnStream(session, 7, &run));
  REFUSED(GE_GRAPH_NOT_EXIST, "7", GeSessionRunGraphOnStream(session, 7, &run));
  GeSessionDestroy(session);
}

/* Structs that do not grow have reserved members for what comes; who sets one hears that it means nothing yet. */
static void ReservedMembers(void **state) {
  (void)state;
  GeTensor *tensor = NULL;
  GeTensorData desc = {.data_type = C_DT_FLOAT, .format = C_FORMAT_ND, .origin_format = C_FORMAT_ND, .reserved = 5};
  REFUSED(GE_PARAM_INVALID, "reserved of a GeTensorData is 5", GeTensorCreate(&desc, &tensor));
  desc.reserved = 0;
  OK(GeTensorCreate(&desc, &tensor));
  GeAttrData attr = {.name = "a", .type = C_VT_INT, .reserved = 5};
  REFUSED(GE_PARAM_INVALID, "reserved of a GeAttrData is 5", GeTensorSetAttr(tensor, &attr));
  attr.reserved = 0;
  OK(GeTensorSetAttr(tensor, &attr));
  GeTensorDestroy(tensor);

  GeIrPort port = {.name = "x", .kind = GE_IR_REQUIRED, .reserved = 5};
  GeIrAttr ir_attr = {.value = {.name = "n", .type = C_VT_INT}};
  GeIrGraph ir_graph = {.name = "g", .kind = GE_IR_REQUIRED};
  const GeOpSchema schema = {.struct_size = sizeof schema,
                             .type = "GrownReserved",
                             .inputs = &port,
                             .input_count = 1,
                             .attrs = &ir_attr,
                             .attr_count = 1,
                             .graphs = &ir_graph,
                             .graph_count = 1};
  REFUSED(GE_PARAM_INVALID, "GeIrPort.reserved is 5", GeOpRegister(&schema, NULL));
  port.reserved = 0, ir_attr.reserved = 5;
  REFUSED(GE_PARAM_INVALID, "GeIrAttr.reserved is 5", GeOpRegister(&schema, NULL));
  ir_attr.reserved = 0, ir_graph.reserved = 5;
  REFUSED(GE_PARAM_INVALID, "GeIrGraph.reserved is 5", GeOpRegister(&schema, NULL));
}

CASE(GeTensorLayout)
static void Layouts(void **state) {
  (void)state;
  const float scale = 0.5f;
  GeTensorLayout layout = {
      .struct_size = sizeof layout, .quant_scheme = GE_QUANT_PER_TENSOR, .scales = &scale, .scale_count = 1};
  const GeTensorData desc = {
      .data_type = C_DT_INT8, .format = C_FORMAT_ND, .origin_format = C_FORMAT_ND, .layout = &layout};
  GeTensor *tensor = NULL;
  GATE(GeTensorLayout, layout, GeTensorCreate(&desc, &tensor));
  OK(GeTensorCreate(&desc, &tensor));
  GeTensorDestroy(tensor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Schemas),         cmocka_unit_test(Traits),    cmocka_unit_test(NodeSpecs),
      cmocka_unit_test(EsCalls),         cmocka_unit_test(Passes),    cmocka_unit_test(CustomPasses),
      cmocka_unit_test(Sessions),        cmocka_unit_test(Rewriting), cmocka_unit_test(PassManager),
      cmocka_unit_test(ReservedMembers), cmocka_unit_test(Layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
