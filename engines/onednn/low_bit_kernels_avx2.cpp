// Products with packed weights, AVX2.
#include "vector_avx2.h"

#include "low_bit_kernels_body.h"

namespace onednn {
const LowBitKernelSet kLowBitAvx2 = {&ArrangedFloats, &Arrange, &Stream, &Expand};
}  // namespace onednn
