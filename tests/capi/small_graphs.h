/* Small graphs of float vectors, compiled: what tests of runs share. */
#ifndef GE_TESTS_CAPI_SMALL_GRAPHS_H_
#define GE_TESTS_CAPI_SMALL_GRAPHS_H_

#include "ge/model.h"
#include "tests/capi/helpers.h"

static inline GeNode *AddOp(GeGraph *graph, const char *type, const char *name) {
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = type, .name = name};
  GeNode *node = NULL;
  OK(GeGraphAddNode(graph, &spec, &node));
  return node;
}

/* Input `index` of any length, of a data type. */
static inline GeNode *AddInput(GeGraph *graph, const char *name, int64_t index, int32_t data_type) {
  static const int64_t open[] = {GE_UNKNOWN_DIM};
  GeNode *x = AddOp(graph, "Data", name);
  const GeAttrData at = {.name = "index", .type = C_VT_INT, .i = index};
  OK(GeNodeSetAttr(x, &at));
  GeTensorData desc = FloatDesc(open, 1);
  desc.data_type = data_type;
  OK(GeNodeSetOutputDesc(x, 0, &desc));
  return x;
}

static inline GeNode *AddUnary(GeGraph *graph, const char *type, const char *name, GeNode *of) {
  GeNode *y = AddOp(graph, type, name);
  OK(GeGraphAddDataEdge(graph, of, 0, y, 0));
  return y;
}

/* Compiles the graph with an option (key null: none) and destroys it. */
static inline GeModel *CompileAndDestroy(GeGraph *graph, const char *key, const char *value) {
  GeOptions *options = NULL;
  GeModel *model = NULL;
  OK(GeOptionsCreate(&options));
  if (key) OK(GeOptionsSet(options, key, value));
  OK(GeCompile(graph, options, &model));
  GeOptionsDestroy(options);
  GeGraphDestroy(graph);
  return model;
}

/* Outputs: r = reverse(x), which no kernel computes in place, and, where `data_dependent`, the positions where x is not
 * 0: such a graph has no plan and is run node by node. */
static inline GeModel *ReverseModel(int data_dependent, const char *key, const char *value) {
  static int64_t zero[] = {0}, one[] = {1};
  static const int32_t ports[] = {0, 0};
  GeGraph *graph = NULL;
  OK(GeGraphCreate("reverse", &graph));
  GeNode *x = AddInput(graph, "x", 0, C_DT_FLOAT), *axis = AddOp(graph, "Const", "axis"), *outputs[2];
  GeTensorData content = FloatDesc(one, 1);
  content.data_type = C_DT_INT64;
  OK(GeNodeSetOutputDesc(axis, 0, &content));
  content.data = zero;
  content.size = sizeof zero;
  const GeAttrData attr = {.name = "value", .type = C_VT_TENSOR, .tensor = &content};
  OK(GeNodeSetAttr(axis, &attr));
  outputs[0] = AddUnary(graph, "ReverseV2", "r", x);
  OK(GeGraphAddDataEdge(graph, axis, 0, outputs[0], 1));
  if (data_dependent) outputs[1] = AddUnary(graph, "NonZero", "n", x);
  OK(GeGraphSetOutputs(graph, outputs, ports, data_dependent ? 2 : 1));
  return CompileAndDestroy(graph, key, value);
}

static inline GeTensorData Floats(float *values, const int64_t *length) {
  GeTensorData d = FloatDesc(length, 1);
  d.data = values;
  d.size = (uint64_t)*length * sizeof *values;
  return d;
}

#endif
