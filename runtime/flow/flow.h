// A data-flow graph at work.
#pragma once

#include <memory>
#include <vector>

#include "core/ir/graph.h"
#include "runtime/flow/graph_work.h"
#include "runtime/flow/net.h"
#include "runtime/flow/unit.h"
#include "runtime/options.h"

namespace gec {

class Flow {
 public:
  /// Compiles, finds functions, starts threads.
  static std::unique_ptr<Flow> Create(const Graph &graph, const Options &options);
  Flow() = default;
  ~Flow();
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;

  void Stop() noexcept;
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  /// One message for each input listed; all or none. Throws what ge/flow.h says.
  void Feed(const std::vector<uint32_t> &indexes, std::vector<FlowMessage> messages, int32_t timeout_ms);
  /// Into as many messages as there are indexes; nothing is lost once they were taken.
  void Fetch(const std::vector<uint32_t> &indexes, FlowMessage *messages, int32_t timeout_ms);
  static std::vector<uint32_t> All(size_t count);

  // ---- for FlowBuilder ----
  FlowNet net;
  FlowSource *NewInput();
  FlowSource *NewSource();
  void AddOutput(FlowSource *source);
  void AddUnit(std::unique_ptr<FlowUnit> unit) { units_.push_back(std::move(unit)); }
  void AddCallable(std::shared_ptr<FlowCallable> callable) { callables_.push_back(std::move(callable)); }

 private:
  struct OwnSource : FlowSource {
    std::condition_variable own;
  };
  struct Input {
    FlowSource source;
    uint64_t last = 0;  // transaction
  };
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<OwnSource>> sources_;
  std::vector<std::unique_ptr<FlowQueue>> outputs_;
  std::vector<std::shared_ptr<FlowCallable>> callables_;
  std::vector<std::unique_ptr<FlowUnit>> units_;
};

/// A flow that functions call: it gets one message for each input and gives one for each output.
class CalledFlow : public FlowCallable {
 public:
  explicit CalledFlow(std::unique_ptr<Flow> flow) : flow_(std::move(flow)) {}
  std::vector<FlowMessage> Call(std::vector<FlowMessage> inputs, int32_t timeout_ms) override;
  size_t output_count() const override { return flow_->output_count(); }
  void Stop() noexcept override { flow_->Stop(); }

 private:
  std::unique_ptr<Flow> flow_;
  std::mutex one_;  // call at a time
  uint64_t calls_ = 0;
};

}  // namespace gec
