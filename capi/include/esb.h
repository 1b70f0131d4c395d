/* The functions that a program needs beside esb_funcs.h and the generated wrappers when it freezes the builder into
 * itself (libesb.a): saving a graph, handing it over, destroying what it owns, and the reason of a failure.
 *
 *   cc app.c -lesb -lm -lpthread -ldl
 *
 * libesb.a needs no C++ library at link or run time, and every name in it is hidden: a program or plug-in that froze
 * it neither exports it nor takes another copy's. Handles belong to the copy that made them. A graph goes from one copy
 * to another, or to libge.so, as bytes:
 *
 *   void *data;
 *   size_t size;
 *   if (esb_graph_to_bytes(graph, &data, &size) == 0) {
 *     GeGraph *mine;                                   // of libge.so, in the same process or another
 *     if (GeGraphCreate("app", &mine) == 0) GeGraphFromBytes(mine, data, size);   // ge/serialize.h
 *     esb_bytes_destroy(data);
 *   }
 *
 * The same graph gives the same bytes, whichever library or language built it. libge.so has these functions too, so a
 * program can be linked either way. */
#ifndef ESB_H_
#define ESB_H_

#include <stddef.h>
#include <stdint.h>

#include "esb_funcs.h"
#include "ge/export.h"

GE_EXTERN_C_BEGIN

/** Version of the library that the program froze, "0.1.0"; libge.so reads graphs of every version up to its own, and of
 *  later ones as far as the operators' prototypes allow.
 *  Owner: the library. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API const char *esb_version(void);

/** Writes a graph with everything it needs (subgraphs, weights, prototypes) to an AIR file. The file appears complete
 * or not at all; one that is there is replaced. Owner: graph stays the caller's. Nulls: none allowed. Threads: one per
 * graph. Errors: GE_PATH_INVALID, GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API uint32_t esb_graph_save(EsCGraph *graph, const char *path);

/** The bytes that esb_graph_save would write, in memory of the caller's; *size of them.
 *  Owner: *data is the caller's, freed with esb_bytes_destroy. Nulls: none allowed. Threads: one per graph.
 *  Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API uint32_t esb_graph_to_bytes(EsCGraph *graph, void **data, size_t *size);

/** Frees what esb_graph_to_bytes gave.
 *  Owner: takes data. Nulls: allowed. Threads: any. Errors: none. Since: ABI 1. */
GE_API void esb_bytes_destroy(void *data);

/** Destroys a graph of EsBuildGraphAndReset that was not handed over to a builder (as a subgraph).
 *  Owner: takes graph. Nulls: allowed. Threads: any. Errors: none. Since: ABI 1. */
GE_API void esb_graph_destroy(EsCGraph *graph);

/** Destroys a tensor of EsCreateEsCTensor that was not handed over to a builder (as an attribute).
 *  Owner: takes tensor. Nulls: allowed. Threads: any. Errors: none. Since: ABI 1. */
GE_API void esb_tensor_destroy(EsCTensor *tensor);

/** Text of the calling thread's last failure in this library; "" when there is none.
 *  Owner: the library, until the thread's next failing call. Nulls: never null. Threads: any, each sees its own.
 *  Errors: none. Since: ABI 1. */
GE_API const char *esb_last_error(void);

/** Receives the library's messages (level 0 debug, 1 info, 2 warning, 3 error) from min_level on (0 to 4, 4 for none);
 * a failing call is an error message. Without one they go to standard error, from the level that the environment
 * variable GE_LOG_LEVEL names (debug, info, warning, error, off; warning by default). Owner: user stays the caller's.
 * Nulls: fn null restores standard error. Threads: any; calls of fn are serialised. Errors: none. Since: ABI 1. */
GE_API void esb_set_log(void (*fn)(void *user, int32_t level, const char *message), void *user, int32_t min_level);

GE_EXTERN_C_END
#endif
