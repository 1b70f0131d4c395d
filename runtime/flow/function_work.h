// Functions that process points call.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/flow/function.h"
#include "runtime/flow/graph_work.h"

namespace gec {

/// Data that the functions of one process point share.
struct FlowPointState {
  std::string name, work_path;
  std::map<std::string, AttrValue> params;
  std::map<std::string, std::shared_ptr<FlowCallable>> callables;
  size_t input_count = 0, output_count = 0;
  std::map<const void *, std::shared_ptr<void>> instances;  // by family
  std::mutex one;                                           // function at a time
};

class FunctionWork : public FlowWork, private FlowHost {
 public:
  /// Makes the instance where the point has none of the function's family; throws what it says. `inputs` and `outputs`
  /// are the function's ports among those of the point.
  FunctionWork(std::shared_ptr<FlowPointState> point, FlowFunctionPtr function, std::vector<uint32_t> inputs,
               std::vector<uint32_t> outputs, bool streams);
  bool streams() const override { return streams_; }
  void Run(FlowUnit &unit, std::vector<FlowMessage> inputs) override;

 private:
  const std::string &name() const override { return point_->name; }
  const std::string &work_path() const override { return point_->work_path; }
  size_t input_count() const override { return creating_ ? point_->input_count : inputs_.size(); }
  size_t output_count() const override { return point_->output_count; }
  const AttrValue *Attr(const std::string &name) const override;
  void SetOutput(size_t index, FlowMessage message) override;
  std::vector<FlowMessage> RunModel(const std::string &key, std::vector<FlowMessage> inputs,
                                    int32_t timeout_ms) override;
  size_t ModelOutputs(const std::string &key) const override { return CallableOf(key).output_count(); }
  FlowMessage Dequeue(size_t input, int32_t timeout_ms) override;
  void QueueSize(size_t input, size_t *waiting, size_t *room) override;
  void Raise(int32_t code, uint64_t context) override;
  bool NextException(int32_t *code, uint64_t *context) override;
  FlowUnit &Unit(const char *call) const;
  FlowCallable &CallableOf(const std::string &key) const;
  void CheckStreams(const char *call, size_t input) const;

  std::shared_ptr<FlowPointState> point_;
  FlowFunctionPtr function_;
  std::vector<uint32_t> inputs_, outputs_;
  bool streams_, creating_ = false;
  void *instance_ = nullptr;
  FlowUnit *unit_ = nullptr;  // while it runs
  size_t exceptions_seen_ = 0;
};

}  // namespace gec
