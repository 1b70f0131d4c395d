// AVX2 convolutions.
#include <immintrin.h>

#include "conv_kernels.h"

namespace {

struct V {
  using T = __m256;
  static constexpr int kWidth = 8;
  static T Zero() { return _mm256_setzero_ps(); }
  static T Set(float x) { return _mm256_set1_ps(x); }
  static T Load(const float *p) { return _mm256_loadu_ps(p); }
  static void Store(float *p, T v) { _mm256_storeu_ps(p, v); }
  static T Fma(T a, T b, T c) { return _mm256_fmadd_ps(a, b, c); }
  static T Add(T a, T b) { return _mm256_add_ps(a, b); }
  static T Min(T a, T b) { return _mm256_min_ps(a, b); }  // b where one is a NaN
  static T Max(T a, T b) { return _mm256_max_ps(a, b); }
};
constexpr int kTile = 6;  // of 16 registers 12 are sums

}  // namespace

#include "conv_kernels_body.h"

namespace onednn {
const ConvKernelSet kConvAvx2 = {kC, &Pointwise, &Depthwise};
}  // namespace onednn
