// Between float32 and 8-bit integers. Compiled once per instruction set, inside simd.cpp.
#if defined(GE_SIMD_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GE_SIMD_BYTES_INL_H_
#undef GE_SIMD_BYTES_INL_H_
#else
#define GE_SIMD_BYTES_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "simd.h"

HWY_BEFORE_NAMESPACE();
namespace vec {
namespace HWY_NAMESPACE {
namespace bytes {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;

template <class T>
void Load(const T *x, float *y, size_t n) {
  const D d;
  const DI di;
  const hn::Rebind<T, D> dt;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(dt, x + i))), d, y + i);
  for (; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

// Rounds to the nearest even integer, adds `zero`, an integer, and saturates; of NaN it makes the least number. Bounds
// are those of a byte less `zero`, so that no conversion overflows: Max gives its second operand where the first is
// NaN. Behind the sum with 1.5 * 2^23, where floats are whole numbers, the last byte of their bits is that of the
// integer.
template <class T, class F, class G>
HWY_INLINE void Loop(T *y, size_t n, float zero, F vector, G one) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<T, D> dt;
  const float least = static_cast<float>(hwy::LowestValue<T>()), most = static_cast<float>(hwy::HighestValue<T>());
  const auto low = hn::Set(d, least - zero), high = hn::Set(d, most - zero), whole = hn::Set(d, 0x1.8p23f);
  const auto offset = hn::Set(du, static_cast<uint32_t>(static_cast<int32_t>(zero)));
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto bits = hn::BitCast(du, hn::Add(hn::Min(hn::Max(vector(i), low), high), whole));
    hn::StoreU(hn::BitCast(dt, hn::U8FromU32(hn::Add(bits, offset))), dt, y + i);
  }
  for (; i < n; ++i) y[i] = static_cast<T>(std::fmin(most, std::fmax(least, std::nearbyint(one(i)) + zero)));
}

template <class T>
void Store(const float *x, T *y, size_t n) {
  const D d;
  Loop<T>(
      y, n, 0, [=](size_t i) { return hn::LoadU(d, x + i); }, [=](size_t i) { return x[i]; });
}

template <class T>
void Quantize(const float *x, T *y, size_t n, float scale, float zero) {
  const D d;
  const auto s = hn::Set(d, scale);
  Loop<T>(
      y, n, zero, [=](size_t i) { return hn::Div(hn::LoadU(d, x + i), s); }, [=](size_t i) { return x[i] / scale; });
}

template <class T, class U>
void Affine(const T *x, ByteForm in, const float *factor, const float *shift, U *y, ByteForm out, size_t n) {
  const D d;
  const DI di;
  const hn::Rebind<T, D> dt;
  const auto in_scale = hn::Set(d, in.scale), in_zero = hn::Set(d, in.zero), scale = hn::Set(d, out.scale);
  Loop<U>(
      y, n, out.zero,
      [=](size_t i) {
        const auto v = hn::Mul(hn::Sub(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(dt, x + i))), in_zero), in_scale);
        return hn::Div(hn::Add(hn::Mul(v, hn::LoadU(d, factor + i)), hn::LoadU(d, shift + i)), scale);
      },
      [=](size_t i) {
        const float v = (static_cast<float>(x[i]) - in.zero) * in.scale;
        return (v * factor[i] + shift[i]) / out.scale;
      });
}

template <class T>
void Dequantize(const T *x, float *y, size_t n, float scale, float zero) {
  const D d;
  const DI di;
  const hn::Rebind<T, D> dt;
  const auto s = hn::Set(d, scale), z = hn::Set(d, zero);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(dt, x + i)));
    hn::StoreU(hn::Mul(hn::Sub(v, z), s), d, y + i);
  }
  for (; i < n; ++i) y[i] = (static_cast<float>(x[i]) - zero) * scale;
}

}  // namespace bytes

void FromBytes(const void *x, bool is_signed, float *y, size_t n) {
  if (is_signed) bytes::Load(static_cast<const int8_t *>(x), y, n);
  else bytes::Load(static_cast<const uint8_t *>(x), y, n);
}
void ToBytes(const float *x, void *y, bool is_signed, size_t n) {
  if (is_signed) bytes::Store(x, static_cast<int8_t *>(y), n);
  else bytes::Store(x, static_cast<uint8_t *>(y), n);
}
void QuantizeBytes(const float *x, void *y, bool is_signed, size_t n, float scale, float zero) {
  if (is_signed) bytes::Quantize(x, static_cast<int8_t *>(y), n, scale, zero);
  else bytes::Quantize(x, static_cast<uint8_t *>(y), n, scale, zero);
}
void DequantizeBytes(const void *x, bool is_signed, float *y, size_t n, float scale, float zero) {
  if (is_signed) bytes::Dequantize(static_cast<const int8_t *>(x), y, n, scale, zero);
  else bytes::Dequantize(static_cast<const uint8_t *>(x), y, n, scale, zero);
}
template <class T>
void AffineOf(const T *x, ByteForm in, const float *factor, const float *shift, void *y, ByteForm out, size_t n) {
  if (out.is_signed) bytes::Affine(x, in, factor, shift, static_cast<int8_t *>(y), out, n);
  else bytes::Affine(x, in, factor, shift, static_cast<uint8_t *>(y), out, n);
}
void AffineBytes(const void *x, ByteForm in, const float *factor, const float *shift, void *y, ByteForm out, size_t n) {
  if (in.is_signed) AffineOf(static_cast<const int8_t *>(x), in, factor, shift, y, out, n);
  else AffineOf(static_cast<const uint8_t *>(x), in, factor, shift, y, out, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace vec
HWY_AFTER_NAMESPACE();

#endif
