// A look at a shared library's file before the loader maps it: the loader trusts the headers, and a file that ends
// early kills the process with SIGBUS. Depends on nothing else, so that tools outside the library use it as well.
#pragma once

#include <elf.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace gec {

/// Empty when every part that the loader maps is in the file, or when the file is none that it would map (the loader
/// says so itself); else what is missing.
inline std::string MissingInLibrary(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const uint64_t size = static_cast<uint64_t>(file.tellg());
  auto ends = [&](uint64_t needed) {
    return "the file has " + std::to_string(size) + " bytes, its headers name " + std::to_string(needed) +
           ": it is truncated or damaged";
  };
  Elf64_Ehdr header = {};
  file.seekg(0);
  file.read(reinterpret_cast<char *>(&header), sizeof header);
  if (file.gcount() < EI_NIDENT || std::string(reinterpret_cast<char *>(header.e_ident), SELFMAG) != ELFMAG ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  if (size < sizeof header) return ends(sizeof header);
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return "";
  uint64_t needed = 0;
  if (__builtin_add_overflow(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), &needed) || needed > size)
    return ends(needed);
  std::vector<Elf64_Phdr> parts(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  file.read(reinterpret_cast<char *>(parts.data()), static_cast<std::streamsize>(parts.size() * sizeof(Elf64_Phdr)));
  if (!file) return "its program headers cannot be read";
  for (const Elf64_Phdr &part : parts) {
    if (part.p_type != PT_LOAD) continue;
    if (__builtin_add_overflow(part.p_offset, part.p_filesz, &needed) || needed > size) return ends(needed);
  }
  return "";
}

}  // namespace gec
