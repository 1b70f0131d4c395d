// Records the runs of this process's sessions between a start and a stop, and writes them as files (see ge/profile.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/profiler.h"

namespace gec {

/// All calls throw gec::Error. Any thread may call.
class RunRecorder {
 public:
  static void Open(const std::string &folder);
  static void Start(uint32_t what);
  static void Stop();
  static void Close();
};

/// One run of a session's graph. Costs one atomic load while nothing is recorded.
class RecordedRun {
 public:
  RecordedRun(uint64_t session, uint32_t graph_id, const std::string &graph);
  ~RecordedRun();
  RecordedRun(const RecordedRun &) = delete;
  RecordedRun &operator=(const RecordedRun &) = delete;
  /// For the run; null where no nodes are recorded.
  Profiler *profiler();
  /// The run ended well.
  void Done();

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

}  // namespace gec
