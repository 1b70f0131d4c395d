#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "core/serialize/air.h"
#include "core/support/error.h"

namespace gec {

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
    temporary_ = Str(target_, ".tmp.", getpid(), ".", counter.fetch_add(1));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? info.st_mode & 0777 : 0666);
  }
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
