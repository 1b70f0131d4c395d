// Products in bf16 with AVX512-BF16: a lane of the operands holds two values that follow one another along the depth,
// so that a depth of k is k / 2 floats for all that only moves them.
#pragma once

#include <cstdint>

#include "kernels.h"

namespace onednn {

// Some pixels of one to three blocks of 16 output channels of a 1 x 1 convolution between channel blocks in bf16: a
// pixel of a block is 8 floats. Steps of x and w are in floats, of y and its residual in their own elements.
struct Bf16PointwiseTile {
  const float *x;  // first pixel
  int64_t in_blocks, x_block;
  const float *w;  // [in_blocks][pair of channels in][channel out]
  int64_t w_block;
  void *y;
  int64_t y_block;
  bool y_bf16;     // of y and the residual; else float32
  int64_t pixels;  // any number
  int blocks;      // 1 to 3
  const float *bias[3];
  const void *residual[3];  // laid out as y, may be y; or null
  float low, high;
};

struct Bf16KernelSet {
  decltype(KernelSet::tile) tile;  // of the height and width of kKernelsAvx512's
  decltype(KernelSet::vector) vector;
  // A panel [(k + 1) / 2][columns] of pairs from n columns of a row-major matrix of k rows; columns beyond n, and the
  // row that completes the last pair, are zero.
  void (*pairs)(int64_t n, int64_t k, const uint16_t *w, int64_t w_stride, float *panel, int64_t columns);
  void (*round)(int64_t n, const float *from, uint16_t *to);  // `to` may be where `from` begins
  void (*scaled)(int64_t n, const uint16_t *from, uint16_t *to, float by);
  void (*widen)(int64_t n, const uint16_t *from, float *to);
  void (*pointwise)(const Bf16PointwiseTile &tile);
};

extern const Bf16KernelSet kBf16Avx512;

}  // namespace onednn
