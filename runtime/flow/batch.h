// Messages of one input put together: so many, or what arrives within a time.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "runtime/flow/message.h"

namespace gec {

struct FlowBatchSpec {
  enum Kind { kNone, kCount, kTime } kind = kNone;
  int64_t size = 0;     // kCount: messages of a batch
  int64_t stride = 0;   // kCount: messages from one batch's first to the next one's; 0: size
  int64_t window = 0;   // kTime: ms from a batch's first message on; -1: until a stream or segment ends
  int64_t timeout = 0;  // ms after which a batch is closed as it is; 0: never
  int64_t dim = -1;     // where messages are put side by side; -1 is a new first dimension
  bool padding = false, drop_remainder = false;

  /// Throws GE_GRAPH_INVALID.
  void Check() const;
};

/// The parts of one message.
using FlowParts = std::vector<FlowMessage>;

/// For one thread at a time; time is told from outside.
class FlowBatcher {
 public:
  explicit FlowBatcher(const FlowBatchSpec &spec) : spec_(spec) {}
  void Add(FlowMessage message, FlowTime now, std::deque<FlowParts> *ready);
  /// Closes what is due.
  void Expire(FlowTime now, std::deque<FlowParts> *ready);
  std::optional<FlowTime> Deadline() const;

 private:
  bool Close(bool by_time, std::deque<FlowParts> *ready);
  FlowBatchSpec spec_;
  FlowParts pending_;
  size_t fresh_ = 0;     // of them: in no batch yet
  int64_t to_skip_ = 0;  // messages between two batches, where the stride is larger than the size
  FlowTime since_{};     // arrival of the first fresh one
};

/// One message of the parts of a batch; throws GE_DATA_MISMATCH where they do not fit together.
FlowMessage Stack(const FlowBatchSpec &spec, FlowParts parts);

}  // namespace gec
