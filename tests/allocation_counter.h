// Counts every allocation of the process, and tells those of this project's code from those that other libraries
// (oneDNN, the OpenMP runtime) make for themselves. Linking allocation_counter.cpp replaces malloc.
#pragma once

namespace test {

struct Allocations {
  long ours = 0;
  long libraries = 0;
};

/// From here on, until EndCounting; in all threads.
void BeginCounting();
Allocations EndCounting();

}  // namespace test
