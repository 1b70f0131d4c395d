/* Writing to the library's log, for code that works on its behalf: operators, passes, bindings. */
#ifndef GE_LOG_H_
#define GE_LOG_H_

#include "ge/status.h"

GE_EXTERN_C_BEGIN

/** A message of `level` (GeLogLevel) for the log sink (GeSetLogCallback); dropped below its lowest level.
 *  Owner: message stays the caller's. Nulls: null is "". Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeLogMessage(int32_t level, const char *message);

/** Logs a line at level warning and keeps it, once, until GeWarningsTake. Lines above 64 KiB in all are only logged.
 *  Owner: line stays the caller's. Nulls: null is "". Threads: any. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeWarningAdd(const char *line);

/** Gives `write` what this process was warned of since the last call, one line each ("" when there is nothing): options
 * without an effect, streams that run at once. Nothing is kept afterwards.
 *  Owner: the text is valid during the call of write. Nulls: write must not be null; user may be. Threads: any.
 *  Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeWarningsTake(GeTextFn write, void *user);

GE_EXTERN_C_END
#endif
