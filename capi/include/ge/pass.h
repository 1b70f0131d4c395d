/* Passes: a callback table and a registry with stages. Built-in passes are in the same registry. */
#ifndef GE_PASS_H_
#define GE_PASS_H_

#include <stddef.h>

#include "ge/graph.h"
#include "ge/status.h"

#define GE_STAGE_NONE -1 /* no compile runs the pass by itself: it is asked for by name */
#define GE_STAGE_BEFORE_INFER_SHAPE 0
#define GE_STAGE_AFTER_INFER_SHAPE 1
#define GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM 2
#define GE_STAGE_AFTER_BUILTIN_FUSION_PASS 3
#define GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE 4

typedef struct GePassTable {
  size_t struct_size;
  const char *name;
  int32_t stage; /* GE_STAGE_* */
  int32_t level; /* runs in compiles and sequences under a scope whose level (2 unless the scope or the option opt_level
                    sets it) is at least this: 0 and less: in all of them */
  /** GE_SUCCESS: changed; GE_NOT_CHANGED; anything else: failed, the graph is put back as it was. */
  GeStatus (*run)(void *user, GeGraph *graph);
  void (*destroy)(void *user); /* called once, also when registering fails; may be null */
  void *user;
} GePassTable;

#define GE_PASS_ESSENTIAL 1u    /* no compile is right without it: it cannot be disabled */
#define GE_PASS_NEEDS_SHAPES 2u /* left out while shapes are open */
#define GE_PASS_TRACEABLE 4u    /* a remark of its author, which nothing here reads */
#define GE_PASS_HOLDS_PASSES 8u /* a sequence, or what a stage holds */

/* When a pass is called, and in which order within its stage. */
#define GE_PASS_KIND_MODULE 1    /* once, with the root graph */
#define GE_PASS_KIND_PER_GRAPH 2 /* once per graph of the tree */
#define GE_PASS_KIND_SEQUENCE 3  /* holds passes, which it runs in order */
#define GE_PASS_KIND_FUNCTION 4  /* of GE_PASS_FUNCTION */
#define GE_PASS_KIND_STREAM 5    /* of GE_PASS_STREAM */
#define GE_PASS_KIND_FUSION 6    /* of GE_PASS_FUSION */

/** A pass as GePassAt tells of it. The caller sets struct_size. */
typedef struct GePassInfo {
  size_t struct_size;
  const char *name;
  int32_t stage; /* GE_STAGE_* */
  int32_t level;
  int32_t builtin; /* 1: part of the library */
  uint32_t reserved;
  const char *const *required; /* names of passes that run before it */
  size_t required_count;
  uint32_t flags; /* GE_PASS_* bits */
  uint32_t more_reserved;
  const char *other_name; /* TVM's name of a pass that does the same, by which it is found too; "" where it has none */
  uint32_t kind;          /* GE_PASS_KIND_*; 0: the library is older than this field */
  uint32_t last_reserved;
} GePassInfo;

GE_EXTERN_C_BEGIN

/** Registers a pass for later compilations. Names are unique.
 *  Owner: the library keeps user until GePassUnregister. Nulls: table, name, run must not be null. Threads: any; run is
 * called by the compiling thread. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GePassRegister(const GePassTable *table);
/** Takes a pass back: destroy is called when no compile runs it any more.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GePassUnregister(const char *name);
/** Number of passes. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GePassCount(void);
/** Pass `index` in the order they run.
 *  Owner: texts are the library's, until the registry changes. Nulls: out must not be null. Threads: any. Errors:
 *  GE_PARAM_INVALID (index), GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GePassAt(size_t index, GePassInfo *out);
/** Runs one registered pass on a graph, outside a compile; GE_NOT_CHANGED when it rewrote nothing.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (near names), whatever the pass returned.
 *  Since: ABI 1. */
GE_API GeStatus GePassRun(const char *name, GeGraph *graph);

/* ---- GE's passes: registered by a program or by a library that is loaded ---- */

#define GE_STAGE_COMPATIBLE_INHERITED 5 /* passes registered for it do not run */

#define GE_PASS_FUNCTION 0 /* once with the root graph, in the order of registering; GE_NOT_CHANGED is a failure */
#define GE_PASS_STREAM 1   /* the same, in stage AFTER_ASSIGN_LOGIC_STREAM: only streams may change */
#define GE_PASS_FUSION 2   /* after those, by name: the root, then every subgraph that a node calls */

/** Queries of a running pass. Where a function takes one, null is that of the pass running on this thread. */
typedef struct GePassContext GePassContext;

typedef struct GeCustomPassTable {
  size_t struct_size;
  const char *name;
  int32_t stage; /* GE_STAGE_* */
  int32_t kind;  /* GE_PASS_FUNCTION, GE_PASS_STREAM, GE_PASS_FUSION */
  /** Makes an instance before each run of the pass in its stage; null: there is none. */
  GeStatus (*create)(void *user, void **instance);
  /** GE_SUCCESS: changed; GE_NOT_CHANGED; anything else ends the compile and puts the graph back as it was. */
  GeStatus (*run)(void *user, void *instance, GeGraph *graph, GePassContext *context);
  void (*destroy_instance)(void *user, void *instance); /* after the stage; may be null */
  void (*destroy)(void *user);                          /* called once, also when registering fails; may be null */
  void *user;
} GeCustomPassTable;

/** Registers a pass for later compilations. Of two fusion passes with one name the first stays, silently; a pass for a
 *  stage that its kind cannot run in is logged as an error and left out. *token is then 0, else what
 *  GeCustomPassUnregister takes.
 *  Owner: the library keeps user until then. Nulls: table, name, run must not be null; token may be. Threads: any; the
 *  functions are called by the compiling thread. Errors: GE_PARAM_INVALID (unknown kind), GE_ABI_MISMATCH. Since:
 * ABI 1.
 */
GE_API GeStatus GeCustomPassRegister(const GeCustomPassTable *table, uint64_t *token);
/** Takes a pass back: destroy is called when no compile runs it any more.
 *  Owner: consumes. Nulls: 0 and unknown tokens are fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeCustomPassUnregister(uint64_t token);

/** A context for running a pass's code by hand, outside a compile: no options, one stream.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: one at a time. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GePassContextCreate(const char *name, GePassContext **out);
/** For contexts made by GePassContextCreate only. Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since:
 * ABI 1.
 */
GE_API void GePassContextDestroy(GePassContext *context);
/** Name of the running pass, "" outside. Owner: the context. Nulls: see GePassContext. Threads: the pass's.
 *  Errors: none. Since: ABI 1. */
GE_API const char *GePassContextName(const GePassContext *context);
/** An option that was set for the compile: for the graph, else the session, else the process.
 *  Owner: *value is the context's. Nulls: context see GePassContext; others not allowed. Threads: the pass's.
 *  Errors: GE_NOT_FOUND, GE_BAD_STATE (no pass runs). Since: ABI 1. */
GE_API GeStatus GePassContextGetOption(const GePassContext *context, const char *key, const char **value);
/** Sets the text about the pass in the error that ends the compile.
 *  Owner: message is copied. Nulls: as above. Threads: the pass's. Errors: GE_BAD_STATE (no pass runs). Since: ABI 1.
 */
GE_API GeStatus GePassContextSetError(GePassContext *context, const char *message);
/** Logical stream of a node; -1: it has none.
 *  Owner: n/a. Nulls: as above. Threads: the pass's. Errors: GE_BAD_STATE (no pass runs). Since: ABI 1. */
GE_API GeStatus GePassContextGetStream(const GePassContext *context, const GeNode *node, int64_t *out);
/** Gives a node a logical stream. It is kept as attribute and no run reads it, as there are no streams on a CPU; a
 *  second stream in a compile is warned of once. Owner: n/a. Nulls: as above. Threads: the pass's. Errors:
 * GE_PARAM_INVALID (below 0 or above the highest stream), GE_BAD_STATE (no pass runs). Since: ABI 1. */
GE_API GeStatus GePassContextSetStream(GePassContext *context, const GeNode *node, int64_t stream);
/** The highest stream in use, after adding one when `add` is not 0.
 *  Owner: n/a. Nulls: as above. Threads: the pass's. Errors: GE_BAD_STATE (no pass runs). Since: ABI 1. */
GE_API GeStatus GePassContextLastStream(GePassContext *context, int32_t add, int64_t *out);

/** Why code of a pass refuses a match or a node. The caller sets struct_size. */
typedef struct GeRefusal {
  size_t struct_size;
  const char *expected;       /* what the condition is called, or asks for */
  const char *actual;         /* what came instead: "returned False", or type and text of an exception */
  const char *traceback;      /* of an exception; may be null */
  const GeNode *node;         /* of the graph; null: the root of the match, or the node of the hook */
  const GeNode *pattern_node; /* of the pattern; null: its root */
} GeRefusal;

/** 1 while GePassWhyNot runs the pass, so that somebody reads its refusals. Owner: n/a. Nulls: see GePassContext; 0
 * where no pass runs. Threads: the pass's. Errors: none. Since: ABI 1. */
GE_API int32_t GePassContextWantsReasons(const GePassContext *context);
/** Tells GePassWhyNot why the hook that runs will say no, or, outside of hooks, why the pass leaves a node as it is.
 *  Forgotten where the hook says yes, or nobody asks; of several the first holds.
 *  Owner: texts are copied. Nulls: context see GePassContext; traceback, node, pattern_node. Threads: the pass's.
 *  Errors: GE_ABI_MISMATCH, GE_BAD_STATE (no pass runs). Since: ABI 1. */
GE_API GeStatus GePassContextRefuse(GePassContext *context, const GeRefusal *why);

GE_EXTERN_C_END
#endif
