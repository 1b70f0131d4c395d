#pragma once

#include "capi/src/malloc_bytes.h"
#include "core/serialize/air.h"

namespace gec::api {

/// The graph as AIR in memory of malloc, which C callers free.
inline void BytesOf(const Graph &graph, void **data, size_t *size) { MallocBytes(AirBytes(graph), data, size); }

}  // namespace gec::api
