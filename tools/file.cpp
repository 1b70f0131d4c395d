#include "file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "native.h"

namespace tool {

void CheckReadable(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) throw Usage("'" + path + "' cannot be read: " + std::strerror(errno));
  if (S_ISDIR(info.st_mode)) throw Usage("'" + path + "' is a directory, expected a file");
  if (!S_ISREG(info.st_mode)) throw Usage("'" + path + "' is not a regular file");
  if (access(path.c_str(), R_OK) != 0) throw Usage("'" + path + "' cannot be read: " + std::strerror(errno));
}

/// Removes <start><process> of processes that were killed while they wrote.
static void RemoveLeftOvers(const std::string &start) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path all(start);
  const std::string name = all.filename().string();
  const fs::path folder = all.has_parent_path() ? all.parent_path() : fs::path(".");
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored)) {
    const std::string other = entry.path().filename().string();
    if (other.compare(0, name.size(), name) != 0 || other.size() == name.size()) continue;
    if (other.find_first_not_of("0123456789", name.size()) != std::string::npos) continue;
    const long process = std::strtol(other.c_str() + name.size(), nullptr, 10);
    if (process <= 0 || process > INT32_MAX || kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH) continue;
    fs::remove(entry.path(), ignored);
  }
}

OutputFile::OutputFile(const std::string &path) : path_(path) {
  struct stat info;
  bool there = stat(path.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) Fail(EISDIR);
  if (there && !S_ISREG(info.st_mode)) {
    file_ = std::fopen(path.c_str(), "wb");
    if (!file_) Fail(errno);
    return;
  }
  if (there && access(path.c_str(), W_OK) != 0) Fail(errno);
  RemoveLeftOvers(path + ".part");
  part_ = path + ".part" + std::to_string(getpid());
  int fd = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? info.st_mode & 0777 : 0666);
  int error = errno;
  if (fd < 0) {
    part_.clear();
    Fail(error);
  }
  file_ = fdopen(fd, "wb");
  if (!file_) {
    close(fd);
    Fail(ENOMEM);
  }
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
  if (!part_.empty()) unlink(part_.c_str());
}

void OutputFile::Fail(int error) {
  // Also called in the constructor, after which no destructor runs.
  if (file_) std::fclose(file_);
  file_ = nullptr;
  if (!part_.empty()) unlink(part_.c_str());
  part_.clear();
  throw Usage("'" + path_ + "' cannot be written: " + std::strerror(error));
}

void OutputFile::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) Fail(errno);
}

void OutputFile::Close() {
  FILE *file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) Fail(errno);
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), path_.c_str()) != 0) Fail(errno);
  part_.clear();
}

}  // namespace tool
