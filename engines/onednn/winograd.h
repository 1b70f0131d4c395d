// 3 x 3 convolutions of stride 1 and 2 by Winograd's minimal filtering (Lavin and Gray, arXiv 1509.09308).
//
// A tile of m x m outputs reads (m + 2) x (m + 2) inputs. Both those and the filter are transformed into that many
// numbers for each channel, after which the convolution is one product for each of the numbers, over all channels, and
// another transform makes outputs of the sums: (m + 2)^2 multiplications in place of 9 m^2, that is 2.25 times fewer
// for m = 2 and 4 times fewer for m = 4. The transforms and the larger filter are what it costs.
//
// With stride 2, outputs read every other input with the outer two weights, which is a convolution of stride 1 by two
// weights, of m + 1 multiplications in place of 2 m, and the inputs between with the middle one. That takes 2 m + 1 in
// place of 3 m in each dimension: 1.44 times fewer for m = 2, 1.78 times for m = 4.
//
// With dilation d, each of the d x d images of pixels that are d apart is convolved by itself. A transposed convolution
// of stride s makes s x s such images of y, all of the same x, each with filter positions of its own that are at most
// three on a side.
#pragma once

#include "conv.h"
#include "taps_spec.h"

namespace onednn {

/// The tile that pays for a convolution whose extents are known: 2, 4, or 0 for none. In bf16 it has to pay beside
/// direct kernels of twice the speed.
int WinogradTile(const ConvSpec &spec, int64_t channel_block, bool blocks);
/// True where the algorithm can be used: filter, strides, groups, and with dilation where both sides lie in blocks.
bool FitsWinograd(const ConvSpec &spec, bool blocks);
/// Of a transposed one: no groups, no dilation, at most three filter positions for an output in height and in width, y
/// in channel blocks.
bool FitsWinograd(const TapsSpec &transposed, int64_t channel_block);
/// The same for a transposed convolution of images whose extents are known.
int WinogradTile(const TapsSpec &transposed, int64_t channel_block);
/// Each side in channel blocks of the processor's kernels or in planes, a residual as y; filter and bias constant.
/// Results are the same in either layout. `open`: the run tells batch, height and width. Images, residual and filter in
/// bf16 become float32 and sums are rounded at the end; they lie in channel blocks, and extents are known.
std::unique_ptr<Kernel> CreateWinograd(const Context &context, const ConvSpec &spec, int tile, bool open = false);
/// Of a transposed one: x in channel blocks or planes, y in channel blocks; filter and bias constant.
std::unique_ptr<Kernel> CreateWinograd(const Context &context, const TapsSpec &transposed, int tile, bool open = false);

}  // namespace onednn
