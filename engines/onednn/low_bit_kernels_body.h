// The kernels for packed weights, written once over a vector type V that the including file defines.
//
// Packed weights are read as 32-bit words, a word in each lane: word j of a column holds its values j * P to j * P + P
// - 1 (P = 32 / bits), so a lane never crosses a block. Value i of all lanes at once is `word & mask`, converted; it
// stays where it lies in the word, and x comes divided by that power of two, which is exact. Only the upper half of a
// word is shifted down first. Zero points are taken off once per lane: with the sum of x over the lane's values.
//
// Weights of 16 bits are floats of half precision, widened as they are read.
#include "low_bit_kernels.h"

namespace {

using onednn::LowBitWeights;

constexpr int kW = V::kWidth;
// Blocks whose zero points are unpacked at a time.
constexpr int64_t kZeros = 128;

template <int kBits>
struct Words {
  static constexpr int kValues = 32 / kBits, kHalf = kValues / 2;
  static constexpr uint32_t kMask = (1u << kBits) - 1;
};

int64_t WordsOf(const LowBitWeights &w) { return w.column_bytes() / 4; }
int64_t StepsOf(const LowBitWeights &w) { return (WordsOf(w) + kW - 1) / kW; }

// For each step of kW words: value i of each lane for every i, then the negative sums of the lanes. For weights of 16
// bits: the row itself, with zeros up to whole blocks.
int64_t ArrangedFloats(const LowBitWeights &w) {
  return w.bits == 16 ? w.blocks * w.block : StepsOf(w) * (32 / w.bits + 1) * kW;
}

template <int kBits>
void ArrangeRow(const LowBitWeights &w, const float *x, float *to) {
  constexpr int P = Words<kBits>::kValues, H = Words<kBits>::kHalf;
  const int64_t steps = StepsOf(w);
  for (int64_t s = 0; s < steps; ++s, to += (P + 1) * kW) {
    const int64_t first = s * kW * P;
    for (int j = 0; j < kW; ++j) {
      float sum = 0;
      for (int i = 0; i < P; ++i) {
        const int64_t at = first + j * P + i;
        const float value = at < w.k ? x[at] : 0;
        sum += value;
        to[i * kW + j] = value / float(1u << kBits * (i % H));
      }
      to[P * kW + j] = -sum;
    }
  }
}

void Arrange(const LowBitWeights &w, const float *x, float *to) {
  if (w.bits == 16) {
    const int64_t padded = w.blocks * w.block;
    for (int64_t i = 0; i < padded; ++i) to[i] = i < w.k ? x[i] : 0;
    return;
  }
  if (w.bits == 2) return ArrangeRow<2>(w, x, to);
  if (w.bits == 4) return ArrangeRow<4>(w, x, to);
  ArrangeRow<8>(w, x, to);
}

// Zero points [from, from + count) of a column; may write a vector beyond.
template <int kBits>
void UnpackZeros(const uint8_t *packed, int64_t bytes, int64_t from, int64_t count, float *to) {
  constexpr int P = Words<kBits>::kValues;
  const typename V::I mask = V::SetInt(int(Words<kBits>::kMask));
  for (int64_t b = 0; b < count; b += P) {
    const int64_t at = (from + b) * kBits / 8, left = bytes - at;
    uint32_t word = 0;
    for (int q = 0; q < 4 && q < left; ++q) word |= uint32_t(packed[at + q]) << 8 * q;
    for (int v = 0; v < P; v += kW) {
      const typename V::I shift = V::Times(V::Counting(), V::SetInt(kBits));
      const typename V::I shifted = V::ShiftRightEach(V::SetInt(int(v ? word >> (v * kBits & 31) : word)), shift);
      V::Store(to + b + v, V::FromInts(V::And(shifted, mask)));
    }
  }
}

// What is read now lies so many bytes behind what is fetched from memory, whole columns at a time.
constexpr int64_t kFetchAhead = 6 << 10;
template <int N>
int64_t ColumnsAhead(const LowBitWeights &w) {
  return N * (1 + kFetchAhead / (N * w.column_bytes()));
}

// They may point anywhere.
inline void Fetch(const float *words, const float *scale) {
  __builtin_prefetch(words);
  __builtin_prefetch(scale);
}

// M rows and N columns from column n on, later ones fetched meanwhile: columns are often so short that several lie in a
// page, of which the hardware follows one stream. Scales and zero points of a step: one for all lanes, or one for each
// `lanes` lanes.
template <int kBits, int M, int N>
void StreamColumns(const LowBitWeights &w, int64_t n, const float *x, int64_t xs, float *y, int64_t ys) {
  constexpr int P = Words<kBits>::kValues, H = Words<kBits>::kHalf;
  const int64_t words = WordsOf(w), steps = StepsOf(w), lanes = w.block / P;
  const int64_t blocks_per_step = lanes < kW ? kW / lanes : 0, steps_per_block = lanes < kW ? 1 : lanes / kW;
  const int64_t segment = blocks_per_step ? kZeros / blocks_per_step : kZeros * steps_per_block;
  int shift = 0;
  while (int64_t{1} << shift < lanes && shift < 30) ++shift;
  const typename V::I spread = V::ShiftRight(V::Counting(), shift);
  alignas(64) float zeros[N][kZeros + 2 * 16];
  const float *words_of[N], *scale_of[N], *zero_of[N];
#pragma GCC unroll 8
  for (int c = 0; c < N; ++c) {
    words_of[c] = reinterpret_cast<const float *>(w.data + (n + c) * w.column_bytes());
    scale_of[c] = w.scale + (n + c) * w.blocks;
    zero_of[c] = w.zero ? w.zero + (n + c) * w.blocks : zeros[c];
  }
  const bool each_zero = w.zero || w.packed_zero;
  const int64_t ahead = ColumnsAhead<N>(w);
  const typename V::T usual = V::Set(float(1 << (kBits - 1)));
  typename V::T total[M][N];
#pragma GCC unroll 8
  for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) total[r][c] = V::Zero();
  for (int64_t s = 0, until = 0, base = 0; s < steps; ++s) {
    const int64_t b = blocks_per_step ? s * blocks_per_step : s / steps_per_block;
    if (w.packed_zero && s == until) {
      const int64_t left = w.blocks - b;
      for (int c = 0; c < N; ++c)
        UnpackZeros<kBits>(w.packed_zero + (n + c) * w.zero_bytes(), w.zero_bytes(), b, left < kZeros ? left : kZeros,
                           zeros[c]);
      base = b, until += segment;
    }
    const typename V::Mask here = V::MaskOf(int(w.blocks - b < blocks_per_step ? w.blocks - b : blocks_per_step));
    const bool whole = (s + 1) * kW <= words;
    const float *xp = x + s * (P + 1) * kW;
    typename V::T scale[N], sum[M][N];
    typename V::I word[N];
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) {
      typename V::T zero = usual;
      if (blocks_per_step) {
        scale[c] = V::Pick(V::LoadPart(scale_of[c] + b, here), spread);
        if (each_zero) zero = V::Pick(V::LoadPart(zero_of[c] + b - base, here), spread);
      } else {
        scale[c] = V::Set(scale_of[c][b]);
        if (each_zero) zero = V::Set(zero_of[c][b - base]);
      }
      Fetch(words_of[c] + s * kW + ahead * w.column_bytes() / 4, scale_of[c] + b + ahead * w.blocks);
      word[c] = V::BitsOf(whole ? V::Load(words_of[c] + s * kW)
                                : V::LoadPart(words_of[c] + s * kW, V::MaskOf(int(words - s * kW))));
#pragma GCC unroll 8
      for (int r = 0; r < M; ++r) sum[r][c] = V::Mul(V::Load(xp + P * kW + r * xs), zero);
    }
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
#pragma GCC unroll 8
      for (int i = 0; i < H; ++i) {
        const typename V::I mask = V::SetInt(int(Words<kBits>::kMask << kBits * i));
#pragma GCC unroll 8
        for (int c = 0; c < N; ++c) {
          const typename V::T value = V::FromInts(V::And(word[c], mask));
#pragma GCC unroll 8
          for (int r = 0; r < M; ++r) sum[r][c] = V::Fma(V::Load(xp + (h * H + i) * kW + r * xs), value, sum[r][c]);
        }
      }
      if (h == 0)
#pragma GCC unroll 8
        for (int c = 0; c < N; ++c) word[c] = V::ShiftRight(word[c], 16);
    }
#pragma GCC unroll 8
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < N; ++c) total[r][c] = V::Fma(sum[r][c], scale[c], total[r][c]);
  }
#pragma GCC unroll 8
  for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) y[r * ys + n + c] = V::Sum(total[r][c]);
}

template <int M, int N>
void StreamHalves(const LowBitWeights &w, int64_t n, const float *x, int64_t xs, float *y, int64_t ys) {
  const int64_t ahead = ColumnsAhead<N>(w);
  typename V::T total[M][N];
#pragma GCC unroll 8
  for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) total[r][c] = V::Zero();
  for (int64_t b = 0; b < w.blocks; ++b) {
    typename V::T sum[M][N];
#pragma GCC unroll 8
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < N; ++c) sum[r][c] = V::Zero();
    for (int64_t i = b * w.block; i < (b + 1) * w.block; i += kW) {
#pragma GCC unroll 8
      for (int c = 0; c < N; ++c) {
        __builtin_prefetch(w.data + (n + c + ahead) * w.column_bytes() + 2 * i);
        const typename V::T value = V::LoadHalf(w.data + (n + c) * w.column_bytes() + 2 * i);
#pragma GCC unroll 8
        for (int r = 0; r < M; ++r) sum[r][c] = V::Fma(V::Load(x + i + r * xs), value, sum[r][c]);
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) {
      const typename V::T scale = V::Set(w.scale[(n + c) * w.blocks + b]);
#pragma GCC unroll 8
      for (int r = 0; r < M; ++r) total[r][c] = V::Fma(sum[r][c], scale, total[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < M; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) y[r * ys + n + c] = V::Sum(total[r][c]);
}

template <int kBits, int M, int N>
void StreamPart(const LowBitWeights &w, int64_t n, const float *x, int64_t xs, float *y, int64_t ys) {
  if constexpr (kBits == 16) StreamHalves<M, N>(w, n, x, xs, y, ys);
  else StreamColumns<kBits, M, N>(w, n, x, xs, y, ys);
}

template <int kBits, int M, int N>
void StreamAll(const LowBitWeights &w, int64_t first, int64_t last, const float *x, int64_t xs, float *y, int64_t ys) {
  int64_t n = first;
  for (; n + N <= last; n += N) StreamPart<kBits, M, N>(w, n, x, xs, y, ys);
  if constexpr (N > 1)
    for (; n < last; ++n) StreamPart<kBits, M, 1>(w, n, x, xs, y, ys);
}

template <int kBits>
void StreamRows(const LowBitWeights &w, int m, int64_t first, int64_t last, const float *x, int64_t xs, float *y,
                int64_t ys) {
  if (m == 1) return StreamAll<kBits, 1, 4>(w, first, last, x, xs, y, ys);
  if (m == 2) return StreamAll<kBits, 2, 2>(w, first, last, x, xs, y, ys);
  if (m == 3) return StreamAll<kBits, 3, 1>(w, first, last, x, xs, y, ys);
  if (m == 4) return StreamAll<kBits, 4, 1>(w, first, last, x, xs, y, ys);
  // A column stays in the cache for the rows that follow.
  for (int64_t n = first; n < last; ++n)
    for (int row = 0; row < m; row += 4)
      StreamRows<kBits>(w, m - row < 4 ? m - row : 4, n, n + 1, x + row * xs, xs, y + row * ys, ys);
}

void Stream(const LowBitWeights &w, int m, int64_t first, int64_t last, const float *x, int64_t xs, float *y,
            int64_t ys) {
  if (w.bits == 16) return StreamRows<16>(w, m, first, last, x, xs, y, ys);
  if (w.bits == 2) return StreamRows<2>(w, m, first, last, x, xs, y, ys);
  if (w.bits == 4) return StreamRows<4>(w, m, first, last, x, xs, y, ys);
  StreamRows<8>(w, m, first, last, x, xs, y, ys);
}

float ZeroAt(const LowBitWeights &w, int64_t column, int64_t block) {
  if (w.zero) return w.zero[column * w.blocks + block];
  if (!w.packed_zero) return float(1 << (w.bits - 1));
  const int64_t bit = block * w.bits;
  return float(w.packed_zero[column * w.zero_bytes() + bit / 8] >> (bit % 8) & ((1 << w.bits) - 1));
}

// P rows of the panel from one word of each column. Shifts are by constants once the loop is unrolled.
template <int kBits>
void ExpandWords(typename V::I word, typename V::T zero, typename V::T scale, float *to, int64_t stride, int rows) {
  constexpr int P = Words<kBits>::kValues;
  const typename V::I mask = V::SetInt(int(Words<kBits>::kMask));
  if (rows == P) {
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i)
      V::Store(to + i * stride, V::Mul(V::Sub(V::FromInts(V::And(V::ShiftRight(word, kBits * i), mask)), zero), scale));
    return;
  }
  for (int i = 0; i < rows; ++i) {
    V::Store(to + i * stride, V::Mul(V::Sub(V::FromInts(V::And(word, mask)), zero), scale));
    word = V::ShiftRight(word, kBits);
  }
}

// kW columns at a time: words are transposed so that a lane is a column, then each gives P rows of the panel.
template <int kBits>
void ExpandColumns(const LowBitWeights &w, int64_t first, int n, int64_t depth, int64_t count, float *panel,
                   int64_t stride) {
  constexpr int P = Words<kBits>::kValues;
  constexpr int64_t kBlocks = onednn::kExpandMost / onednn::kExpandUnit;
  alignas(64) float scales[kBlocks][kW] = {}, zeros[kBlocks][kW] = {};
  const int64_t first_block = depth / w.block, blocks = (depth + count - 1) / w.block + 1 - first_block;
  for (int i = 0; i < n; ++i)
    for (int64_t b = 0; b < blocks; ++b) {
      scales[b][i] = w.scale[(first + i) * w.blocks + first_block + b];
      zeros[b][i] = ZeroAt(w, first + i, first_block + b);
    }
  const int64_t first_word = depth / P, words = (count + P - 1) / P;
  int shift = 0;  // a division less for each word
  while (int64_t{1} << shift < w.block && shift < 62) ++shift;
  for (int64_t d = 0; d < words; d += kW) {
    const int width = int(words - d < kW ? words - d : kW);
    const typename V::Mask part = V::MaskOf(width);
    typename V::T r[kW];
    for (int i = 0; i < kW; ++i)
      r[i] = i < n
                 ? V::LoadPart(
                       reinterpret_cast<const float *>(w.data + (first + i) * w.column_bytes()) + first_word + d, part)
                 : V::Zero();
    V::Transpose(r);
    for (int j = 0; j < width; ++j) {
      const int64_t row = (d + j) * P, block = ((depth + row) >> shift) - first_block;
      ExpandWords<kBits>(V::BitsOf(r[j]), V::Load(zeros[block]), V::Load(scales[block]), panel + row * stride, stride,
                         int(count - row < P ? count - row : P));
    }
  }
}

// The same for weights of 16 bits: kW values of each column at a time.
void ExpandHalves(const LowBitWeights &w, int64_t first, int n, int64_t depth, int64_t count, float *panel,
                  int64_t stride) {
  for (int64_t d = 0; d < count; d += kW) {
    const int64_t block = (depth + d) / w.block;
    typename V::T r[kW];
    for (int i = 0; i < kW; ++i)
      r[i] = i < n ? V::Mul(V::LoadHalf(w.data + (first + i) * w.column_bytes() + 2 * (depth + d)),
                            V::Set(w.scale[(first + i) * w.blocks + block]))
                   : V::Zero();
    V::Transpose(r);
    for (int j = 0; j < kW && d + j < count; ++j) V::Store(panel + (d + j) * stride, r[j]);
  }
}

void Expand(const LowBitWeights &w, int64_t first, int64_t columns, int64_t depth, int64_t count, float *panel,
            int64_t panel_columns) {
  for (int64_t c = 0; c < panel_columns; c += kW) {
    const int n = int(columns - c < 0 ? 0 : columns - c < kW ? columns - c : kW);
    if (w.bits == 16) ExpandHalves(w, first + c, n, depth, count, panel + c, panel_columns);
    else if (w.bits == 2) ExpandColumns<2>(w, first + c, n, depth, count, panel + c, panel_columns);
    else if (w.bits == 4) ExpandColumns<4>(w, first + c, n, depth, count, panel + c, panel_columns);
    else ExpandColumns<8>(w, first + c, n, depth, count, panel + c, panel_columns);
  }
}

}  // namespace
