// Counts the allocations of this project's code while a model runs that has run before.
#pragma once

#include <vector>

#include "tests/runtime/net.h"

namespace gec {

/// Runs each feed twice, then twenty times more, and tells how often our code asked for memory in these; what oneDNN
/// asked for is printed. Outputs go to buffers of the caller, or of the context.
long Allocations(RunContext &context, const std::vector<std::vector<Array>> &feeds, bool own_buffers);

/// Threads and optimisation level.
using WarmParam = std::pair<const char *, const char *>;
class Warm : public ::testing::TestWithParam<WarmParam> {
 protected:
  static ModelPtr Compile(const Net &net) {
    auto [threads, level] = GetParam();
    return Model::Compile(*net.graph, Opts({{"threads", threads}, {"opt_level", level}}));
  }
};

inline Array Filled(std::vector<int64_t> dims, float value) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = value + static_cast<float>(i % 7) * 0.125f;
  return Array::F(std::move(dims), values);
}

}  // namespace gec
