// The loops that are compiled once per instruction set. Everything works on float32 spans; spans may be unaligned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vec {

/// One operand of an instruction: a span of n values, or one value for all of them.
struct Operand {
  const float *data = nullptr;
  float value = 0;  // when data is null
};

/// Boxes as columns of coordinates.
struct Boxes {
  const float *top, *left, *bottom, *right;
};

/// Bytes that stand for (byte - zero) * scale.
struct ByteForm {
  bool is_signed = false;
  float scale = 1, zero = 0;
};

struct Table {
  const char *name;
  size_t lanes;  // floats of a vector
  /// out[i] = opcode(a[i], b[i], c[i]) for i < n. `out` may be one of the operands.
  void (*apply)(int32_t opcode, float *out, const Operand &a, const Operand &b, const Operand &c, size_t n);
  /// Softmax of a row: exp(scale * x - max) / sum; log: the logarithm of it.
  void (*softmax)(const float *x, float *y, size_t n, bool log);
  /// Softmax down `columns` of n rows that are `stride` apart; scratch has two values for each of them.
  void (*softmax_columns)(const float *x, float *y, size_t n, size_t stride, size_t columns, float *scratch);
  /// (x - mean) * rstd * gamma + beta; gamma and beta may be null. mean and rstd may be null.
  void (*layer_norm)(const float *x, const float *gamma, const float *beta, float *y, size_t n, float epsilon,
                     float *mean, float *rstd);
  /// x * rsqrt(mean(x * x) + epsilon) * gamma.
  void (*rms_norm)(const float *x, const float *gamma, float *y, size_t n, float epsilon, float *rstd);
  /// Reduces a row to one value. kind: see ReduceKind.
  float (*reduce)(int kind, const float *x, size_t n);
  /// acc[i] = combine(acc[i], x[i]): one step of reducing down columns.
  void (*reduce_step)(int kind, float *acc, const float *x, size_t n);
  /// Where x[i] is above best[i], or the first NaN: best[i] = x[i], where[i] = k. One step of looking down columns.
  void (*arg_max_step)(float *best, int32_t *where, const float *x, int32_t k, size_t n);
  /// From place i on, how far values are all below `limit` (above it with `least`), in whole vectors: a place from
  /// which on they have to be looked at.
  size_t (*pass_over)(const float *x, size_t i, size_t n, float limit, bool least);
  /// Box `at` of `boxes` shares more than `threshold` of the union with one of the first n of `kept`.
  bool (*overlaps)(const Boxes &kept, size_t n, const Boxes &boxes, size_t at, float threshold);
  /// dst[c * dst_stride + r] = src[r * src_stride + c] for a rows x cols block of 4-byte elements.
  void (*transpose4)(const uint32_t *src, size_t src_stride, uint32_t *dst, size_t dst_stride, size_t rows,
                     size_t cols);
  /// Bytes (int8 or uint8) as floats, and floats as bytes: rounded half to even, saturated, NaN the least number.
  void (*from_bytes)(const void *x, bool is_signed, float *y, size_t n);
  void (*to_bytes)(const float *x, void *y, bool is_signed, size_t n);
  /// saturate(round(x / scale) + zero), and (x - zero) * scale.
  void (*quantize)(const float *x, void *y, bool is_signed, size_t n, float scale, float zero);
  void (*dequantize)(const void *x, bool is_signed, float *y, size_t n, float scale, float zero);
  /// Dequantised x times factor[i] plus shift[i], quantised; each step rounds as if it were stored.
  void (*affine_bytes)(const void *x, ByteForm in, const float *factor, const float *shift, void *y, ByteForm out,
                       size_t n);
};

enum ReduceKind { kSum = 0, kMax = 1, kMin = 2, kProd = 3, kSumSquare = 4 };

/// The best table of this build whose instructions are among `features` (GE_CPU_*); null when there is none.
const Table *SelectTable(uint64_t features);

}  // namespace vec
