// A process point, or one of its functions, at work in a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/flow/matcher.h"
#include "runtime/flow/net.h"

namespace gec {

class FlowUnit;

/// The work of a unit.
class FlowWork {
 public:
  virtual ~FlowWork() = default;
  /// It takes messages from its inputs itself; Run then gets none.
  virtual bool streams() const { return false; }
  /// One piece of work; results go out through the unit. An error goes to the outputs that got nothing.
  virtual void Run(FlowUnit &unit, std::vector<FlowMessage> inputs) = 0;
};

struct FlowUnitInput {
  FlowSource *source;
  FlowBatchSpec batch;
};

class FlowUnit {
 public:
  FlowUnit(FlowNet &net, std::string label, const std::vector<FlowUnitInput> &inputs, const FlowAlignSpec &align,
           std::vector<FlowSource *> outputs, std::unique_ptr<FlowWork> work);
  ~FlowUnit() { Join(); }
  void Start();
  /// After the net was stopped.
  void Join();

  // ---- for the work, in the unit's thread ----
  const std::string &label() const { return label_; }
  size_t input_count() const { return queues_.size(); }
  size_t output_count() const { return outputs_.size(); }
  /// The merged header of the inputs at hand.
  const FlowMessage &head() const { return head_; }
  /// Waits for room; throws GE_BAD_STATE when the flow ends.
  void Emit(size_t output, FlowMessage message);
  FlowMessage Dequeue(size_t input, int32_t timeout_ms);
  size_t Waiting(size_t input);
  FlowNet &net() { return net_; }

 private:
  void Loop();
  void StreamLoop();
  bool Gather(FlowTime now, FlowGroup *group);
  void Do(FlowGroup group) noexcept;
  void Work(FlowGroup group);
  void EmitFailed(int32_t code, const std::string &text) noexcept;
  template <class Body>
  void Guarded(Body &&body) noexcept;

  FlowNet &net_;
  std::string label_;
  std::vector<FlowBatchSpec> batches_;
  FlowMatcher matcher_;
  std::vector<std::unique_ptr<FlowQueue>> queues_;
  std::vector<FlowSource *> outputs_;
  std::vector<bool> sent_;  // which outputs got something from the piece of work at hand
  FlowMessage head_;
  size_t dequeued_ = 0;
  std::unique_ptr<FlowWork> work_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace gec
