// Names and sizes of data types, and which formats are row major: what ge/data.h answers with functions of the library,
// here without a symbol of it.
#ifndef GE_ENGINE_KIT_DATA_TYPES_HPP_
#define GE_ENGINE_KIT_DATA_TYPES_HPP_

#include <cstdint>

#include "ge/engine_kit/namespace.hpp"
#include "ge/own_data_types.h"

GE_ENGINE_KIT_BEGIN

struct DataTypeFact {
  const char *name;
  uint32_t bits;
};
#define GE_DATA_TYPE(name, bits) {#name, bits},
#define GE_NO_DATA_TYPE() {nullptr, 0},
inline constexpr DataTypeFact kDataTypes[] = {
#include "ge/data_types.def"
};
#undef GE_NO_DATA_TYPE
static_assert(sizeof(kDataTypes) / sizeof(kDataTypes[0]) == GE_DATA_TYPE_END);
/// Null where the number is no data type.
constexpr const DataTypeFact *FindDataType(int32_t data_type) {
  return data_type >= 0 && data_type < GE_DATA_TYPE_END && kDataTypes[data_type].name ? &kDataTypes[data_type]
                                                                                      : nullptr;
}

/// "DT_FLOAT"; "unknown data type" for a foreign number.
inline const char *DataTypeName(int32_t data_type) {
  const DataTypeFact *fact = FindDataType(data_type);
  return fact ? fact->name : "unknown data type";
}
/// Bits of one element; 0 for types without a fixed size.
inline int64_t DataTypeBits(int32_t data_type) {
  const DataTypeFact *fact = FindDataType(data_type);
  return fact ? fact->bits : 0;
}
/// Bytes of one element; 0 where elements do not fill whole bytes.
inline int64_t ElementBytes(int32_t data_type) {
  const int64_t bits = DataTypeBits(data_type);
  return bits % 8 == 0 ? bits / 8 : 0;
}

/// False for formats that cut a dimension into blocks; their elements are not in the order of the logical dimensions.
inline bool IsPlain(int32_t format) {
  switch (format) {
    case C_FORMAT_NC1HWC0:
    case C_FORMAT_FRACTAL_Z:
    case C_FORMAT_NC1C0HWPAD:
    case C_FORMAT_NHWC1C0:
    case C_FORMAT_C1HWNC0:
    case C_FORMAT_NC1HWC0_C04:
    case C_FORMAT_FRACTAL_Z_C04:
    case C_FORMAT_FRACTAL_NZ:
    case C_FORMAT_NDC1HWC0:
    case C_FORMAT_FRACTAL_Z_3D:
      return false;
    default:
      return true;
  }
}

GE_ENGINE_KIT_END

#endif
