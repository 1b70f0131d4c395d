// Products of 8-bit integers, exact in 32 bits: one set of functions per instruction set. Plain functions on plain
// memory: no allocation, no threads.
#pragma once

#include <cstdint>

#include "activation.h"
#include "ge/engine.h"
#include "kernels.h"

namespace onednn {

// How operands lie in memory. Four bytes of a row of x, a group, are what one lane multiplies at once; the weights of a
// panel lie [group][column][value of the group].
enum class Int8Mode {
  kPairs,      // two values of x without their zero point as int16; weights int8
  kWidePairs,  // the same with weights of int16
  kQuads,      // four values of x as uint8, with their zero point; weights int8
};
constexpr int kInt8Modes = 3;
constexpr int GroupSize(Int8Mode mode) { return mode == Int8Mode::kQuads ? 4 : 2; }
constexpr int BytesOfX(Int8Mode mode) { return mode == Int8Mode::kQuads ? 1 : 2; }
constexpr int BytesOfWeight(Int8Mode mode) { return mode == Int8Mode::kWidePairs ? 2 : 1; }

// Sums of m rows and n columns of a panel.
struct Int8Tile {
  int m, n;
  int64_t groups;
  const char *const *rows;  // where the rows of x begin
  const int32_t *offsets;   // of each group in a row, in bytes
  const char *weights;      // of the panel
  int32_t *sums;            // [m][columns of a panel]
};

// How sums are finished. Per column means: an array as long as a panel is wide.
struct Int8Finish {
  const int32_t *add;    // per column, added to the sums
  const float *scale;    // per column
  const float *bias;     // per column
  const float *x_scale;  // of the first row
  int64_t x_scale_step;  // from one row to the next, 0 or 1
  // For modes that keep the zero point of x, where it differs by rows: what it is multiplied with; else null.
  const int32_t *x_zero, *weight_sums;
  int32_t dst_type;
  bool biased;
  Activation activation;
  float y_scale;
  int32_t y_zero;
};

struct Int8Kernels {
  const char *name;
  int rows, columns;  // of the largest tile; columns of a panel
  bool exact_quads;   // kQuads is exact for all weights, else where two products next to each other fit into int16
  void (*tile[kInt8Modes])(const Int8Tile &tile);
  // Each column by itself: x and weights as int16. A group has two offsets, and for each column the two weights that
  // meet what lies there; of each eight columns the first four lie in the first half. Any number of rows.
  void (*depthwise)(const Int8Tile &tile);
  // m rows of sums, n columns, to y, whose rows are `stride` elements apart.
  void (*finish)(int m, int n, const int32_t *sums, const Int8Finish &finish, void *y, int64_t stride);
  // x in the form of a mode: x - zero as int16; x as uint8, moved by 128 where it is signed.
  void (*pairs)(const void *x, bool is_signed, int64_t n, int32_t zero, int16_t *to);
  void (*quads)(const void *x, bool is_signed, int64_t n, uint8_t *to);
};
constexpr int kMostInt8Columns = 32;
constexpr int kInt8Batch = 48;  // rows whose sums are finished at once: some tiles

extern const Int8Kernels kInt8Avx2, kInt8AvxVnni, kInt8Avx512, kInt8Vnni, kInt8Amx;
inline const Int8Kernels &Int8KernelsFor(uint64_t features) {
  if (!HasAvx512(features)) return features & GE_CPU_AVX_VNNI ? kInt8AvxVnni : kInt8Avx2;
  if (HasAmx(features)) return kInt8Amx;
  return features & GE_CPU_AVX512_VNNI ? kInt8Vnni : kInt8Avx512;
}

void AmxQuads(const Int8Tile &tile);  // of kInt8Amx (int8_tiles_amx.cpp)

}  // namespace onednn
