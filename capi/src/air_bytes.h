#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "core/model/air.h"

namespace gec::api {

/// The graph as AIR in memory of malloc, which C callers free.
inline void BytesOf(const Graph &graph, void **data, size_t *size) {
  std::string bytes = AirBytes(graph);
  void *memory = std::malloc(bytes.size() ? bytes.size() : 1);
  if (!memory) throw std::bad_alloc();
  std::memcpy(memory, bytes.data(), bytes.size());
  *data = memory;
  *size = bytes.size();
}

}  // namespace gec::api
