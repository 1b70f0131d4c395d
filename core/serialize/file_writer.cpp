#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "core/serialize/air.h"
#include "core/support/error.h"

namespace gec {

namespace {

/// Removes what writers of `target` left that were killed: <name>.tmp.<process>.<number>, whose process is gone and
/// that nobody holds locked, in this or another container.
void RemoveLeftOvers(const std::string &target) {
  const size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const std::string start = target.substr(slash == std::string::npos ? 0 : slash + 1) + ".tmp.";
  const std::unique_ptr<DIR, int (*)(DIR *)> list(opendir(folder.c_str()), closedir);
  if (!list) return;
  while (const dirent *entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    int process = 0, end = 0;
    if (name.compare(0, start.size(), start) != 0) continue;
    const char *const rest = name.c_str() + start.size();
    if (sscanf(rest, "%d.%*u%n", &process, &end) != 1 || end == 0 || rest[end] || process <= 0) continue;
    if (kill(process, 0) == 0 || errno != ESRCH) continue;
    const std::string path = folder + (slash == std::string::npos ? "/" : "") + name;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
    close(fd);
  }
}

}  // namespace

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  static std::atomic<uint32_t> counter{0};
  if (path_.empty()) Fail(GE_PATH_INVALID, "the file path is empty");
  struct stat info;
  const bool there = stat(path_.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) Fail(GE_PATH_INVALID, "cannot create '", path_, "': ", strerror(EISDIR));
  if (there && !S_ISREG(info.st_mode)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (there && access(path_.c_str(), W_OK) != 0) {
    fd_ = -1;  // renaming would get around the file's protection
  } else {
    target_ = path_;
    // A link stays one: what it leads to is replaced.
    if (char *real = there ? realpath(path_.c_str(), nullptr) : nullptr) {
      target_ = real;
      free(real);
    }
    RemoveLeftOvers(target_);
    temporary_ = Str(target_, ".tmp.", getpid(), ".", counter.fetch_add(1));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? info.st_mode & 0777 : 0666);
  }
  if (fd_ >= 0 && !temporary_.empty()) flock(fd_, LOCK_EX | LOCK_NB);  // as long as it is written
  if (fd_ < 0) {
    int code = errno;
    temporary_.clear();
    Fail(GE_PATH_INVALID, "cannot create '", path_, "': ", strerror(code));
  }
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileWriter::Refuse(const char *what) {
  int code = errno;
  Fail(GE_PATH_INVALID, "cannot ", what, " '", path_, "': ", strerror(code));
}

void FileWriter::Write(const void *data, size_t size) {
  const char *p = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t n = write(fd_, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Refuse("write");
    p += n;
    size -= static_cast<size_t>(n);
  }
}

void FileWriter::Commit() {
  int fd = fd_;
  fd_ = -1;
  if (close(fd) != 0) Refuse("write");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) Refuse("write");
  temporary_.clear();
}

}  // namespace gec
