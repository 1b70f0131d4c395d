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

}  // namespace reference
