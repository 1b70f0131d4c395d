/* Passes: a callback table and a registry with stages. Built-in passes are in the same registry. */
#ifndef GE_PASS_H_
#define GE_PASS_H_

#include <stddef.h>

#include "ge/graph.h"
#include "ge/status.h"

#define GE_STAGE_BEFORE_INFER_SHAPE 0
#define GE_STAGE_AFTER_INFER_SHAPE 1
#define GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM 2
#define GE_STAGE_AFTER_BUILTIN_FUSION_PASS 3
#define GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE 4

typedef struct GePassTable {
  size_t struct_size;
  const char *name;
  int32_t stage; /* GE_STAGE_* */
  int32_t level; /* runs when the compile's optimisation level is at least this */
  /** GE_SUCCESS: changed; GE_NOT_CHANGED; anything else: failed, the graph is put back as it was. */
  GeStatus (*run)(void *user, GeGraph *graph);
  void (*destroy)(void *user); /* called once, also when registering fails; may be null */
  void *user;
} GePassTable;

typedef struct GePassInfo {
  const char *name;
  int32_t stage;
  int32_t level;
  int32_t builtin; /* 1: part of the library */
} GePassInfo;

GE_EXTERN_C_BEGIN

/** Registers a pass for later compilations. Names are unique.
 *  Owner: the library keeps user until GePassUnregister. Nulls: table, name, run must not be null. Threads: any; run is
 * called by the compiling thread. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GePassRegister(const GePassTable *table);
GE_API GeStatus GePassUnregister(const char *name);
/** Passes in the order they run. Owner: texts are the library's, until the registry changes. Since: ABI 1. */
GE_API size_t GePassCount(void);
GE_API GeStatus GePassAt(size_t index, GePassInfo *out);
/** Runs one registered pass on a graph, outside a compile; GE_NOT_CHANGED when it rewrote nothing.
 *  Errors: GE_NOT_FOUND (near names), whatever the pass returned. Since: ABI 1. */
GE_API GeStatus GePassRun(const char *name, GeGraph *graph);

GE_EXTERN_C_END
#endif
