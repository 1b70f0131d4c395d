// Loading elements of any type into one of four compute types, and storing them back.
//
// Kernels are written once per compute type: float for float32, float16 and bfloat16, double, int64_t for integers and
// bool, uint64_t for uint64. The tables here do the rest.
#pragma once

#include <cstdint>

#include "common/types.h"

namespace reference {

enum class Compute { kFloat, kDouble, kInt, kUInt };

// The compute type that holds every value of an element type.
Compute ComputeOf(int32_t type);

// Elements base[offset + i * stride], i < n, become out[i].
template <class C>
using LoadFn = void (*)(const void *base, int64_t offset, int64_t stride, int64_t n, C *out);
// in[i] becomes base[offset + i * stride]. Floating point to integer truncates and saturates, NaN becomes 0; integer to
// a narrower integer keeps the low bits; anything but 0 is true. Types of which several share a byte are stored in
// ascending order, and no two threads store into one byte.
template <class C>
using StoreFn = void (*)(const C *in, int64_t n, void *base, int64_t offset, int64_t stride);

// C: float, double, int64_t, uint64_t. Null when `type` is not a real type.
template <class C>
LoadFn<C> Loader(int32_t type);
template <class C>
StoreFn<C> Storer(int32_t type);

// True when elements of `type` are of the C++ type C, so that a pointer can be used as it is.
template <class C>
constexpr bool IsNative(int32_t type) {
  if constexpr (sizeof(C) == 4) return type == C_DT_FLOAT;
  else if constexpr (C(0.5) != C(0)) return type == C_DT_DOUBLE;
  else if constexpr (C(-1) < C(0)) return type == C_DT_INT64;
  else return type == C_DT_UINT64;
}

// Calls f with a value of the compute type of `compute`.
template <class F>
decltype(auto) WithCompute(Compute compute, F &&f) {
  switch (compute) {
    case Compute::kFloat:
      return f(float());
    case Compute::kDouble:
      return f(double());
    case Compute::kUInt:
      return f(uint64_t());
    default:
      return f(int64_t());
  }
}

}  // namespace reference
