// ONNX Runtime beside this library: a process of Python that runs the same model with the same inputs, in turns with
// ours.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <string>
#include <vector>

#include "npy.h"

namespace tool {

class OrtPeer {
 public:
  /// Starts it and loads the model. Throws Error: no Python, no package onnxruntime there, or what it says of the
  /// model. `names`: of the inputs, by number.
  OrtPeer(const std::string &model, int threads, const std::vector<std::string> &names, const std::vector<Array> &feed);
  ~OrtPeer();
  OrtPeer(const OrtPeer &) = delete;
  OrtPeer &operator=(const OrtPeer &) = delete;

  const std::string &version() const { return version_; }
  double load_ms() const { return load_ms_; }
  double first_run_ms() const { return first_run_ms_; }
  /// Runs so often; the times in milliseconds.
  std::vector<double> Run(int times);
  /// The largest difference of any output from ours, relative to the output's largest value. Ends the peer.
  double Difference(const std::vector<std::string> &names, const std::vector<Array> &ours);

 private:
  std::string Line();
  void Say(const std::string &line);
  void End() noexcept;
  std::string folder_, version_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string read_;
  double load_ms_ = 0, first_run_ms_ = 0;
};

}  // namespace tool
