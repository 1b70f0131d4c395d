/* The one function that generated builder code calls to add a node. Hand-written code may use it too. */
#ifndef GE_ES_NODE_H_
#define GE_ES_NODE_H_

#include <stdbool.h>
#include <stddef.h>

#include "esb_funcs.h" /* the handle types: C99 allows each typedef once */
#include "ge/op.h"

struct GeGraph;
struct GeTensor;
struct GeNode;

GE_EXTERN_C_BEGIN

/** One attribute argument: index of the IR attribute in the schema, and its value (name is ignored). A value equal to
 * an optional attribute's default is not stored. */
typedef struct GeEsAttr {
  uint32_t ir_index;
  uint32_t reserved;
  GeAttrData value;
  EsCTensor *tensor; /* for VT_TENSOR: handed over to the builder; value.tensor is ignored */
} GeEsAttr;

/** Arguments of one call. inputs: one entry per IR input: for required and optional ones inputs[i].one, for dynamic
 * ones inputs[i].many with many_count. graphs likewise. output_counts: one entry per dynamic IR output. */
typedef struct GeEsInput {
  EsCTensorHolder *one;
  EsCTensorHolder *const *many;
  int64_t many_count;
} GeEsInput;
typedef struct GeEsGraph {
  EsCGraph *one;
  EsCGraph *const *many;
  int64_t many_count;
} GeEsGraph;

typedef struct GeEsCall {
  size_t struct_size;
  const GeOpSchema *schema; /* static data of the generated code; cached by address */
  EsCGraphBuilder *builder; /* null: taken from the first input that is not null */
  const GeEsInput *inputs;
  const int64_t *output_counts;
  const GeEsGraph *graphs;
  const GeEsAttr *attrs;
  size_t attr_count;
} GeEsCall;

/** Adds the node "<type>_<n>", connects its inputs, attaches subgraphs and attributes.
 *  holders: room for one entry per IR output; a required output's holder, or null for a dynamic one.
 *  dynamic: room for one entry per IR output; for a dynamic output an array of its holders (owned by the builder), else
 * null. On failure every entry is null and the last error names operator, argument and reason. For an operator without
 * outputs holders[0] (room for one is required) is the holder with output index -1. Owner: holders belong to the
 * builder; tensors and graphs in the call are taken over on success. Nulls: call, holders must not be null; dynamic may
 * be null when the schema has no dynamic output. Threads: one per builder. Errors: GE_PARAM_INVALID (missing input,
 * wrong builder, count), GE_BAD_STATE (already built), GE_GRAPH_INVALID (subgraph check). Since: ABI 1. */
GE_API GeStatus GeEsAddNode(const GeEsCall *call, EsCTensorHolder **holders, EsCTensorHolder ***dynamic);

/** Another reference to the graph behind an ES handle.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeEsGraphRetainGraph(EsCGraph *es_graph, struct GeGraph **out);
/** A new ES handle for a graph, which takes a reference of its own.
 *  Owner: caller destroys *out, unless it is handed over to a builder. Nulls: none allowed. Threads: any. Errors:
 *  GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeEsGraphCreate(struct GeGraph *graph, EsCGraph **out);
/** Destroys an ES handle of a graph and drops its reference. One that was handed over to a builder stays: the builder
 *  destroys it.
 *  Owner: consumes. Nulls: fine. Threads: any. Errors: GE_BAD_STATE (handed over), in the last error. Since: ABI 1. */
GE_API void GeEsGraphDestroy(EsCGraph *es_graph);
/** Another reference to the tensor behind an ES handle.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeEsTensorRetainTensor(EsCTensor *es_tensor, struct GeTensor **out);
/** A new ES handle for a tensor, which takes a reference of its own.
 *  Owner: caller destroys *out, unless it is handed over to a builder. Nulls: none allowed. Threads: any. Errors:
 *  GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeEsTensorCreate(struct GeTensor *tensor, EsCTensor **out);
/** Destroys an ES handle of a tensor and drops its reference. One that was handed over to a builder stays: the builder
 *  destroys it.
 *  Owner: consumes. Nulls: fine. Threads: any. Errors: GE_BAD_STATE (handed over), in the last error. Since: ABI 1. */
GE_API void GeEsTensorDestroy(EsCTensor *es_tensor);
/** The node behind a producer. Owner: the graph. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID,
 *  GE_BAD_STATE (removed). Since: ABI 1. */
GE_API GeStatus GeEsNodeGet(EsCNode *es_node, struct GeNode **out);
/** Output index of a holder; -1: an operator without outputs. Owner: n/a. Nulls: null gives 0. Threads: builder's.
 *  Errors: none. Since: ABI 1. */
GE_API int32_t GeEsHolderIndex(const EsCTensorHolder *holder);
/** Another reference to the builder's graph, while it is not built. Owner: caller destroys *out. Nulls: none allowed.
 *  Threads: builder's. Errors: GE_PARAM_INVALID, GE_BAD_STATE (built). Since: ABI 1. */
GE_API GeStatus GeEsBuilderRetainGraph(EsCGraphBuilder *builder, struct GeGraph **out);
/** A holder for an output of a node of the builder's graph. Owner: the builder. Nulls: none allowed. Threads:
 * builder's. Errors: GE_PARAM_INVALID (foreign node, no such output), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeEsHolderFromNode(EsCGraphBuilder *builder, struct GeNode *node, int32_t output_index,
                                   EsCTensorHolder **out);

/* For C++ classes that are builders and holders of tensors themselves (es_c_graph_builder.h, es_c_tensor_holder.h):
 * they give the memory that the handle is, at least this long and aligned as a pointer is. Memory that was destroyed,
 * moved from or could not be filled is refused by every function. */
#define GE_ES_BUILDER_BYTES 16
#define GE_ES_HOLDER_BYTES 24
/** Makes a builder in `memory`, of `size` bytes, as EsCreateGraphBuilder does in memory of the library.
 *  Owner: memory is the caller's; what this puts there goes with GeEsBuilderDestroy. Nulls: name null means "graph";
 *  memory must not be null. Threads: builder's. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH (size), GE_OUT_OF_MEMORY.
 *  Since: ABI 1. */
GE_API GeStatus GeEsBuilderInit(EsCGraphBuilder *memory, size_t size, const char *name);
/** Makes `to` the builder that `from` was; holders follow, and `from` is none any more. Where `from` is none, `to`
 *  becomes none.
 *  Owner: both stay the caller's memory; a builder that `to` has must be destroyed before. Nulls: fine. Threads:
 *  builder's. Errors: none. Since: ABI 1. */
GE_API void GeEsBuilderMove(EsCGraphBuilder *from, EsCGraphBuilder *to);
/** Destroys the builder in `memory`, as EsDestroyGraphBuilder does; memory that has none is passed over.
 *  Owner: what GeEsBuilderInit put there; memory stays the caller's. Nulls: fine. Threads: builder's. Errors:
 *  GE_BAD_STATE (another thread is inside: it stays), in the last error. Since: ABI 1. */
GE_API void GeEsBuilderDestroy(EsCGraphBuilder *memory);
/** Makes a holder in `memory`, of `size` bytes, for an output of a node of the builder's graph (-1: an operator without
 *  outputs).
 *  Owner: memory is the caller's; what this puts there goes with GeEsHolderDestroy. Nulls: none allowed. Threads:
 *  builder's. Errors: GE_PARAM_INVALID (foreign node, no such output), GE_ABI_MISMATCH (size). Since: ABI 1. */
GE_API GeStatus GeEsHolderInit(EsCTensorHolder *memory, size_t size, EsCGraphBuilder *builder, struct GeNode *node,
                               int32_t output_index);
/** Destroys the holder in `memory`. It must be destroyed before its builder's graph is used up by others' threads, and
 *  may be destroyed after its builder.
 *  Owner: what GeEsHolderInit put there; memory stays the caller's. Nulls: fine. Threads: builder's. Errors: none.
 *  Since: ABI 1. */
GE_API void GeEsHolderDestroy(EsCTensorHolder *memory);
/** Hands an object to the builder: deleter(object) is called once, when the builder is destroyed.
 *  Owner: the builder takes object. Nulls: none allowed. Threads: builder's. Errors: GE_PARAM_INVALID,
 * GE_OUT_OF_MEMORY: object then stays the caller's. Since: ABI 1. */
GE_API GeStatus GeEsBuilderAddResource(EsCGraphBuilder *builder, void *object, void (*deleter)(void *object));

/** The next generated node name "<type>_<n>" of the builder; the counter advances.
 *  Owner: `name` is the caller's, `capacity` bytes. Nulls: none allowed. Threads: one per builder.
 *  Errors: GE_PARAM_INVALID (too small), GE_BAD_STATE (built). Since: ABI 1. */
GE_API GeStatus GeEsBuilderNextName(EsCGraphBuilder *builder, const char *type, char *name, size_t capacity);
/** Number of graph inputs created so far. Owner: n/a. Nulls: null gives 0. Threads: builder's. Errors: none. Since:
 *  ABI 1. */
GE_API int64_t GeEsBuilderInputCount(const EsCGraphBuilder *builder);

GE_EXTERN_C_END
#endif
