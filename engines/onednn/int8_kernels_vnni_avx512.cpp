// AVX-512 products of 8-bit integers by VNNI: four products in one instruction, exact for all weights; and with AMX
// those of quads by tiles of it.
#include "int8_vector_avx512.h"

#include "int8_kernels_body.h"

namespace {

/// More rows than registers hold the sums of, in parts.
template <Int8Mode M>
void SumTall(const onednn::Int8Tile &t) {
  constexpr int kRows = 12;
  onednn::Int8Tile part = t;
  for (int done = 0; done < t.m; done += part.m) {
    part.m = t.m - done < kRows ? t.m - done : kRows;
    part.rows = t.rows + done, part.sums = t.sums + done * kInt8Columns;
    SumUpTo<M, kRows>(part);
  }
}

}  // namespace

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
const Int8Kernels kInt8Amx = {"amx",
                              32,
                              kInt8Columns,
                              true,
                              {&SumTall<Int8Mode::kPairs>, &SumTall<Int8Mode::kWidePairs>, &AmxQuads},
                              &SumDepthwise,
                              &FinishSums,
                              &WidenRow,
                              &MoveRow};
}  // namespace onednn
