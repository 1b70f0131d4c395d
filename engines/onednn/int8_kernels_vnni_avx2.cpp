// AVX2 products of 8-bit integers by VNNI: four products in one instruction, exact for all weights.
#include "int8_vector_avx2.h"

#include "int8_kernels_body.h"

namespace onednn {
// Of 16 registers 12 are sums.
const Int8Kernels kInt8AvxVnni = {
    "avx2_vnni",
    6,
    kInt8Columns,
    true,
    {&SumUpTo<Int8Mode::kPairs, 6>, &SumUpTo<Int8Mode::kWidePairs, 6>, &SumUpTo<Int8Mode::kQuads, 6>},
    &SumDepthwise,
    &FinishSums,
    &WidenRow,
    &MoveRow};
}  // namespace onednn
