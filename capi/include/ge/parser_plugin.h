/* Front-end plug-ins: functions of a program or a library that translate operators of a model format.
 *
 * A plug-in is registered for keys of the format; the importer asks it for operators with these keys before its own
 * translations. For ONNX a key is "<domain>::<version>::<type>", for example "ai.onnx::13::Relu": the version is that
 * of the domain's operator set which the model imports.
 *
 * Libraries with plug-ins are looked for when a model is imported: every *.so below framework/ of each folder on
 * ASCEND_CUSTOM_OPP_PATH, below vendors/<vendor>/framework/ and below built-in/framework/<format>/ of the package root
 * (ASCEND_OPP_PATH, else opp beside the library's folder). Folders of other formats (caffe, tensorflow, onnx) are
 * passed over. A library that cannot be opened is a warning; none is closed again. */
#ifndef GE_PARSER_PLUGIN_H_
#define GE_PARSER_PLUGIN_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/graph.h"
#include "ge/status.h"

#define GE_FRAMEWORK_CAFFE 0
#define GE_FRAMEWORK_TENSORFLOW 3
#define GE_FRAMEWORK_ONNX 5

/** One operator of a model, during a call. Texts are never null. */
typedef struct GeFrontNode {
  size_t struct_size;
  const char *origin_type;   /* the key */
  const char *name;          /* of the node; one made from its output where it has none */
  const char *const *inputs; /* names of the values it reads; "" for an optional one that is absent */
  size_t input_count;
  const char *const *outputs;
  size_t output_count;
  const GeAttrData *attrs; /* integers, floats, texts, tensors and lists of them; a function's are filled in */
  size_t attr_count;
  const void *message; /* ONNX: the encoded NodeProto, complete, its op_type replaced by the key */
  size_t message_size;
} GeFrontNode;

#define GE_INPUT_DROP_IF_ATTR 0 /* leave input `index` out if the made operator's attribute `name` is `value` */
#define GE_INPUT_DROP_IF_TYPE 1 /* leave input `index` out if the key is `name` */
#define GE_INPUT_REORDER 2      /* input i becomes input order[i] */

/** A change to the list of inputs before it is connected. Reordering comes first, then inputs are left out by their
 *  number in the new order. */
typedef struct GeInputEdit {
  int32_t kind; /* GE_INPUT_* */
  int32_t index;
  const char *name;
  int32_t value; /* 0 or 1 */
  uint32_t reserved;
  const int32_t *order;
  size_t order_count;
} GeInputEdit;

typedef struct GeParserPlugin {
  size_t struct_size;
  int32_t framework; /* GE_FRAMEWORK_* */
  uint32_t reserved;
  const char *type; /* the operator it translates to, a registered prototype when a model is imported */
  const char *const *origin_types;
  size_t origin_type_count;
  const GeInputEdit *edits;
  size_t edit_count;
  /** Adds the operator, with its attributes and the numbers of its dynamic inputs and outputs, to `graph`, which is
   *  empty, and says which node it is. Where exactly one dynamic input (or output) is left at 0, the model's node tells
   *  its number. */
  GeStatus (*parse)(void *user, const GeFrontNode *node, GeGraph *graph, GeNode **made);
  /** Null, or makes the graph that takes the operator's place: Data nodes whose attribute `index` is the number of an
   *  input, and one output for each of the node's. `made` is what parse made. *out belongs to the library. */
  GeStatus (*to_graph)(void *user, const GeFrontNode *node, GeNode *made, GeGraph **out);
  /** Null, or called with each subgraph of the operator once it is translated. Attribute _parent_node_index of a Data
   *  node, or of an input of NetOutput, then says which input (output) of the operator it is. */
  GeStatus (*finish_subgraph)(void *user, const char *name, GeGraph *subgraph);
  void (*destroy)(void *user); /* called once, also when registering fails; may be null */
  void *user;
} GeParserPlugin;

GE_EXTERN_C_BEGIN

/** Registers a plug-in for later imports. A key that is taken stays with the plug-in that has it, and one that is none
 *  of the format is left out: both are warnings in the log. *token is what GeParserPluginUnregister takes.
 *  Owner: all of it is copied; user is kept until then. Nulls: plugin, type, origin_types and each of them, parse must
 *  not be null; token may be. Threads: any; functions are called by importing threads, several at once. Errors:
 *  GE_PARAM_INVALID (no valid key, unknown framework or kind of edit), GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeParserPluginRegister(const GeParserPlugin *plugin, uint64_t *token);
/** Takes a plug-in back: destroy is called when no import uses it any more.
 *  Owner: consumes. Nulls: 0 and unknown tokens are fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeParserPluginUnregister(uint64_t token);

GE_EXTERN_C_END
#endif
