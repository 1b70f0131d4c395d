/* Variables of sessions.
 *
 * A session has one value for each name that a Variable, VariableV2 or VarHandleOp (then its shared_name, if any) of
 * its graphs has. The value comes into being when the first graph with that name is compiled: the node's attribute
 * `value` (or `init`), else zeros; it outlives the graph and goes with the session. All graphs of the session that have
 * the name mean the same variable, so type and shape must be the same in all of them; a node without either takes those
 * of the session, or of the first value that is assigned.
 *
 * A run sees the values of one moment. What it assigns takes effect when it has succeeded, all at once; a run that
 * fails changes nothing. Runs that assign wait for one another, other runs do not wait. Inside a graph reads and writes
 * follow the edges; where there are none, the order in which the nodes were added.
 *
 * A model that is compiled outside of a session (GeCompile, GeCompileFile, GeCompileBuffer) has variables of its own,
 * which every run context of the model shares. */
#ifndef GE_VARIABLES_H_
#define GE_VARIABLES_H_

#include "ge/model.h"
#include "ge/tensor.h"

GE_EXTERN_C_BEGIN

/** Variables there are. Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeSessionVariableCount(GeSessionHandle *session, size_t *count);
/** The name of one, in the order they came into being. Owner: *name is the session's, until it is destroyed. Nulls:
 * none allowed. Threads: any. Errors: GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeSessionVariableName(GeSessionHandle *session, size_t index, const char **name);
/** Copies of the values of `count` variables, all of one moment. Owner: caller destroys each of values[0 .. count);
 *  all are null after an error. Nulls: names and values may be null when count is 0. Threads: any. Errors: GE_NOT_FOUND
 * (a name, listing those there are), GE_BAD_STATE (no value yet: nothing tells its shape), GE_OUT_OF_MEMORY. Since: ABI
 * 1. */
GE_API GeStatus GeSessionCloneVariables(GeSessionHandle *session, const char *const *names, size_t count,
                                        GeTensor **values);
/** Gives variables values, all at once or none; names that no graph has had so far become variables. Waits for a run
 *  that assigns. Owner: values are copied. Nulls: names and values may be null when count is 0. Threads: any. Errors:
 *  GE_DATA_MISMATCH (type or shape), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeSessionSetVariables(GeSessionHandle *session, const char *const *names, const GeTensor *const *values,
                                      size_t count);

GE_EXTERN_C_END
#endif
