/* Graphs as bytes in memory: the content of an AIR file; graphs from programs of another version. */
#ifndef GE_SERIALIZE_H_
#define GE_SERIALIZE_H_

#include "ge/graph.h"

GE_EXTERN_C_BEGIN

/** The bytes that GeGraphSave would write. The same graph gives the same bytes, whichever language built it.
 *  Owner: *data is the caller's, freed with GeBytesDestroy. Nulls: none allowed. Threads: one per graph.
 *  Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeGraphToBytes(const GeGraph *graph, void **data, size_t *size);

/** Replaces content and name of a root graph with what the bytes describe; when it fails the graph is as before. Takes
 *  what GeGraphToBytes, esb_graph_to_bytes or a file gave, of any version.
 *  Owner: data stays the caller's and may be freed at once. Nulls: none allowed. Threads: one per graph.
 *  Errors: GE_MODEL_INVALID, GE_BAD_STATE (the graph is a subgraph), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeGraphFromBytes(GeGraph *graph, const void *data, size_t size);

/** Moves the nodes of a root graph, subgraphs included, over to the prototypes registered here, where those have grown
 * or shrunk since the nodes were made and nothing is lost; compiling and inferring do so with a copy. *changed (may be
 * null) becomes 1 when any node had to move: then all nodes of the graph are new ones, of the same names. Owner: n/a.
 * Nulls: graph must not be null. Threads: one per graph. Errors: GE_FAILED (naming node, item and both prototypes),
 * GE_BAD_STATE (a subgraph), GE_OUT_OF_MEMORY; the graph is then as before. Since: ABI 1. */
GE_API GeStatus GeGraphRecoverIr(GeGraph *graph, int32_t *changed);

/** Frees what GeGraphToBytes gave.
 *  Owner: takes data. Nulls: allowed. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeBytesDestroy(void *data);

GE_EXTERN_C_END
#endif
