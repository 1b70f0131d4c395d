// Data types, formats and type sets of the C++ interface; the numbers equal those of graph/c_types.h.
#ifndef INC_GRAPH_TYPES_H_
#define INC_GRAPH_TYPES_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ge/data.h"
#include "graph/c_types.h"
#include "graph/compiler_def.h"
#include "graph/detail/language.h"

namespace ge {

using char_t = char;
using float32_t = float;
using float64_t = double;
using vector_bit_t = std::vector<bool>;

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;
GE_INLINE_VARIABLE const std::vector<int64_t> UNKNOWN_SHAPE = {-1};
GE_INLINE_VARIABLE const std::vector<int64_t> UNKNOWN_RANK = {-2};
GE_INLINE_VARIABLE const std::vector<int64_t> DUMMY_SHAPE = {-3};
constexpr int64_t SHAPE_RANGE_LOWER_LIMIT = 0;
constexpr int kDataTypeSizeBitOffset = 1000;
constexpr int kBitNumOfOneByte = 8;
constexpr int kBitThreeBytes = 24;

enum DataType {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_DUAL_SUB_INT8 = 14,
  DT_DUAL_SUB_UINT8 = 15,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_RESOURCE = 23,
  DT_STRING_REF = 24,
  DT_DUAL = 25,
  DT_VARIANT = 26,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
  DT_FLOAT8_E8M0 = 37,
  DT_FLOAT6_E3M2 = 38,
  DT_FLOAT6_E2M3 = 39,
  DT_FLOAT4_E2M1 = 40,
  DT_FLOAT4_E1M2 = 41,
  DT_HIFLOAT4 = 42,
  DT_MAX = 43
};

enum Format {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_NC1C0HWPAD = 5,
  FORMAT_NHWC1C0 = 6,
  FORMAT_FSR_NCHW = 7,
  FORMAT_FRACTAL_DECONV = 8,
  FORMAT_C1HWNC0 = 9,
  FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
  FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
  FORMAT_NC1HWC0_C04 = 12,
  FORMAT_FRACTAL_Z_C04 = 13,
  FORMAT_CHWN = 14,
  FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
  FORMAT_HWCN = 16,
  FORMAT_NC1KHKWHWC0 = 17,
  FORMAT_BN_WEIGHT = 18,
  FORMAT_FILTER_HWCK = 19,
  FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
  FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
  FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
  FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
  FORMAT_HASHTABLE_LOOKUP_HITS = 24,
  FORMAT_C1HWNCoC0 = 25,
  FORMAT_MD = 26,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_ZZ = 28,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_DHWCN = 31,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
  FORMAT_CN = 34,
  FORMAT_NC = 35,
  FORMAT_DHWNC = 36,
  FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
  FORMAT_FRACTAL_ZN_LSTM = 38,
  FORMAT_FRACTAL_Z_G = 39,
  FORMAT_RESERVED = 40,
  FORMAT_ALL = 41,
  FORMAT_NULL = 42,
  FORMAT_ND_RNN_BIAS = 43,
  FORMAT_FRACTAL_ZN_RNN = 44,
  FORMAT_NYUV = 45,
  FORMAT_NYUV_A = 46,
  FORMAT_NCL = 47,
  FORMAT_FRACTAL_Z_WINO = 48,
  FORMAT_C1HWC0 = 49,
  FORMAT_FRACTAL_NZ_C0_16 = 50,
  FORMAT_FRACTAL_NZ_C0_32 = 51,
  FORMAT_FRACTAL_NZ_C0_2 = 52,
  FORMAT_FRACTAL_NZ_C0_4 = 53,
  FORMAT_FRACTAL_NZ_C0_8 = 54,
  FORMAT_END = 55,
  FORMAT_MAX = 255
};

/// Attributes of nodes, and options, that programs set by name.
namespace public_attr {
constexpr char_t USER_STREAM_LABEL[] = "_user_stream_label";
constexpr char_t USER_STREAM_PRIORITY[] = "_user_stream_priority";
constexpr char_t ENABLE_INNER_PARALLEL[] = "_enable_inner_parallel";
constexpr char_t OP_AI_CORE_NUM[] = "_op_aicore_num";
constexpr char_t OP_VECTOR_CORE_NUM[] = "_op_vectorcore_num";
constexpr char_t GE_AI_CORE_NUM[] = "ge.aicoreNum";
constexpr char_t GE_VECTOR_CORE_NUM[] = "ge.vectorcoreNum";
constexpr char_t SOC_INFO[] = "SoCInfo";
constexpr char_t AI_CORE_CNT[] = "ai_core_cnt";
constexpr char_t CUBE_CORE_CNT[] = "cube_core_cnt";
constexpr char_t VECTOR_CORE_CNT[] = "vector_core_cnt";
constexpr char_t OP_EXEC_NEVER_TIMEOUT[] = "_op_exec_never_timeout";
}  // namespace public_attr

enum UnknowShapeOpType { DEPEND_IN_SHAPE = 1, DEPEND_CONST_VALUE = 2, DEPEND_SHAPE_RANGE = 3, DEPEND_COMPUTE = 4 };
enum DeviceType { NPU = 0, CPU = 1 };
enum Placement { kPlacementHost = 0, kPlacementDevice = 1, kPlacementEnd = 2 };
struct TensorDescInfo {
  Format format_ = FORMAT_RESERVED;
  DataType dataType_ = DT_UNDEFINED;
};

/// Bytes of one element, 1000 + bits for sub-byte types, -1 when undefined.
inline int GetSizeByDataType(DataType type) {
  uint32_t bits = GeDataTypeBits(static_cast<int32_t>(type));
  if (bits == 0) return -1;
  return bits % 8 == 0 ? static_cast<int>(bits / 8) : kDataTypeSizeBitOffset + static_cast<int>(bits);
}

/// Bytes of `count` elements (bits rounded up); negative on overflow or for a type without a size.
inline int64_t GetSizeInBytes(int64_t count, DataType type) {
  int64_t bits = GeDataTypeBits(static_cast<int32_t>(type));
  if (count < 0 || bits == 0) return -1;
  if (count > std::numeric_limits<int64_t>::max() / bits) return -1;
  return (count * bits + 7) / 8;
}

// A format word: bits 0-7 the format, 8-23 a sub-format (a group count, say), 24-27 a code for C0: 1 << (code - 1).
inline int32_t GetFormatFromSub(int32_t primary_format, int32_t sub_format) {
  return static_cast<int32_t>((static_cast<uint32_t>(primary_format) & 0xFFU) |
                              ((static_cast<uint32_t>(sub_format) & 0xFFFFU) << 8));
}
inline int32_t GetFormatFromC0(int32_t format, int32_t c0_format) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) & 0xFFFFFFU) |
                              ((static_cast<uint32_t>(c0_format) & 0xFU) << 24));
}
inline int32_t GetFormatFromSubAndC0(int32_t primary_format, int32_t sub_format, int32_t c0_format) {
  return GetFormatFromC0(GetFormatFromSub(primary_format, sub_format), c0_format);
}
inline int32_t GetPrimaryFormat(int32_t format) { return static_cast<int32_t>(static_cast<uint32_t>(format) & 0xFFU); }
inline int32_t GetSubFormat(int32_t format) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) >> 8) & 0xFFFFU);
}
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline int32_t GetC0Format(int32_t format) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) >> 24) & 0xFU);
}
inline bool HasC0Format(int32_t format) { return GetC0Format(format) > 0; }
/// -1 without a C0 code.
inline int64_t GetC0Value(int32_t format) {
  return HasC0Format(format) ? int64_t{1} << (GetC0Format(format) - 1) : int64_t{-1};
}
/// Short names, some of them shorter than TypeUtils writes them.
inline const char_t *GetFormatName(Format format) {
  switch (format) {
    case FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS:
      return "DECONV_SP_STRIDE8_TRANS";
    case FORMAT_HASHTABLE_LOOKUP_LOOKUPS:
      return "LOOKUP_LOOKUPS";
    case FORMAT_HASHTABLE_LOOKUP_KEYS:
      return "LOOKUP_KEYS";
    case FORMAT_HASHTABLE_LOOKUP_VALUE:
      return "LOOKUP_VALUE";
    case FORMAT_HASHTABLE_LOOKUP_OUTPUT:
      return "LOOKUP_OUTPUT";
    case FORMAT_HASHTABLE_LOOKUP_HITS:
      return "LOOKUP_HITS";
    case FORMAT_FRACTAL_ZZ:
    case FORMAT_RESERVED:
    case FORMAT_ALL:
    case FORMAT_NULL:
      return "UNKNOWN";
    default:
      return GeFormatName(static_cast<int32_t>(format));
  }
}

struct TensorType {
  explicit TensorType(DataType dt) : types_{dt} {}
  TensorType(const std::initializer_list<DataType> &types) : types_(types) {}  // NOLINT: implicit in prototypes

  static TensorType ALL() {
    return {DT_BOOL,   DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_INT16,    DT_INT32,
            DT_INT64,  DT_INT8,       DT_QINT16,    DT_QINT32, DT_QINT8, DT_QUINT16, DT_QUINT8,   DT_RESOURCE,
            DT_STRING, DT_UINT16,     DT_UINT32,    DT_UINT64, DT_UINT8, DT_BF16,    DT_COMPLEX32};
  }
  static TensorType QuantifiedType() { return {DT_QINT16, DT_QINT32, DT_QINT8, DT_QUINT16, DT_QUINT8}; }
  static TensorType OrdinaryType() {
    return {DT_BOOL,  DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16, DT_INT32,
            DT_INT64, DT_INT8,       DT_UINT16,    DT_UINT32, DT_UINT64, DT_UINT8,   DT_BF16,  DT_COMPLEX32};
  }
  static TensorType BasicType() {
    return {DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,    DT_INT32,
            DT_INT64,      DT_INT8,      DT_QINT16, DT_QINT32, DT_QINT8,   DT_QUINT16,  DT_QUINT8,
            DT_UINT16,     DT_UINT32,    DT_UINT64, DT_UINT8,  DT_BF16,    DT_COMPLEX32};
  }
  static TensorType NumberType() {
    return {DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,  DT_INT32, DT_INT64, DT_INT8,
            DT_QINT32,     DT_QINT8,     DT_QUINT8, DT_UINT16, DT_UINT32,  DT_UINT64, DT_UINT8, DT_BF16,  DT_COMPLEX32};
  }
  static TensorType RealNumberType() {
    return {DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,  DT_INT32, DT_INT64,
            DT_INT8,   DT_UINT16, DT_UINT32,  DT_UINT64, DT_UINT8, DT_BF16};
  }
  static TensorType ComplexDataType() { return {DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32}; }
  static TensorType IntegerDataType() {
    return {DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8};
  }
  static TensorType SignedDataType() { return {DT_INT16, DT_INT32, DT_INT64, DT_INT8}; }
  static TensorType UnsignedDataType() { return {DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8}; }
  static TensorType FloatingDataType() { return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16}; }
  static TensorType IndexNumberType() { return {DT_INT32, DT_INT64}; }
  static TensorType UnaryDataType() {
    return {DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16, DT_COMPLEX32};
  }
  static TensorType FLOAT() { return {DT_FLOAT, DT_FLOAT16, DT_BF16}; }

  const std::vector<DataType> &types() const { return types_; }

 private:
  std::vector<DataType> types_;
};

struct ListTensorType {
  explicit ListTensorType(const TensorType &type) : tensor_type(type) {}
  TensorType tensor_type;
};

class Promote {
 public:
  Promote(const std::initializer_list<const char *> &syms) : syms_(syms) {}  // NOLINT
  Promote(Promote &&) noexcept = default;
  Promote &operator=(Promote &&) noexcept = default;
  Promote(const Promote &) = delete;
  Promote &operator=(const Promote &) = delete;
  std::vector<const char *> Syms() const { return syms_; }

 private:
  std::vector<const char *> syms_;
};

/// Precedes each element of a DT_STRING buffer: offset from the buffer's start, and length in bytes.
struct StringHead {
  int64_t addr;
  int64_t len;
};

namespace detail {
/// -2 as the only dimension is GE's text for an unknown rank.
inline int32_t RankOf(const std::vector<int64_t> &dims) {
  for (int64_t dim : dims)
    if (dim == UNKNOWN_DIM_NUM) return GE_UNKNOWN_RANK;
  return static_cast<int32_t>(dims.size());
}
inline std::vector<int64_t> DimsOf(const int64_t *dims, int32_t rank) {
  if (rank < 0) return UNKNOWN_RANK;
  return std::vector<int64_t>(dims, dims + rank);
}
}  // namespace detail
}  // namespace ge

namespace domi {
using ge::char_t;
using ge::float32_t;
using ge::float64_t;
}  // namespace domi

#endif
