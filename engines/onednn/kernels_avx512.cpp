// AVX-512 kernels. Only code of this file may use these instructions: nothing here may be shared with other files (no
// standard library templates), or the linker could pick this version of it for machines without AVX-512.
#include "kernels.h"
#include "vector_avx512.h"

#include "kernels_body.h"

namespace {

// 16x16 floats: rows of `w` become columns. Reads only `rows` rows and `width` columns; the rest is zero.
void Transpose16(const float *w, int64_t ws, int rows, int width, float *to, int64_t stride) {
  __m512 r[16];
  __mmask16 mask = V::MaskOf(width);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) r[i] = i < rows ? _mm512_maskz_loadu_ps(mask, w + i * ws) : _mm512_setzero_ps();
  V::Transpose(r);
  for (int i = 0; i < width; ++i) _mm512_storeu_ps(to + i * stride, r[i]);
}

void Transpose(int64_t n, int64_t k, const float *w, int64_t ws, float *panel, int64_t stride) {
  for (int64_t j = 0; j < stride; j += 16)
    for (int64_t p = 0; p < k; p += 16) {
      int rows = n - j >= 16 ? 16 : n - j > 0 ? int(n - j) : 0;
      Transpose16(w + j * ws + p, ws, rows, k - p < 16 ? int(k - p) : 16, panel + p * stride + j, stride);
    }
}

}  // namespace

namespace onednn {
const KernelSet kKernelsAvx512 = {"avx512", 12,        2 * kW,    &TileUpTo<12>, &FinishRows,
                                  &Stream,  &Vector<>, &Dots,     &Transpose,    &Activate,
                                  &Scaled,  &Soften,   &LstmStep, &GruGates,     &GruState};
}  // namespace onednn
