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

ClockTurns TakeTurns(Runner *runner, size_t wanted, double ms) {
  constexpr size_t kFewest = 5;
  ClockTurns turns;
  const Clock::time_point begin = Clock::now();
  while (wanted ? turns.with.size() < wanted : turns.with.size() < kFewest || Ms(Clock::now() - begin) < ms) {
    const bool clock_first = turns.with.size() % 2 != 0;
    for (const bool with : {clock_first, !clock_first}) {
      runner->Run();  // what read the last trace has filled the caches
      if (with) {
        RunTimes times = Once(runner);
        turns.with.push_back(times.micros / 1000);
        if (turns.with.size() == 1 || times.micros < turns.quickest.micros) turns.quickest = std::move(times);
      } else {
        const Clock::time_point start = Clock::now();
        runner->Run();
        turns.without.push_back(Ms(Clock::now() - start));
      }
    }
  }
  return turns;
}

RunTimes Measure(Runner *runner) {
  runner->Run();
  RunTimes first = Once(runner), second = Once(runner);
  return second.micros < first.micros ? second : first;
}

}  // namespace tool
