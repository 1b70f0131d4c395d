/* State that stays between runs. */
#include "tests/capi/every/fixture.h"

DO(GeStateCreate, "RRRNR+SS", ALLOCATES, NEED_MODEL, {
  const char *input, *output;
  OK(GeModelGetInput(w->model, 0, &input, NULL));
  OK(GeModelGetOutput(w->model, 0, &output, NULL));
  if (null == 6) input = NULL;
  if (null == 7) output = NULL;
  GeStateOptions options = {.struct_size = sizeof options, .capacity = 4, .axis = -2};
  return GeStateCreate(P(1, w->model), P(2, &input), P(3, &output), 1, P(4, &options), O(5, w->out_state));
})
STATUS(GeStateClone, "RR", ALLOCATES, NEED_STATE, GeStateClone(P(1, w->state), O(2, w->out_state)))
DO(GeStateDestroy, "N", NEVER, NEED_STATE, {
  GeStateDestroy(P(1, w->state));
  if (!null) w->state = NULL;
  return GE_SUCCESS;
})
VALUE(GeStateCount, "N", NEVER, NEED_STATE, GeStateCount(P(1, w->state)) == (null ? 0 : 1))
DO(GeStateAt, "RNNN", NEVER, NEED_STATE, {
  const char *input, *output;
  GeTensorData desc;
  return GeStateAt(P(1, w->state), 0, P(2, &input), P(3, &output), P(4, &desc));
})
DO(GeStateGetLength, "RNN", NEVER, NEED_STATE, {
  int64_t length, capacity;
  return GeStateGetLength(P(1, w->state), P(2, &length), P(3, &capacity));
})
DO(GeStateRead, "RR", NEVER, NEED_STATE, {
  float content[6];
  return GeStateRead(P(1, w->state), 0, P(2, content), sizeof content);
})
DO(GeStateWrite, "RR+S", ALLOCATES, NEED_STATE, {
  GeTensorData content = FloatData();
  if (null == 3) content.data = NULL;
  return GeStateWrite(P(1, w->state), 0, P(2, &content));
})
STATUS(GeStateTruncate, "R", NEVER, NEED_STATE, GeStateTruncate(P(1, w->state), 0))
STATUS(GeStateClear, "R", NEVER, NEED_STATE, GeStateClear(P(1, w->state)))
STATUS(GeRunContextSetState, "RN", ALLOCATES, NEED_STATE, GeRunContextSetState(P(1, w->context), P(2, w->state)))
