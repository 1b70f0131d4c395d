/* Building graphs: one builder, one function per node. GE's names and signatures.
 *
 * A tensor holder names one output of a node and belongs to its builder, as do the arrays of holders in generated
 * output structs: never free them. Holders stay usable for queries after the graph was built; making new nodes then
 * fails. Status functions return 0 on success, pointer functions null on failure; the reason is the thread's last error
 * (ge/status.h) and is logged. A builder and its holders are used by one thread at a time. */
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESB_FUNCS_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESB_FUNCS_H_

#ifdef __cplusplus
#include <cstdint>
#else
#include <stdbool.h>
#include <stdint.h>
#endif

#include "ge/export.h"
#include "graph/c_types.h"

#ifdef __cplusplus
struct EsCTensorHolder;
struct EsCGraphBuilder;
struct EsCTensor;
struct EsCGraph;
struct EsCNode;
#else
typedef struct EsCTensorHolder EsCTensorHolder;
typedef struct EsCGraphBuilder EsCGraphBuilder;
typedef struct EsCTensor EsCTensor;
typedef struct EsCGraph EsCGraph;
typedef struct EsCNode EsCNode;
#endif

GE_EXTERN_C_BEGIN

/* ---- builder and inputs ---- */

/** New builder for a graph of this name.
 *  Owner: caller, EsDestroyGraphBuilder. Nulls: name null means "graph". Threads: any. Errors: null. Since: ABI 1. */
GE_API EsCGraphBuilder *EsCreateGraphBuilder(const char *name);

/** Frees the builder, its holders and what was handed over to it; a built graph stays.
 *  Owner: consumes. Nulls: fine. Threads: builder's. Errors: none. Since: ABI 1. */
GE_API void EsDestroyGraphBuilder(EsCGraphBuilder *graph);

/** Adds the graph input `index`. type is "Data" (null too), "RefData", "AippData" or "AnyData". The shape is as in
 *  EsSetShape.
 *  Owner: builder. Nulls: name null or "" means "input_<index>"; shape null means a scalar, unless dim_num is
 *  GE_UNKNOWN_RANK; graph must not be null.
 *  Threads: builder's. Errors: null on a negative or used index, another type, a bad shape, after the build. Since:
 * ABI 1. */
GE_API EsCTensorHolder *EsCreateGraphInputWithDetails(EsCGraphBuilder *graph, int64_t index, const char *name,
                                                      const char *type, C_DataType data_type, C_Format format,
                                                      const int64_t *shape, int64_t dim_num);

/** The same with the defaults: float, ND, scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateGraphInput(EsCGraphBuilder *graph, int64_t index);

/** Adds a Variable node of this name. Names that the program gives may repeat (ge/graph.h).
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVariable(EsCGraphBuilder *graph, int32_t index, const char *name);

/* ---- description of a tensor: of the producer's output ---- */

/** Sets the data type.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero on an unknown type and for an operator without
 *  outputs. Since: ABI 1. */
GE_API uint32_t EsSetDataType(EsCTensorHolder *tensor, C_DataType data_type);
/** Sets the format, both in origin and in storage.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero on an unknown format and for an operator
 *  without outputs. Since: ABI 1. */
GE_API uint32_t EsSetFormat(EsCTensorHolder *tensor, C_Format format);
/** Sets the shape, both in origin and in storage. Unknown dimensions are -1. Of an unknown rank dim_num is
 *  GE_UNKNOWN_RANK (ge/data.h), or the shape is {-2}.
 *  Owner: shape is copied. Nulls: tensor must not be null; shape only with dim_num 0 (scalar) or GE_UNKNOWN_RANK.
 *  Threads: builder's.
 *  Errors: non-zero on a bad shape and for an operator without outputs. Since: ABI 1. */
GE_API uint32_t EsSetShape(EsCTensorHolder *tensor, const int64_t *shape, int64_t dim_num);

/** Symbolic dimensions, one expression each, for example "s0" or "2 * s1". No promise of stability.
 *  Owner: texts are copied. Nulls: shape only with dim_num 0. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetOriginSymbolShape(EsCTensorHolder *tensor, const char *const *shape, int64_t dim_num);

/* ---- constants: node Const_<n>, data is copied ---- */

/** An int64 constant of `dims` (null or dim_num <= 0: a scalar), which must be known.
 *  Owner: builder. Nulls: graph and value must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateConstInt64(EsCGraphBuilder *graph, const int64_t *value, const int64_t *dims,
                                           int64_t dim_num);
/** An int64 constant of one dimension, with `dim` elements.
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVectorInt64(EsCGraphBuilder *graph, const int64_t *value, int64_t dim);
/** An int64 constant that is a scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateScalarInt64(EsCGraphBuilder *graph, int64_t value);
/** An int32 constant of `dims` (null or dim_num <= 0: a scalar), which must be known.
 *  Owner: builder. Nulls: graph and value must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateConstInt32(EsCGraphBuilder *graph, const int32_t *value, const int64_t *dims,
                                           int64_t dim_num);
/** An int32 constant of one dimension, with `dim` elements.
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVectorInt32(EsCGraphBuilder *graph, const int32_t *value, int64_t dim);
/** An int32 constant that is a scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateScalarInt32(EsCGraphBuilder *graph, int32_t value);
/** A uint64 constant of `dims` (null or dim_num <= 0: a scalar), which must be known.
 *  Owner: builder. Nulls: graph and value must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateConstUInt64(EsCGraphBuilder *graph, const uint64_t *value, const int64_t *dims,
                                            int64_t dim_num);
/** A uint64 constant of one dimension, with `dim` elements.
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVectorUInt64(EsCGraphBuilder *graph, const uint64_t *value, int64_t dim);
/** A uint64 constant that is a scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateScalarUInt64(EsCGraphBuilder *graph, uint64_t value);
/** A uint32 constant of `dims` (null or dim_num <= 0: a scalar), which must be known.
 *  Owner: builder. Nulls: graph and value must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateConstUInt32(EsCGraphBuilder *graph, const uint32_t *value, const int64_t *dims,
                                            int64_t dim_num);
/** A uint32 constant of one dimension, with `dim` elements.
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVectorUInt32(EsCGraphBuilder *graph, const uint32_t *value, int64_t dim);
/** A uint32 constant that is a scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateScalarUInt32(EsCGraphBuilder *graph, uint32_t value);
/** A float constant of `dims` (null or dim_num <= 0: a scalar), which must be known.
 *  Owner: builder. Nulls: graph and value must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateConstFloat(EsCGraphBuilder *graph, const float *value, const int64_t *dims,
                                           int64_t dim_num);
/** A float constant of one dimension, with `dim` elements.
 *  Owner: builder. Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateVectorFloat(EsCGraphBuilder *graph, const float *value, int64_t dim);
/** A float constant that is a scalar.
 *  Owner: builder. Nulls: graph must not be null. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCTensorHolder *EsCreateScalarFloat(EsCGraphBuilder *graph, float value);

/* ---- graph ---- */

/** Makes the tensor graph output `output_index`.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero on a negative or used index. Since: ABI 1. */
GE_API uint32_t EsSetGraphOutput(EsCTensorHolder *tensor, int64_t output_index);

/** Ends the building: adds NetOutput_<graph name>, fed by the outputs, and hands the graph over. Input indexes must
 * form 0..n-1, output indexes 0..m-1. The builder has no graph afterwards. Owner: caller, GeEsGraphDestroy (C++: a
 * ge::Graph). Nulls: none allowed. Threads: builder's. Errors: null. Since: ABI 1. */
GE_API EsCGraph *EsBuildGraphAndReset(EsCGraphBuilder *graph);

/** Builder of a tensor. Owner: borrowed, until the builder is destroyed. Nulls: null gives null. Threads: builder's.
 *  Errors: none. Since: ABI 1. */
GE_API EsCGraphBuilder *EsGetOwnerBuilder(EsCTensorHolder *tensor);
/** Producer node of a tensor.
 *  Owner: borrowed, until the builder is destroyed. Nulls: null gives null. Threads: builder's. Errors: null while
 *  another thread is inside. Since: ABI 1. */
GE_API EsCNode *EsGetProducer(EsCTensorHolder *tensor);

/** Control edges from every source's producer to the destination's producer.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsAddControlEdge(EsCTensorHolder *dest_ctrl_tensor, EsCTensorHolder **src_ctrl_tensors,
                                 int64_t ctrl_tensors_num);

/* ---- tensors as attribute values ---- */

/** Copies data of type FLOAT, FLOAT16, INT8 to INT64, UINT8 to UINT64 or BOOL (else E10001). dim null: one element.
 *  Owner: caller (GeEsTensorDestroy), until it is passed as an attribute. Nulls: data must not be null. Threads: any.
 *  Errors: null. Since: ABI 1. */
GE_API EsCTensor *EsCreateEsCTensor(const void *data, const int64_t *dim, int64_t dim_num, C_DataType data_type,
                                    C_Format format);
/** The same from a raw file of at least the size needed.
 *  Owner: as above. Nulls: data_file_path must not be null. Threads: any. Errors: null. Since: ABI 1. */
GE_API EsCTensor *EsCreateEsCTensorFromFile(const char *data_file_path, const int64_t *dim, int64_t dim_num,
                                            C_DataType data_type, C_Format format);

/* ---- attributes of the graph, of an output tensor, of its producer node ---- */

/** Sets an integer attribute of the builder's graph.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero, also after the build. Since: ABI 1. */
GE_API uint32_t EsSetInt64AttrForGraph(EsCGraphBuilder *graph, const char *attr_name, int64_t value);
/** Sets a text attribute of the builder's graph.
 *  Owner: value is copied. Nulls: none allowed. Threads: builder's. Errors: non-zero, also after the build.
 *  Since: ABI 1. */
GE_API uint32_t EsSetStringAttrForGraph(EsCGraphBuilder *graph, const char *attr_name, const char *value);
/** Sets a truth value as attribute of the builder's graph.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero, also after the build. Since: ABI 1. */
GE_API uint32_t EsSetBoolAttrForGraph(EsCGraphBuilder *graph, const char *attr_name, bool value);
/** Sets an integer attribute of the description of an output.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetInt64AttrForTensor(EsCTensorHolder *tensor, const char *attr_name, int64_t value);
/** Sets a text attribute of the description of an output.
 *  Owner: value is copied. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetStringAttrForTensor(EsCTensorHolder *tensor, const char *attr_name, const char *value);
/** Sets a truth value as attribute of the description of an output.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetBoolAttrForTensor(EsCTensorHolder *tensor, const char *attr_name, bool value);
/** Sets an integer attribute of the node that makes the tensor.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetInt64AttrForNode(EsCTensorHolder *tensor, const char *attr_name, int64_t value);
/** Sets a text attribute of the node that makes the tensor.
 *  Owner: value is copied. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetStringAttrForNode(EsCTensorHolder *tensor, const char *attr_name, const char *value);
/** Sets a truth value as attribute of the node that makes the tensor.
 *  Owner: n/a. Nulls: none allowed. Threads: builder's. Errors: non-zero. Since: ABI 1. */
GE_API uint32_t EsSetBoolAttrForNode(EsCTensorHolder *tensor, const char *attr_name, bool value);

GE_EXTERN_C_END
#endif
