// Messages of data-flow graphs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/tensor.h"
#include "ge/flow.h"

namespace gec {

using FlowClock = std::chrono::steady_clock;
using FlowTime = FlowClock::time_point;

/// Copying one allocates nothing.
struct FlowMessage {
  TensorPtr tensor;  // null: no data
  uint64_t id = 0, start = 0, end = 0;
  uint32_t flags = 0, type = GE_FLOW_TENSOR;
  int32_t code = 0;
  std::array<uint8_t, GE_FLOW_USER_BYTES> user{};
  std::shared_ptr<const std::string> text;  // why, where code is not 0

  /// The last of a stream or segment.
  bool closes() const { return (flags & (GE_FLOW_EOS | GE_FLOW_SEG)) != 0; }
  /// Says no more than that a stream or segment ends.
  bool only_closes() const { return !tensor && code == 0 && closes(); }
};

/// The merged header of all inputs of one piece of work: the first transaction, all flags, the whole span of time.
FlowMessage HeadOf(const std::vector<FlowMessage> &inputs);
/// An error on the way to the outputs; `head` says whose.
FlowMessage FailedMessage(const FlowMessage &head, int32_t code, std::string text);
/// Fills what a message leaves open.
void Complete(const FlowMessage &head, FlowMessage *message) noexcept;

}  // namespace gec
