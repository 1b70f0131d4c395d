// Writes generated files: aside first, then renamed; a file whose content is already right is left alone, so that a
// rebuild compiles only what changed.
#pragma once

#include <string>

namespace codegen {

class OutputDir {
 public:
  explicit OutputDir(std::string path);  // created when missing; throws std::runtime_error
  void Write(const std::string &name, const std::string &text);
  int written() const { return written_; }
  int unchanged() const { return unchanged_; }

 private:
  std::string path_;
  int written_ = 0, unchanged_ = 0;
};

}  // namespace codegen
