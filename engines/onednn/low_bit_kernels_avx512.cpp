// Products with packed weights, AVX-512.
#include "vector_avx512.h"

#include "low_bit_kernels_body.h"

namespace onednn {
const LowBitKernelSet kLowBitAvx512 = {&ArrangedFloats, &Arrange, &Stream, &Expand};
}  // namespace onednn
