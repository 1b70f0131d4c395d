#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "core/model/air.h"
#include "core/support/error.h"

namespace gec {

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  static std::atomic<uint32_t> counter{0};
  if (path_.empty()) Fail(GE_PATH_INVALID, "the file path is empty");
  temporary_ = Str(path_, ".tmp.", getpid(), ".", counter.fetch_add(1));
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
  if (rename(temporary_.c_str(), path_.c_str()) != 0) Refuse("write");
  temporary_.clear();
}

}  // namespace gec
