#include "core/support/loader_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

namespace gec {
namespace {

// A file system mounted noexec, or a rule of the system's, forbids code of this file whatever memory there is.
bool MayHoldCode(const std::string &file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOMEM;
  void *mapped = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  const bool allowed = mapped != MAP_FAILED || errno == ENOMEM;
  if (mapped != MAP_FAILED) munmap(mapped, 1);
  close(fd);
  return allowed;
}

}  // namespace

// The loader has no code for it: there is what its allocations left in errno, and texts. Some of these name the error;
// those about segments, which begin with the library's name, do not, and an open() that found no memory for its work is
// called a file that does not exist.
bool LoaderLacksMemory(const std::string &file, const char *why) {
  if (errno == ENOMEM) return true;
  if (why == nullptr) return false;
  for (const char *text : {static_cast<const char *>(std::strerror(ENOMEM)), "out of memory"})
    if (std::strstr(why, text)) return true;
  if (why == file + ": cannot open shared object file: " + std::strerror(ENOENT))
    // A name without a folder is looked for elsewhere.
    return file.find('/') != std::string::npos && access(file.c_str(), F_OK) == 0;
  for (const char *text : {": failed to map segment", ": cannot map zero-fill pages"})
    if (const char *at = std::strstr(why, text)) return MayHoldCode(std::string(why, at));
  return false;
}

}  // namespace gec
