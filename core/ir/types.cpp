#include "core/ir/types.h"

#include "ge/own_data_types.h"

namespace gec {
namespace {

struct TypeFact {
  const char *name;
  uint32_t bits;
};
#define GE_DATA_TYPE(name, bits) {#name, bits},
#define GE_NO_DATA_TYPE() {nullptr, 0},
constexpr TypeFact kTypes[] = {
#include "ge/data_types.def"
};
#undef GE_NO_DATA_TYPE
constexpr int32_t kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);
static_assert(kTypeCount == GE_DATA_TYPE_END);

// Indexed by C_Format.
constexpr const char *kFormats[] = {
    "NCHW",
    "NHWC",
    "ND",
    "NC1HWC0",
    "FRACTAL_Z",
    "NC1C0HWPAD",
    "NHWC1C0",
    "FSR_NCHW",
    "FRACTAL_DECONV",
    "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE",
    "FRACTAL_DECONV_SP_STRIDE_TRANS",
    "NC1HWC0_C04",
    "FRACTAL_Z_C04",
    "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS",
    "HWCN",
    "NC1KHKWHWC0",
    "BN_WEIGHT",
    "FILTER_HWCK",
    "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS",
    "HASHTABLE_LOOKUP_VALUE",
    "HASHTABLE_LOOKUP_OUTPUT",
    "HASHTABLE_LOOKUP_HITS",
    "C1HWNCoC0",
    "MD",
    "NDHWC",
    "FRACTAL_ZZ",
    "FRACTAL_NZ",
    "NCDHW",
    "DHWCN",
    "NDC1HWC0",
    "FRACTAL_Z_3D",
    "CN",
    "NC",
    "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE",
    "FRACTAL_ZN_LSTM",
    "FRACTAL_Z_G",
    "RESERVED",
    "ALL",
    "NULL",
    "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN",
    "NYUV",
    "NYUV_A",
    "NCL",
    "FRACTAL_Z_WINO",
    "C1HWC0",
    "FRACTAL_NZ_C0_16",
    "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2",
    "FRACTAL_NZ_C0_4",
    "FRACTAL_NZ_C0_8",
};
constexpr int32_t kFormatCount = sizeof(kFormats) / sizeof(kFormats[0]);
static_assert(kFormatCount == C_FORMAT_END);

}  // namespace

bool IsDataTypeValue(int32_t t) { return t >= 0 && t < kTypeCount && kTypes[t].name; }
bool IsFormatValue(int32_t f) { return f >= 0 && f < kFormatCount; }
uint32_t DataTypeBits(int32_t t) { return IsDataTypeValue(t) ? kTypes[t].bits : 0; }
const char *DataTypeName(int32_t t) { return IsDataTypeValue(t) ? kTypes[t].name : "UNKNOWN"; }
const char *FormatName(int32_t f) { return IsFormatValue(f) ? kFormats[f] : "UNKNOWN"; }

int32_t DataTypeFromName(std::string_view name) {
  for (int32_t i = 0; i < kTypeCount; ++i) {
    if (kTypes[i].name && name == kTypes[i].name) return i;
  }
  return C_DT_UNDEFINED;
}
int32_t FormatFromName(std::string_view name) {
  for (int32_t i = 0; i < kFormatCount; ++i) {
    if (name == kFormats[i]) return i;
  }
  return C_FORMAT_RESERVED;
}
bool IsIntegerType(int32_t t) {
  switch (t) {
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_INT16:
    case C_DT_UINT16:
    case C_DT_INT32:
    case C_DT_UINT32:
    case C_DT_INT64:
    case C_DT_UINT64:
      return true;
    default:
      return false;
  }
}

}  // namespace gec
