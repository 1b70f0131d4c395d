// The parts of the CUDA engine share these: errors of the runtime, kernels that give work to a stream, families of
// operators.
//
// Kernels are in *.cu. They use nothing but blocks, threads and the launch by cudaLaunchKernel, so that the same files
// compile as plain C++ against the emulation in tests/engines/cuda.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ge/engine_kit.hpp"

namespace cuda_engine {

using ge::kit::Count;
using ge::kit::Dims;
using ge::kit::Fail;
using ge::kit::Kernel;
using ge::kit::Node;
using ge::kit::Refuse;
using ge::kit::Tensor;

/// Throws what a call of the CUDA runtime failed with; `call` is its name.
void Need(cudaError_t status, const char *call);

/// Throws where the device, which this starts, cannot run what this library was compiled for.
void NeedKernels();

/// A kernel of a node. Its work is done by the device later, in the order of the stream.
class DeviceKernel : public Kernel {
 public:
  GeStatus Run(const GeKernelArgs &args) const final;
  int device = 0;  // the engine's

 protected:
  virtual void Give(const GeKernelArgs &args, cudaStream_t stream) const = 0;
};

/// Operators that are read and computed alike. Both functions throw what Refuse throws.
struct Family {
  void (*check)(const Node &node);  // types and attributes; extents may be unknown
  std::unique_ptr<DeviceKernel> (*create)(const Node &node);
};
const Family &ElementwiseFamily();
bool IsElementwise(const char *type);  // of that family
const Family &ViewFamily();
const Family &MatMulFamily();
const Family &SoftmaxFamily();
const Family &NormFamily();

inline const float *FloatIn(const GeKernelArgs &args, size_t port) {
  return static_cast<const float *>(args.inputs[port]);
}
inline float *FloatOut(const GeKernelArgs &args, size_t port) { return static_cast<float *>(args.outputs[port]); }

/// Gives `count` threads of a kernel to the stream; `call` is its one argument. A kernel goes on where the grid ends.
template <class Call>
void Launch(void (*kernel)(Call), Call call, int64_t count, cudaStream_t stream) {
  constexpr int64_t kBlock = 256, kMostBlocks = 65535;
  if (count == 0) return;
  const int64_t blocks = std::min((count + kBlock - 1) / kBlock, kMostBlocks);
  void *arguments[] = {&call};
  Need(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kBlock), arguments, 0, stream),
       "cudaLaunchKernel");
}

}  // namespace cuda_engine
