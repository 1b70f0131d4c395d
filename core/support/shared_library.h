// A look at a shared library's file before the loader maps it: the loader trusts the headers, and a file that ends
// early kills the process with SIGBUS. Depends on nothing else, so that tools outside the library use it as well.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace gec {

/// Empty when every part that the loader maps is in the file, or when the file is none that it would map (the loader
/// says so itself); else what is missing. Allocates only for the text.
inline std::string MissingInLibrary(const std::string &path) {
  struct File {
    int fd;
    ~File() {
      if (fd >= 0) close(fd);
    }
    bool Read(void *to, size_t bytes, uint64_t at) const {
      return pread(fd, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
    }
  } file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.fd < 0 || fstat(file.fd, &status) != 0) return "";
  Elf64_Ehdr header;
  const ssize_t begin = pread(file.fd, &header, sizeof header, 0);
  if (begin < EI_NIDENT) return "";
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  auto ends = [&](uint64_t needed) {
    return "the file has " + std::to_string(size) + " bytes, its headers name " + std::to_string(needed) +
           ": it is truncated or damaged";
  };
  if (begin < static_cast<ssize_t>(sizeof header)) return ends(sizeof header);
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return "";
  uint64_t needed = 0;
  if (__builtin_add_overflow(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), &needed) || needed > size)
    return ends(needed);
  constexpr unsigned kAtOnce = 16;  // all that a library usually has
  Elf64_Phdr parts[kAtOnce];
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    if (i % kAtOnce == 0) {
      const size_t count = std::min<size_t>(kAtOnce, header.e_phnum - i);
      if (!file.Read(parts, count * sizeof *parts, header.e_phoff + i * sizeof *parts))
        return "its program headers cannot be read";
    }
    const Elf64_Phdr &part = parts[i % kAtOnce];
    if (part.p_type != PT_LOAD) continue;
    if (__builtin_add_overflow(part.p_offset, part.p_filesz, &needed) || needed > size) return ends(needed);
  }
  return "";
}

}  // namespace gec
