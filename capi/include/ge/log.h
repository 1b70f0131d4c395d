/* Writing to the library's log, for code that works on its behalf: operators, passes, bindings. */
#ifndef GE_LOG_H_
#define GE_LOG_H_

#include "ge/status.h"

GE_EXTERN_C_BEGIN

/** A message of `level` (GE_LOG_DEBUG to GE_LOG_ERROR) for the log sink (GeSetLogCallback); dropped below its lowest
 *  level.
 *  Owner: message stays the caller's. Nulls: null is "". Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeLogMessage(int32_t level, const char *message);

GE_EXTERN_C_END
#endif
