// Products in bf16 by AMX: 16 times as many multiplications in an instruction as AVX512-BF16 has. As in
// kernels_avx512.cpp, nothing here may be shared with other files.
#include "amx.h"
#include "bf16_kernels.h"
#include "vector_bf16.h"

#include "float_result.h"

namespace {

struct Pairs {
  static void First() { _tile_dpbf16ps(0, 4, 6); }
  static void Second() { _tile_dpbf16ps(1, 4, 7); }
  static void Third() { _tile_dpbf16ps(2, 5, 6); }
  static void Fourth() { _tile_dpbf16ps(3, 5, 7); }
};

constexpr int kLanes = 16;
constexpr int kMostRows = 2 * kTileRows, kMostColumns = 2 * kLanes;

void CopyRows(int rows, int columns, const float *from, int64_t from_stride, float *to, int64_t to_stride) {
  for (int i = 0; i < rows; ++i, from += from_stride, to += to_stride)
    for (int j = 0; j < columns; ++j) to[j] = from[j];
}

struct Operands {
  int m, n;
  int64_t k;  // pairs
  const float *a;
  int64_t a_stride;
  const float *b;
  int64_t b_stride;
  const float *ahead;
  int64_t ahead_step;
};

/// The last pairs of the depth, filled up with zeros.
template <class Sums>
void AddRest(const Operands &o, int64_t done) {
  alignas(64) float a[kMostRows * kLanes] = {}, b[kLanes * kMostColumns] = {};
  const int rest = int(o.k - done);
  CopyRows(o.m, rest, o.a + done, o.a_stride, a, kLanes);
  CopyRows(rest, o.n, o.b + done * o.b_stride, o.b_stride, b, kMostColumns);
  MemoryIsRead();
  Sums::Step(reinterpret_cast<const char *>(a), kTileBytes, reinterpret_cast<const char *>(b), 2 * kTileBytes,
             kTileBytes);
}

template <class Sums>
void AddProducts(const Operands &o) {
  const float *ahead = o.ahead;
  int64_t p = 0;
  for (; p + kLanes <= o.k; p += kLanes) {
    for (int i = 0; i < kLanes; ++i, ahead += o.ahead_step) {
      __builtin_prefetch(ahead, 0, 2);
      __builtin_prefetch(ahead + o.ahead_step - onednn::kLineAhead, 0, 2);
    }
    Sums::Step(reinterpret_cast<const char *>(o.a + p), o.a_stride * 4,
               reinterpret_cast<const char *>(o.b + p * o.b_stride), o.b_stride * 4, kTileBytes);
  }
  if (p < o.k) AddRest<Sums>(o, p);
}

}  // namespace

void onednn::AmxTile(int m, int n, int64_t k, const float *a, int64_t rs, int64_t, const float *b, int64_t bs, float *c,
                     int64_t cs, bool accumulate, const float *ahead, int64_t ahead_step) {
  const Operands o{m, n, k, a, rs, b, bs, ahead, ahead_step};
  alignas(64) float part[kMostRows * kMostColumns];
  const bool in_place = n % kLanes == 0;
  float *sums = in_place ? c : part;
  const int64_t stride = in_place ? cs : kMostColumns;
  if (accumulate && !in_place) CopyRows(m, n, c, cs, part, kMostColumns);
  WithTiles(m, n, kLanes, [&]<bool kTall, bool kWide>() {
    using Sums = TileSums<Pairs, kTall, kWide>;
    if (accumulate) Sums::Load(sums, stride * 4);
    else Sums::Zero();
    AddProducts<Sums>(o);
    Sums::Store(sums, stride * 4);
  });
  if (!in_place) CopyRows(m, n, part, kMostColumns, c, cs);
}

namespace {

// --- 1 x 1 convolutions ---------------------------------------------------------------------------------------------

/// What is done with the sums of up to 32 pixels of a block of channels.
template <class Result>
void FinishPixels(const onednn::PointwiseTile &t, int b, int64_t pixel, int count, const float *sums) {
  const onednn::ConvFinish &f = t.finish[b];
  const V::T bias = f.bias ? V::Load(f.bias) : V::Zero(), low = V::Set(f.low), high = V::Set(f.high);
  auto *y = reinterpret_cast<typename Result::T *>(t.y) + b * t.y_block + pixel * kLanes;
  const auto *residual = reinterpret_cast<const typename Result::T *>(f.residual) + pixel * kLanes;
  for (int i = 0; i < count; ++i) {
    V::T sum = V::Add(V::Load(sums + i * kMostColumns), bias);
    if (f.residual) sum = V::Add(sum, Result::Load(residual + i * kLanes));
    Result::Store(y + i * kLanes, V::Min(high, V::Max(low, sum)));  // in this order a NaN stays one
  }
}

/// Blocks b and, if `two`, b + 1 of y.
template <class Result>
void PointwiseBlocks(const onednn::PointwiseTile &t, int b, bool two) {
  constexpr int kPairsOfBlock = 8;
  const int64_t blocks = t.in_blocks + (t.rest > 0);
  alignas(64) float sums[kMostRows * kMostColumns];
  for (int64_t pixel = 0; pixel < t.pixels; pixel += kMostRows) {
    const int count = int(t.pixels - pixel < kMostRows ? t.pixels - pixel : kMostRows);
    WithTiles(count, two ? kMostColumns : kLanes, kPairsOfBlock, [&]<bool kTall, bool kWide>() {
      using Sums = TileSums<Pairs, kTall, kWide>;
      Sums::Zero();
      const float *x = t.x + pixel * kPairsOfBlock, *w = t.w + b * t.w_block;
      for (int64_t i = 0; i < blocks; ++i, x += t.x_block, w += kPairsOfBlock * kLanes)
        Sums::Step(reinterpret_cast<const char *>(x), kPairsOfBlock * 4, reinterpret_cast<const char *>(w), kTileBytes,
                   t.w_block * 4);
      Sums::Store(sums, 2 * kTileBytes);
    });
    FinishPixels<Result>(t, b, pixel, count, sums);
    if (two) FinishPixels<Result>(t, b + 1, pixel, count, sums + kLanes);
  }
}

template <class Result>
void PointwiseInto(const onednn::PointwiseTile &t) {
  for (int b = 0; b < t.blocks; b += 2) PointwiseBlocks<Result>(t, b, b + 1 < t.blocks);
}

}  // namespace

void onednn::AmxPointwise(const PointwiseTile &t) {
  t.halves ? PointwiseInto<HalfResult>(t) : PointwiseInto<FloatResult>(t);
}
