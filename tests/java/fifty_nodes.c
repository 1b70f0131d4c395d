/* Builds a graph of more than 50 nodes that uses every type of attribute and saves it; FiftyNodes.java builds the same
 * one and expects the same bytes. Keep both in step: names of nodes count on. */
#include <stdio.h>
#include <string.h>

#include "es_all_ops_c.h"
#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/tensor.h"

#define NEED(call)                                              \
  do {                                                          \
    if (!(call)) {                                              \
      fprintf(stderr, "%s: %s\n", #call, GeLastErrorMessage()); \
      return 1;                                                 \
    }                                                           \
  } while (0)

static EsCTensorHolder *ints(EsCGraphBuilder *b, int64_t first, int64_t second) {
  int64_t values[] = {first, second};
  return EsCreateVectorInt64(b, values, 2);
}

/* EsCreateEsCTensor takes no doubles. */
static EsCTensor *double_vector(const double *values, int64_t count) {
  GeTensorData data = {.data_type = C_DT_DOUBLE,
                       .format = C_FORMAT_ND,
                       .origin_format = C_FORMAT_ND,
                       .rank = 1,
                       .origin_rank = 1,
                       .dims = &count,
                       .origin_dims = &count,
                       .data = (void *)values,
                       .size = (uint64_t)count * sizeof *values};
  GeTensor *tensor = NULL;
  EsCTensor *box = NULL;
  if (GeTensorCreate(&data, &tensor) == GE_SUCCESS) GeEsTensorCreate(tensor, &box);
  GeTensorDestroy(tensor);
  return box;
}

/* One branch of If: relu of its only input, or its negative. */
static EsCGraph *branch(const char *name, int negative) {
  EsCGraphBuilder *b = EsCreateGraphBuilder(name);
  EsCTensorHolder *x = EsCreateGraphInput(b, 0);
  EsSetGraphOutput(negative ? EsNeg(x) : EsRelu(x), 0);
  EsCGraph *graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}

/* Attributes that no operator here declares. */
static int set_node_attrs(EsCTensorHolder *tensor) {
  GeNode *node = NULL;
  NEED(GeEsNodeGet(EsGetProducer(tensor), &node) == GE_SUCCESS);
  static const uint8_t bytes[] = {0, 1, 254, 255};
  GeAttrData value = {.name = "bytes", .type = C_VT_BYTES, .list = bytes, .count = 4};
  NEED(GeNodeSetAttr(node, &value) == GE_SUCCESS);
  static const float row0[] = {0.5f}, row1[] = {1.5f, -2.5f};
  static const float *const rows[] = {row0, row1};
  static const int64_t counts[] = {1, 2};
  value = (GeAttrData){
      .name = "float_rows", .type = C_VT_LIST_LIST_FLOAT, .list = rows, .count = 2, .inner_counts = counts};
  NEED(GeNodeSetAttr(node, &value) == GE_SUCCESS);
  static int64_t dims[] = {2};
  static int32_t words[] = {7, -7};
  GeTensorData tensor_value = {.data_type = C_DT_INT32,
                               .format = C_FORMAT_ND,
                               .origin_format = C_FORMAT_ND,
                               .rank = 1,
                               .origin_rank = 1,
                               .dims = dims,
                               .origin_dims = dims,
                               .data = words,
                               .size = sizeof words};
  const GeTensorData *tensors[] = {&tensor_value, &tensor_value};
  value = (GeAttrData){.name = "tensors", .type = C_VT_LIST_TENSOR, .list = tensors, .count = 2};
  NEED(GeNodeSetAttr(node, &value) == GE_SUCCESS);
  value = (GeAttrData){.name = "tensor", .type = C_VT_TENSOR, .tensor = &tensor_value};
  NEED(GeNodeSetAttr(node, &value) == GE_SUCCESS);
  return 0;
}

int main(int argc, char **argv) {
  NEED(argc == 2);
  EsCGraphBuilder *b = EsCreateGraphBuilder("fifty");
  const int64_t x_shape[] = {2, 3, 8, 8}, ids_shape[] = {-1};
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_NCHW, x_shape, 4);
  EsCTensorHolder *ids = EsCreateGraphInputWithDetails(b, 1,
                                                       "gr\xC3\xB6\xC3\x9F"
                                                       "e \xF0\x9F\x98\x80",
                                                       NULL, C_DT_INT32, C_FORMAT_ND, ids_shape, 1);

  float weights[4 * 3 * 3 * 3];
  for (int i = 0; i < 108; ++i) weights[i] = (float)(i - 54) * 0.25f;
  const int64_t w_shape[] = {4, 3, 3, 3}, ones[] = {1, 1, 1, 1};
  const float four[] = {0.1f, 0.2f, 0.3f, 0.4f};
  EsCTensorHolder *w = EsCreateConstFloat(b, weights, w_shape, 4);
  EsCTensorHolder *bias = EsCreateVectorFloat(b, four, 4);
  EsCTensorHolder *conv = EsConv2D(x, w, bias, NULL, ones, 4, ones, 4, ones, 4, 1, "NCHW", 0);
  EsCTensorHolder *relu = EsRelu(conv);
  EsCTensorHolder *mul = EsMul(relu, EsCreateScalarFloat(b, 2.0f));
  EsCTensorHolder *cast = EsCast(EsCast(EsAdds(mul, 0.5f), 1), 0);
  EsCTensorHolder *axis = EsCreateScalarInt32(b, 1);
  EsCTensorHolder *three[] = {relu, mul, cast};
  EsCTensorHolder *concat = EsConcatV2(three, 3, axis, 3);
  EsCTensorHolder *sizes = ints(b, 4, 8);
  EsSplitVOutput split = EsSplitV(concat, sizes, axis, 2, 2);
  NEED(split.y != NULL);
  const int64_t last[] = {-1}, order[] = {0, 2, 3, 1};
  EsCTensorHolder *softmax = EsSoftmaxV2(split.y[0], last, 1, true);
  EsCTensorHolder *transposed = EsTranspose(softmax, EsCreateVectorInt64(b, order, 4));
  EsCTensorHolder *arg = EsArgMaxV2(transposed, axis, C_DT_INT64);
  const float boundaries[] = {0.0f, 1.5f, 2.5f};
  EsCTensorHolder *bucket = EsBucketize(split.y[1], boundaries, 3, C_DT_INT64, true);
  EsCTensorHolder *nonzero = EsNonZero(relu, true, C_DT_INT32);
  const float coefficients[] = {0.25f, -0.75f};
  EsCTensorHolder *eltwise = EsEltwise(three, 2, 2, 1, coefficients, 2);
  EsCTensorHolder *pair[] = {transposed, transposed};
  EsCTensorHolder *einsum = EsEinsum(pair, 2, "nhwc,nhwd->ncd", 2);
  const int64_t room[] = {16, 32}, zero[] = {0};
  const C_DataType types[] = {C_DT_FLOAT, C_DT_INT32};
  const float half[] = {1.5f};
  EsCTensorHolder *memset_op = EsMemSet(b, room, 2, types, 2, zero, 1, half, 1);
  const int64_t row0[] = {1, 2}, row1[] = {3};
  const int64_t *rows[] = {row0, row1};
  const int64_t row_sizes[] = {2, 1};
  EsCTensorHolder *queue = EsQueueData(b, 1, "queue \xE2\x88\x91", types, 2, rows, 2, row_sizes);
  EsCTensorHolder *shapes_of[] = {x, relu};
  const int64_t axes0[] = {0, 1}, axes1[] = {1, 2};
  const int64_t *axes[] = {axes0, axes1};
  const int64_t axes_sizes[] = {2, 2};
  EsCTensorHolder *shapes = EsGatherShapes(shapes_of, 2, axes, 2, axes_sizes, 9);
  EsCTensorHolder *gamma = EsCreateVectorFloat(b, four, 4);
  const bool mask[] = {true, false};
  EsAddRmsNormDynamicQuantOutput norm =
      EsAddRmsNormDynamicQuant(transposed, transposed, gamma, NULL, NULL, gamma, 0.125f, mask, 2, 2);
  NEED(norm.y1 != NULL);
  const int64_t lstm_shape[] = {1, 4, 1};
  EsCTensorHolder *lw = EsCreateConstFloat(b, four, lstm_shape, 3);
  EsCTensorHolder *lr = EsCreateConstFloat(b, four, lstm_shape, 3);
  const char *activations[] = {"Sigmoid", "Tanh", ""};
  EsCommonLSTMOutput lstm = EsCommonLSTM(einsum, lw, lr, NULL, NULL, NULL, NULL, NULL, 1, four, 2, four, 0, activations,
                                         3, 0.5f, "reverse", 1);
  NEED(lstm.y != NULL);
  const uint32_t u32[] = {0, 4294967295u};
  const uint64_t u64[] = {1, 18446744073709551615ull};
  EsCTensorHolder *wide[] = {EsBitcast(EsCreateVectorUInt32(b, u32, 2), C_DT_INT32, false), ids};
  EsCTensorHolder *sum = EsAddN(wide, 2, 2);
  EsCTensorHolder *wide_sum = EsAdd(EsBitcast(EsCreateVectorUInt64(b, u64, 2), C_DT_INT64, true), sizes);
  const uint8_t truth[] = {1};
  const double doubles[] = {0.1, 1e300};
  const int8_t small[] = {-128, 127, 0, 1};
  const int64_t square[] = {2, 2};
  EsCTensorHolder *condition = EsConst(b, EsCreateEsCTensor(truth, NULL, 0, C_DT_BOOL, C_FORMAT_ND));
  EsCTensorHolder *precise = EsConst(b, double_vector(doubles, 2));
  EsCTensorHolder *tiny = EsConst(b, EsCreateEsCTensor(small, square, 2, C_DT_INT8, C_FORMAT_ND));
  EsCTensorHolder *taken[] = {relu};
  EsIfOutput either = EsIf(condition, taken, 1, 1, branch("then", 0), branch("else", 1));
  NEED(either.output != NULL);
  EsCTensorHolder *random = EsRandomUniform(sizes, C_DT_FLOAT, 7, 9);
  EsLayerNormV4Output layer = EsLayerNormV4(transposed, EsCreateVectorInt64(b, last, 1), gamma, NULL, 0.00001f);
  EsCTensorHolder *begin = ints(b, 0, 0), *end = ints(b, 1, 2), *both = ints(b, 0, 1);
  EsCTensorHolder *slice = EsStridedSliceV2(x, begin, end, both, NULL, 1, 0, 0, 0, 2);
  EsCTensorHolder *chain = EsSub(either.output[0], layer.y);
  for (int i = 0; i < 8; ++i) chain = EsMaximum(EsAdd(chain, relu), mul);

  NEED(EsAddControlEdge(chain, (EsCTensorHolder *[]){random, memset_op}, 2) == 0);
  NEED(EsSetInt64AttrForGraph(b, "graph_int", -9007199254740993) == 0);
  NEED(EsSetStringAttrForGraph(b, "graph_text", "\xC3\xA9") == 0);
  NEED(EsSetBoolAttrForGraph(b, "graph_flag", true) == 0);
  NEED(EsSetInt64AttrForTensor(conv, "out_int", 5) == 0);
  NEED(EsSetStringAttrForTensor(conv, "out_text", "of the output") == 0);
  NEED(EsSetBoolAttrForTensor(conv, "out_flag", false) == 0);
  NEED(EsSetInt64AttrForNode(conv, "node_int", 6) == 0);
  NEED(EsSetStringAttrForNode(conv, "node_text", "") == 0);
  NEED(EsSetBoolAttrForNode(conv, "node_flag", true) == 0);
  NEED(EsSetDataType(slice, C_DT_FLOAT) == 0 && EsSetFormat(slice, C_FORMAT_NHWC) == 0);
  NEED(EsSetShape(slice, square, 2) == 0);
  NEED(set_node_attrs(conv) == 0);

  EsCTensorHolder *outputs[] = {chain,       arg, bucket,   nonzero, eltwise, queue, shapes,  norm.y1,
                                norm.scale1, sum, wide_sum, tiny,    precise, slice, lstm.y_h};
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; ++i) NEED(EsSetGraphOutput(outputs[i], (int64_t)i) == 0);
  EsCGraph *built = EsBuildGraphAndReset(b);
  NEED(built != NULL);
  GeGraph *graph = NULL;
  NEED(GeEsGraphRetainGraph(built, &graph) == GE_SUCCESS);
  NEED(GeGraphSave(graph, argv[1]) == GE_SUCCESS);
  printf("%zu nodes\n", GeGraphNodeCount(graph));
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  EsDestroyGraphBuilder(b);
  return 0;
}
