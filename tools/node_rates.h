// The bound of each node of a run: its operations and bytes a second beside what the machine does at best.
#pragma once

#include <string>
#include <vector>

#include "ge/profile.h"
#include "times.h"

namespace tool {

struct NodeRate {
  KernelTime kernel;
  double share = 0;                              // of the time that kernels took
  double flops = 0;                              // a second; 0: the kernel counts none
  double bytes = 0;                              // a second, of inputs and outputs
  std::string bound;                             // "arithmetic", "memory", "cache", "call"; "": nobody can tell
  const GeArithmeticRate *arithmetic = nullptr;  // that of its type; null: not measured
  double of_limit = 0;                           // part of what the machine does at best of what bounds it
};

/// Measured once per process and number of threads.
GeMachineRates LimitsOf(int threads);
/// The slowest node first.
std::vector<NodeRate> RatesOf(const RunTimes &times, const GeMachineRates &limits);
/// The first `most` as a table, and what stands for the rest.
std::string RatesTable(const std::vector<NodeRate> &rates, const GeMachineRates &limits, size_t most);

}  // namespace tool
