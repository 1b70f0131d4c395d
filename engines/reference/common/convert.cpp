#include "common/convert.h"

#include "common/small_types.h"

#include <limits>
#include <type_traits>

namespace reference {
namespace {

// Floating-point types of 8 bits, by their format.
template <const SmallFormat &format>
struct Small {
  uint8_t bits;
};
using Fp8E5M2 = Small<kE5M2>;
using Fp8E4M3 = Small<kE4M3FN>;
using Fp8E5M2Fnuz = Small<kE5M2FNUZ>;
using Fp8E4M3Fnuz = Small<kE4M3FNUZ>;
struct E8M0 {
  uint8_t bits;
};

template <const SmallFormat &format>
float ToFloat(Small<format> v) {
  return FromSmall(format, v.bits);
}
float ToFloat(E8M0 v) { return FromE8M0(v.bits); }
template <const SmallFormat &format>
void FromFloat(float f, Small<format> *out) {
  out->bits = ToSmall(format, f);
}
void FromFloat(float f, E8M0 *out) { out->bits = ToE8M0(f, true, PowerRounding::kUp); }
void FromFloat(float f, Half *out) { *out = ToHalf(f); }
void FromFloat(float f, Bf16 *out) { *out = ToBf16(f); }

// Types that have their numbers by way of float.
template <class T>
constexpr bool kByFloat = !std::is_arithmetic_v<T> && !std::is_same_v<T, Bool>;

template <class C, class T>
C Get(T v) {
  if constexpr (kByFloat<T>) {
    const float f = ToFloat(v);
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
  if constexpr (kByFloat<T>) {
    T out;
    if constexpr (std::is_same_v<C, float>) FromFloat(v, &out);
    else FromFloat(ToFloatOdd(double(v)), &out);
    return out;
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

// Integers of which several share a byte. Storing keeps the low bits of the integer part, as ONNX's own cases have it.
template <int kBits, bool kSigned>
struct PackedInt {
  static constexpr int kWidth = kBits;
  template <class C>
  static C Decode(uint8_t code) {
    const int sign = kSigned ? 1 << (kBits - 1) : 0;
    return C((code ^ sign) - sign);
  }
  template <class C>
  static uint8_t Encode(C v) {
    return uint8_t(Put<int64_t>(v) & ((1 << kBits) - 1));
  }
};
using PackedI4 = PackedInt<4, true>;
using PackedU4 = PackedInt<4, false>;
using PackedI2 = PackedInt<2, true>;
using PackedU2 = PackedInt<2, false>;
struct PackedE2M1 {
  static constexpr int kWidth = 4;
  template <class C>
  static C Decode(uint8_t code) {
    return C(FromSmall(kE2M1, code));
  }
  template <class C>
  static uint8_t Encode(C v) {
    return ToSmall(kE2M1, ToFloatOdd(double(v)));
  }
};

template <class C, class P>
void LoadPacked(const void *base, int64_t offset, int64_t stride, int64_t n, C *out) {
  for (int64_t i = 0; i < n; ++i) out[i] = P::template Decode<C>(PackedCode(base, offset + i * stride, P::kWidth));
}
template <class C, class P>
void StorePacked(const C *in, int64_t n, void *base, int64_t offset, int64_t stride) {
  for (int64_t i = 0; i < n; ++i) SetPackedCode(base, offset + i * stride, P::kWidth, P::Encode(in[i]));
}

}  // namespace

#define HOST_CPU_REAL_TYPES(X)         \
  X(C_DT_FLOAT, float)                 \
  X(C_DT_DOUBLE, double)               \
  X(C_DT_FLOAT16, Half)                \
  X(C_DT_BF16, Bf16)                   \
  X(C_DT_FLOAT8_E5M2, Fp8E5M2)         \
  X(C_DT_FLOAT8_E4M3FN, Fp8E4M3)       \
  X(C_DT_FLOAT8_E5M2FNUZ, Fp8E5M2Fnuz) \
  X(C_DT_FLOAT8_E4M3FNUZ, Fp8E4M3Fnuz) \
  X(C_DT_FLOAT8_E8M0, E8M0)            \
  X(C_DT_INT8, int8_t)                 \
  X(C_DT_INT16, int16_t)               \
  X(C_DT_INT32, int32_t)               \
  X(C_DT_INT64, int64_t)               \
  X(C_DT_UINT8, uint8_t)               \
  X(C_DT_UINT16, uint16_t)             \
  X(C_DT_UINT32, uint32_t)             \
  X(C_DT_UINT64, uint64_t)             \
  X(C_DT_BOOL, Bool)

#define HOST_CPU_PACKED_TYPES(X) \
  X(C_DT_INT4, PackedI4)         \
  X(C_DT_UINT4, PackedU4)        \
  X(C_DT_INT2, PackedI2)         \
  X(C_DT_UINT2, PackedU2)        \
  X(C_DT_FLOAT4_E2M1, PackedE2M1)

template <class C>
LoadFn<C> Loader(int32_t type) {
  switch (type) {
#define X(id, T) \
  case id:       \
    return &Load<C, T>;
    HOST_CPU_REAL_TYPES(X)
#undef X
#define X(id, P) \
  case id:       \
    return &LoadPacked<C, P>;
    HOST_CPU_PACKED_TYPES(X)
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
#define X(id, P) \
  case id:       \
    return &StorePacked<C, P>;
    HOST_CPU_PACKED_TYPES(X)
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
    case C_DT_FLOAT8_E5M2FNUZ:
    case C_DT_FLOAT8_E4M3FNUZ:
    case C_DT_FLOAT8_E8M0:
    case C_DT_FLOAT4_E2M1:
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
