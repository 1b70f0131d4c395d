// Graphs that process points run, or that functions call.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/context.h"
#include "runtime/flow/point.h"
#include "runtime/flow/unit.h"

namespace gec {

/// Models and flows that functions call by a key; any thread.
class FlowCallable {
 public:
  virtual ~FlowCallable() = default;
  virtual std::vector<FlowMessage> Call(std::vector<FlowMessage> inputs, int32_t timeout_ms) = 0;
  virtual size_t output_count() const = 0;
  virtual void Stop() noexcept {}
};

class FlowModel : public FlowCallable {
 public:
  /// Compiles a copy of the graph; the config says types and shapes of inputs, and options.
  static std::shared_ptr<FlowModel> Compile(const Graph &graph, const Options &options, const FlowConfig &config);
  explicit FlowModel(ModelPtr model) : model_(std::move(model)) {}
  size_t input_count() const { return model_->inputs().size(); }
  size_t output_count() const override { return model_->outputs().size(); }
  std::vector<FlowMessage> Call(std::vector<FlowMessage> inputs, int32_t timeout_ms) override;

 private:
  ModelPtr model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunContext>> idle_;
};

class GraphWork : public FlowWork {
 public:
  explicit GraphWork(std::shared_ptr<FlowModel> model) : model_(std::move(model)) {}
  void Run(FlowUnit &unit, std::vector<FlowMessage> inputs) override;

 private:
  std::shared_ptr<FlowModel> model_;
};

}  // namespace gec
