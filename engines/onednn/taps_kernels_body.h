// The convolutions of any filter of conv_kernels.h, over the vector type V; behind conv_kernels_body.h.
#include <immintrin.h>

#include "conv_kernels.h"

namespace {

// Of each of two blocks that many lines are asked for at each tap. With narrow vectors weights are not waited for.
constexpr int kTapsFetch = 4;
// Blocks of eight channels are one piece of code.
constexpr bool kWhole = kC == 8;
template <int B>
constexpr bool kFetches = kC == 16 && B == 2;

// Sums of R pixels and B blocks stay in registers over all taps and input channels. X: the step between pixels and the
// channels of a block where both are known, else 0.
template <int R, int B, int X>
void TapsRows(const onednn::TapsTile &t, int64_t pixel, [[maybe_unused]] const float *ahead) {
  const int64_t step = X ? X : t.x_pixel;
  const int all = X ? X : t.channels;
  float *y = t.y + pixel * t.y_pixel;
  V::T acc[R][B];
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) {
    const V::T bias = t.bias ? V::Load(t.bias + b * kC) : V::Zero();
#pragma GCC unroll 32
    for (int i = 0; i < R; ++i) acc[i][b] = t.more ? V::Load(y + b * t.y_block + i * t.y_pixel) : bias;
  }
  const float *x_block = t.x + pixel * step, *w_block = t.w;
  for (int64_t block = 0; block < t.in_blocks; ++block, x_block += t.x_block, w_block += t.w_block) {
    const int channels = block + 1 < t.in_blocks ? all : t.last;
    for (int64_t tap_d = 0; tap_d < t.taps[0]; ++tap_d) {
      for (int64_t tap_h = 0; tap_h < t.taps[1]; ++tap_h) {
        const float *x = x_block + tap_d * t.x_tap[0] + tap_h * t.x_tap[1];
        const float *w = w_block + tap_d * t.w_tap[0] + tap_h * t.w_tap[1];
        for (int64_t tap = 0; tap < t.taps[2]; ++tap, x += t.x_tap[2], w += t.w_tap[2]) {
          const float *weights_at = w;
          if constexpr (kFetches<B>) {
#pragma GCC unroll 8
            for (int line = 0; line < kTapsFetch; ++line) {
              __builtin_prefetch(ahead + line * kLine);
              __builtin_prefetch(ahead + t.w_out + line * kLine);
            }
            ahead += kTapsFetch * kLine;
          }
          const auto add = [&](int c) {
            V::T weights[B];
#pragma GCC unroll 2
            for (int b = 0; b < B; ++b) weights[b] = V::Load(weights_at + c * kC + b * t.w_out);
#pragma GCC unroll 32
            for (int i = 0; i < R; ++i) {
              const V::T value = V::Set(x[i * step + c]);
#pragma GCC unroll 2
              for (int b = 0; b < B; ++b) acc[i][b] = V::Fma(value, weights[b], acc[i][b]);
            }
          };
          if (kWhole && X && channels == X) {
#pragma GCC unroll 8
            for (int c = 0; c < X; ++c) add(c);
          } else {
#pragma GCC unroll 4
            for (int c = 0; c < channels; ++c) add(c);
          }
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b)
#pragma GCC unroll 32
    for (int i = 0; i < R; ++i) V::Store(y + b * t.y_block + i * t.y_pixel, acc[i][b]);
}

template <int R, int B, int X>
void TapsUpTo(const onednn::TapsTile &t, int64_t pixel, int64_t count, const float *ahead) {
  if constexpr (R > 1)
    if (count < R) return TapsUpTo<R - 1, B, X>(t, pixel, count, ahead);
  TapsRows<R, B, X>(t, pixel, ahead);
}

template <int R, int B, int X>
void TapsBlocks(const onednn::TapsTile &t) {
  int64_t tiles = (t.pixels + R - 1) / R, pixel = 0;
  for (; tiles > 0; --tiles) {
    const int64_t count = (t.pixels - pixel + tiles - 1) / tiles;
    // When all are on their way, lines that are in the cache are asked for.
    const float *ahead = t.w;
    if (kFetches<B> && t.ahead && t.ahead->next < t.ahead->end) {
      ahead = t.ahead->next;
      t.ahead->next += t.in_blocks * t.taps[0] * t.taps[1] * t.taps[2] * kTapsFetch * kLine;
    }
    TapsUpTo<R, B, X>(t, pixel, count, ahead);
    pixel += count;
  }
}

void Taps(const onednn::TapsTile &given) {
  onednn::TapsTile t = given;
  // Few channels, of neighbours that lie side by side: what a row of the filter reads is one run of numbers.
  if (t.channels < kC && t.x_tap[2] == t.channels && t.w_tap[2] == t.channels * kC && t.in_blocks == 1 &&
      t.last == t.channels && t.taps[2] > 0) {
    t.channels = t.last = int(t.channels * t.taps[2]);
    t.taps[2] = 1;
  }
  const bool dense = t.x_pixel == kC && t.channels == kC;
  if (t.blocks == 2) return dense ? TapsBlocks<kTile, 2, kC>(t) : TapsBlocks<kTile, 2, 0>(t);
  // One block alone has registers for twice the pixels.
  return dense ? TapsBlocks<2 * kTile, 1, kC>(t) : TapsBlocks<2 * kTile, 1, 0>(t);
}

template <int R>
void DepthwiseTaps(const onednn::TapsTile &t, int64_t pixel) {
  V::T acc[R];
  const V::T bias = t.bias ? V::Load(t.bias) : V::Zero();
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) acc[i] = bias;
  for (int64_t tap_d = 0; tap_d < t.taps[0]; ++tap_d) {
    for (int64_t tap_h = 0; tap_h < t.taps[1]; ++tap_h) {
      const float *x = t.x + pixel * t.x_pixel + tap_d * t.x_tap[0] + tap_h * t.x_tap[1];
      const float *w = t.w + tap_d * t.w_tap[0] + tap_h * t.w_tap[1];
      for (int64_t tap = 0; tap < t.taps[2]; ++tap, x += t.x_tap[2], w += t.w_tap[2]) {
        const V::T weights = V::Load(w);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) acc[i] = V::Fma(V::Load(x + i * t.x_pixel), weights, acc[i]);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) V::Store(t.y + (pixel + i) * t.y_pixel, acc[i]);
}

void TapsDepthwise(const onednn::TapsTile &t) {
  int64_t pixel = 0;
  for (; pixel + 8 <= t.pixels; pixel += 8) DepthwiseTaps<8>(t, pixel);
  for (; pixel + 4 <= t.pixels; pixel += 4) DepthwiseTaps<4>(t, pixel);
  for (; pixel < t.pixels; ++pixel) DepthwiseTaps<1>(t, pixel);
}

// R vectors of pixels, of which the last one may be cut off, and O output channels.
template <int R, int O, bool Whole>
void ThinRows(const onednn::TapsTile &t, int64_t pixel, V::Mask last) {
  V::T acc[R][O];
#pragma GCC unroll 4
  for (int o = 0; o < O; ++o)
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      const float *y = t.y + o * t.y_block + pixel + i * kC;
      if (t.more) acc[i][o] = i + 1 < R || Whole ? V::Load(y) : V::LoadPart(y, last);
      else acc[i][o] = t.bias ? V::Set(t.bias[o]) : V::Zero();
    }
  const float *x_block = t.x + pixel, *w_block = t.w;
  for (int64_t block = 0; block < t.in_blocks; ++block, x_block += t.x_block, w_block += t.w_block) {
    for (int64_t tap_d = 0; tap_d < t.taps[0]; ++tap_d) {
      for (int64_t tap_h = 0; tap_h < t.taps[1]; ++tap_h) {
        const float *x = x_block + tap_d * t.x_tap[0] + tap_h * t.x_tap[1];
        const float *w = w_block + tap_d * t.w_tap[0] + tap_h * t.w_tap[1];
        for (int64_t tap = 0; tap < t.taps[2]; ++tap, x += t.x_tap[2], w += t.w_tap[2]) {
          V::T weights[O];
#pragma GCC unroll 4
          for (int o = 0; o < O; ++o) weights[o] = V::Set(w[o]);
#pragma GCC unroll 12
          for (int i = 0; i < R; ++i) {
            const V::T value = i + 1 < R || Whole ? V::Load(x + i * kC) : V::LoadPart(x + i * kC, last);
#pragma GCC unroll 4
            for (int o = 0; o < O; ++o) acc[i][o] = V::Fma(value, weights[o], acc[i][o]);
          }
        }
      }
    }
  }
  if (t.y_pixel == 1) {
#pragma GCC unroll 4
    for (int o = 0; o < O; ++o)
#pragma GCC unroll 12
      for (int i = 0; i < R; ++i) {
        float *y = t.y + o * t.y_block + pixel + i * kC;
        if (i + 1 < R || Whole) V::Store(y, acc[i][o]);
        else V::StorePart(y, acc[i][o], last);
      }
    return;
  }
  for (int o = 0; o < O; ++o)
    for (int i = 0; i < R; ++i) {
      float *y = t.y + o * t.y_block + (pixel + i * kC) * t.y_pixel;
      const int64_t count = t.pixels - pixel - i * kC < kC ? t.pixels - pixel - i * kC : kC;
      alignas(64) float sums[kC];
      V::Store(sums, acc[i][o]);
      for (int64_t k = 0; k < count; ++k) y[k * t.y_pixel] = sums[k];
    }
}

template <int R, int O>
void ThinUpTo(const onednn::TapsTile &t, int64_t pixel, int64_t vectors, V::Mask last, bool whole) {
  if constexpr (R > 1)
    if (vectors < R) return ThinUpTo<R - 1, O>(t, pixel, vectors, last, whole);
  if (whole) ThinRows<R, O, true>(t, pixel, last);
  else ThinRows<R, O, false>(t, pixel, last);
}

// Tiles of about the same width: a narrow one would wait for each of its sums.
template <int R, int O>
void ThinTiles(const onednn::TapsTile &t) {
  int64_t vectors = (t.pixels + kC - 1) / kC, tiles = (vectors + R - 1) / R, pixel = 0;
  for (; tiles > 0; --tiles) {
    const int64_t count = (vectors + tiles - 1) / tiles, rest = t.pixels - pixel - (count - 1) * kC;
    ThinUpTo<R, O>(t, pixel, count, V::MaskOf(int(rest < kC ? rest : kC)), rest >= kC);
    vectors -= count, pixel += count * kC;
  }
}

// Twelve sums.
void TapsThin(const onednn::TapsTile &t) {
  if (t.blocks == 1) return ThinTiles<12, 1>(t);
  if (t.blocks == 2) return ThinTiles<6, 2>(t);
  if (t.blocks == 3) return ThinTiles<4, 3>(t);
  return ThinTiles<3, 4>(t);
}

// Four rows of four values become four columns.
void Turn(const float *from, int64_t from_row, float *to, int64_t to_row) {
  __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_row), c = _mm_loadu_ps(from + 2 * from_row),
         d = _mm_loadu_ps(from + 3 * from_row);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(to, a);
  _mm_storeu_ps(to + to_row, b);
  _mm_storeu_ps(to + 2 * to_row, c);
  _mm_storeu_ps(to + 3 * to_row, d);
}

void Block(const float *from, int64_t plane, float *to, int64_t to_pixel, int64_t pixels, int channels) {
  int c = 0;
  for (; c + 4 <= channels; c += 4) {
    int64_t p = 0;
    for (; p + 4 <= pixels; p += 4) Turn(from + c * plane + p, plane, to + p * to_pixel + c, to_pixel);
    for (; p < pixels; ++p)
      for (int k = c; k < c + 4; ++k) to[p * to_pixel + k] = from[k * plane + p];
  }
  for (; c < channels; ++c)
    for (int64_t p = 0; p < pixels; ++p) to[p * to_pixel + c] = from[c * plane + p];
}

void Unblock(const float *from, int64_t from_pixel, float *to, int64_t plane, int64_t pixels, int channels) {
  int c = 0;
  for (; c + 4 <= channels; c += 4) {
    int64_t p = 0;
    for (; p + 4 <= pixels; p += 4) Turn(from + p * from_pixel + c, from_pixel, to + c * plane + p, plane);
    for (; p < pixels; ++p)
      for (int k = c; k < c + 4; ++k) to[k * plane + p] = from[p * from_pixel + k];
  }
  for (; c < channels; ++c)
    for (int64_t p = 0; p < pixels; ++p) to[c * plane + p] = from[p * from_pixel + c];
}

}  // namespace
