// Own kernels, one set per instruction set. Plain functions on plain memory: no allocation, no threads.
#pragma once

#include <cstdint>

#include "activation.h"
#include "ge/engine.h"

namespace onednn {

// The epilogue of a matrix product: c = act(scale * c + bias + residual).
struct Finish {
  float scale = 1;
  const float *bias = nullptr;      // per column
  const float *residual = nullptr;  // same shape as c
  int64_t residual_stride = 0;
  Activation activation;
  float factor = 1;              // what the activation gives is multiplied with it
  const float *after = nullptr;  // and this is added, to one row
  bool nothing() const {
    return scale == 1 && !bias && !residual && activation.kind == Act::kNone && factor == 1 && !after;
  }
};

constexpr int64_t kLineAhead = 16;  // floats of a cache line

struct KernelSet {
  const char *name;
  int rows, columns;  // largest tile

  // c[m, n] = (accumulate ? c : 0) + a[m, k] * b[k, n], m <= rows, n <= columns. Element (i, p) of a is
  // a[i * row_stride + p * step]; b and c are row major. k times `ahead_step` floats from `ahead` on are fetched into
  // the second-level cache meanwhile; it may point anywhere. With AVX-512 a step is one cache line of 16 floats or two,
  // with AVX2 one at most.
  void (*tile)(int m, int n, int64_t k, const float *a, int64_t row_stride, int64_t step, const float *b,
               int64_t b_stride, float *c, int64_t c_stride, bool accumulate, const float *ahead, int64_t ahead_step);
  void (*finish)(int64_t m, int64_t n, float *c, int64_t c_stride, const Finish &finish);
  // Few rows against a row-major matrix that streams from memory: y[m, n] = x[m, k] * w[k, n]. Up to four rows read it
  // once.
  void (*stream)(int m, int64_t n, int64_t k, const float *x, int64_t x_stride, const float *w, int64_t w_stride,
                 float *y, int64_t y_stride);
  // One row against a matrix that lies in a cache: results stay in registers.
  void (*vector)(int64_t n, int64_t k, const float *x, const float *w, int64_t w_stride, float *y);
  // Few rows against a matrix stored by columns: y[m, n] = x[m, k] * w[n, k].
  void (*dots)(int m, int64_t n, int64_t k, const float *x, int64_t x_stride, const float *w, int64_t w_stride,
               float *y, int64_t y_stride);
  // Row-major [k, columns] panel from a matrix stored by columns (w[n, k]); columns beyond n are zero.
  void (*transpose)(int64_t n, int64_t k, const float *w, int64_t w_stride, float *panel, int64_t panel_stride);
  void (*activate)(int64_t n, float *x, const Activation &activation);
  // to[n] = from[n] * by; they may be the same.
  void (*scaled)(int64_t n, const float *from, float *to, float by);
  // One more block of a row's running softmax: scores s[n] become their powers of e beside *top, which is raised to the
  // highest first, and are added to *sum. Returns what sums made beside the earlier *top are to be multiplied with.
  float (*soften)(int64_t n, float *s, float *top, float *sum);
  // One step of an LSTM: a + b are the gates [4, n] in the order input, output, forget, cell; peephole weights [3, n]
  // (input, output, forget) may be null.
  void (*lstm)(int64_t n, const float *a, const float *b, const float *peephole, float *cell, float *hidden);
  // One step of a GRU, in its two halves. Gates: update, reset, hidden. First: update = sigmoid(a + b), reset likewise
  // and multiplied with `by` (the last hidden state, or what the hidden gate takes from it). Second: hidden = tanh(a +
  // reset) and the new state from it.
  void (*gru_gates)(int64_t n, const float *a, const float *b, const float *by, float *update, float *reset);
  void (*gru_state)(int64_t n, const float *a, const float *b, const float *update, float *hidden);
};

extern const KernelSet kKernelsAvx2;
extern const KernelSet kKernelsAvx512;

// The features that the two sets, and the choices between them, rest on.
constexpr uint64_t kAvx2Features = GE_CPU_X86_64_V3, kAvx512Features = GE_CPU_X86_64_V4;
inline bool HasAvx512(uint64_t features) { return (features & kAvx512Features) == kAvx512Features; }
// Tiles for products in bf16 and of 8-bit integers; both were there from the first on.
inline bool HasAmx(uint64_t features) {
  constexpr uint64_t kNeeded =
      GE_CPU_AMX_TILE | GE_CPU_AMX_BF16 | GE_CPU_AMX_INT8 | GE_CPU_AVX512_BF16 | GE_CPU_AVX512_VNNI;
  return HasAvx512(features) && (features & kNeeded) == kNeeded;
}

inline const KernelSet &KernelsFor(uint64_t features) { return HasAvx512(features) ? kKernelsAvx512 : kKernelsAvx2; }

}  // namespace onednn
