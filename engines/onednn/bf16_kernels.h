// Products in bf16 with AVX512-BF16, or with AMX where it is: a lane of the operands holds two values that follow one
// another along the depth, so that a depth of k is k / 2 floats for all that only moves them.
#pragma once

#include <cstdint>

#include "conv_kernels.h"
#include "kernels.h"

namespace onednn {

struct Bf16KernelSet {
  const char *name;
  int rows;                        // of the largest tile, which is as wide as kKernelsAvx512's
  decltype(KernelSet::tile) tile;  // x lies pair by pair: the step is 1
  decltype(KernelSet::vector) vector;
  // A panel [(k + 1) / 2][columns] of pairs from n columns of a row-major matrix of k rows; columns beyond n, and the
  // row that completes the last pair, are zero.
  void (*pairs)(int64_t n, int64_t k, const uint16_t *w, int64_t w_stride, float *panel, int64_t columns);
  void (*round)(int64_t n, const float *from, uint16_t *to);  // `to` may be where `from` begins
  void (*scaled)(int64_t n, const uint16_t *from, uint16_t *to, float by);
  void (*widen)(int64_t n, const uint16_t *from, float *to);
  void (*pointwise)(const PointwiseTile &tile);
};

extern const Bf16KernelSet kBf16Avx512, kBf16Amx;
inline const Bf16KernelSet &Bf16KernelsFor(uint64_t features) { return HasAmx(features) ? kBf16Amx : kBf16Avx512; }

// Of kBf16Amx (bf16_tiles_amx.cpp). b is a panel: 16 or 32 columns of each row may be read, whatever n is.
void AmxTile(int m, int n, int64_t k, const float *a, int64_t row_stride, int64_t step, const float *b,
             int64_t b_stride, float *c, int64_t c_stride, bool accumulate, const float *ahead, int64_t ahead_step);
void AmxPointwise(const PointwiseTile &tile);

}  // namespace onednn
