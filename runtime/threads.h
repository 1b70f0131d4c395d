// The one pool of threads: libgomp's, which the kernel library uses too. Sized once per model, never spinning up
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ge/engine.h"

namespace gec {

/// min(processors this process may run on, cgroup quota), at least 1.
int32_t DefaultThreads();
/// Processors in the affinity mask, and the cgroup's limit in processors (0: no limit); for diagnosis. `root` is where
/// proc and sys are looked up.
int32_t AffinityThreads();
double CgroupLimit(const std::string &root = "");

/// While alive, the calling thread's parallel regions use `threads`, the kernel library's included; afterwards what the
/// program had set before. Cheap.
class UseThreads {
 public:
  explicit UseThreads(int32_t threads);
  ~UseThreads();
  UseThreads(const UseThreads &) = delete;
  UseThreads &operator=(const UseThreads &) = delete;

 private:
  int32_t before_;
  int32_t threads_;
};

/// True on a thread that ran in parallel before its process was forked: libgomp does not know that the fork has not
/// copied the other threads of the team and would wait for them for ever.
bool ThreadTeamLost();

/// Runs the body on a new thread, which gets a team of its own, and throws here what it throws.
void OnNewThread(const std::function<void()> &body);

/// Splits [0, n) over at most `threads` threads in ranges of at least `grain`, of which a thread runs several: threads
/// that are slowed down run fewer. Nested calls run on the calling thread.
void ParallelFor(int32_t threads, int64_t n, int64_t grain, GeParallelFn fn, void *arg);

}  // namespace gec
