// AVX2 kernels; the project's base instruction set.
#include "kernels.h"
#include "vector_avx2.h"

#include "kernels_body.h"

namespace {

// 8x8 floats: rows of `w` become columns. Reads only `rows` rows and `width` columns; the rest is zero.
void Transpose8(const float *w, int64_t ws, int rows, int width, float *to, int64_t stride) {
  __m256 r[8];
  const __m256i mask = V::MaskOf(width);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = i < rows ? _mm256_maskload_ps(w + i * ws, mask) : _mm256_setzero_ps();
  V::Transpose(r);
  for (int i = 0; i < width; ++i) _mm256_storeu_ps(to + i * stride, r[i]);
}

void Transpose(int64_t n, int64_t k, const float *w, int64_t ws, float *panel, int64_t stride) {
  for (int64_t j = 0; j < stride; j += 8)
    for (int64_t p = 0; p < k; p += 8) {
      const int rows = n - j >= 8 ? 8 : n - j > 0 ? int(n - j) : 0;
      Transpose8(w + j * ws + p, ws, rows, k - p < 8 ? int(k - p) : 8, panel + p * stride + j, stride);
    }
}

}  // namespace

namespace onednn {
const KernelSet kKernelsAvx2 = {"avx2",     6,         2 * kW,  &TileUpTo<6>, &FinishRows, &Stream,   &Vector<>, &Dots,
                                &Transpose, &Activate, &Scaled, &Soften,      &LstmStep,   &GruGates, &GruState};
}  // namespace onednn
