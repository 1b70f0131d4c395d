#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace gec::api {

/// A copy in memory of malloc, which C callers free.
inline void MallocBytes(std::string_view bytes, void **data, size_t *size) {
  void *memory = std::malloc(bytes.size() ? bytes.size() : 1);
  if (!memory) throw std::bad_alloc();
  std::memcpy(memory, bytes.data(), bytes.size());
  *data = memory;
  *size = bytes.size();
}

}  // namespace gec::api
