// AVX-512 convolutions. As in kernels_avx512.cpp, nothing here may be shared with other files.
#include <immintrin.h>

#include "conv_kernels.h"

namespace {

struct V {
  using T = __m512;
  static constexpr int kWidth = 16;
  static T Zero() { return _mm512_setzero_ps(); }
  static T Set(float x) { return _mm512_set1_ps(x); }
  static T Load(const float *p) { return _mm512_loadu_ps(p); }
  static void Store(float *p, T v) { _mm512_storeu_ps(p, v); }
  static T Fma(T a, T b, T c) { return _mm512_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm512_add_ps(a, b); }
  static T Min(T a, T b) { return _mm512_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm512_max_ps(a, b); }
};
constexpr int kTile = 14;  // of 32 registers 28 are sums

}  // namespace

#include "conv_kernels_body.h"

namespace onednn {
const ConvKernelSet kConvAvx512 = {kC, &Pointwise, &Depthwise};
}  // namespace onednn
