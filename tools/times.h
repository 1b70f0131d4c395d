// The time that each kernel of a run took.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "session.h"

namespace tool {

using Clock = std::chrono::steady_clock;
inline double Ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

struct KernelTime {
  std::string node, type, engine, implementation;
  std::string flops_type;  // the name of a data type
  double micros = 0, flops = 0, bytes = 0;
  size_t runs = 0;  // more than one inside of a loop
};

struct RunTimes {
  std::map<std::string, KernelTime> nodes;  // by node of the compiled graph
  double micros = 0;                        // of the whole run
};

/// Runs without and with a clock around each kernel.
struct ClockTurns {
  std::vector<double> without, with;  // milliseconds, in the order of the runs
  RunTimes quickest;                  // of those with
};

/// Runs of both kinds take turns, and turns being first, so that what else the machine does meets both: `wanted` pairs
/// or, for zero, as many as fit into `ms` milliseconds, at least five.
ClockTurns TakeTurns(Runner *runner, size_t wanted, double ms);

/// The quicker of two profiled runs, after one that prepares them.
RunTimes Measure(Runner *runner);

}  // namespace tool
