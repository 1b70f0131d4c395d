#include "runtime/profiler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

#include "core/support/json_text.h"
#include "runtime/micros.h"
#include "runtime/trace_rows.h"

namespace gec {
namespace {

std::string Ports(const Node &node, bool inputs, uint64_t *bytes) {
  std::string out = "[";
  const size_t count = inputs ? node.input_count() : node.output_count();
  for (size_t i = 0; i < count; ++i) {
    const TensorDesc &desc = inputs ? node.input_desc(i) : node.output_desc(i);
    if (out.size() > 1) out += ",";
    if (inputs && !node.input(i)) {
      out += "\"-\"";
      continue;
    }
    out += JsonText(std::string(GeDataTypeName(desc.dtype)) + " " + GeFormatName(desc.format) + " " + desc.shape.str());
    if (desc.known() && GeDataTypeBits(desc.dtype) != 0) *bytes += desc.bytes();
  }
  return out + "]";
}

}  // namespace

uint64_t Profiler::Now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void Profiler::Kernel(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end) {
  uint64_t bytes = 0;
  std::string in = Ports(node, true, &bytes), out = Ports(node, false, &bytes);
  char flops[40];
  std::snprintf(flops, sizeof flops, "%.0f", kernel.get().flops);
  std::string json = "\"name\":" + JsonText(node.OriginText()) +
                     ",\"cat\":\"kernel\",\"args\":{\"node\":" + JsonText(node.name()) +
                     ",\"type\":" + JsonText(node.type().view()) + ",\"engine\":" + JsonText(kernel.engine().name()) +
                     ",\"implementation\":" + JsonText(kernel.implementation()) + ",\"inputs\":" + in +
                     ",\"outputs\":" + out + ",\"bytes\":" + std::to_string(bytes) + ",\"flops\":" + flops +
                     ",\"flops_type\":" + JsonText(GeDataTypeName(kernel.get().flops_type)) + "}";
  events_.push_back({std::move(json), begin, end, node.name(), node.OriginText(), std::string(node.type().view()),
                     kernel.engine().name(), kernel.implementation(), std::move(in), std::move(out), node.OriginText(),
                     kernel.get().flops, bytes, kernel.get().flops_type});
}

void Profiler::Copy(const Node &node, const gec::Kernel &kernel, uint64_t begin, uint64_t end) {
  std::string json = "\"name\":" + JsonText("copy of " + node.OriginText()) +
                     ",\"cat\":\"copy\",\"args\":{\"node\":" + JsonText(node.name()) +
                     ",\"engine\":" + JsonText(kernel.engine().name()) +
                     ",\"implementation\":" + JsonText(kernel.implementation()) + "}";
  events_.push_back(
      {std::move(json), begin, end, {}, {}, {}, kernel.engine().name(), {}, {}, {}, "copy of " + node.OriginText()});
}

void Profiler::Span(std::string name, uint64_t begin, uint64_t end) {
  std::string json = "\"name\":" + JsonText(name) + ",\"cat\":\"span\"";
  events_.push_back({std::move(json), begin, end, {}, {}, {}, {}, {}, {}, {}, std::move(name)});
}

size_t Profiler::Begin(const PlanPtr &plan) {
  if (steps_.empty()) steps_.reserve(plan->steps.size());
  if (plans_.empty() || plans_.back() != plan) plans_.push_back(plan);
  return plans_.size() - 1;
}

void Profiler::Finish() {
  std::vector<Event> earlier;
  earlier.swap(events_);
  auto event = earlier.begin();
  for (const StepTimes &times : steps_) {
    const auto until = earlier.begin() + static_cast<std::ptrdiff_t>(times.before);
    events_.insert(events_.end(), std::make_move_iterator(event), std::make_move_iterator(until));
    event = until;
    const ExecPlan::Step &step = plans_[times.plan]->steps[times.step];
    if (step.copy) Copy(*step.node, *step.kernel, times.begin, times.end);
    else Kernel(*step.node, *step.kernel, times.begin, times.end);
  }
  events_.insert(events_.end(), std::make_move_iterator(event), std::make_move_iterator(earlier.end()));
  steps_.clear();
  plans_.clear();
}

std::string Profiler::Json(const std::string &graph) const {
  uint64_t start = UINT64_MAX;
  for (const Event &e : events_) start = std::min(start, e.begin);
  const std::string process = std::to_string(getpid());
  const long thread = syscall(SYS_gettid);
  TraceRows rows;
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (const Event &e : events_) {
    out += "{" + e.json + ",\"ph\":\"X\",\"pid\":" + process +
           ",\"tid\":" + std::to_string(rows.Row(thread, e.engine)) + ",\"ts\":" + Micros(e.begin - start) +
           ",\"dur\":" + Micros(e.end - e.begin) + "},\n";
  }
  return out + rows.Names("OpenGE, graph '" + graph + "'") + "\n]}\n";
}

}  // namespace gec
