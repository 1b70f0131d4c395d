// Records kernel runs and writes them as Chrome / Perfetto trace JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/ir/graph.h"
#include "core/placement/engine.h"

namespace gec {

class Profiler {
 public:
  static uint64_t Now();  // nanoseconds
  void Kernel(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end);
  /// The number under which steps of `plan` are noted. Their texts are made by Finish: to make them takes longer than a
  /// small kernel, and would be measured with the run.
  size_t Begin(const PlanPtr &plan);
  void Step(size_t plan, size_t step, uint64_t begin, uint64_t end) {
    steps_.push_back({events_.size(), plan, step, begin, end});
  }
  /// A span around several kernels: a whole run, a loop iteration.
  void Span(std::string name, uint64_t begin, uint64_t end);
  /// After the run, before its events are looked at.
  void Finish();
  /// The timeline of a run of `graph`. In the thread that ran it: its row bears that thread's number.
  std::string Json(const std::string &graph) const;

  struct Event {
    std::string json;  // name, category and args; times are added when written
    uint64_t begin, end;
    // Of kernels, the engine also of copies; empty for spans.
    std::string node, origins, type, engine, implementation, inputs, outputs;
    std::string name;        // of anything
    double flops = 0;        // 0: unknown
    uint64_t bytes = 0;      // of inputs and outputs, as far as their shapes are known
    int32_t flops_type = 0;  // GeKernel.flops_type
  };
  const std::vector<Event> &events() const { return events_; }

 private:
  struct StepTimes {
    size_t before;  // how many of `events_` came earlier
    size_t plan, step;
    uint64_t begin, end;
  };
  /// A value of `node` on its way from one memory to another.
  void Copy(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end);

  std::vector<Event> events_;
  std::vector<PlanPtr> plans_;
  std::vector<StepTimes> steps_;  // of `plans_`
};

}  // namespace gec
