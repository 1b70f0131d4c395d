// Inputs that a function reads itself.
#ifndef FLOW_FUNC_FLOW_MSG_QUEUE_H_
#define FLOW_FUNC_FLOW_MSG_QUEUE_H_

#include <cstdint>
#include <memory>

#include "flow_func/flow_msg.h"

namespace FlowFunc {

class FlowMsgQueue {
 public:
  virtual ~FlowMsgQueue() = default;
  /// Waits for a message, `timeout` ms at most (-1: for ever): FLOW_FUNC_ERR_TIME_OUT_ERROR then, FLOW_FUNC_STATUS_EXIT
  /// when the data-flow graph ends.
  virtual int32_t Dequeue(std::shared_ptr<FlowMsg> &flowMsg, int32_t timeout = -1) = 0;
  /// How many messages have room, and how many wait; -1 where that cannot be told.
  virtual int32_t Depth() const = 0;
  virtual int32_t Size() const = 0;
};

}  // namespace FlowFunc

#endif
