#include "common/convert.h"

#include <limits>
#include <type_traits>

namespace reference {
namespace {

template <class C, class T>
C Get(T v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bf16> || std::is_same_v<T, Fp8E5M2> ||
                std::is_same_v<T, Fp8E4M3>) {
    float f = ToFloat(v);
    if constexpr (std::is_integral_v<C>) return f != f ? 0 : C(f);
    else return C(f);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return C(v.value != 0);
  } else {
    return C(v);
  }
}

template <class T, class C>
T Put(C v) {
  if constexpr (std::is_same_v<T, Half>) {
    if constexpr (std::is_same_v<C, float>) return ToHalf(v);
    else return ToHalf(ToFloatOdd(double(v)));
  } else if constexpr (std::is_same_v<T, Bf16>) {
    if constexpr (std::is_same_v<C, float>) return ToBf16(v);
    else return ToBf16(ToFloatOdd(double(v)));
  } else if constexpr (std::is_same_v<T, Fp8E5M2>) {
    return ToFp8E5M2(ToFloatOdd(double(v)));
  } else if constexpr (std::is_same_v<T, Fp8E4M3>) {
    return ToFp8E4M3(ToFloatOdd(double(v)));
  } else if constexpr (std::is_same_v<T, Bool>) {
    return {uint8_t(v != C(0))};
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<C>) {
    // The upper bound as a power of two is exact in either floating point type.
    constexpr C kTop = C(uint64_t(1) << (std::numeric_limits<T>::digits - 1)) * C(2);
    if (v != v) return 0;
    if (v >= kTop) return std::numeric_limits<T>::max();
    if (v <= C(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return T(v);
  } else {
    return T(v);
  }
}

template <class C, class T>
void Load(const void *base, int64_t offset, int64_t stride, int64_t n, C *out) {
  const T *p = static_cast<const T *>(base) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = Get<C>(p[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = Get<C>(p[i * stride]);
  }
}

template <class C, class T>
void Store(const C *in, int64_t n, void *base, int64_t offset, int64_t stride) {
  T *p = static_cast<T *>(base) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) p[i] = Put<T>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) p[i * stride] = Put<T>(in[i]);
  }
}

}  // namespace

#define HOST_CPU_REAL_TYPES(X)   \
  X(C_DT_FLOAT, float)           \
  X(C_DT_DOUBLE, double)         \
  X(C_DT_FLOAT16, Half)          \
  X(C_DT_BF16, Bf16)             \
  X(C_DT_FLOAT8_E5M2, Fp8E5M2)   \
  X(C_DT_FLOAT8_E4M3FN, Fp8E4M3) \
  X(C_DT_INT8, int8_t)           \
  X(C_DT_INT16, int16_t)         \
  X(C_DT_INT32, int32_t)         \
  X(C_DT_INT64, int64_t)         \
  X(C_DT_UINT8, uint8_t)         \
  X(C_DT_UINT16, uint16_t)       \
  X(C_DT_UINT32, uint32_t)       \
  X(C_DT_UINT64, uint64_t)       \
  X(C_DT_BOOL, Bool)

template <class C>
LoadFn<C> Loader(int32_t type) {
  switch (type) {
#define X(id, T) \
  case id:       \
    return &Load<C, T>;
    HOST_CPU_REAL_TYPES(X)
#undef X
    default:
      return nullptr;
  }
}

template <class C>
StoreFn<C> Storer(int32_t type) {
  switch (type) {
#define X(id, T) \
  case id:       \
    return &Store<C, T>;
    HOST_CPU_REAL_TYPES(X)
#undef X
    default:
      return nullptr;
  }
}

template LoadFn<float> Loader<float>(int32_t);
template LoadFn<double> Loader<double>(int32_t);
template LoadFn<int64_t> Loader<int64_t>(int32_t);
template LoadFn<uint64_t> Loader<uint64_t>(int32_t);
template StoreFn<float> Storer<float>(int32_t);
template StoreFn<double> Storer<double>(int32_t);
template StoreFn<int64_t> Storer<int64_t>(int32_t);
template StoreFn<uint64_t> Storer<uint64_t>(int32_t);

Compute ComputeOf(int32_t type) {
  switch (type) {
    case C_DT_FLOAT:
    case C_DT_FLOAT16:
    case C_DT_BF16:
    case C_DT_FLOAT8_E5M2:
    case C_DT_FLOAT8_E4M3FN:
      return Compute::kFloat;
    case C_DT_DOUBLE:
      return Compute::kDouble;
    case C_DT_UINT64:
      return Compute::kUInt;
    default:
      return Compute::kInt;
  }
}

size_t ElementSize(int32_t type) {
  switch (type) {
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_BOOL:
    case C_DT_QINT8:
    case C_DT_QUINT8:
    case C_DT_HIFLOAT8:
    case C_DT_FLOAT8_E5M2:
    case C_DT_FLOAT8_E4M3FN:
    case C_DT_FLOAT8_E8M0:
      return 1;
    case C_DT_FLOAT16:
    case C_DT_BF16:
    case C_DT_INT16:
    case C_DT_UINT16:
    case C_DT_QINT16:
    case C_DT_QUINT16:
      return 2;
    case C_DT_FLOAT:
    case C_DT_INT32:
    case C_DT_UINT32:
    case C_DT_QINT32:
    case C_DT_COMPLEX32:
      return 4;
    case C_DT_DOUBLE:
    case C_DT_INT64:
    case C_DT_UINT64:
    case C_DT_COMPLEX64:
      return 8;
    case C_DT_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

const char *TypeName(int32_t type) {
  static const char *const kNames[] = {
      "DT_FLOAT",         "DT_FLOAT16",     "DT_INT8",          "DT_INT32",          "DT_UINT8",       nullptr,
      "DT_INT16",         "DT_UINT16",      "DT_UINT32",        "DT_INT64",          "DT_UINT64",      "DT_DOUBLE",
      "DT_BOOL",          "DT_STRING",      "DT_DUAL_SUB_INT8", "DT_DUAL_SUB_UINT8", "DT_COMPLEX64",   "DT_COMPLEX128",
      "DT_QINT8",         "DT_QINT16",      "DT_QINT32",        "DT_QUINT8",         "DT_QUINT16",     "DT_RESOURCE",
      "DT_STRING_REF",    "DT_DUAL",        "DT_VARIANT",       "DT_BF16",           "DT_UNDEFINED",   "DT_INT4",
      "DT_UINT1",         "DT_INT2",        "DT_UINT2",         "DT_COMPLEX32",      "DT_HIFLOAT8",    "DT_FLOAT8_E5M2",
      "DT_FLOAT8_E4M3FN", "DT_FLOAT8_E8M0", "DT_FLOAT6_E3M2",   "DT_FLOAT6_E2M3",    "DT_FLOAT4_E2M1", "DT_FLOAT4_E1M2",
      "DT_HIFLOAT4"};
  if (type < 0 || type >= int32_t(sizeof(kNames) / sizeof(kNames[0])) || !kNames[type]) return "unknown data type";
  return kNames[type];
}

}  // namespace reference
