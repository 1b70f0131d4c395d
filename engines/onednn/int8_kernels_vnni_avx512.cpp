// AVX-512 products of 8-bit integers by VNNI: four products in one instruction, exact for all weights.
#include "int8_vector_avx512.h"

#include "int8_kernels_body.h"

namespace onednn {
const Int8Kernels kInt8Vnni = {
    "avx512_vnni",
    12,
    kInt8Columns,
    true,
    {&SumUpTo<Int8Mode::kPairs, 12>, &SumUpTo<Int8Mode::kWidePairs, 12>, &SumUpTo<Int8Mode::kQuads, 12>},
    &SumDepthwise,
    &FinishSums,
    &WidenRow,
    &MoveRow};
}  // namespace onednn
