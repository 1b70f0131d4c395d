// AVX2 convolutions.
#include "conv_kernels.h"
#include "vector_avx2.h"

namespace {

constexpr int kTile = 6;  // of 16 registers 12 are sums

}  // namespace

#include "conv_kernels_body.h"
#include "excite_kernels_body.h"
#include "pool_kernels_body.h"
#include "taps_kernels_body.h"
#include "winograd_kernels_body.h"

// Behind what it names.
#include "conv_kernel_set.h"

namespace onednn {
const ConvKernelSet kConvAvx2 = kSet;
const PoolRows kPoolAvx2 = {"avx2",       &MaximaOfRows, &SumsOfRows, &MaximaOfWindows, &AveragesOfWindows,
                            &PlainMaxima, &PlainAverages};
}  // namespace onednn
