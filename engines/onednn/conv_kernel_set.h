// The convolutions of one instruction set, as the files of their bodies made them.
#include "conv_kernels.h"

namespace {

constexpr onednn::ConvKernelSet kSet = {
    kC,
    &Pointwise,
    &Depthwise,
    &Taps,
    &TapsDepthwise,
    &TapsThin,
    &Block,
    &Unblock,
    &SumPixels,
    &ScalePixels,
    &ScaleRows,
    {&WinogradInput<2, 1>, &WinogradInput<4, 1>, &WinogradInput<2, 2>, &WinogradInput<4, 2>},
    {&WinogradOutput<2, 1>, &WinogradOutput<4, 1>, &WinogradOutput<2, 2>, &WinogradOutput<4, 2>}};

}  // namespace
