// Small questions about tensors, answered from plain data.
#pragma once

#include <cstdint>

#include "ge/data.h"

namespace views {

/// Bits of an element, 0 for types without a fixed size.
inline int64_t Bits(int32_t type) {
  switch (type) {
    case C_DT_BOOL:
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_QINT8:
    case C_DT_QUINT8:
    case C_DT_HIFLOAT8:
    case C_DT_FLOAT8_E5M2:
    case C_DT_FLOAT8_E4M3FN:
    case C_DT_FLOAT8_E8M0:
      return 8;
    case C_DT_FLOAT16:
    case C_DT_BF16:
    case C_DT_INT16:
    case C_DT_UINT16:
    case C_DT_QINT16:
    case C_DT_QUINT16:
      return 16;
    case C_DT_FLOAT:
    case C_DT_INT32:
    case C_DT_UINT32:
    case C_DT_QINT32:
    case C_DT_COMPLEX32:
      return 32;
    case C_DT_DOUBLE:
    case C_DT_INT64:
    case C_DT_UINT64:
    case C_DT_COMPLEX64:
      return 64;
    case C_DT_COMPLEX128:
      return 128;
    case C_DT_INT4:
      return 4;
    default:
      return 0;
  }
}

inline bool Known(const GeTensorData &t) {
  if (t.rank < 0) return false;
  for (int32_t d = 0; d < t.rank; ++d) {
    if (t.dims[d] < 0) return false;
  }
  return true;
}

inline int64_t Product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t product = 1;
  for (int32_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

inline int64_t Elements(const GeTensorData &t) { return Product(t.dims, 0, t.rank); }
/// Bytes of a tensor with known shape.
inline int64_t Bytes(const GeTensorData &t) { return (Elements(t) * Bits(t.data_type) + 7) / 8; }

/// Value `i` of a constant int32 or int64 tensor; false when it is not known.
inline bool ConstantInt(const GeTensorData &t, int64_t i, int64_t *out) {
  if (t.data == nullptr || !Known(t) || i >= Elements(t)) return false;
  if (t.data_type == C_DT_INT32) *out = static_cast<const int32_t *>(t.data)[i];
  else if (t.data_type == C_DT_INT64) *out = static_cast<const int64_t *>(t.data)[i];
  else return false;
  return true;
}

}  // namespace views
