/* Operators whose prototype is known but which no engine computes: they build, verify, infer what can be inferred, are
 * saved and read, and compiling names the operator, the node, every engine that was asked and its reason. */
#include "ge/model.h"
#include "ge/serialize.h"
#include "helpers.h"

static const GeIrPort kGradInputs[] = {{"grads", GE_IR_REQUIRED, 0, "T"}, {"activations", GE_IR_REQUIRED, 0, "T"}};
static const GeOpSchema kEluGrad = {.struct_size = sizeof(GeOpSchema),
                                    .type = "EluGrad",
                                    .inputs = kGradInputs,
                                    .input_count = 2,
                                    .outputs = kY,
                                    .output_count = 1};
static const GeIrAttr kReduceAttrs[] = {{{.name = "reduction", .type = C_VT_STRING}, 1, 0},
                                        {{.name = "group", .type = C_VT_STRING}, 1, 0},
                                        {{.name = "fusion", .type = C_VT_INT, .i = 1}, 0, 0},
                                        {{.name = "fusion_id", .type = C_VT_INT, .i = -1}, 0, 0}};
static const GeOpSchema kAllReduce = {.struct_size = sizeof(GeOpSchema),
                                      .type = "HcomAllReduce",
                                      .inputs = kX,
                                      .input_count = 1,
                                      .outputs = kY,
                                      .output_count = 1,
                                      .attrs = kReduceAttrs,
                                      .attr_count = 4};

static EsCTensorHolder *Add(const GeOpSchema *schema, EsCTensorHolder *first, EsCTensorHolder *second, GeEsAttr *attrs,
                            size_t attr_count) {
  GeEsInput inputs[2] = {{.one = first}, {.one = second}};
  const GeEsCall call = {
      .struct_size = sizeof call, .schema = schema, .inputs = inputs, .attrs = attrs, .attr_count = attr_count};
  EsCTensorHolder *out = NULL;
  OK(GeEsAddNode(&call, &out, NULL));
  return out;
}

/* y = EluGrad(HcomAllReduce(x), x), with x of 2 x 4 floats. */
static EsCGraph *Build(void) {
  const int64_t shape[] = {2, 4};
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, shape, 2);
  GeEsAttr attrs[4] = {{.ir_index = 0, .value = {.type = C_VT_STRING, .s = "sum", .count = 3}},
                       {.ir_index = 1, .value = {.type = C_VT_STRING, .s = "world", .count = 5}},
                       {.ir_index = 2, .value = {.type = C_VT_INT, .i = 1}},
                       {.ir_index = 3, .value = {.type = C_VT_INT, .i = -1}}};
  EsCTensorHolder *sum = Add(&kAllReduce, x, NULL, attrs, 4);
  assert_int_equal(EsSetGraphOutput(Add(&kEluGrad, sum, x, NULL, 0), 0), 0);
  EsCGraph *graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  assert_non_null(graph);
  return graph;
}

static void CheckOutput(GeGraph *graph, const char *name) {
  GeNode *node = NULL;
  OK(GeGraphFindNode(graph, name, &node));
  GeTensorData desc;
  OK(GeNodeGetOutputDesc(node, 0, &desc));
  assert_int_equal(desc.data_type, C_DT_FLOAT);
  assert_int_equal(desc.rank, 2);
  assert_int_equal(desc.dims[0], 2);
  assert_int_equal(desc.dims[1], 4);
}

/* Everything one wants to know stands in the message. */
static void CheckCompile(const GeGraph *graph) {
  GeModel *model = (GeModel *)&model;
  REFUSED(GE_UNSUPPORTED, "2 nodes are taken by no engine", GeCompile(graph, NULL, &model));
  assert_null(model);
  const char *said = GeLastErrorMessage(),
             *expected[] = {"'g'", "HcomAllReduce 'HcomAllReduce_0'", "EluGrad 'EluGrad_1'"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(said, expected[i])) fail_msg("the message lacks %s: %s", expected[i], said);
  const char *engines[] = {"DNN_VM_GE_LOCAL: ", "AIcoreEngine: ", "VectorEngine: ", "DNN_VM_HOST_CPU: "};
  for (size_t i = 0; i < sizeof engines / sizeof *engines; ++i) {
    const char *first = strstr(said, engines[i]);
    const char *second = first ? strstr(first + 1, engines[i]) : NULL; /* once for each of the two nodes */
    if (!second) fail_msg("engine %s is not named for both nodes: %s", engines[i], said);
    if (strchr("\n ", first[strlen(engines[i])])) fail_msg("engine %s gives no reason: %s", engines[i], said);
  }
}

static void BuildsVerifiesInfersFailsAtCompile(void **state) {
  (void)state;
  EsCGraph *built = Build();
  GeGraph *graph = NULL;
  OK(GeEsGraphRetainGraph(built, &graph));
  OK(GeGraphVerify(graph));
  OK(GeGraphInfer(graph, NULL, 0));
  CheckOutput(graph, "HcomAllReduce_0");
  CheckOutput(graph, "EluGrad_1");
  CheckCompile(graph);
  OK(GeGraphVerify(graph)); /* a refused compile leaves the graph as it was */
  CheckOutput(graph, "EluGrad_1");
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
}

static void TravelsAsBytes(void **state) {
  (void)state;
  EsCGraph *built = Build();
  GeGraph *graph = NULL, *copy = NULL;
  void *bytes = NULL;
  size_t size = 0;
  OK(GeEsGraphRetainGraph(built, &graph));
  OK(GeGraphToBytes(graph, &bytes, &size));
  OK(GeGraphCreate("other", &copy));
  OK(GeGraphFromBytes(copy, bytes, size));
  GeBytesDestroy(bytes);
  OK(GeGraphVerify(copy));
  CheckCompile(copy);
  GeGraphDestroy(copy);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(BuildsVerifiesInfersFailsAtCompile),
                                     cmocka_unit_test(TravelsAsBytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
