// AVX2 kernels; the project's base instruction set.
#include "kernels.h"
#include "vector_avx2.h"

#include "kernels_body.h"

namespace {

void Transpose(int64_t n, int64_t k, const float *w, int64_t ws, float *panel, int64_t stride) {
  for (int64_t p = 0; p < k; p += 8)
    for (int64_t j = 0; j < stride; ++j)
      for (int64_t q = p; q < p + 8 && q < k; ++q) panel[q * stride + j] = j < n ? w[j * ws + q] : 0.f;
}

}  // namespace

namespace onednn {
const KernelSet kKernelsAvx2 = {"avx2",  6,     2 * kW,     &TileUpTo<6>, &FinishRows, &Stream,   &Panel<6>,
                                &Vector, &Dots, &Transpose, &Activate,    &LstmStep,   &GruGates, &GruState};
}  // namespace onednn
