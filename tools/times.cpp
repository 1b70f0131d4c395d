#include "times.h"

#include <nlohmann/json.hpp>

namespace tool {
namespace {

RunTimes Once(Runner *runner) {
  std::string trace;
  runner->Profile(&trace);
  RunTimes times;
  const nlohmann::json parsed = nlohmann::json::parse(trace);
  for (const auto &event : parsed["traceEvents"]) {
    if (event.value("ph", "") != "X") continue;
    if (event.value("name", "") == "run") times.micros = event["dur"];
    if (event.value("cat", "") != "kernel") continue;
    const auto &args = event["args"];
    KernelTime &kernel = times.nodes[args["node"]];
    kernel.node = args["node"];
    kernel.type = args["type"];
    kernel.engine = args["engine"];
    kernel.implementation = args["implementation"];
    kernel.flops_type = args["flops_type"];
    kernel.micros += event["dur"].get<double>();
    kernel.flops += args["flops"].get<double>();
    kernel.bytes += args["bytes"].get<double>();
    ++kernel.runs;
  }
  return times;
}

}  // namespace

RunTimes Measure(Runner *runner) {
  runner->Run();
  RunTimes first = Once(runner), second = Once(runner);
  return second.micros < first.micros ? second : first;
}

}  // namespace tool
