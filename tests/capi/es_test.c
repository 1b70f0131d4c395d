/* The builder functions: names, indexes, build rules, descriptions, constants, attribute tensors, attributes. */
#include "helpers.h"

#include <unistd.h>

static GeGraph *Built(EsCGraphBuilder *builder) {
  EsCGraph *box = EsBuildGraphAndReset(builder);
  assert_non_null(box);
  GeGraph *graph = NULL;
  OK(GeEsGraphRetainGraph(box, &graph));
  GeEsGraphDestroy(box);
  return graph;
}

static GeNode *NodeOfHolder(EsCTensorHolder *holder) {
  assert_non_null(holder);
  GeNode *node = NULL;
  OK(GeEsNodeGet(EsGetProducer(holder), &node));
  return node;
}

#define NULL_BECAUSE(text, call)                                                                           \
  do {                                                                                                     \
    GeClearLastError();                                                                                    \
    assert_null(call);                                                                                     \
    if (!strstr(GeLastErrorMessage(), text)) fail_msg("%s: message is '%s'", #call, GeLastErrorMessage()); \
  } while (0)

static EsCTensorHolder *Unary(EsCTensorHolder *x) {
  const GeEsInput inputs[] = {{x, NULL, 0}};
  const GeEsCall call = {.struct_size = sizeof call, .schema = &kTestUnary, .inputs = inputs};
  EsCTensorHolder *out = NULL;
  GeEsAddNode(&call, &out, NULL);
  return out;
}

static void Inputs(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder(NULL);
  int64_t dims[] = {2, -1, 4};
  EsCTensorHolder *x1 = EsCreateGraphInputWithDetails(b, 1, "image", "RefData", C_DT_INT8, C_FORMAT_NHWC, dims, 3);
  EsCTensorHolder *x0 = EsCreateGraphInput(b, 0);
  assert_string_equal(GeNodeName(NodeOfHolder(x1)), "image");
  assert_string_equal(GeNodeType(NodeOfHolder(x1)), "RefData");
  assert_string_equal(GeNodeName(NodeOfHolder(x0)), "input_0");
  assert_string_equal(GeNodeType(NodeOfHolder(x0)), "Data");
  GeTensorData d;
  OK(GeNodeGetOutputDesc(NodeOfHolder(x1), 0, &d));
  assert_int_equal(d.data_type, C_DT_INT8);
  assert_int_equal(d.format, C_FORMAT_NHWC);
  assert_int_equal(d.origin_format, C_FORMAT_NHWC);
  assert_int_equal(d.rank, 3);
  assert_int_equal(d.origin_dims[1], -1);
  OK(GeNodeGetOutputDesc(NodeOfHolder(x0), 0, &d));
  assert_int_equal(d.data_type, C_DT_FLOAT);
  assert_int_equal(d.format, C_FORMAT_ND);
  assert_int_equal(d.rank, 0);
  GeAttrData index;
  OK(GeNodeGetAttr(NodeOfHolder(x1), "index", &index));
  assert_int_equal(index.i, 1);
  assert_int_equal(GeNodeAttrCount(NodeOfHolder(x0)), 1);
  const GeOpSchema *schema = GeNodeSchema(NodeOfHolder(x0));
  assert_int_equal(schema->input_count, 1);
  assert_string_equal(schema->inputs[0].name, "x");
  assert_string_equal(schema->outputs[0].name, "y");
  int64_t unknown[] = {-2};
  EsCTensorHolder *x2 = EsCreateGraphInputWithDetails(b, 2, NULL, "AippData", C_DT_FLOAT, C_FORMAT_ND, unknown, 1);
  OK(GeNodeGetOutputDesc(NodeOfHolder(x2), 0, &d));
  assert_int_equal(d.rank, GE_UNKNOWN_RANK);
  assert_non_null(EsCreateGraphInputWithDetails(b, 3, NULL, "AnyData", C_DT_FLOAT, C_FORMAT_ND, NULL, 5));
  assert_non_null(EsCreateGraphInputWithDetails(b, 4, NULL, "RefData", C_DT_FLOAT, C_FORMAT_ND, NULL, 0));

  NULL_BECAUSE("graph is null", EsCreateGraphInput(NULL, 0));
  NULL_BECAUSE("index is -1", EsCreateGraphInput(b, -1));
  NULL_BECAUSE("expected 0 to 2147483647", EsCreateGraphInput(b, (int64_t)1 << 40));
  NULL_BECAUSE("input 1 exists", EsCreateGraphInput(b, 1));
  NULL_BECAUSE("type is 'Const'", EsCreateGraphInputWithDetails(b, 9, NULL, "Const", C_DT_FLOAT, C_FORMAT_ND, NULL, 0));
  NULL_BECAUSE("data type 5", EsCreateGraphInputWithDetails(b, 9, NULL, NULL, (C_DataType)5, C_FORMAT_ND, NULL, 0));
  NULL_BECAUSE("format 90", EsCreateGraphInputWithDetails(b, 9, NULL, NULL, C_DT_FLOAT, (C_Format)90, NULL, 0));
  NULL_BECAUSE("type is 'AnnData'",
               EsCreateGraphInputWithDetails(b, 9, NULL, "AnnData", C_DT_FLOAT, C_FORMAT_ND, NULL, 0));
  int64_t bad[] = {1, -3};
  NULL_BECAUSE("-3", EsCreateGraphInputWithDetails(b, 9, NULL, NULL, C_DT_FLOAT, C_FORMAT_ND, bad, 2));
  NULL_BECAUSE("rank is 20", EsCreateGraphInputWithDetails(b, 9, NULL, NULL, C_DT_FLOAT, C_FORMAT_ND, bad, 20));
  /* The refused index is still free. */
  assert_non_null(EsCreateGraphInput(b, 9));
  EsDestroyGraphBuilder(b);
}

/* Descriptions may have every type and format that has a number. */
static void EveryTypeAndFormat(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0);
  int64_t index = 1;
  GeTensorData d;
  for (int32_t type = 0; type < C_DT_MAX; ++type) {
    if (type == 5) continue; /* no type has it */
    EsCTensorHolder *in = EsCreateGraphInputWithDetails(b, index++, NULL, NULL, (C_DataType)type, C_FORMAT_ND, NULL, 0);
    assert_non_null(in);
    OK(GeNodeGetOutputDesc(NodeOfHolder(in), 0, &d));
    assert_int_equal(d.data_type, type);
    assert_int_equal(EsSetDataType(x, (C_DataType)type), 0);
    OK(GeNodeGetOutputDesc(NodeOfHolder(x), 0, &d));
    assert_int_equal(d.data_type, type);
  }
  for (int32_t format = 0; format < C_FORMAT_END; ++format) {
    EsCTensorHolder *in = EsCreateGraphInputWithDetails(b, index++, NULL, NULL, C_DT_FLOAT, (C_Format)format, NULL, 0);
    assert_non_null(in);
    assert_int_equal(EsSetFormat(x, (C_Format)format), 0);
    OK(GeNodeGetOutputDesc(NodeOfHolder(x), 0, &d));
    assert_int_equal(d.format, format);
    assert_int_equal(d.origin_format, format);
  }
  assert_int_equal(EsSetDataType(NULL, C_DT_FLOAT), 1343225857);
  assert_int_equal(EsSetShape(x, NULL, 1), 1343225857);
  assert_int_equal(EsSetGraphOutput(x, -1), 1343225857);
  assert_int_equal(EsAddControlEdge(x, NULL, 0), 1343225857);
  EsDestroyGraphBuilder(b);
}

static void NamesCountPerBuilder(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0);
  EsCTensorHolder *c = EsCreateScalarInt32(b, 3);
  EsCTensorHolder *u = Unary(x), *v = Unary(c);
  EsCTensorHolder *w = EsCreateVariable(b, 7, "weights");
  EsCTensorHolder *t = Unary(w);
  assert_string_equal(GeNodeName(NodeOfHolder(c)), "Const_0");
  assert_string_equal(GeNodeName(NodeOfHolder(u)), "TestUnary_1");
  assert_string_equal(GeNodeName(NodeOfHolder(v)), "TestUnary_2");
  assert_string_equal(GeNodeName(NodeOfHolder(w)), "weights");
  assert_string_equal(GeNodeType(NodeOfHolder(w)), "Variable");
  assert_string_equal(GeNodeName(NodeOfHolder(t)), "TestUnary_3");
  GeAttrData index;
  OK(GeNodeGetAttr(NodeOfHolder(w), "index", &index));
  assert_int_equal(index.i, 7);
  assert_int_equal(GeNodeAttrCount(NodeOfHolder(w)), 1);
  /* A name that the program gave to another node changes nothing. */
  EsCTensorHolder *named = EsCreateVariable(b, 0, "TestUnary_4");
  EsCTensorHolder *after = Unary(x);
  assert_string_equal(GeNodeName(NodeOfHolder(after)), "TestUnary_4");
  GeNode *found = NULL;
  GeGraph *graph = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  OK(GeGraphFindNode(graph, "TestUnary_4", &found));
  assert_ptr_equal(found, NodeOfHolder(named)); /* the first */
  GeGraphDestroy(graph);
  assert_string_equal(GeNodeName(NodeOfHolder(Unary(x))), "TestUnary_5");
  NULL_BECAUSE("graph is null", EsCreateVariable(NULL, 0, "v"));
  NULL_BECAUSE("name is null", EsCreateVariable(b, 0, NULL));
  EsCTensorHolder *same = EsCreateVariable(b, 0, "weights");
  assert_string_equal(GeNodeName(NodeOfHolder(same)), "weights");
  same = EsCreateGraphInputWithDetails(b, 1, "weights", NULL, C_DT_FLOAT, C_FORMAT_ND, NULL, 0);
  assert_string_equal(GeNodeName(NodeOfHolder(same)), "weights");
  assert_string_equal(GeNodeType(NodeOfHolder(same)), "Data");
  EsDestroyGraphBuilder(b);
}

static void BuildMakesNetOutput(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("mine");
  int64_t dims[] = {2, 3};
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, NULL, NULL, C_DT_FLOAT16, C_FORMAT_NCHW, dims, 2);
  EsCTensorHolder *y = Unary(x);
  assert_int_equal(EsSetGraphOutput(y, 1), 0);
  assert_int_equal(EsSetGraphOutput(x, 0), 0);
  assert_int_equal(EsSetGraphOutput(x, 0), GE_PARAM_INVALID);
  assert_int_equal(EsSetGraphOutput(x, -1), GE_PARAM_INVALID);
  assert_int_equal(EsSetGraphOutput(NULL, 3), GE_PARAM_INVALID);
  GeGraph *graph = Built(b);
  assert_string_equal(GeGraphName(graph), "mine");
  GeNode *net = NULL, *src = NULL;
  int32_t port = -1;
  OK(GeGraphFindNode(graph, "NetOutput_mine", &net));
  assert_string_equal(GeNodeType(net), "NetOutput");
  assert_int_equal(GeNodeInputCount(net), 2);
  assert_int_equal(GeNodeOutputCount(net), 0);
  assert_int_equal(GeNodeSchema(net)->input_count, 1);
  assert_int_equal(GeNodeSchema(net)->inputs[0].kind, GE_IR_DYNAMIC);
  OK(GeNodeGetInputSource(net, 0, &src, &port));
  assert_ptr_equal(src, NodeOfHolder(x));
  OK(GeNodeGetInputSource(net, 1, &src, &port));
  assert_ptr_equal(src, NodeOfHolder(y));
  assert_int_equal(GeGraphOutputCount(graph), 2);
  OK(GeGraphGetOutput(graph, 1, &src, &port));
  assert_ptr_equal(src, NodeOfHolder(y));
  GeTensorData d;
  OK(GeNodeGetInputDesc(NodeOfHolder(x), 0, &d));
  assert_int_equal(d.data_type, C_DT_FLOAT16);
  assert_int_equal(d.dims[1], 3);
  OK(GeGraphVerify(graph));

  /* The builder is used up; its holders still answer. */
  NULL_BECAUSE("built already", EsBuildGraphAndReset(b));
  NULL_BECAUSE("built already", EsCreateGraphInput(b, 1));
  NULL_BECAUSE("built already", EsCreateScalarFloat(b, 1));
  NULL_BECAUSE("built already", EsCreateVariable(b, 0, "v"));
  NULL_BECAUSE("built already", Unary(x));
  /* One number for whatever is refused; the reason has its own. */
  assert_int_equal(EsSetGraphOutput(x, 5), GE_PARAM_INVALID);
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  assert_int_equal(EsSetInt64AttrForGraph(b, "k", 1), GE_PARAM_INVALID);
  GeGraph *none = NULL;
  REFUSED(GE_BAD_STATE, "built already", GeEsBuilderRetainGraph(b, &none));
  assert_ptr_equal(EsGetOwnerBuilder(x), b);
  GeGraphDestroy(graph);
  assert_string_equal(GeNodeName(NodeOfHolder(y)), "TestUnary_0");
  EsDestroyGraphBuilder(b);
}

static void GraphOutlivesBuilder(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  assert_int_equal(EsSetGraphOutput(Unary(EsCreateGraphInput(b, 0)), 0), 0);
  EsCGraph *box = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  GeGraph *graph = NULL;
  OK(GeEsGraphRetainGraph(box, &graph));
  assert_int_equal(GeGraphNodeCount(graph), 3);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(box);
}

static void BuildRules(void **state) {
  (void)state;
  NULL_BECAUSE("graph is null", EsBuildGraphAndReset(NULL));
  /* Nothing in, nothing out. */
  EsCGraphBuilder *b = EsCreateGraphBuilder("empty");
  GeGraph *graph = Built(b);
  assert_int_equal(GeGraphNodeCount(graph), 1);
  assert_int_equal(GeGraphOutputCount(graph), 0);
  GeGraphDestroy(graph);
  EsDestroyGraphBuilder(b);
  /* A gap between inputs can be closed and the build tried again. */
  b = EsCreateGraphBuilder("gap");
  EsCreateGraphInput(b, 0);
  EsCreateGraphInput(b, 2);
  NULL_BECAUSE("input 1 is missing", EsBuildGraphAndReset(b));
  EsCTensorHolder *x = EsCreateGraphInput(b, 1);
  assert_int_equal(EsSetGraphOutput(x, 1), 0);
  NULL_BECAUSE("output 0 is missing", EsBuildGraphAndReset(b));
  assert_int_equal(EsSetGraphOutput(x, 0), 0);
  graph = Built(b);
  assert_int_equal(GeGraphNodeCount(graph), 4);
  GeGraphDestroy(graph);
  EsDestroyGraphBuilder(b);
  EsDestroyGraphBuilder(NULL);
}

static void Descriptions(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0);
  int64_t dims[] = {1, 2}, bad[] = {-5};
  GeTensorData d;
  assert_int_equal(EsSetDataType(x, C_DT_BF16), 0);
  assert_int_equal(EsSetFormat(x, C_FORMAT_NHWC), 0);
  assert_int_equal(EsSetShape(x, dims, 2), 0);
  OK(GeNodeGetOutputDesc(NodeOfHolder(x), 0, &d));
  assert_int_equal(d.data_type, C_DT_BF16);
  assert_int_equal(d.format, C_FORMAT_NHWC);
  assert_int_equal(d.origin_format, C_FORMAT_NHWC);
  assert_int_equal(d.dims[1], 2);
  assert_int_equal(d.origin_dims[0], 1);
  assert_int_equal(EsSetShape(x, NULL, 0), 0);
  OK(GeNodeGetOutputDesc(NodeOfHolder(x), 0, &d));
  assert_int_equal(d.rank, 0);
  REFUSED(GE_PARAM_INVALID, "shape is null", EsSetShape(x, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "-5", EsSetShape(x, bad, 1));
  REFUSED(GE_PARAM_INVALID, "dim_num is -2", EsSetShape(x, dims, -2));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetShape(NULL, dims, 2));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetDataType(NULL, C_DT_FLOAT));
  REFUSED(GE_PARAM_INVALID, "data type 99", EsSetDataType(x, (C_DataType)99));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetFormat(NULL, C_FORMAT_ND));
  REFUSED(GE_PARAM_INVALID, "format 99", EsSetFormat(x, (C_Format)99));

  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const char *symbols[] = {"s0", "2 * s1 + Max(s0, 3)"}, *broken[] = {"s0 +)"}, *empty[] = {""}, *null[] = {NULL};
  assert_int_equal(EsSetOriginSymbolShape(x, symbols, 2), 0);
  assert_int_equal(EsSetOriginSymbolShape(x, NULL, 0), 0);
  REFUSED(GE_PARAM_INVALID, "not an expression", EsSetOriginSymbolShape(x, broken, 1));
  REFUSED(GE_PARAM_INVALID, "not an expression", EsSetOriginSymbolShape(x, empty, 1));
  REFUSED(GE_PARAM_INVALID, "not an expression", EsSetOriginSymbolShape(x, null, 1));
  REFUSED(GE_PARAM_INVALID, "shape is null", EsSetOriginSymbolShape(x, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetOriginSymbolShape(NULL, symbols, 2));
  EsDestroyGraphBuilder(b);
}

static void CheckConst(EsCTensorHolder *holder, int32_t type, int32_t rank, const void *data, uint64_t size) {
  GeNode *node = NodeOfHolder(holder);
  assert_string_equal(GeNodeType(node), "Const");
  GeAttrData value;
  OK(GeNodeGetAttr(node, "value", &value));
  assert_int_equal(value.type, C_VT_TENSOR);
  assert_int_equal(value.tensor->data_type, type);
  assert_int_equal(value.tensor->format, C_FORMAT_ND);
  assert_int_equal(value.tensor->rank, rank);
  assert_int_equal(value.tensor->size, size);
  assert_memory_equal(value.tensor->data, data, size);
  GeTensorData d;
  OK(GeNodeGetOutputDesc(node, 0, &d));
  assert_int_equal(d.data_type, type);
  assert_int_equal(d.rank, rank);
}

#define CONSTANTS(Name, type, dtype)                                                      \
  do {                                                                                    \
    type values[] = {1, 2, 3, 4, 5, 6};                                                   \
    int64_t dims[] = {2, 3}, unknown[] = {-1};                                            \
    CheckConst(EsCreateConst##Name(b, values, dims, 2), dtype, 2, values, sizeof values); \
    CheckConst(EsCreateConst##Name(b, values, NULL, 2), dtype, 0, values, sizeof(type));  \
    CheckConst(EsCreateConst##Name(b, values, dims, 0), dtype, 0, values, sizeof(type));  \
    CheckConst(EsCreateVector##Name(b, values, 3), dtype, 1, values, 3 * sizeof(type));   \
    CheckConst(EsCreateVector##Name(b, values, 0), dtype, 1, values, 0);                  \
    CheckConst(EsCreateScalar##Name(b, 4), dtype, 0, values + 3, sizeof(type));           \
    NULL_BECAUSE("value is null", EsCreateConst##Name(b, NULL, dims, 2));                 \
    NULL_BECAUSE("graph is null", EsCreateConst##Name(NULL, values, dims, 2));            \
    NULL_BECAUSE("must be known", EsCreateConst##Name(b, values, unknown, 1));            \
    NULL_BECAUSE("value is null", EsCreateVector##Name(b, NULL, 2));                      \
    NULL_BECAUSE("graph is null", EsCreateVector##Name(NULL, values, 2));                 \
    NULL_BECAUSE("must be known", EsCreateVector##Name(b, values, -1));                   \
    NULL_BECAUSE("graph is null", EsCreateScalar##Name(NULL, 1));                         \
  } while (0)

static void Constants(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  CONSTANTS(Int64, int64_t, C_DT_INT64);
  CONSTANTS(Int32, int32_t, C_DT_INT32);
  CONSTANTS(UInt64, uint64_t, C_DT_UINT64);
  CONSTANTS(UInt32, uint32_t, C_DT_UINT32);
  CONSTANTS(Float, float, C_DT_FLOAT);
  EsDestroyGraphBuilder(b);
}

static void AttributeTensors(void **state) {
  (void)state;
  const uint16_t halves[] = {0x3c00, 0x4000};
  int64_t dims[] = {2}, unknown[] = {-1};
  EsCTensor *t = EsCreateEsCTensor(halves, dims, 1, C_DT_FLOAT16, C_FORMAT_NCHW);
  GeTensor *tensor = NULL;
  OK(GeEsTensorRetainTensor(t, &tensor));
  GeTensorData d;
  OK(GeTensorGetData(tensor, &d));
  assert_int_equal(d.data_type, C_DT_FLOAT16);
  assert_int_equal(d.format, C_FORMAT_NCHW);
  assert_memory_equal(d.data, halves, 4);
  EsCTensor *wrapped = NULL;
  OK(GeEsTensorCreate(tensor, &wrapped));
  GeTensorDestroy(tensor);
  GeEsTensorDestroy(t);
  OK(GeEsTensorRetainTensor(wrapped, &tensor));
  OK(GeTensorGetData(tensor, &d));
  assert_int_equal(d.size, 4);
  GeTensorDestroy(tensor);
  GeEsTensorDestroy(wrapped);

  /* GE's list of types, and no other. */
  static const uint8_t bytes[64];
  for (int32_t type = 0; type <= C_DT_MAX; ++type) {
    const char *taken = " 0 1 2 3 4 6 7 8 9 10 12 ";
    char text[16];
    snprintf(text, sizeof text, " %d ", (int)type);
    GeClearLastError();
    t = EsCreateEsCTensor(bytes, dims, 1, (C_DataType)type, C_FORMAT_ND);
    if (strstr(taken, text)) {
      assert_non_null(t);
      GeEsTensorDestroy(t);
    } else {
      assert_null(t);
      assert_non_null(strstr(GeLastErrorMessage(), "E10001"));
    }
  }
  NULL_BECAUSE("data is null", EsCreateEsCTensor(NULL, dims, 1, C_DT_FLOAT, C_FORMAT_ND));
  NULL_BECAUSE("must be known", EsCreateEsCTensor(halves, unknown, 1, C_DT_FLOAT, C_FORMAT_ND));

  char path[] = "/tmp/ge_es_tensor_XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, halves, 4), 4);
  close(fd);
  t = EsCreateEsCTensorFromFile(path, NULL, 0, C_DT_FLOAT16, C_FORMAT_ND);
  assert_non_null(t);
  GeEsTensorDestroy(t);
  NULL_BECAUSE("has 4 bytes, the tensor needs 8", EsCreateEsCTensorFromFile(path, dims, 1, C_DT_FLOAT, C_FORMAT_ND));
  NULL_BECAUSE("E10001", EsCreateEsCTensorFromFile(path, dims, 1, C_DT_STRING, C_FORMAT_ND));
  NULL_BECAUSE("E10001", EsCreateEsCTensorFromFile(path, dims, 1, C_DT_BF16, C_FORMAT_ND));
  unlink(path);
  NULL_BECAUSE("cannot be opened", EsCreateEsCTensorFromFile(path, dims, 1, C_DT_FLOAT, C_FORMAT_ND));
  NULL_BECAUSE("data_file_path is null", EsCreateEsCTensorFromFile(NULL, dims, 1, C_DT_FLOAT, C_FORMAT_ND));
  REFUSED(GE_PARAM_INVALID, "es_tensor is null", GeEsTensorRetainTensor(NULL, &tensor));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeEsTensorCreate(NULL, &wrapped));
  GeEsTensorDestroy(NULL);
}

static void Attributes(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0);
  assert_int_equal(EsSetInt64AttrForGraph(b, "i", 5), 0);
  assert_int_equal(EsSetStringAttrForGraph(b, "s", "text"), 0);
  assert_int_equal(EsSetBoolAttrForGraph(b, "b", true), 0);
  assert_int_equal(EsSetInt64AttrForTensor(x, "i", 6), 0);
  assert_int_equal(EsSetStringAttrForTensor(x, "s", "of tensor"), 0);
  assert_int_equal(EsSetBoolAttrForTensor(x, "b", false), 0);
  assert_int_equal(EsSetInt64AttrForNode(x, "i", 7), 0);
  assert_int_equal(EsSetStringAttrForNode(x, "s", "of node"), 0);
  assert_int_equal(EsSetBoolAttrForNode(x, "b", true), 0);
  GeGraph *graph = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  GeAttrData a;
  OK(GeGraphGetAttr(graph, "i", &a));
  assert_int_equal(a.i, 5);
  OK(GeGraphGetAttr(graph, "s", &a));
  assert_string_equal(a.s, "text");
  OK(GeGraphGetAttr(graph, "b", &a));
  assert_int_equal(a.type, C_VT_BOOL);
  OK(GeNodeGetOutputAttr(NodeOfHolder(x), 0, "i", &a));
  assert_int_equal(a.i, 6);
  OK(GeNodeGetOutputAttr(NodeOfHolder(x), 0, "s", &a));
  assert_string_equal(a.s, "of tensor");
  OK(GeNodeGetOutputAttr(NodeOfHolder(x), 0, "b", &a));
  assert_int_equal(a.i, 0);
  OK(GeNodeGetAttr(NodeOfHolder(x), "i", &a));
  assert_int_equal(a.i, 7);
  OK(GeNodeGetAttr(NodeOfHolder(x), "s", &a));
  assert_string_equal(a.s, "of node");
  OK(GeNodeGetAttr(NodeOfHolder(x), "b", &a));
  assert_int_equal(a.i, 1);
  GeGraphDestroy(graph);
  REFUSED(GE_PARAM_INVALID, "graph is null", EsSetInt64AttrForGraph(NULL, "i", 1));
  REFUSED(GE_PARAM_INVALID, "attr_name is null", EsSetInt64AttrForGraph(b, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "value is null", EsSetStringAttrForGraph(b, "s", NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", EsSetStringAttrForGraph(NULL, "s", "v"));
  REFUSED(GE_PARAM_INVALID, "graph is null", EsSetBoolAttrForGraph(NULL, "b", true));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetInt64AttrForTensor(NULL, "i", 1));
  REFUSED(GE_PARAM_INVALID, "attr_name is null", EsSetInt64AttrForTensor(x, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "value is null", EsSetStringAttrForTensor(x, "s", NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetStringAttrForTensor(NULL, "s", "v"));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetBoolAttrForTensor(NULL, "b", true));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetInt64AttrForNode(NULL, "i", 1));
  REFUSED(GE_PARAM_INVALID, "attr_name is null", EsSetInt64AttrForNode(x, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "value is null", EsSetStringAttrForNode(x, "s", NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetStringAttrForNode(NULL, "s", "v"));
  REFUSED(GE_PARAM_INVALID, "tensor is null", EsSetBoolAttrForNode(NULL, "b", true));
  EsDestroyGraphBuilder(b);
}

static void ControlEdges(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g"), *other = EsCreateGraphBuilder("other");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0), *y = Unary(x), *z = Unary(x), *foreign = EsCreateGraphInput(other, 0);
  EsCTensorHolder *sources[] = {y, x}, *mixed[] = {y, foreign}, *holes[] = {y, NULL};
  assert_int_equal(EsAddControlEdge(z, sources, 2), 0);
  assert_int_equal(GeNodeControlInputCount(NodeOfHolder(z)), 2);
  GeNode *node = NULL;
  OK(GeNodeGetControlInput(NodeOfHolder(z), 0, &node));
  assert_ptr_equal(node, NodeOfHolder(y));
  REFUSED(GE_PARAM_INVALID, "another graph builder", EsAddControlEdge(x, mixed, 2));
  REFUSED(GE_PARAM_INVALID, "src_ctrl_tensors[1] is null", EsAddControlEdge(x, holes, 2));
  assert_int_equal(GeNodeControlInputCount(NodeOfHolder(x)), 0);
  REFUSED(GE_PARAM_INVALID, "dest_ctrl_tensor is null", EsAddControlEdge(NULL, sources, 2));
  REFUSED(GE_PARAM_INVALID, "src_ctrl_tensors is null", EsAddControlEdge(z, NULL, 0));
  REFUSED(GE_PARAM_INVALID, "-1", EsAddControlEdge(z, sources, -1));
  EsDestroyGraphBuilder(b);
  EsDestroyGraphBuilder(other);
}

static int deleted;
static void Delete(void *object) {
  ++deleted;
  free(object);
}

static void Bridges(void **state) {
  (void)state;
  EsCGraphBuilder *b = EsCreateGraphBuilder("g");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0), *again = NULL;
  OK(GeEsHolderFromNode(b, NodeOfHolder(x), 0, &again));
  assert_ptr_equal(NodeOfHolder(again), NodeOfHolder(x));
  assert_int_equal(GeEsHolderIndex(again), 0);
  OK(GeEsHolderFromNode(b, NodeOfHolder(x), -1, &again));
  assert_int_equal(GeEsHolderIndex(again), -1);
  assert_int_equal(GeEsHolderIndex(NULL), 0);
  REFUSED(GE_PARAM_INVALID, "output 1", GeEsHolderFromNode(b, NodeOfHolder(x), 1, &again));
  assert_null(again);
  REFUSED(GE_PARAM_INVALID, "output -2", GeEsHolderFromNode(b, NodeOfHolder(x), -2, &again));
  REFUSED(GE_PARAM_INVALID, "builder is null", GeEsHolderFromNode(NULL, NodeOfHolder(x), 0, &again));
  REFUSED(GE_PARAM_INVALID, "node is null", GeEsHolderFromNode(b, NULL, 0, &again));
  REFUSED(GE_PARAM_INVALID, "out is null", GeEsHolderFromNode(b, NodeOfHolder(x), 0, NULL));
  EsCGraphBuilder *other = EsCreateGraphBuilder("other");
  REFUSED(GE_PARAM_INVALID, "not in the builder's graph", GeEsHolderFromNode(other, NodeOfHolder(x), 0, &again));
  EsDestroyGraphBuilder(other);

  deleted = 0;
  OK(GeEsBuilderAddResource(b, malloc(8), Delete));
  REFUSED(GE_PARAM_INVALID, "builder is null", GeEsBuilderAddResource(NULL, &deleted, Delete));
  REFUSED(GE_PARAM_INVALID, "object is null", GeEsBuilderAddResource(b, NULL, Delete));
  REFUSED(GE_PARAM_INVALID, "deleter is null", GeEsBuilderAddResource(b, &deleted, NULL));
  GeGraph *graph = NULL, *same = NULL;
  OK(GeEsBuilderRetainGraph(b, &graph));
  EsCGraph *box = NULL;
  OK(GeEsGraphCreate(graph, &box));
  OK(GeEsGraphRetainGraph(box, &same));
  assert_string_equal(GeGraphName(same), "g");
  GeGraphDestroy(same);
  GeEsGraphDestroy(box);
  GeGraphDestroy(graph);
  REFUSED(GE_PARAM_INVALID, "graph is null", GeEsGraphCreate(NULL, &box));
  assert_null(box);
  REFUSED(GE_PARAM_INVALID, "es_graph is null", GeEsGraphRetainGraph(NULL, &same));
  REFUSED(GE_PARAM_INVALID, "builder is null", GeEsBuilderRetainGraph(NULL, &same));
  REFUSED(GE_PARAM_INVALID, "out is null", GeEsBuilderRetainGraph(b, NULL));
  GeNode *node = NULL;
  REFUSED(GE_PARAM_INVALID, "es_node is null", GeEsNodeGet(NULL, &node));
  REFUSED(GE_PARAM_INVALID, "out is null", GeEsNodeGet(EsGetProducer(x), NULL));
  assert_null(EsGetProducer(NULL));
  assert_null(EsGetOwnerBuilder(NULL));
  GeEsGraphDestroy(NULL);
  assert_int_equal(deleted, 0);
  EsDestroyGraphBuilder(b);
  assert_int_equal(deleted, 1);
}

EsCTensorHolder *EsAdd(const EsCTensorHolder *, const EsCTensorHolder *);
EsCTensorHolder *EsSub(const EsCTensorHolder *, const EsCTensorHolder *);
EsCTensorHolder *EsMul(const EsCTensorHolder *, const EsCTensorHolder *);
EsCTensorHolder *EsDiv(const EsCTensorHolder *, const EsCTensorHolder *);

static void HooksSayWhatIsMissing(void **state) {
  (void)state;
  NULL_BECAUSE("EsAdd is not linked", EsAdd(NULL, NULL));
  NULL_BECAUSE("EsSub is not linked", EsSub(NULL, NULL));
  NULL_BECAUSE("EsMul is not linked", EsMul(NULL, NULL));
  NULL_BECAUSE("EsDiv is not linked", EsDiv(NULL, NULL));
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Inputs),
      cmocka_unit_test(EveryTypeAndFormat),
      cmocka_unit_test(NamesCountPerBuilder),
      cmocka_unit_test(BuildMakesNetOutput),
      cmocka_unit_test(GraphOutlivesBuilder),
      cmocka_unit_test(BuildRules),
      cmocka_unit_test(Descriptions),
      cmocka_unit_test(Constants),
      cmocka_unit_test(AttributeTensors),
      cmocka_unit_test(Attributes),
      cmocka_unit_test(ControlEdges),
      cmocka_unit_test(Bridges),
      cmocka_unit_test(HooksSayWhatIsMissing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
