// Files of the command line: what cannot be read is named, what is written is there whole or not at all.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tool {

/// Throws Usage when the path is missing, a directory, no regular file, or may not be read.
void CheckReadable(const std::string &path);

/// Written beside the path and put in its place by Close; devices and pipes are written directly. Whatever fails throws
/// Usage with the system's reason, and nothing is left behind.
class OutputFile {
 public:
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  void Write(std::string_view bytes);
  void Close();

 private:
  [[noreturn]] void Fail(int error);
  std::string path_, part_;  // part_: empty when written directly
  FILE *file_ = nullptr;
};

}  // namespace tool
