// Results that kernels give as floats, over a vector type V that the including file defines.
#pragma once

namespace {

struct FloatResult {
  using T = float;
  static V::T Load(const T *p) { return V::Load(p); }
  static void Store(T *p, V::T v) { V::Store(p, v); }
};

}  // namespace
