// AVX-512 convolutions. As in kernels_avx512.cpp, nothing here may be shared with other files.
#include "conv_kernels.h"
#include "vector_avx512.h"

namespace {

constexpr int kTile = 14;  // of 32 registers 28 are sums

}  // namespace

#include "conv_kernels_body.h"
#include "excite_kernels_body.h"
#include "pool_kernels_body.h"
#include "taps_kernels_body.h"
#include "winograd_kernels_body.h"

// Behind what it names.
#include "conv_kernel_set.h"

namespace onednn {
const ConvKernelSet kConvAvx512 = kSet;
const PoolRows kPoolAvx512 = {"avx512",           &MaximaOfRows, &SumsOfRows,   &MaximaOfWindows,
                              &AveragesOfWindows, &PlainMaxima,  &PlainAverages};
}  // namespace onednn
