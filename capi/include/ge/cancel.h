/* End a run, a compile or an import before it is done.
 *
 * Work looks between its steps (kernels of a run, rounds of a loop, passes, nodes of a file) whether it is to end, and
 * fails with GE_CANCELLED or GE_TIMEOUT then. A kernel that is under way is finished first. What the work has changed
 * so far: outputs that a caller passed, and inputs that the graph changes in place, may be half written; variables keep
 * the values they had; contexts, models, sessions and graphs stay usable. Models do not need to be compiled for it.
 * Models that the work runs in turn, as a custom operator may, end with it. */
#ifndef GE_CANCEL_H_
#define GE_CANCEL_H_

#include <stdint.h>

#include "ge/model.h"
#include "ge/status.h"

GE_EXTERN_C_BEGIN

/** Ends the run of this context that is under way, or GeRunContextPrepare, which fails with GE_CANCELLED. Where none is
 *  under way nothing happens: a later run is not affected.
 *  Owner: n/a. Nulls: null does nothing. Threads: any, while the context exists; also from a signal handler. Errors:
 *  none. Since: ABI 1. */
GE_API void GeRunContextCancel(GeRunContext *context);

/** How long each later run of this context may take, in milliseconds of wall clock; a run that is not done then fails
 * with GE_TIMEOUT. 0: as long as the model's options allow (run_time_limit, stream_sync_timeout and others), which is
 * what a new context has. The shorter of both counts.
 *  Owner: n/a. Nulls: context must not be null. Threads: one per context. Errors: GE_PARAM_INVALID (negative). Since:
 *  ABI 1. */
GE_API GeStatus GeRunContextSetTimeLimit(GeRunContext *context, int64_t milliseconds);

/** Answers whether the work of the calling thread is to end: 0 goes on. It is called on that thread, inside of the
 *  library's call, and may call the library: what the call is in the middle of (a
 *  plan or a graph that is being compiled, variables that a run writes) is refused with GE_BAD_STATE. What it calls has
 *  no check, and ends with the limits of the work around it. */
typedef int32_t (*GeInterruptFn)(void *user);

/** Leaves a check with the calling thread: runs, compiles and imports that this thread calls ask it about every 50
 *  milliseconds and fail with GE_CANCELLED where it does not answer 0. It is how an interpreter, whose signal handlers
 *  run on one thread only, ends work. Null: no check, which is what a thread begins with.
 *  Owner: user stays the caller's, until another check is set or the thread ends. Nulls: fine. Threads: any, each has
 *  its own. Errors: none. Since: ABI 1. */
GE_API void GeSetInterruptCheck(GeInterruptFn check, void *user);

GE_EXTERN_C_END

#endif
