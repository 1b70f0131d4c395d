/* Shared by the tests of the C ABI: CMocka, small prototypes, and a text that says everything about a graph. */
#ifndef GE_TESTS_CAPI_HELPERS_H_
#define GE_TESTS_CAPI_HELPERS_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "esb_funcs.h"
#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/status.h"
#include "ge/tensor.h"

#define OK(call)                                                                   \
  do {                                                                             \
    GeStatus ok_status_ = (call);                                                  \
    if (ok_status_ != GE_SUCCESS) fail_msg("%s: %s", #call, GeLastErrorMessage()); \
  } while (0)

/* The call is refused with this code, and the message contains this text. */
#define REFUSED(code, text, call)                                                                          \
  do {                                                                                                     \
    GeClearLastError();                                                                                    \
    GeStatus refused_status_ = (call);                                                                     \
    assert_string_equal(GeStatusName(refused_status_), GeStatusName(code));                                \
    assert_int_equal(GeLastErrorCode(), refused_status_);                                                  \
    if (!strstr(GeLastErrorMessage(), text)) fail_msg("%s: message is '%s'", #call, GeLastErrorMessage()); \
  } while (0)

static const GeIrPort kX[] = {{"x", GE_IR_REQUIRED, 0, "T"}};
static const GeIrPort kX1X2[] = {{"x1", GE_IR_REQUIRED, 0, "T"}, {"x2", GE_IR_REQUIRED, 0, "T"}};
static const GeIrPort kY[] = {{"y", GE_IR_REQUIRED, 0, "T"}};
static const GeIrAttr kIndex[] = {{{.name = "index", .type = C_VT_INT}, 0, 0}};
/* a, dynamic v, optional o -> y, dynamic z; types of their own, so that no built-in prototype interferes */
static const GeIrPort kMixIn[] = {
    {"a", GE_IR_REQUIRED, 0, "T"}, {"v", GE_IR_DYNAMIC, 0, "T"}, {"o", GE_IR_OPTIONAL, 0, "T"}};
static const GeIrPort kMixOut[] = {{"y", GE_IR_REQUIRED, 0, "T"}, {"z", GE_IR_DYNAMIC, 0, "T"}};
static const GeIrAttr kMixAttrs[] = {{{.name = "need", .type = C_VT_INT}, 1, 0},
                                     {{.name = "scale", .type = C_VT_FLOAT, .f = 0.5}, 0, 0},
                                     {{.name = "mode", .type = C_VT_STRING, .s = "fast", .count = 4}, 0, 0}};
static const GeIrGraph kBodyGraph[] = {{"body", GE_IR_REQUIRED, 0}, {"cases", GE_IR_DYNAMIC, 0}};
/* By member: some tests compile this against headers whose GeOpSchema is shorter or longer. */
#define TEST_SCHEMA(op_type, ins, outs)                                                                       \
  .struct_size = sizeof(GeOpSchema), .type = op_type, .inputs = ins, .input_count = sizeof ins / sizeof *ins, \
  .outputs = outs, .output_count = sizeof outs / sizeof *outs
static const GeOpSchema kTestData = {TEST_SCHEMA("Data", kX, kY), .attrs = kIndex, .attr_count = 1};
static const GeOpSchema kTestUnary = {TEST_SCHEMA("TestUnary", kX, kY)};
static const GeOpSchema kTestBinary = {TEST_SCHEMA("TestBinary", kX1X2, kY)};
static const GeOpSchema kTestMix = {TEST_SCHEMA("TestMix", kMixIn, kMixOut), .attrs = kMixAttrs, .attr_count = 3};
static const GeOpSchema kTestCall = {TEST_SCHEMA("TestCall", kMixIn, kMixOut), .graphs = kBodyGraph, .graph_count = 2};
static const GeOpSchema kTestSink = {
    .struct_size = sizeof(GeOpSchema), .type = "TestSink", .inputs = kX, .input_count = 1};

static inline GeNode *AddNode(GeGraph *graph, const GeOpSchema *schema, const char *name, int32_t dyn_in,
                              int32_t dyn_out) {
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = schema->type, .name = name, .schema = schema};
  if (dyn_in >= 0) {
    spec.input_counts = &dyn_in;
    spec.input_counts_size = 1;
  }
  if (dyn_out >= 0) {
    spec.output_counts = &dyn_out;
    spec.output_counts_size = 1;
  }
  GeNode *node = NULL;
  OK(GeGraphAddNode(graph, &spec, &node));
  assert_non_null(node);
  return node;
}

/* ---- a text of everything a graph holds ---- */

typedef struct Text {
  char *data;
  size_t size, room;
} Text;

static inline void Put(Text *t, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (t->size + (size_t)n + 1 > t->room) {
    t->room = (t->room + (size_t)n + 64) * 2;
    t->data = realloc(t->data, t->room);
  }
  memcpy(t->data + t->size, line, (size_t)n + 1);
  t->size += (size_t)n;
}

static inline void PutDesc(Text *t, const char *what, const GeTensorData *d) {
  Put(t, "  %s t%d f%d/%d r%d/%d [", what, d->data_type, d->format, d->origin_format, d->rank, d->origin_rank);
  for (int32_t i = 0; i < d->rank; ++i) Put(t, " %lld", (long long)d->dims[i]);
  Put(t, " ]\n");
}

static inline void PutAttr(Text *t, const GeAttrData *a) {
  Put(t, "  attr %s type %d i %lld f %g s '%s' n %llu", a->name, a->type, (long long)a->i, a->f, a->s ? a->s : "",
      (unsigned long long)a->count);
  if (a->type == C_VT_LIST_INT)
    for (uint64_t i = 0; i < a->count; ++i) Put(t, " %lld", (long long)((const int64_t *)a->list)[i]);
  if (a->type == C_VT_LIST_STRING)
    for (uint64_t i = 0; i < a->count; ++i) Put(t, " %s", ((const char *const *)a->list)[i]);
  if (a->type == C_VT_TENSOR && a->tensor) PutDesc(t, "tensor", a->tensor);
  Put(t, "\n");
}

static inline void PutGraph(Text *t, GeGraph *graph) {
  Put(t, "graph %s\n", GeGraphName(graph));
  for (size_t i = 0; i < GeGraphNodeCount(graph); ++i) {
    GeNode *node = NULL;
    OK(GeGraphGetNode(graph, i, &node));
    Put(t, " node %s %s\n", GeNodeName(node), GeNodeType(node));
    GeTensorData desc;
    for (size_t p = 0; p < GeNodeInputCount(node); ++p) {
      GeNode *src = NULL;
      int32_t port = -1;
      OK(GeNodeGetInputSource(node, (int32_t)p, &src, &port));
      Put(t, "  in %zu from %s:%d\n", p, src ? GeNodeName(src) : "-", port);
      OK(GeNodeGetInputDesc(node, (int32_t)p, &desc));
      PutDesc(t, "in", &desc);
    }
    for (size_t p = 0; p < GeNodeOutputCount(node); ++p) {
      OK(GeNodeGetOutputDesc(node, (int32_t)p, &desc));
      PutDesc(t, "out", &desc);
      for (size_t c = 0; c < GeNodeConsumerCount(node, (int32_t)p); ++c) {
        GeNode *dst = NULL;
        int32_t port = -1;
        OK(GeNodeGetConsumer(node, (int32_t)p, c, &dst, &port));
        Put(t, "  out %zu to %s:%d\n", p, GeNodeName(dst), port);
      }
    }
    for (size_t c = 0; c < GeNodeControlInputCount(node); ++c) {
      GeNode *other = NULL;
      OK(GeNodeGetControlInput(node, c, &other));
      Put(t, "  after %s\n", GeNodeName(other));
    }
    for (size_t c = 0; c < GeNodeControlOutputCount(node); ++c) {
      GeNode *other = NULL;
      OK(GeNodeGetControlOutput(node, c, &other));
      Put(t, "  before %s\n", GeNodeName(other));
    }
    for (size_t a = 0; a < GeNodeAttrCount(node); ++a) {
      GeAttrData attr;
      OK(GeNodeGetAttrAt(node, a, &attr));
      PutAttr(t, &attr);
    }
    for (size_t s = 0; s < GeNodeSubgraphCount(node); ++s) {
      const char *ir = NULL, *name = NULL;
      OK(GeNodeGetSubgraphName(node, s, &ir, &name));
      Put(t, "  subgraph %s = %s\n", ir, name);
    }
  }
  for (size_t i = 0; i < GeGraphOutputCount(graph); ++i) {
    GeNode *node = NULL;
    int32_t port = -1;
    OK(GeGraphGetOutput(graph, i, &node, &port));
    Put(t, " output %zu %s:%d\n", i, node ? GeNodeName(node) : "-", port);
  }
  Put(t, " subgraphs %zu\n", GeGraphSubgraphCount(graph));
}

/* Caller frees. */
static inline char *GraphText(GeGraph *graph) {
  Text t = {NULL, 0, 0};
  PutGraph(&t, graph);
  for (size_t i = 0; i < GeGraphSubgraphCount(graph); ++i) {
    GeGraph *sub = NULL;
    OK(GeGraphRetainSubgraph(graph, i, &sub));
    PutGraph(&t, sub);
    GeGraphDestroy(sub);
  }
  return t.data;
}

static inline GeTensorData FloatDesc(const int64_t *dims, int32_t rank) {
  GeTensorData d = {.data_type = C_DT_FLOAT,
                    .format = C_FORMAT_ND,
                    .origin_format = C_FORMAT_ND,
                    .rank = rank,
                    .origin_rank = rank,
                    .dims = dims,
                    .origin_dims = dims};
  return d;
}

#endif
