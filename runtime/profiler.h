// Records kernel runs and writes them as Chrome / Perfetto trace JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/placement/engine.h"

namespace gec {

class Profiler {
 public:
  static uint64_t Now();  // nanoseconds
  void Kernel(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end);
  /// A value of `node` on its way from one memory to another.
  void Copy(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end);
  /// A span around several kernels: a whole run, a loop iteration.
  void Span(std::string name, uint64_t begin, uint64_t end);
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
  std::vector<Event> events_;
};

}  // namespace gec
