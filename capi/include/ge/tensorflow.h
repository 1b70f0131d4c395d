/* TensorFlow's frozen graphs (GraphDef, .pb, or as text .pbtxt) as graphs.
 *
 * GeCompileFile and GeCompileBuffer read them, too. */
#ifndef GE_TENSORFLOW_H_
#define GE_TENSORFLOW_H_

#include "ge/model.h"

/** An option of a parser: keys and values are those of GeGraphApplyParserOption. */
typedef struct GeParserOption {
  const char *key;
  const char *value;
} GeParserOption;

GE_EXTERN_C_BEGIN

/** Imports a frozen graph. What its outputs rest on is imported, the rest is left out: the outputs that option
 * ge.outputNodeName names ("node:port;…"), else those of the nodes that no other reads. The other options are those of
 * GeGraphApplyParserOption; shapes of input_shape are known while importing. The graph is called after the file, with
 * the time behind it, unless option output gives a name. All problems are reported at once: the last error lists them,
 * and `report` (may be null) receives them as JSON (node, operator, reason, detail, nearest).
 *  Owner: caller destroys *out. Nulls: path and out must not be null, options only where option_count is 0, keys and
 * values never. Threads: any. Errors: GE_PATH_INVALID, GE_MODEL_INVALID, GE_UNSUPPORTED, GE_OPTION_INVALID. Since:
 * ABI 1. */
GE_API GeStatus GeTensorFlowImport(const char *path, const GeParserOption *options, size_t option_count,
                                   GeTextFn report, void *user, GeGraph **out);
/** The same from memory, which is not needed any more afterwards. Owner: caller destroys *out. Nulls: data and out must
 *  not be null; others as above. Threads: any. Errors: as above but for GE_PATH_INVALID. Since: ABI 1. */
GE_API GeStatus GeTensorFlowImportBuffer(const void *data, size_t size, const GeParserOption *options,
                                         size_t option_count, GeTextFn report, void *user, GeGraph **out);
/** TensorFlow operators with a rule of their own, one per line. Others are taken over where a prototype has their name,
 * inputs and attributes. Owner: n/a. Nulls: write must not be null. Threads: any. Errors: GE_PARAM_INVALID. Since:
 * ABI 1. */
GE_API GeStatus GeTensorFlowDescribe(GeTextFn write, void *user);

GE_EXTERN_C_END
#endif
