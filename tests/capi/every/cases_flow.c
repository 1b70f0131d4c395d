/* Data-flow graphs. */
#include "tests/capi/every/fixture.h"

static int32_t Process(void *user, void *instance, const GeFlowHost *host, const GeFlowMessage *const *inputs,
                       size_t count) {
  (void)user;
  (void)instance;
  return host && inputs && count ? 0 : 1;
}
static GeFlowMessage MessageOf(GeTensor *tensor) {
  GeFlowMessage message = {.struct_size = sizeof message, .tensor = tensor};
  return message;
}

DO(GeFlowFunctionRegister, "RN+RR", ALLOCATES, 0, {
  GeFlowFunction function = {.struct_size = sizeof function, .name = P(3, "TestFunction"), .process = Process};
  if (null == 4) function.process = NULL;
  uint64_t token = 0;
  GeStatus status = GeFlowFunctionRegister(P(1, &function), P(2, &token));
  GeFlowFunctionUnregister(token);
  return status;
})
VOID(GeFlowFunctionUnregister, "", NEVER, 0, GeFlowFunctionUnregister(UINT64_MAX))
STATUS(GeFlowCreate, "RNR", ALLOCATES, NEED_NET | NEED_OPTIONS,
       GeFlowCreate(P(1, w->net), P(2, w->options), O(3, w->out_flow)))
STATUS(GeFlowStop, "R", NEVER, NEED_FLOW, GeFlowStop(P(1, w->flow)))
DO(GeFlowDestroy, "N", NEVER, NEED_FLOW, {
  GeFlow *flow = w->flow;
  if (!null) w->flow = NULL;
  GeFlowDestroy(P(1, flow));
  return GE_SUCCESS;
})
VALUE(GeFlowInputCount, "N", NEVER, NEED_FLOW, GeFlowInputCount(P(1, w->flow)) == (null ? 0 : 1))
VALUE(GeFlowOutputCount, "N", NEVER, NEED_FLOW, GeFlowOutputCount(P(1, w->flow)) == (null ? 0 : 1))
DO(GeFlowFeed, "RNR+N", ALLOCATES, NEED_FLOW, {
  const uint32_t index = 0;
  const GeFlowMessage message = MessageOf(P(4, w->tensor));
  return GeFlowFeed(P(1, w->flow), P(2, &index), P(3, &message), 1, -1);
})
DO(GeFlowFetch, "RNR", ALLOCATES, NEED_FLOW, {
  const uint32_t index = 0;
  const GeFlowMessage fed = MessageOf(w->tensor);
  FaultDisarmed(OK(GeFlowFeed(w->flow, &index, &fed, 1, -1)));
  GeFlowMessage message = MessageOf(NULL);
  GeStatus status = GeFlowFetch(P(1, w->flow), P(2, &index), P(3, &message), 1, -1);
  if (status == GE_SUCCESS && null != 3) assert_non_null(message.tensor);
  GeTensorDestroy(message.tensor);
  return status;
})
