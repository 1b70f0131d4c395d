/* State that stays between runs: outputs of one run that are inputs of the next, such as the caches of a decoder.
 *
 * A GeState holds the content of pairs of an input and an output of one model. A run context that has it
 * (GeRunContextSetState) reads these inputs from it and leaves the outputs in it; the program neither feeds the ones
 * nor gets the others. Where the graph makes the output by appending to the input (a concatenation, an operator whose
 * kernel says GE_ALIAS_EXTENDS), and all that read either of them take strides, the run writes what is new into the
 * same memory, which has room to grow. In all other cases the output is written to a second memory, and the two change
 * places. Either way, nothing is copied between runs, and nothing is allocated while there is room.
 *
 * A state belongs to no thread and no context: it is cut back, copied, read, written and given to another context
 * between runs. Several states of one model are independent, so that several sequences are worked on in turn or at the
 * same time. */
#ifndef GE_STATE_H_
#define GE_STATE_H_

#include <stddef.h>

#include "ge/model.h"

typedef struct GeState GeState;

/** How a state is kept. The caller sets struct_size; zeros elsewhere are defaults, but for the axis. */
typedef struct GeStateOptions {
  size_t struct_size;
  int64_t
      capacity;  /* room along the axis from the beginning; more is made when it is needed, twice as much each time */
  int64_t limit; /* a run that would make it longer is refused; 0: none */
  int64_t axis;  /* that grows; -2 is the one before the last, as in [batch, heads, length, size] */
} GeStateOptions;

GE_EXTERN_C_BEGIN

/** A state of a model for pairs: inputs[i] is what outputs[i] was in the run before. It is empty: extent 0 along the
 * axis where the model leaves that open; other open extents are 1 until content is written; where all extents are
 * known, zeros. Owner: caller destroys *out, which keeps the model alive. Nulls: options may be null (axis -2, no
 * limit, no room). Threads: any. Errors: GE_PARAM_INVALID (no such name, a name twice, types or shapes that do not fit,
 * an input that the graph changes itself), GE_UNSUPPORTED (a model with option engine_time_limit), GE_OUT_OF_MEMORY.
 * Since: ABI 1. */
GE_API GeStatus GeStateCreate(GeModel *model, const char *const *inputs, const char *const *outputs, size_t count,
                              const GeStateOptions *options, GeState **out);
/** A state of the same model with a copy of the content, for no context yet. Owner: caller destroys *out. Nulls: none
 * allowed. Threads: any. Errors: GE_BAD_STATE (a run uses it), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeStateClone(GeState *state, GeState **out);
/** Gives the caller's reference back; a context that has the state keeps it. Owner: consumes. Nulls: fine. Threads:
 * any. Errors: none. Since: ABI 1. */
GE_API void GeStateDestroy(GeState *state);

/** Number of pairs. Owner: n/a. Nulls: a null state has 0. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeStateCount(const GeState *state);
/** Names of a pair, and what its content is like; data is null and size what a dense copy has. Owner: texts and
 * pointers are the state's, dims until its next run or change. Nulls: any out-parameter may be null. Threads: one.
 * Errors: GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeStateAt(const GeState *state, size_t index, const char **input, const char **output,
                          GeTensorData *desc);
/** The length along the axis of what grows, and for how much there is room without new memory; 0 where nothing grows.
 * Owner: n/a. Nulls: any out-parameter may be null. Threads: one. Errors: none but for the handle. Since: ABI 1. */
GE_API GeStatus GeStateGetLength(const GeState *state, int64_t *length, int64_t *capacity);
/** Copies the content of a pair to dense memory. Owner: memory stays the caller's. Nulls: memory only with size 0.
 * Threads: any. Errors: GE_PARAM_INVALID (index), GE_DATA_MISMATCH (too little memory), GE_BAD_STATE (a run uses it).
 * Since: ABI 1. */
GE_API GeStatus GeStateRead(GeState *state, size_t index, void *memory, uint64_t size);
/** Replaces the content of a pair by a copy of dense content. Owner: content stays the caller's. Nulls: none allowed.
 * Threads: any. Errors: GE_PARAM_INVALID (index), GE_DATA_MISMATCH (type, shape, bytes, longer than the limit),
 * GE_BAD_STATE (a run uses it), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeStateWrite(GeState *state, size_t index, const GeTensorData *content);
/** Forgets what lies behind `length` along the axis, as where guessed tokens were wrong. Owner: n/a. Nulls: none
 * allowed. Threads: any. Errors: GE_PARAM_INVALID (negative, or longer than a content), GE_BAD_STATE (a run uses it).
 * Since: ABI 1. */
GE_API GeStatus GeStateTruncate(GeState *state, int64_t length);
/** Makes it empty, as GeStateCreate does; memory stays. Owner: n/a. Nulls: none allowed. Threads: any. Errors:
 * GE_BAD_STATE (a run uses it), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeStateClear(GeState *state);

/** Runs of the context use the state from now on (GeRun and its kin, GeRunContextPrepare); null: they use none. In the
 * arrays of a run the state's inputs and outputs keep their places: their data is null (of an input all else is
 * ignored), and after the run such an output is described, with data null. A run that fails leaves the state as it was.
 * Owner: the context keeps the state until another one is set or it ends. Nulls: context must not be null. Threads: one
 * per context. Errors: GE_PARAM_INVALID (of another model), GE_BAD_STATE (another context has it); runs then fail with
 * GE_DATA_MISMATCH where one of its inputs is fed, one of its outputs has a buffer, an output does not continue the
 * input, or the limit would be passed, with GE_BAD_STATE where another thread uses it. Since: ABI 1. */
GE_API GeStatus GeRunContextSetState(GeRunContext *context, GeState *state);

GE_EXTERN_C_END
#endif
