// The rows of a timeline: one per thread for runs and spans, and below it one per engine for what it runs there.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace gec {

class TraceRows {
 public:
  /// The number of the row ("tid") for what `engine` does in `thread`; without an engine the thread's own row.
  long Row(long thread, const std::string &engine);
  /// Trace events (JSON, separated by commas) that name the process and every row that was asked for.
  std::string Names(const std::string &process) const;

 private:
  std::map<std::pair<long, std::string>, long> rows_;
  std::map<std::string, long> engines_;  // numbered from 1
};

}  // namespace gec
