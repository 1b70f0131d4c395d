/* Offline models: a graph is optimised once, becomes bytes or a file (.om), and is compiled for the machine that loads
 * it.
 *
 * GeCompileFile and GeCompileBuffer load them. The layout is in docs/offline-models.md. */
#ifndef GE_OFFLINE_H_
#define GE_OFFLINE_H_

#include "ge/model.h"

GE_EXTERN_C_BEGIN

/** Optimises a copy of the graph as far as every machine would do it (passes of the program included, which loading
 * does not repeat) and gives the bytes of an offline model: that graph with its weights, and the options, which a load
 * uses where it is given no others. Folders (dump_dir, engines.path), progress and ge.inputShape, which has done its
 * work, are not kept. The same graph and options give the same bytes. options may be null. Owner: *data is the
 * caller's, freed with GeBytesDestroy. Nulls: graph, data, size must not be null. Threads: graph's. Errors: those of
 * GeCompile, except for operators that no engine takes: loading tells of them. Since: ABI 1. */
GE_API GeStatus GeOfflineBuild(const GeGraph *graph, const GeOptions *options, void **data, size_t *size);

/** The same for a graph of a session, as it was when it was compiled, and its options there.
 *  Owner: as above. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST, GE_BAD_STATE (not compiled), those
 * of GeOfflineBuild. Since: ABI 1. */
GE_API GeStatus GeSessionOfflineBuild(GeSessionHandle *session, uint32_t id, void **data, size_t *size);

/** Several models as one, in this order. Each stays a model of its own: GeOfflineBundleGet gives its bytes, which
 *  GeCompileBuffer loads; a bundle as a whole cannot be loaded.
 *  Owner: *data is the caller's, freed with GeBytesDestroy; the models may be freed at once. Nulls: none allowed.
 * Threads: any. Errors: GE_PARAM_INVALID (no model, or more than 4096), GE_MODEL_INVALID, GE_UNSUPPORTED (one is a
 * bundle itself). Since: ABI 1. */
GE_API GeStatus GeOfflineBundle(const void *const *models, const size_t *sizes, size_t count, void **data,
                                size_t *size);
/** Models in a bundle; 0 for the bytes of a single model.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_MODEL_INVALID, GE_UNSUPPORTED. Since: ABI 1. */
GE_API GeStatus GeOfflineBundleCount(const void *data, size_t size, size_t *count);
/** The bytes of one of them.
 *  Owner: *model points into data. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID (index),
 * GE_MODEL_INVALID, GE_UNSUPPORTED. Since: ABI 1. */
GE_API GeStatus GeOfflineBundleGet(const void *data, size_t size, size_t index, const void **model, size_t *model_size);

/** Writes an offline model's or a bundle's bytes to a file, which appears whole or not at all.
 *  Owner: data stays the caller's. Nulls: none allowed. Threads: any. Errors: GE_MODEL_INVALID, GE_UNSUPPORTED (not the
 *  bytes of an offline model, damaged ones, those of another producer), GE_PATH_INVALID. Since: ABI 1. */
GE_API GeStatus GeOfflineSave(const char *path, const void *data, size_t size);

GE_EXTERN_C_END
#endif
