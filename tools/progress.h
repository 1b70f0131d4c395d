// A line on the terminal that tells how far a compile is; nothing when standard error is no terminal.
#pragma once

#include <chrono>
#include <string>

namespace tool {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  bool active() const { return active_; }

 private:
  static void OnLog(void *user, int32_t level, const char *message);
  void Show(const std::string &message);
  bool active_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace tool
