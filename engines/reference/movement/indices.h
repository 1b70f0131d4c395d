// Reading index tensors and refusing values that are out of range.
#pragma once

#include "common/node.h"

namespace reference {

// An index input of int32 or int64 that is read when the kernel runs.
struct IndexReader {
  int port = -1;
  bool wide = true;

  int64_t At(const void *data, int64_t i) const {
    return wide ? static_cast<const int64_t *>(data)[i] : int64_t(static_cast<const int32_t *>(data)[i]);
  }
};

inline IndexReader IndicesOf(const Node &node, int port) {
  int32_t type = node.in_type(port);
  if (type != C_DT_INT32 && type != C_DT_INT64)
    Fail(GE_UNSUPPORTED, "%s: input %d has type %s, expected DT_INT32 or DT_INT64", node.label().c_str(), port,
         DataTypeName(type));
  return {port, type == C_DT_INT64};
}

// Negative values count from the end.
inline int64_t CheckedIndex(const std::string &label, int64_t value, int64_t limit, int64_t position) {
  if (value >= 0 && value < limit) return value;
  if (value < 0 && value >= -limit) return value + limit;
  Fail(GE_PARAM_INVALID, "%s: index %lld at position %lld is out of range, expected -%lld to %lld", label.c_str(),
       (long long)value, (long long)position, (long long)limit, (long long)limit - 1);
}

// Checks all values first, so that the copying loop may run in parallel.
inline void CheckIndices(const std::string &label, const IndexReader &reader, const void *data, int64_t count,
                         int64_t limit) {
  for (int64_t i = 0; i < count; ++i) CheckedIndex(label, reader.At(data, i), limit, i);
}

template <int kPort>
void CheckIndexType(const Node &node) {
  IndicesOf(node, kPort);
}

}  // namespace reference
