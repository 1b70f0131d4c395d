/* Operator prototypes: what an operator is called, what goes in and out, its attributes and subgraphs.
 *
 * A prototype is plain data (GeOpSchema) plus inference functions. Generated builder code embeds the schema it was
 * generated from, so a node remembers it. */
#ifndef GE_OP_H_
#define GE_OP_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/op_traits.h"
#include "ge/status.h"
#include "ge/struct_size.h"

#define GE_IR_REQUIRED 0
#define GE_IR_OPTIONAL 1 /* inputs only */
#define GE_IR_DYNAMIC 2

typedef struct GeIrPort {
  const char *name;
  int32_t kind; /* GE_IR_* */
  uint32_t reserved;
  const char *data_types; /* text of the REG_OP type argument, for example "TensorType({DT_FLOAT, DT_INT32})" or "T" */
} GeIrPort;

typedef struct GeIrAttr {
  GeAttrData value; /* name, type and, for an optional attribute, its default */
  int32_t required; /* 0 or 1 */
  uint32_t reserved;
} GeIrAttr;

typedef struct GeIrGraph {
  const char *name;
  int32_t kind; /* GE_IR_REQUIRED or GE_IR_DYNAMIC */
  uint32_t reserved;
} GeIrGraph;

typedef struct GeIrSymbol { /* DATATYPE(symbol, range) */
  const char *name;
  const char *range;
} GeIrSymbol;

/** The IR of one operator type, in declaration order. */
typedef struct GeOpSchema {
  size_t struct_size;
  const char *type;
  const char *family; /* "math", "nn", …; may be null */
  const char *brief;  /* one line; may be null */
  const GeIrPort *inputs;
  size_t input_count;
  const GeIrPort *outputs;
  size_t output_count;
  const GeIrAttr *attrs;
  size_t attr_count;
  const GeIrGraph *graphs;
  size_t graph_count;
  const GeIrSymbol *symbols;
  size_t symbol_count;
  const GeOpTraits *traits; /* null: nothing is said; a shorter struct_size is fine and means the same */
} GeOpSchema;

/** One node as an engine, a kernel or an inference function sees it: plain data, valid during the call.
 *  Inputs and outputs are the node's ports in IR order with dynamic ones expanded; an absent optional input occupies
 * its port with data_type C_DT_UNDEFINED. Attributes are sorted by name (strcmp) and contain the prototype's defaults.
 */
typedef struct GeOpDesc {
  size_t struct_size;
  const char *type;
  const char *name; /* the node's name; "" where nodes of any name share the answer (GE_ENGINE_NAMES_NODES) */
  const GeTensorData *inputs;
  size_t input_count;
  const GeTensorData *outputs;
  size_t output_count;
  const GeAttrData *attrs;
  size_t attr_count;
  const int32_t *ir_input_counts; /* ports per IR input (1, or the instance count of a dynamic one); null: unknown */
  size_t ir_input_total;
  const int32_t *ir_output_counts;
  size_t ir_output_total;
  const GeOpTraits *traits; /* what the operator is (GeOpHasTrait asks); null: nothing is said, GeEngineCheck then
                               takes the traits of the type */
} GeOpDesc;

/** Where an inference function writes. `outputs` has one entry per output port; `dims` arrays have room for
 * GE_MAX_RANK. */
typedef struct GeInferOutput {
  int32_t data_type;
  int32_t rank; /* or GE_UNKNOWN_RANK */
  int64_t dims[GE_MAX_RANK];
  int64_t *partial;      /* see GeTensorData.partial; room for partial_capacity values; null: not wanted */
  int32_t partial_count; /* set to the number of values written, or leave 0 */
  int32_t partial_capacity;
} GeInferOutput;

typedef struct GeInferContext {
  size_t struct_size;
  const GeOpDesc *op;
  GeInferOutput *outputs; /* preset: data type of the first input, unknown rank */
  size_t output_count;
  GeStatus (*fail)(GeStatus code, const char *message); /* sets the last error, returns code */
  const struct GeInferDetails *details; /* formats and bounds (ge/infer_details.h); null outside a graph's inference */
} GeInferContext;

/** Infers data types and shapes of every output from what is known of the inputs. Must accept unknown ranks and
 *  dimensions. Returns GE_SUCCESS, or the code it passed to ctx->fail. Called from several threads. */
typedef GeStatus (*GeInferFn)(const GeInferContext *ctx);

GE_EXTERN_C_BEGIN

/** Registers a prototype. The schema is copied. The same type with the same content again is fine; with different
 * content GE_PARAM_INVALID. `infer` may be null (outputs stay unknown). Owner: library keeps a copy. Nulls: schema must
 * not be null. Threads: any. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH (struct_size), GE_OUT_OF_MEMORY. Since: ABI 1.
 */
GE_API GeStatus GeOpRegister(const GeOpSchema *schema, GeInferFn infer);

/** Finds a prototype by operator type.
 *  Owner: *out is the library's, valid until the process ends. Nulls: none allowed. Threads: any.
 *  Errors: GE_NOT_FOUND (message lists near names), GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeOpFind(const char *type, const GeOpSchema **out);

/** Number of registered prototypes. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeOpCount(void);
/** Registered prototype `index` in order of type name.
 *  Owner: the library, until the process ends. Nulls: null when out of range. Threads: any. Errors: none. Since: ABI 1.
 */
GE_API const GeOpSchema *GeOpAt(size_t index);

/** Says what an operator of the program is, whether or not it has a prototype. For a built-in type it counts for nodes
 *  that an engine of the program's own operators takes (GE_ENGINE_OWN_OPERATORS); other nodes keep the built-in row.
 *  Owner: the library keeps a copy until the process ends. Nulls: none allowed. Threads: any; models that are compiled
 *  already stay as they are. Errors: GE_PARAM_INVALID (traits that contradict each other, the prototype or what was
 * said before; the message names operator and traits), GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GeOpSetTraits(const char *type, const GeOpTraits *traits);

/** The traits of an operator: the built-in row, or what a program said. All zero where a prototype is registered and
 *  nobody said anything.
 *  Owner: *out is the library's, valid until the process ends. Nulls: none allowed. Threads: any.
 *  Errors: GE_NOT_FOUND (neither prototype nor traits; message lists near names), GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeOpFindTraits(const char *type, const GeOpTraits **out);

GE_EXTERN_C_END

/* ---- small readers for plain data, header-only so that a plug-in needs no symbol of the library ---- */

#include <string.h>

static inline const GeAttrData *GeOpAttr(const GeOpDesc *op, const char *name) {
  size_t low = 0, high = op->attr_count;
  while (low < high) {
    size_t mid = (low + high) / 2;
    int order = strcmp(op->attrs[mid].name, name);
    if (order == 0) return &op->attrs[mid];
    if (order < 0) low = mid + 1;
    else high = mid;
  }
  return NULL;
}
/** True when the operator is said to have all of `flags` (GE_TRAIT_*). An engine that asks here serves operators of
 * which it has never heard. */
static inline int GeOpHasTrait(const GeOpDesc *op, uint64_t flags) {
  return GE_HAS(op, GeOpDesc, traits) && op->traits != NULL && (op->traits->flags & flags) == flags;
}
static inline int64_t GeOpAttrInt(const GeOpDesc *op, const char *name, int64_t fallback) {
  const GeAttrData *a = GeOpAttr(op, name);
  return a && (a->type == C_VT_INT || a->type == C_VT_BOOL || a->type == C_VT_DATA_TYPE) ? a->i : fallback;
}
static inline double GeOpAttrFloat(const GeOpDesc *op, const char *name, double fallback) {
  const GeAttrData *a = GeOpAttr(op, name);
  return a && a->type == C_VT_FLOAT ? a->f : fallback;
}
static inline const char *GeOpAttrString(const GeOpDesc *op, const char *name, const char *fallback) {
  const GeAttrData *a = GeOpAttr(op, name);
  return a && a->type == C_VT_STRING ? a->s : fallback;
}
/** Values of a list-of-int attribute; *count is 0 and the result null when absent. */
static inline const int64_t *GeOpAttrInts(const GeOpDesc *op, const char *name, size_t *count) {
  const GeAttrData *a = GeOpAttr(op, name);
  int ok = a && a->type == C_VT_LIST_INT;
  *count = ok ? (size_t)a->count : 0;
  return ok ? (const int64_t *)a->list : NULL;
}

#endif
