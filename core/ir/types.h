// Facts about data types and formats.
#pragma once

#include <cstdint>
#include <string_view>

namespace gec {

/// Bits of one element; 0 for types without a fixed size.
uint32_t DataTypeBits(int32_t data_type);
bool IsDataTypeValue(int32_t data_type);  // a member of C_DataType, DT_UNDEFINED included
bool IsFormatValue(int32_t format);       // a member of C_Format
/// "DT_FLOAT", "NCHW"; "UNKNOWN" for a foreign value.
const char *DataTypeName(int32_t data_type);
const char *FormatName(int32_t format);
/// C_DT_UNDEFINED / C_FORMAT_RESERVED when unknown.
int32_t DataTypeFromName(std::string_view name);
int32_t FormatFromName(std::string_view name);
bool IsIntegerType(int32_t data_type);  // 8 to 64 bits, signed or not; not bool
/// See GePromoteDataTypes.
int32_t PromoteTypes(int32_t a, int32_t b);

}  // namespace gec
