/* Status codes, the thread's last error and logging.
 *
 * Every function of the C ABI that can fail returns a GeStatus and leaves the reason in the calling thread's last
 * error. A successful call does not touch the last error. No exception and no abort leaves the library. */
#ifndef GE_STATUS_H_
#define GE_STATUS_H_

#include <stddef.h>
#include <stdint.h>

#include "ge/export.h"

/** 0 is success. The values are GE's own numeric codes where GE has one. */
typedef uint32_t GeStatus;

#define GE_SUCCESS 0u
#define GE_FAILED 0xFFFFFFFFu              /* internal failure; report it */
#define GE_PARAM_INVALID 1343225857u       /* an argument is null, out of range or of the wrong kind: fix the call */
#define GE_OUT_OF_MEMORY 1343225856u       /* an allocation failed; state is as before the call */
#define GE_PATH_INVALID 1343225864u        /* a file cannot be read or written, or lies outside its folder */
#define GE_UNSUPPORTED 1343225956u         /* understood, but not implemented for this operator, type or format */
#define GE_NOT_CHANGED 1343242304u         /* a pass ran and rewrote nothing */
#define GE_NOT_INITIALIZED 1343229963u     /* a global call came before GEInitialize */
#define GE_GRAPH_NOT_EXIST 1343242242u     /* unknown graph id */
#define GE_GRAPH_ALREADY_EXIST 1343242243u /* graph id is taken */
#define GE_INFER_FAILED 1343242270u        /* shape or data type inference refused the node */
#define GE_OPTION_INVALID 1343242291u      /* unknown option key or value */
#define GE_GRAPH_INVALID 50331649u         /* the graph breaks a rule: cycle, arity, dangling edge, type */
#define GE_NOT_FOUND 1343225860u           /* the name is unknown here; asking again will not help */
#define GE_BAD_STATE 1343225861u           /* right call, wrong moment (built already, destroyed, in use) */
#define GE_ABI_MISMATCH 1343225862u        /* versions do not fit; the message names both */
#define GE_DATA_MISMATCH 1343225865u       /* run time: a fed tensor's type, rank, shape or size does not fit */
#define GE_MODEL_INVALID 1343225866u       /* a model file is malformed, truncated or beyond a limit */
#define GE_CANCELLED 1343225868u           /* the program has ended the work that was under way; see ge/cancel.h */
#define GE_TIMEOUT 545601u                 /* the work took longer than the time limit that was set for it */

GE_EXTERN_C_BEGIN

/** Code of the calling thread's last error; GE_SUCCESS when there is none.
 *  Owner: n/a. Nulls: n/a. Threads: any, each sees its own. Errors: none. Since: ABI 1. */
GE_API GeStatus GeLastErrorCode(void);

/** Whole text of the calling thread's last error: the contexts from the outermost to the innermost joined with ": ",
 *  then the message. "" when there is none.
 *  Owner: the library, until the thread's next failing call. Nulls: never null. Threads: any. Errors: none. Since:
 * ABI 1. */
GE_API const char *GeLastErrorMessage(void);

/** Number of contexts (operator, node, file …) around the last error.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeLastErrorContextCount(void);

/** Context `index`, 0 is the outermost; null when out of range.
 *  Owner: the library, until the thread's next failing call. Nulls: see above. Threads: any. Errors: none. Since:
 * ABI 1. */
GE_API const char *GeLastErrorContext(size_t index);

/** Forgets the calling thread's last error.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeClearLastError(void);

/** Sets the calling thread's last error; for callbacks (passes, engines, operators) that report a failure.
 *  Returns `code`. Owner: `message` is copied. Nulls: null message is "". Threads: any. Errors: none. Since: ABI 1. */
GE_API GeStatus GeSetLastError(GeStatus code, const char *message);

/** Short name of a status code, for example "GE_PARAM_INVALID"; "unknown status" for a foreign value.
 *  Owner: static storage. Nulls: never null. Threads: any. Errors: none. Since: ABI 1. */
GE_API const char *GeStatusName(GeStatus status);

/** Levels of messages are GE_LOG_DEBUG to GE_LOG_ERROR; GE_LOG_OFF is a lowest level that none reaches. Where a
 * function takes a level as a number, one below GE_LOG_DEBUG counts as that, and one above the highest as the highest.
 */
typedef enum GeLogLevel {
  GE_LOG_DEBUG = 0,
  GE_LOG_INFO = 1,
  GE_LOG_WARNING = 2,
  GE_LOG_ERROR = 3,
  GE_LOG_OFF = 4
} GeLogLevel;

typedef void (*GeLogFn)(void *user, int32_t level, const char *message);

/** Replaces the log sink; null restores standard error. Messages below `min_level` (GE_LOG_DEBUG to GE_LOG_OFF) are
 *  dropped before formatting; the sink gets levels GE_LOG_DEBUG to GE_LOG_ERROR. Default: warnings and errors; the
 *  environment variable GE_LOG_LEVEL (debug, info, warning, error, off; other words count as not set) changes it.
 *  Owner: `user` stays the caller's and must outlive the sink. Nulls: fn may be null. Threads: any; the sink itself may
 *  be called from any thread, one call at a time. Errors: none. Since: ABI 1. */
GE_API void GeSetLogCallback(GeLogFn fn, void *user, int32_t min_level);

/** Receives a text in one or more pieces; `length` bytes, not zero-terminated. */
typedef void (*GeTextFn)(void *user, const char *text, size_t length);

GE_EXTERN_C_END
#endif
