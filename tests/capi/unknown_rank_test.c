/* An unknown rank: GE_UNKNOWN_RANK is what the library says, and beside it {GE_UNKNOWN_RANK_DIM} is what it takes. */
#include "ge/engine.h"
#include "ge/serialize.h"
#include "ge/session.h"
#include "tests/capi/small_graphs.h"

static const int64_t kGes[] = {GE_UNKNOWN_RANK_DIM};

/* The ways to say it; dims of an unknown rank are not read. */
static GeTensorData Said(int how) {
  GeTensorData d = FloatDesc(how == 0 ? kGes : how == 1 ? NULL : (const int64_t *)8, how == 0 ? 1 : GE_UNKNOWN_RANK);
  return d;
}
enum { kWays = 3 };

static void ExpectUnknown(const GeTensorData *d) {
  assert_int_equal(d->rank, GE_UNKNOWN_RANK);
  assert_int_equal(d->origin_rank, GE_UNKNOWN_RANK);
  assert_null(d->dims);
  assert_null(d->origin_dims);
}

static void Descriptions(void **state) {
  (void)state;
  for (int how = 0; how < kWays; ++how) {
    GeGraph *graph = NULL, *clone = NULL;
    GeTensorData said = Said(how), got;
    OK(GeGraphCreate("g", &graph));
    GeNode *x = AddInput(graph, "x", 0, C_DT_FLOAT), *y = AddUnary(graph, "Relu", "y", x);
    const int32_t port = 0;
    OK(GeGraphSetOutputs(graph, &y, &port, 1));
    OK(GeNodeSetOutputDesc(x, 0, &said));
    OK(GeNodeGetOutputDesc(x, 0, &got));
    ExpectUnknown(&got);
    OK(GeNodeSetInputDesc(y, 0, &said));
    OK(GeNodeGetInputDesc(y, 0, &got));
    ExpectUnknown(&got);
    OK(GeGraphInfer(graph, &said, 1));
    OK(GeNodeGetOutputDesc(y, 0, &got));
    ExpectUnknown(&got);
    /* Bytes of a file keep it, and a model tells it. */
    void *bytes = NULL;
    size_t size = 0;
    OK(GeGraphToBytes(graph, &bytes, &size));
    OK(GeGraphCreate("clone", &clone));
    OK(GeGraphFromBytes(clone, bytes, size));
    GeNode *again = NULL;
    OK(GeGraphFindNode(clone, "x", &again));
    OK(GeNodeGetOutputDesc(again, 0, &got));
    ExpectUnknown(&got);
    GeBytesDestroy(bytes);
    GeGraphDestroy(clone);
    GeModel *model = CompileAndDestroy(graph, NULL, NULL);
    OK(GeModelGetInput(model, 0, NULL, &got));
    ExpectUnknown(&got);
    OK(GeModelGetOutput(model, 0, NULL, &got));
    ExpectUnknown(&got);
    GeModelDestroy(model);
  }
}

static void BuildersTakeBoth(void **state) {
  (void)state;
  EsCGraphBuilder *builder = EsCreateGraphBuilder("g");
  EsCTensorHolder *inputs[] = {
      EsCreateGraphInputWithDetails(builder, 0, NULL, NULL, C_DT_FLOAT, C_FORMAT_ND, kGes, 1),
      EsCreateGraphInputWithDetails(builder, 1, NULL, NULL, C_DT_FLOAT, C_FORMAT_ND, NULL, GE_UNKNOWN_RANK),
      EsCreateGraphInput(builder, 2), EsCreateGraphInput(builder, 3)};
  assert_int_equal(EsSetShape(inputs[2], kGes, 1), 0);
  assert_int_equal(EsSetShape(inputs[3], NULL, GE_UNKNOWN_RANK), 0);
  for (int i = 0; i < 4; ++i) {
    GeNode *node = NULL;
    GeTensorData got;
    OK(GeEsNodeGet(EsGetProducer(inputs[i]), &node));
    OK(GeNodeGetOutputDesc(node, 0, &got));
    ExpectUnknown(&got);
  }
  /* Neither is a dimension among others, and there is no third value. */
  const int64_t mixed[] = {2, GE_UNKNOWN_RANK_DIM};
  REFUSED(GE_PARAM_INVALID, "dimension 1 is -2", EsSetShape(inputs[3], mixed, 2));
  REFUSED(GE_PARAM_INVALID, "dim_num is -2", EsSetShape(inputs[3], NULL, -2));
  EsDestroyGraphBuilder(builder);
}

static void OthersAreRefused(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  OK(GeGraphCreate("g", &graph));
  GeNode *x = AddInput(graph, "x", 0, C_DT_FLOAT);
  const int64_t mixed[] = {2, GE_UNKNOWN_RANK_DIM}, less[] = {-3};
  GeTensorData d = FloatDesc(mixed, 2);
  REFUSED(GE_PARAM_INVALID, "dimension 1 is -2", GeNodeSetOutputDesc(x, 0, &d));
  d = FloatDesc(less, 1);
  REFUSED(GE_PARAM_INVALID, "dimension 0 is -3", GeNodeSetOutputDesc(x, 0, &d));
  d = FloatDesc(NULL, -2);
  REFUSED(GE_PARAM_INVALID, "rank is -2", GeNodeSetOutputDesc(x, 0, &d));
  GeGraphDestroy(graph);
}

/* An inference function may say it in both ways. */
static GeStatus InferUnknown(const GeInferContext *ctx) {
  const GeAttrData *way = GeOpAttr(ctx->op, "way");
  ctx->outputs[0].rank = way && way->i ? GE_UNKNOWN_RANK : 1;
  ctx->outputs[0].dims[0] = GE_UNKNOWN_RANK_DIM;
  return GE_SUCCESS;
}

static void InferenceTakesBoth(void **state) {
  (void)state;
  static const GeIrAttr attrs[] = {{{.name = "way", .type = C_VT_INT}, 0, 0}};
  const GeOpSchema schema = {TEST_SCHEMA("SaysUnknownRank", kX, kY), .attrs = attrs, .attr_count = 1};
  OK(GeOpRegister(&schema, InferUnknown));
  for (int way = 0; way < 2; ++way) {
    GeGraph *graph = NULL;
    GeTensorData got;
    const int32_t port = 0;
    const GeAttrData attr = {.name = "way", .type = C_VT_INT, .i = way};
    OK(GeGraphCreate("g", &graph));
    GeNode *y = AddUnary(graph, "SaysUnknownRank", "y", AddInput(graph, "x", 0, C_DT_FLOAT));
    OK(GeNodeSetAttr(y, &attr));
    OK(GeGraphSetOutputs(graph, &y, &port, 1));
    OK(GeGraphInfer(graph, NULL, 0));
    OK(GeNodeGetOutputDesc(y, 0, &got));
    ExpectUnknown(&got);
    GeGraphDestroy(graph);
  }
}

/* Engines see one of them. */
static GeStatus CheckRank(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  const int good = op->inputs[0].rank == GE_UNKNOWN_RANK && !op->inputs[0].dims && !op->outputs[0].dims &&
                   op->outputs[0].rank == GE_UNKNOWN_RANK && op->outputs[0].origin_rank == GE_UNKNOWN_RANK;
  if (!good) snprintf(reason, capacity, "ranks %d and %d", op->inputs[0].rank, op->outputs[0].rank);
  return good ? GE_SUCCESS : GE_UNSUPPORTED;
}
static GeStatus NoKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  (void)op;
  (void)out;
  return (env->fail)(GE_UNSUPPORTED, "asked for its opinion only");
}

static void EnginesAreToldOne(void **state) {
  (void)state;
  const GeEngineTable table = {.abi_version = GE_ENGINE_ABI_VERSION,
                               .struct_size = sizeof table,
                               .name = "RankEngine",
                               .cost = 100,
                               .check = CheckRank,
                               .create_kernel = NoKernel};
  OK(GeEngineRegister(&table, NULL));
  for (int how = 0; how < kWays; ++how) {
    const GeTensorData port = Said(how);
    const GeOpDesc op = {.struct_size = sizeof op,
                         .type = "Relu",
                         .name = "",
                         .inputs = &port,
                         .input_count = 1,
                         .outputs = &port,
                         .output_count = 1};
    OK(GeEngineCheck("RankEngine", &op));
  }
  OK(GeEngineUnload("RankEngine"));
}

static void SessionsTakeBoth(void **state) {
  (void)state;
  for (int how = 0; how < kWays; ++how) {
    GeSessionHandle *session = NULL;
    GeGraph *graph = NULL;
    GeModel *model = NULL;
    GeTensorData got, said = Said(how);
    const int32_t port = 0;
    OK(GeGraphCreate("g", &graph));
    GeNode *y = AddUnary(graph, "Relu", "y", AddInput(graph, "x", 0, C_DT_FLOAT));
    OK(GeGraphSetOutputs(graph, &y, &port, 1));
    OK(GeSessionCreate(NULL, &session));
    OK(GeSessionAddGraph(session, 1, graph, NULL));
    GeGraphDestroy(graph);
    OK(GeSessionCompileGraphFor(session, 1, &said, 1));
    OK(GeSessionRetainModel(session, 1, &model));
    OK(GeModelGetInput(model, 0, NULL, &got));
    ExpectUnknown(&got);
    GeModelDestroy(model);
    GeSessionDestroy(session);
  }
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Descriptions),       cmocka_unit_test(BuildersTakeBoth),  cmocka_unit_test(OthersAreRefused),
      cmocka_unit_test(InferenceTakesBoth), cmocka_unit_test(EnginesAreToldOne), cmocka_unit_test(SessionsTakeBoth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
