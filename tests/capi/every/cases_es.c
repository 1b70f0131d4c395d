/* Building graphs in ES style. */
#include "tests/capi/every/fixture.h"

DO(EsCreateGraphBuilder, "N", ALLOCATES, 0, {
  w->out_builder = EsCreateGraphBuilder(P(1, "a builder whose name is too long"));
  return PointerStatus(w->out_builder);
})
DO(EsDestroyGraphBuilder, "N", NEVER, 0, {
  EsDestroyGraphBuilder(P(1, w->out_builder));
  return GE_SUCCESS;
})
HANDLE(EsCreateGraphInputWithDetails, "RNNN", ALLOCATES, 0,
       EsCreateGraphInputWithDetails(P(1, w->builder), 1, P(2, "an input with a long name"), P(3, "RefData"),
                                     C_DT_FLOAT, C_FORMAT_ND, P(4, kDims), 2))
HANDLE(EsCreateGraphInput, "R", ALLOCATES, 0, EsCreateGraphInput(P(1, w->builder), 1))
HANDLE(EsCreateVariable, "RR", ALLOCATES, 0, EsCreateVariable(P(1, w->builder), 0, P(2, "a variable with a long name")))
STATUS(EsSetDataType, "R", NEVER, 0, EsSetDataType(P(1, w->x), C_DT_INT32))
STATUS(EsSetFormat, "R", NEVER, 0, EsSetFormat(P(1, w->x), C_FORMAT_NCHW))
DO(EsSetShape, "RR", ALLOCATES, 0, {
  const int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  return EsSetShape(P(1, w->x), P(2, dims), 11);
})
DO(EsSetOriginSymbolShape, "RR+R", ALLOCATES, 0, {
  const char *const shape[] = {"s0", P(3, "a_symbol_that_is_long * s1")};
  return EsSetOriginSymbolShape(P(1, w->x), P(2, shape), 2);
})

#define CONSTANTS(Name, type)                                                                                \
  static const type k##Name[] = {1, 2, 3, 4, 5, 6};                                                          \
  HANDLE(EsCreateConst##Name, "RRN", ALLOCATES, 0,                                                           \
         EsCreateConst##Name(P(1, w->builder), P(2, k##Name), P(3, kDims), 2))                               \
  HANDLE(EsCreateVector##Name, "RR", ALLOCATES, 0, EsCreateVector##Name(P(1, w->builder), P(2, k##Name), 6)) \
  HANDLE(EsCreateScalar##Name, "R", ALLOCATES, 0, EsCreateScalar##Name(P(1, w->builder), 7))
CONSTANTS(Int64, int64_t)
CONSTANTS(Int32, int32_t)
CONSTANTS(UInt64, uint64_t)
CONSTANTS(UInt32, uint32_t)
CONSTANTS(Float, float)

STATUS(EsSetGraphOutput, "R", ALLOCATES, 0, EsSetGraphOutput(P(1, w->x), 1))
DO(EsBuildGraphAndReset, "R", ALLOCATES, 0, {
  w->out_box = EsBuildGraphAndReset(P(1, w->builder));
  return PointerStatus(w->out_box);
})
VALUE(EsGetOwnerBuilder, "N", NEVER, 0, EsGetOwnerBuilder(P(1, w->x)) == (null ? NULL : w->builder))
VALUE(EsGetProducer, "N", NEVER, 0, (EsGetProducer(P(1, w->x)) == NULL) == (null == 1))
DO(EsAddControlEdge, "RR+R", ALLOCATES, 0, {
  EsCTensorHolder *sources[] = {P(3, w->x)};
  return EsAddControlEdge(P(1, w->y), P(2, sources), 1);
})

DO(EsCreateEsCTensor, "RN", ALLOCATES, 0, {
  w->out_es_tensor = EsCreateEsCTensor(P(1, kValues), P(2, kDims), 2, C_DT_FLOAT, C_FORMAT_ND);
  return PointerStatus(w->out_es_tensor);
})
DO(EsCreateEsCTensorFromFile, "RN", ALLOCATES, NEED_ONNX, {
  w->out_es_tensor = EsCreateEsCTensorFromFile(P(1, Temp("bytes.bin")), P(2, kDims), 2, C_DT_FLOAT, C_FORMAT_ND);
  return PointerStatus(w->out_es_tensor);
})

#define ATTRIBUTES(Target, target)                                                                            \
  STATUS(EsSetInt64AttrFor##Target, "RR", ALLOCATES, 0,                                                       \
         EsSetInt64AttrFor##Target(P(1, target), P(2, "an_attribute"), 7))                                    \
  STATUS(EsSetStringAttrFor##Target, "RRR", ALLOCATES, 0,                                                     \
         EsSetStringAttrFor##Target(P(1, target), P(2, "an_attribute"), P(3, "a value of some length here"))) \
  STATUS(EsSetBoolAttrFor##Target, "RR", ALLOCATES, 0,                                                        \
         EsSetBoolAttrFor##Target(P(1, target), P(2, "an_attribute"), true))
ATTRIBUTES(Graph, w->builder)
ATTRIBUTES(Tensor, w->x)
ATTRIBUTES(Node, w->x)

/* The four that a generated operator library declares and replaces: here they only say what is missing. */
EsCTensorHolder *EsAdd(const EsCTensorHolder *x1, const EsCTensorHolder *x2);
EsCTensorHolder *EsSub(const EsCTensorHolder *x1, const EsCTensorHolder *x2);
EsCTensorHolder *EsMul(const EsCTensorHolder *x1, const EsCTensorHolder *x2);
EsCTensorHolder *EsDiv(const EsCTensorHolder *x1, const EsCTensorHolder *x2);
#define HOOK(name)                                                                                       \
  DO(name, "NN", ALLOCATES, 0, {                                                                         \
    assert_null(name(P(1, w->x), P(2, w->x)));                                                           \
    if (GeLastErrorCode() != GE_UNSUPPORTED) return GeLastErrorCode();                                   \
    int named = strstr(GeLastErrorMessage(), #name) || strstr(GeLastErrorMessage(), "out of memory in"); \
    assert_true(named);                                                                                  \
    GeClearLastError();                                                                                  \
    return GE_SUCCESS;                                                                                   \
  })
HOOK(EsAdd)
HOOK(EsSub)
HOOK(EsMul)
HOOK(EsDiv)

/* ---- GeEsAddNode ---- */

DO(GeEsAddNode, "RRR+RRRRRR", ALLOCATES, 0, {
  EsCTensorHolder *many[] = {w->x, w->x, P(7, w->x), w->x, w->x};
  const GeEsInput inputs[] = {{P(6, w->x), NULL, 0}, {NULL, P(8, many), 5}, {NULL, NULL, 0}};
  const int64_t counts[] = {12};
  const GeEsAttr attrs[] = {
      {.ir_index = 0, .value = {.type = C_VT_INT, .i = 9}},
      {.ir_index = 2, .value = {.type = C_VT_STRING, .s = "a text that is too long to be inside"}}};
  const GeEsCall call = {.struct_size = sizeof call,
                         .schema = P(4, &kTestMix),
                         .inputs = P(5, inputs),
                         .output_counts = counts,
                         .attrs = P(9, attrs),
                         .attr_count = 2};
  EsCTensorHolder *out[2], **dynamic[2];
  return GeEsAddNode(P(1, &call), P(2, out), P(3, dynamic));
})
VARIANT(GeEsAddNode, subgraph, "subgraph", "RRR+RRR", ALLOCATES, NEED_BOX, {
  EsCTensorHolder *many[] = {w->x};
  const GeEsInput inputs[] = {{w->x, NULL, 0}, {NULL, many, 1}, {NULL, NULL, 0}};
  const int64_t counts[] = {1};
  const GeEsGraph graphs[] = {{.one = P(5, w->box)}, {NULL, NULL, 0}};
  const GeEsCall call = {.struct_size = sizeof call,
                         .schema = &kTestCall,
                         .inputs = inputs,
                         .output_counts = P(6, counts),
                         .graphs = P(4, graphs)};
  EsCTensorHolder *out[2], **dynamic[2];
  GeStatus status = GeEsAddNode(P(1, &call), P(2, out), P(3, dynamic));
  if (status == GE_SUCCESS) w->box = NULL; /* taken over */
  return status;
})

/* ---- bridges ---- */

STATUS(GeEsGraphRetainGraph, "RR", NEVER, NEED_BOX, GeEsGraphRetainGraph(P(1, w->box), O(2, w->out_graph)))
STATUS(GeEsGraphCreate, "RR", ALLOCATES, 0, GeEsGraphCreate(P(1, w->graph), O(2, w->out_box)))
DO(GeEsGraphDestroy, "N", NEVER, NEED_BOX, {
  GeEsGraphDestroy(P(1, w->box));
  if (!null) w->box = NULL;
  return GE_SUCCESS;
})
DO(GeEsTensorRetainTensor, "RR", NEVER, 0, {
  FaultDisarmed(if (!w->out_es_tensor) OK(GeEsTensorCreate(w->tensor, &w->out_es_tensor)));
  return GeEsTensorRetainTensor(P(1, w->out_es_tensor), O(2, w->out_tensor));
})
STATUS(GeEsTensorCreate, "RR", ALLOCATES, 0, GeEsTensorCreate(P(1, w->tensor), O(2, w->out_es_tensor)))
DO(GeEsTensorDestroy, "N", NEVER, 0, {
  EsCTensor *box;
  FaultDisarmed(OK(GeEsTensorCreate(w->tensor, &box)));
  GeEsTensorDestroy(P(1, box));
  if (null) GeEsTensorDestroy(box);
  return GE_SUCCESS;
})
STATUS(GeEsNodeGet, "RR", NEVER, 0, GeEsNodeGet(P(1, EsGetProducer(w->x)), O(2, w->out_node)))
VALUE(GeEsHolderIndex, "N", NEVER, 0, GeEsHolderIndex(P(1, w->x)) == 0)
STATUS(GeEsBuilderRetainGraph, "RR", ALLOCATES, 0, GeEsBuilderRetainGraph(P(1, w->builder), O(2, w->out_graph)))
/* Holders come in blocks, which may have rested; the table of four blocks is full. */
DO(GeEsHolderFromNode, "RRR", ALLOCATES, 0, {
  GeNode *node;
  FaultDisarmed({
    OK(GeEsNodeGet(EsGetProducer(w->x), &node));
    for (int i = 0; i < 510; ++i) OK(GeEsHolderFromNode(w->builder, node, 0, &w->out_holder));
  });
  return GeEsHolderFromNode(P(1, w->builder), P(2, node), 0, O(3, w->out_holder));
})
static void NoDelete(void *object) { (void)object; }
STATUS(GeEsBuilderAddResource, "RRR", ALLOCATES, 0,
       GeEsBuilderAddResource(P(1, w->builder), P(2, (void *)w), P(3, NoDelete)))
/* Memory of the caller's that becomes a handle: what is in it before does not count. */
typedef union BuilderMemory {
  void *align;
  char bytes[GE_ES_BUILDER_BYTES];
} BuilderMemory;
typedef union HolderMemory {
  void *align;
  char bytes[GE_ES_HOLDER_BYTES];
} HolderMemory;
DO(GeEsBuilderInit, "RN", ALLOCATES, 0, {
  BuilderMemory memory;
  GeStatus status = GeEsBuilderInit(P(1, (void *)&memory), sizeof memory, P(2, "a name that is longer than an object"));
  if (status == GE_SUCCESS) GeEsBuilderDestroy((void *)&memory);
  return status;
})
DO(GeEsBuilderMove, "NN", NEVER, 0, {
  BuilderMemory from;
  BuilderMemory to;
  FaultDisarmed(OK(GeEsBuilderInit((void *)&from, sizeof from, "moved")));
  GeEsBuilderMove(P(1, (void *)&from), P(2, (void *)&to));
  GeEsBuilderDestroy((void *)(null ? &from : &to));
  return GE_SUCCESS;
})
DO(GeEsBuilderDestroy, "N", NEVER, 0, {
  BuilderMemory memory;
  if (!null) FaultDisarmed(OK(GeEsBuilderInit((void *)&memory, sizeof memory, "ended")));
  GeEsBuilderDestroy(P(1, (void *)&memory));
  return GE_SUCCESS;
})
DO(GeEsHolderInit, "RRR", NEVER, 0, {
  HolderMemory memory;
  GeNode *node = NULL;
  OK(GeEsNodeGet(EsGetProducer(w->x), &node));
  GeStatus status = GeEsHolderInit(P(1, (void *)&memory), sizeof memory, P(2, w->builder), P(3, node), 0);
  if (status == GE_SUCCESS) GeEsHolderDestroy((void *)&memory);
  return status;
})
DO(GeEsHolderDestroy, "N", NEVER, 0, {
  HolderMemory memory;
  GeNode *node = NULL;
  OK(GeEsNodeGet(EsGetProducer(w->x), &node));
  if (!null) OK(GeEsHolderInit((void *)&memory, sizeof memory, w->builder, node, 0));
  GeEsHolderDestroy(P(1, (void *)&memory));
  return GE_SUCCESS;
})
DO(GeEsBuilderNextName, "RRR", ALLOCATES, 0, {
  char name[64];
  return GeEsBuilderNextName(P(1, w->builder), P(2, "a type that is longer than an object"), P(3, name), sizeof name);
})
VALUE(GeEsBuilderInputCount, "N", NEVER, 0, GeEsBuilderInputCount(P(1, w->builder)) == (null ? 0 : 1))
