#include "ge/data.h"

#include "core/ir/types.h"

extern "C" {

uint32_t GeDataTypeBits(int32_t data_type) { return gec::DataTypeBits(data_type); }
const char *GeDataTypeName(int32_t data_type) { return gec::DataTypeName(data_type); }
const char *GeFormatName(int32_t format) { return gec::FormatName(format); }
int32_t GePromoteDataTypes(int32_t a, int32_t b) { return gec::PromoteTypes(a, b); }
int32_t GeDataTypeFromName(const char *name) { return name ? gec::DataTypeFromName(name) : C_DT_UNDEFINED; }
int32_t GeFormatFromName(const char *name) { return name ? gec::FormatFromName(name) : C_FORMAT_RESERVED; }

}  // extern "C"
