// Which messages of several inputs are worked on together.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "runtime/flow/batch.h"

namespace gec {

/// Inputs matched by transaction. Without it they are taken as they come.
struct FlowAlignSpec {
  int64_t most = 0;      // transactions that wait; 0: no matching
  int64_t timeout = -1;  // ms that one waits; -1: for ever
  bool drop = false;     // what found no match is dropped, else it is an error
};

/// One piece of work: the parts of each input's message.
struct FlowGroup {
  std::vector<FlowParts> inputs;
  bool incomplete = false;  // not aligned in time: inputs that are missing have no parts
};

/// For one thread at a time; time is told from outside.
class FlowMatcher {
 public:
  FlowMatcher(const std::vector<FlowBatchSpec> &inputs, const FlowAlignSpec &align);
  /// True when more of an input may be taken in.
  bool Wants(size_t input) const;
  void Add(size_t input, FlowMessage message, FlowTime now);
  std::optional<FlowGroup> Take(FlowTime now);
  /// When Take has to be asked again although nothing came.
  std::optional<FlowTime> Deadline() const;

 private:
  struct Waiting {
    FlowTime since;
    std::vector<FlowParts> inputs;
  };
  void Align(FlowTime now);
  void Expel(std::map<uint64_t, Waiting>::iterator at);

  FlowAlignSpec align_;
  std::vector<FlowBatcher> batchers_;
  std::vector<std::deque<FlowParts>> ready_;  // per input
  std::map<uint64_t, Waiting> waiting_;       // by transaction
  std::deque<FlowGroup> done_;
};

}  // namespace gec
