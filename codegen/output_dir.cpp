#include "output_dir.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace codegen {
namespace fs = std::filesystem;

OutputDir::OutputDir(std::string path) : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (!fs::is_directory(path_))
    throw std::runtime_error("output directory '" + path_ + "' cannot be created: " + error.message());
}

void OutputDir::Write(const std::string &name, const std::string &text) {
  fs::path target = fs::path(path_) / name;
  {
    std::ifstream present(target, std::ios::binary);
    if (present) {
      std::stringstream old;
      old << present.rdbuf();
      if (old.str() == text) {
        ++unchanged_;
        return;
      }
    }
  }
  fs::path aside = target;
  aside += ".tmp" + std::to_string(getpid());
  std::FILE *file = std::fopen(aside.c_str(), "wb");
  bool ok = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int reason = errno;
  if (file && std::fclose(file) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  std::error_code error;
  if (ok) fs::rename(aside, target, error);
  if (!ok || error) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw std::runtime_error("cannot write '" + target.string() + "' (" + std::to_string(text.size()) +
                             " bytes): " + (error ? error.message() : std::strerror(reason)));
  }
  ++written_;
}

}  // namespace codegen
