/* Graphs, nodes, attributes, dumps. */
#include "tests/capi/every/fixture.h"

STATUS(GeGraphCreate, "NR", ALLOCATES, 0,
       GeGraphCreate(P(1, "a name that is longer than the object"), O(2, w->out_graph)))
DO(GeGraphDestroy, "N", NEVER, 0, {
  GeGraphDestroy(P(1, w->sub));
  if (!null) FaultDisarmed(OK(GeGraphCreate("sub", &w->sub)));
  return GE_SUCCESS;
})
STATUS(GeGraphRetain, "RR", NEVER, 0, GeGraphRetain(P(1, w->graph), O(2, w->out_graph)))
STATUS(GeGraphClone, "RNR", ALLOCATES, 0, GeGraphClone(P(1, w->graph), P(2, "copy"), O(3, w->out_graph)))
STATUS(GeGraphRetainCaller, "RRR", NEVER, 0, GeGraphRetainCaller(P(1, w->graph), O(2, w->out_graph), O(3, w->out_node)))
/* A removed node may be retained, so not every dead handle is refused. */
DO(GeNodeHandleRetain, "R", NEVER, 0, {
  GeStatus status = GeNodeHandleRetain(P(1, (void *)w->a));
  if (status == GE_SUCCESS) GeNodeHandleDestroy(w->a);
  return status;
})
DO(GeNodeHandleDestroy, "N", NEVER, 0, {
  if (!null) OK(GeNodeHandleRetain(w->a));
  GeNodeHandleDestroy(P(1, (void *)w->a));
  return GE_SUCCESS;
})
VALUE(GeGraphName, "N", NEVER, 0, strcmp(GeGraphName(P(1, w->graph)), null ? "" : "world") == 0)
STATUS(GeGraphSetName, "RR", ALLOCATES, 0,
       GeGraphSetName(P(1, w->graph), P(2, "a new name that does not fit inside either")))
VALUE(GeGraphNodeCount, "N", NEVER, 0, GeGraphNodeCount(P(1, w->graph)) == (null ? 0 : 4))
STATUS(GeGraphGetNode, "RR", NEVER, 0, GeGraphGetNode(P(1, w->graph), 0, O(2, w->out_node)))
STATUS(GeGraphFindNode, "RRR", NEVER, 0, GeGraphFindNode(P(1, w->graph), P(2, "a"), O(3, w->out_node)))
DO(GeGraphAddNode, "RRR+RNNRR", ALLOCATES, 0, {
  int32_t counts[] = {5};
  GeNodeSpec spec = {.struct_size = sizeof spec,
                     .type = P(4, "TestMix"),
                     .name = P(5, "a name that is longer than the object"),
                     .schema = &kTestMix,
                     .input_counts = P(7, counts),
                     .input_counts_size = 1,
                     .output_counts = P(8, counts),
                     .output_counts_size = 1};
  if (null == 6) { /* the registered prototype is meant */
    spec.type = "Relu";
    spec.schema = NULL;
    spec.input_counts_size = spec.output_counts_size = 0;
  }
  return GeGraphAddNode(P(1, w->graph), P(2, &spec), O(3, w->out_node));
})
STATUS(GeGraphRemoveNode, "RR", ALLOCATES, 0, GeGraphRemoveNode(P(1, w->graph), P(2, w->a)))
STATUS(GeGraphAddDataEdge, "RRR", ALLOCATES, 0, GeGraphAddDataEdge(P(1, w->graph), P(2, w->data), 0, P(3, w->b), 1))
STATUS(GeGraphAddControlEdge, "RRR", ALLOCATES, 0, GeGraphAddControlEdge(P(1, w->graph), P(2, w->a), P(3, w->b)))
STATUS(GeGraphRemoveEdge, "RRR", NEVER, 0, GeGraphRemoveEdge(P(1, w->graph), P(2, w->data), 0, P(3, w->a), 0))
VARIANT(GeGraphRemoveEdge, control, "control", "RRR", NEVER, 0,
        return GeGraphRemoveEdge(P(1, w->graph), P(2, w->data), -1, P(3, w->b), -1);)
DO(GeGraphSetOutputs, "RRR+R", ALLOCATES, 0, {
  GeNode *nodes[] = {w->a, P(4, w->b), w->data};
  const int32_t ports[] = {0, 0, 0};
  return GeGraphSetOutputs(P(1, w->graph), P(2, nodes), P(3, ports), 3);
})
DO(GeGraphOutputCount, "N", ALLOCATES, 0, {
  size_t count = GeGraphOutputCount(P(1, w->graph));
  if (!null && count == 0) return GeLastErrorCode();
  assert_int_equal(count, null ? 0 : 1);
  return GE_SUCCESS;
})
DO(GeGraphGetOutput, "RRR", ALLOCATES, 0, {
  int32_t port = 0;
  return GeGraphGetOutput(P(1, w->graph), 0, O(2, w->out_node), P(3, &port));
})
STATUS(GeGraphAddSubgraph, "RR", ALLOCATES, 0, GeGraphAddSubgraph(P(1, w->graph), P(2, w->sub)))
STATUS(GeGraphRemoveSubgraph, "RR", NEVER, 0, GeGraphRemoveSubgraph(P(1, w->graph), P(2, "inner")))
VALUE(GeGraphSubgraphCount, "N", NEVER, 0, GeGraphSubgraphCount(P(1, w->graph)) == (null ? 0 : 2))
STATUS(GeGraphRetainSubgraph, "RR", ALLOCATES, 0, GeGraphRetainSubgraph(P(1, w->graph), 0, O(2, w->out_graph)))
STATUS(GeGraphRetainSubgraphByName, "RRR", ALLOCATES, 0,
       GeGraphRetainSubgraphByName(P(1, w->graph), P(2, "inner"), O(3, w->out_graph)))

/* ---- nodes ---- */

VALUE(GeNodeName, "N", NEVER, 0, strcmp(GeNodeName(P(1, w->a)), null ? "" : "a") == 0)
VALUE(GeNodeType, "N", NEVER, 0, strcmp(GeNodeType(P(1, w->a)), null ? "" : "TestUnary") == 0)
STATUS(GeNodeRetainGraph, "RR", ALLOCATES, 0, GeNodeRetainGraph(P(1, w->a), O(2, w->out_graph)))
VALUE(GeNodeSchema, "N", NEVER, 0, (GeNodeSchema(P(1, w->a)) == NULL) == (null == 1))
VALUE(GeNodeInputCount, "N", NEVER, 0, GeNodeInputCount(P(1, w->b)) == (null ? 0 : 2))
VALUE(GeNodeOutputCount, "N", NEVER, 0, GeNodeOutputCount(P(1, w->b)) == (null ? 0 : 1))
DO(GeNodeGetDynamicInputCount, "RRR", NEVER, 0, {
  int32_t count = 0;
  return GeNodeGetDynamicInputCount(P(1, w->call), P(2, "v"), P(3, &count));
})
DO(GeNodeGetDynamicOutputCount, "RRR", NEVER, 0, {
  int32_t count = 0;
  return GeNodeGetDynamicOutputCount(P(1, w->call), P(2, "z"), P(3, &count));
})
DO(GeNodeGetInputSource, "RRR", NEVER, 0, {
  int32_t port = 0;
  return GeNodeGetInputSource(P(1, w->a), 0, O(2, w->out_node), P(3, &port));
})
VALUE(GeNodeConsumerCount, "N", NEVER, 0, GeNodeConsumerCount(P(1, w->data), 0) == (null ? 0 : 2))
DO(GeNodeGetConsumer, "RRR", NEVER, 0, {
  int32_t port = 0;
  return GeNodeGetConsumer(P(1, w->data), 0, 0, O(2, w->out_node), P(3, &port));
})
VALUE(GeNodeControlInputCount, "N", NEVER, 0, GeNodeControlInputCount(P(1, w->b)) == (null ? 0 : 1))
STATUS(GeNodeGetControlInput, "RR", NEVER, 0, GeNodeGetControlInput(P(1, w->b), 0, O(2, w->out_node)))
VALUE(GeNodeControlOutputCount, "N", NEVER, 0, GeNodeControlOutputCount(P(1, w->data)) == (null ? 0 : 1))
STATUS(GeNodeGetControlOutput, "RR", NEVER, 0, GeNodeGetControlOutput(P(1, w->data), 0, O(2, w->out_node)))
DO(GeNodeGetInputDesc, "RR", NEVER, 0, {
  GeTensorData d;
  return GeNodeGetInputDesc(P(1, w->a), 0, P(2, &d));
})
DO(GeNodeGetOutputDesc, "RR", NEVER, 0, {
  GeTensorData d;
  return GeNodeGetOutputDesc(P(1, w->a), 0, P(2, &d));
})
DO(GeNodeSetInputDesc, "RR+R", ALLOCATES, 0, {
  int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  GeTensorData d = FloatDesc(dims, 11);
  if (null == 3) d.dims = NULL;
  return GeNodeSetInputDesc(P(1, w->b), 1, P(2, &d));
})
DO(GeNodeSetOutputDesc, "RR+R", ALLOCATES, 0, {
  int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  GeTensorData d = FloatDesc(dims, 11);
  if (null == 3) d.origin_dims = NULL;
  return GeNodeSetOutputDesc(P(1, w->b), 0, P(2, &d));
})
VALUE(GeNodeSubgraphCount, "N", NEVER, 0, GeNodeSubgraphCount(P(1, w->call)) == (null ? 0 : 1))
DO(GeNodeGetSubgraphName, "RRR", NEVER, 0, {
  const char *ir = NULL, *name = NULL;
  return GeNodeGetSubgraphName(P(1, w->call), 0, P(2, &ir), P(3, &name));
})
STATUS(GeNodeSetSubgraph, "RRR", ALLOCATES, 0, GeNodeSetSubgraph(P(1, w->call), P(2, "body"), P(3, w->sub)))
VALUE(GeNodeOriginCount, "N", NEVER, 0, GeNodeOriginCount(P(1, w->a)) == (null ? 0 : 1))
VALUE(GeNodeOrigin, "N", NEVER, 0, GeNodeOrigin(P(1, w->a), 99) == NULL)

/* ---- attributes ---- */

#define TEXTS                                                                                                      \
  const char *const texts[] = {"a text that is too long to be stored inside", "another one that is just as long"}; \
  GeAttrData value = {.name = "texts", .type = C_VT_LIST_STRING, .list = texts, .count = 2};

DO(GeNodeSetAttr, "RR+RRR", ALLOCATES, 0, {
  TEXTS
  const char *const holes[] = {"one", NULL};
  if (null == 3) value.name = NULL;
  if (null == 4) value.list = NULL;
  if (null == 5) value.list = holes;
  return GeNodeSetAttr(P(1, w->a), P(2, &value));
})
VARIANT(GeNodeSetAttr, ints, "ints", "RR+R", ALLOCATES, 0, {
  int64_t values[40] = {0};
  GeAttrData value = {.name = "some attribute", .type = C_VT_LIST_INT, .list = P(3, values), .count = 40};
  return GeNodeSetAttr(P(1, w->b), P(2, &value));
})
VARIANT(GeNodeSetAttr, text, "text", "RR+R", ALLOCATES, 0, {
  GeAttrData value = {
      .name = "k", .type = C_VT_STRING, .s = P(3, "a text that is too long to be stored inside"), .count = 43};
  return GeNodeSetAttr(P(1, w->b), P(2, &value));
})
/* A tensor attribute without a tensor counts as absent. */
VARIANT(GeNodeSetAttr, tensor, "tensor", "RR+N", ALLOCATES, 0, {
  GeTensorData d = FloatData();
  GeAttrData value = {.name = "k", .type = C_VT_TENSOR, .tensor = P(3, &d)};
  return GeNodeSetAttr(P(1, w->b), P(2, &value));
})
VARIANT(GeNodeSetAttr, tensors, "tensors", "RR+RR", ALLOCATES, 0, {
  GeTensorData d = FloatData();
  const GeTensorData *list[] = {&d, P(4, &d)};
  GeAttrData value = {.name = "k", .type = C_VT_LIST_TENSOR, .list = P(3, list), .count = 2};
  return GeNodeSetAttr(P(1, w->b), P(2, &value));
})
VARIANT(GeNodeSetAttr, rows, "rows", "RR+RRR", ALLOCATES, 0, {
  const int64_t row[] = {1, 2, 3}, counts[] = {3, 2};
  const int64_t *rows[] = {row, P(5, row)};
  GeAttrData value = {
      .name = "k", .type = C_VT_LIST_LIST_INT, .list = P(3, rows), .count = 2, .inner_counts = P(4, counts)};
  return GeNodeSetAttr(P(1, w->b), P(2, &value));
})
DO(GeGraphSetAttr, "RR+RR", ALLOCATES, 0, {
  TEXTS
  if (null == 3) value.name = NULL;
  if (null == 4) value.list = NULL;
  return GeGraphSetAttr(P(1, w->graph), P(2, &value));
})
DO(GeNodeSetInputAttr, "RR+RR", ALLOCATES, 0, {
  TEXTS
  if (null == 3) value.name = NULL;
  if (null == 4) value.list = NULL;
  return GeNodeSetInputAttr(P(1, w->a), 0, P(2, &value));
})
DO(GeNodeSetOutputAttr, "RR+RR", ALLOCATES, 0, {
  TEXTS
  if (null == 3) value.name = NULL;
  if (null == 4) value.list = NULL;
  return GeNodeSetOutputAttr(P(1, w->a), 0, P(2, &value));
})
#define GET(f, owner, ...)                                          \
  DO(f, "RRR", ALLOCATES, 0, {                                      \
    GeAttrData value;                                               \
    return f(P(1, owner), __VA_ARGS__ P(2, "texts"), P(3, &value)); \
  })
GET(GeNodeGetAttr, w->a)
GET(GeGraphGetAttr, w->graph)
GET(GeNodeGetInputAttr, w->a, 0, )
GET(GeNodeGetOutputAttr, w->a, 0, )
VALUE(GeNodeAttrCount, "N", NEVER, 0, GeNodeAttrCount(P(1, w->a)) == (null ? 0 : 2))
DO(GeNodeGetAttrAt, "RR", ALLOCATES, 0, {
  GeAttrData value;
  return GeNodeGetAttrAt(P(1, w->a), 0, P(2, &value));
})
STATUS(GeNodeRemoveAttr, "RR", NEVER, 0, GeNodeRemoveAttr(P(1, w->a), P(2, "texts")))
STATUS(GeNodeSetAttrTensor, "RRR", ALLOCATES, 0, GeNodeSetAttrTensor(P(1, w->b), P(2, "an attribute"), P(3, w->tensor)))
STATUS(GeNodeRetainAttrTensor, "RRR", ALLOCATES, 0,
       GeNodeRetainAttrTensor(P(1, w->a), P(2, "value"), O(3, w->out_tensor)))

/* ---- whole graph ---- */

STATUS(GeGraphVerify, "R", ALLOCATES, 0, GeGraphVerify(P(1, w->sub)))
DO(GeGraphInfer, "RN", ALLOCATES, NEED_NET, {
  GeTensorData d = FloatDesc(kDims, 2);
  return GeGraphInfer(P(1, w->net), P(2, &d), null == 2 ? 0 : 1);
})
VARIANT(GeGraphInfer, counted, "counted", "RR", ALLOCATES, NEED_NET, {
  GeTensorData d = FloatDesc(kDims, 2);
  return GeGraphInfer(P(1, w->net), P(2, &d), 1);
})
#define DUMP(format)                                                                     \
  VARIANT(GeGraphDump, format, #format, "RRN", ALLOCATES, 0, {                           \
    int user = 0;                                                                        \
    return GeGraphDump(P(1, w->graph), GE_DUMP_##format, P(2, IgnoreText), P(3, &user)); \
  })
DUMP(ONNX)
DUMP(TXT)
DUMP(READABLE)
DUMP(DOT)
DUMP(SVG)
DO(GeGraphDumpToFile, "RNNN", ALLOCATES, 0, {
  int user = 0;
  return GeGraphDumpToFile(P(1, w->graph), GE_DUMP_READABLE, P(2, "suffix"), P(3, IgnoreText), P(4, &user));
})
STATUS(GeGraphSave, "RR", ALLOCATES, 0, GeGraphSave(P(1, w->graph), P(2, Temp("saved.air"))))
STATUS(GeGraphLoad, "RR", ALLOCATES, NEED_AIR, GeGraphLoad(P(1, w->sub), P(2, Temp("small.air"))))
DO(GeGraphTakeContent, "RR", ALLOCATES, NEED_NET, {
  GeGraph *graph = NULL;
  FaultDisarmed(OK(GeGraphClone(w->net, NULL, &graph)));
  const size_t nodes = GeGraphNodeCount(graph);
  GeStatus status = GeGraphTakeContent(P(1, graph), P(2, w->sub));
  assert_int_equal(GeGraphNodeCount(graph), status == GE_SUCCESS ? GeGraphNodeCount(w->sub) : nodes);
  GeGraphDestroy(graph);
  return status;
})
