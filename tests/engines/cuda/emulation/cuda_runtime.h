// The part of CUDA's runtime that engines/cuda uses, emulated on the host. It stands in place of CUDA's header of this
// name, so that the engine's kernels compile as plain C++: what they compute and what the engine asks for is tested
// where there is no GPU. That a GPU does the same is not.
//
// The emulation does what CUDA allows and an engine may not rely on: every copy reads and writes when its stream gets
// to it, streams are threads, fresh memory is NaN, threads of a kernel run in an order that changes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>

#define __global__
#define __device__

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorLaunchFailure = 719,
};
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);

using cudaStream_t = class EmulatedStream *;
constexpr unsigned cudaStreamNonBlocking = 1;
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

using cudaEvent_t = class EmulatedEvent *;
constexpr unsigned cudaEventDisableTiming = 2;
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
};
inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

struct cudaFuncAttributes {
  int numRegs;
};
cudaError_t EmulatedAttributes(cudaFuncAttributes *attributes);
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel *) {
  return EmulatedAttributes(attributes);
}

/// Gives the stream a kernel; `one` runs it for the thread that the variables above name.
cudaError_t EmulatedLaunch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream, std::function<void()> one);
/// Addresses of the device's memory that stand in these bytes become those at which its kernels work.
void EmulatedAddresses(void *bytes, size_t count);

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...));
  size_t next = 0;
  std::tuple<Parameters...> values{*static_cast<const Parameters *>(arguments[next++])...};
  std::apply([](Parameters &...value) { (EmulatedAddresses(&value, sizeof value), ...); }, values);
  return EmulatedLaunch(grid, block, shared_bytes, stream, [kernel, values] { std::apply(kernel, values); });
}
