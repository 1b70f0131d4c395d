// The time that each kernel of a run took.
#pragma once

#include <map>
#include <string>

#include "session.h"

namespace tool {

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

/// The quicker of two profiled runs, after one that prepares them.
RunTimes Measure(Runner *runner);

}  // namespace tool
