// Own direct convolutions of tensors in channel blocks (NC1HWC0). Extents are arguments: one function serves every
// image size, and making a kernel costs nothing, where the library writes machine code for each size.
#pragma once

#include <cstdint>

#include "ge/engine.h"
#include "kernels.h"

namespace onednn {

// y = clip(sum + bias + residual, low, high); bounds that are infinite change nothing.
struct ConvFinish {
  const float *bias;      // one value per channel of the block, or null
  const float *residual;  // laid out as y, may be y; or null
  float low, high;
};

// Some pixels of one to three blocks of output channels of a 1 x 1 convolution. In bf16 two channels of x, and two
// weights, are one float; y and its residual are 16-bit numbers where `halves` says so, and their steps count those.
struct PointwiseTile {
  const float *x;  // first pixel; pixels and channels of a block are dense
  int64_t in_blocks, x_block;
  int rest = 0;    // floats of x in one more block, whose others are zeros, in x as in w
  const float *w;  // [in_blocks][channel in][channel out]
  int64_t w_block;
  float *y;
  int64_t y_block;
  int64_t pixels;  // any number
  int blocks;      // 1 to 3
  ConvFinish finish[3];
  bool halves = false;
};

// Some rows of one block of a depthwise convolution.
struct DepthwiseRows {
  const float *x;      // input row i lies at x + i % ring * row
  int64_t row, ring;   // ring: at least in_h where x is a whole image
  int64_t in_h, in_w;  // pixels
  const float *w;      // [kernel_h][kernel_w][channels]
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  float *y;             // of the first row; rows are dense
  int64_t first, rows;  // output rows
  int64_t out_w;
  ConvFinish finish;  // residual: of the first row
};

// Weights of the first of two blocks that are needed soon, the second's lie `w_out` behind them: kernels ask for some
// while they compute, and move on.
struct WeightsAhead {
  const float *next, *end;
};

// Some pixels of one or two blocks of output channels of any convolution. The filter positions ("taps") along depth,
// height and width are steps in x and in the filter, whose length and sign are free.
struct TapsTile {
  const float *x;              // what the first tap of the first pixel reads
  int64_t x_pixel;             // from what one pixel reads to what the next one does
  int64_t in_blocks, x_block;  // blocks of input channels, and the step between them
  int channels;                // of a block of x, side by side
  int last;                    // of the last block: the others there are zeros, as are their weights
  int64_t taps[3];             // may be 0: then y is the bias
  int64_t x_tap[3], w_tap[3];  // steps
  const float *w;              // of a tap [channel in][channel out]; depthwise [channel]
  int64_t w_block, w_out;      // from one block of input channels, and of output channels, to the next
  float *y;
  int64_t y_pixel, y_block;
  int64_t pixels;                 // any number
  int blocks;                     // 1 or 2; of thin ones the channels of y
  const float *bias;              // one value per output channel of both blocks, or null
  bool more;                      // adds to y; the bias is there already
  WeightsAhead *ahead = nullptr;  // or null
};

// Points of tiles of 4 by 4, beside 0 and infinity, with both signs. With 1 and 2, the usual ones, rounding errors are
// more than twice as large; all powers that are needed of these are exact.
constexpr float kWinogradNear = 0.625f, kWinogradFar = 1.5f;
// With strides of 2: one point has both signs, the other is positive.
constexpr float kStridedNear = 0.75f, kStridedFar = 2.0f;

// On a side, tiles of m outputs read so many inputs, of which as many numbers are made.
constexpr int WinogradReach(int m, int stride) { return stride * (m - 1) + 3; }
// Where tables have what belongs to tiles of 2 or 4 outputs and a stride of 1 or 2.
constexpr int WinogradKind(int m, int stride) { return m / 4 + 2 * (stride - 1); }

// Winograd's algorithm for 3 x 3 filters (winograd.h): some tiles of one block of channels that follow one another in a
// row of tiles, each of `m` by `m` outputs. Steps are in floats.
struct WinogradInputRun {
  const float *x;  // first pixel that the first tile reads
  int64_t row;     // from a row of pixels to the next
  float *v;        // of the first tile; tiles lie side by side
  int64_t v_step;  // from one of a tile's numbers, as many as the inputs that it reads, to the next
  int64_t tiles;
};
struct WinogradOutputRun {
  const float *m;
  int64_t m_step;
  float *y;  // first pixel
  int64_t row;
  int64_t tiles;
  int64_t rows, columns;  // that the image has there; of the last tile there may be less
  ConvFinish finish;      // residual: of the first pixel
};

constexpr int kThinChannels = 4;

struct ConvKernelSet {
  int channels;  // per block
  void (*pointwise)(const PointwiseTile &tile);
  void (*depthwise)(const DepthwiseRows &rows);
  void (*taps)(const TapsTile &tile);
  void (*taps_depthwise)(const TapsTile &tile);  // each channel by itself, one block
  // Few output channels (`blocks`, 1 to 4): pixels side by side in x (x_pixel 1, one channel in a block) and planes of
  // y_block in y; a tap of the filter has kThinChannels values. `more` only with y_pixel 1.
  void (*taps_thin)(const TapsTile &tile);
  // to[p * to_pixel + c] = from[c * plane + p], and the other way: to[c * plane + p] = from[p * from_pixel + c].
  void (*block)(const float *from, int64_t plane, float *to, int64_t to_pixel, int64_t pixels, int channels);
  void (*unblock)(const float *from, int64_t from_pixel, float *to, int64_t plane, int64_t pixels, int channels);
  // Of one block: sums[c] += the sum of channel c over some pixels; all pixels times by[c]; and of a filter's rows
  // to[r] = from[r] * by[r].
  void (*sum_pixels)(const float *x, int64_t pixels, float *sums);
  void (*scale_pixels)(float *y, int64_t pixels, const float *by);
  void (*scale_rows)(const float *from, int64_t rows, const float *by, float *to);
  // By WinogradKind.
  void (*winograd_input[4])(const WinogradInputRun &run);
  void (*winograd_output[4])(const WinogradOutputRun &run);
};
extern const ConvKernelSet kConvAvx2, kConvAvx512;
inline const ConvKernelSet &ConvKernelsFor(uint64_t features) { return HasAvx512(features) ? kConvAvx512 : kConvAvx2; }

// A row of windows of a pooling.
struct PoolWindows {
  const float *x;                  // the first value of the first window
  int64_t row, rows;               // from a row of x to the next, and how many a window has (of one channel: one)
  int64_t n, stride, kernel;       // windows, pixels from one to the next, pixels of its width
  float *y;                        // one pixel for each window
  const float *columns = nullptr;  // of averages: sums are divided by counted * columns[i]
  float counted = 1;
};

struct PoolRows {
  const char *name;
  // to[i] = the maximum, or sum, of x[r * row + i] over the rows, at least one, and with `more` of to[i]. A NaN is the
  // maximum, here and below.
  void (*maxima_of_rows)(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more);
  void (*sums_of_rows)(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more);
  // Of pixels of a block of channels, and of pixels of one channel, where a value behind the last window may be read.
  void (*maxima)(const PoolWindows &windows);
  void (*averages)(const PoolWindows &windows);
  void (*plain_maxima)(const PoolWindows &windows);
  void (*plain_averages)(const PoolWindows &windows);
};
extern const PoolRows kPoolAvx2, kPoolAvx512;
inline const PoolRows &PoolRowsFor(uint64_t features) { return HasAvx512(features) ? kPoolAvx512 : kPoolAvx2; }

}  // namespace onednn
