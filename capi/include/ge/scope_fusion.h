/* Scope fusion: passes of a program or a library that replace nodes of a TensorFlow graph by others before they are
 * translated, and functions that tell the attributes of an operator that stands for many nodes.
 *
 * Passes run in the order in which they were registered: those that are general in every import, others where option
 * enable_scope_fusion_passes names them ("PassA,PassB"; a name that nobody registered is a warning in the log). They
 * see the graph, not the bodies of its functions, and no node that an earlier pass replaced. Libraries with passes are
 * looked for as those with front-end plug-ins are (ge/parser_plugin.h). */
#ifndef GE_SCOPE_FUSION_H_
#define GE_SCOPE_FUSION_H_

#include "ge/parser_plugin.h"

/** A node that comes into the graph. */
typedef struct GeScopeNode {
  const char *name; /* of no other node that stays */
  const char *type; /* where made is null: the key of a fusion parser or a front-end plug-in, or an operator's type */
  GeNode *made;     /* null, or a node of the graph that run was given: its operator and attributes are taken */
  const char *const *inputs; /* "node:output" for each input of the operator; "" for an optional one nobody feeds */
  size_t input_count;
} GeScopeNode;

/** Readers of `from` ("node:output" of a replaced node) are connected to `to` (an output of a new node). */
typedef struct GeScopeOutput {
  const char *from, *to;
} GeScopeOutput;

/** Nodes that others take the place of. A new node may read a replaced one, which is then imported for it. Control
 *  edges of the replaced nodes go to all new ones. */
typedef struct GeScopeFusion {
  size_t struct_size;
  const char *name; /* of the scope, for messages */
  const char *const *replaced;
  size_t replaced_count;
  const GeScopeNode *nodes;
  size_t node_count;
  const GeScopeOutput *outputs;
  size_t output_count;
} GeScopeFusion;

typedef struct GeScopePass {
  size_t struct_size;
  const char *name;
  int32_t general; /* 0 or 1 */
  uint32_t reserved;
  /** Gets the nodes in the order of the file: origin_type is the operator, inputs leave control edges out, outputs are
   *  as many as are read, attributes leave functions and tensors above 1 MiB out; and an empty graph for `made`. Calls
   *  `replace` for each fusion, which copies it and says GE_SUCCESS, or what is wrong. */
  GeStatus (*run)(void *user, const GeFrontNode *const *nodes, size_t node_count, GeGraph *graph,
                  GeStatus (*replace)(void *sink, const GeScopeFusion *fusion), void *sink);
  void (*destroy)(void *user); /* called once, also when registering fails; may be null */
  void *user;
} GeScopePass;

typedef struct GeFusionParser {
  size_t struct_size;
  const char *type;                /* the operator that it makes */
  const char *const *origin_types; /* names of it that passes may give (GeScopeNode.type) */
  size_t origin_type_count;
  /** Adds the operator that stands for the nodes to `graph`, which is empty, and says which node it is. */
  GeStatus (*parse)(void *user, const char *name, const GeFrontNode *const *nodes, size_t node_count, GeGraph *graph,
                    GeNode **made);
  void (*destroy)(void *user);
  void *user;
} GeFusionParser;

GE_EXTERN_C_BEGIN

/** Registers a pass for later imports. A name that is taken stays with the pass that has it, which is a warning in the
 *  log. *token is what GeScopeFusionUnregister takes.
 *  Owner: all of it is copied; user is kept until then. Nulls: pass, name, run must not be null; token may be.
 *  Threads: any; run is called by importing threads, several at once. Errors: GE_PARAM_INVALID (empty name),
 *  GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeScopePassRegister(const GeScopePass *pass, uint64_t *token);
/** Registers who tells the attributes of operators that passes make. A key that is taken stays with whom has it, which
 *  is a warning in the log.
 *  Owner: all of it is copied; user is kept until it is taken back. Nulls: parser, type, origin_types and each of them,
 *  parse must not be null; token may be. Threads: any; parse is called by importing threads, several at once. Errors:
 *  GE_PARAM_INVALID (no key), GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeFusionParserRegister(const GeFusionParser *parser, uint64_t *token);
/** Takes a pass or a parser back: destroy is called when no import uses it any more.
 *  Owner: consumes. Nulls: 0 and unknown tokens are fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeScopeFusionUnregister(uint64_t token);

GE_EXTERN_C_END
#endif
