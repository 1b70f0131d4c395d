#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cuda_runtime.h"
#include "memory.h"

namespace emulated {
namespace {

Memory &TheMemory() {
  static Memory memory;
  return memory;
}
std::atomic<int> devices{1}, delay{0};
std::atomic<size_t> live{0};  // streams and events
thread_local cudaError_t last_error = cudaSuccess;

// What tests want to fail.
std::mutex failing_mutex;
std::string failing_call;
cudaError_t failing_with = cudaSuccess;

cudaError_t Wanted(const char *call) {
  std::lock_guard lock(failing_mutex);
  return failing_call == call ? failing_with : cudaSuccess;
}
cudaError_t Answer(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}
/// The body's answer, unless the call is to fail.
template <class Body>
cudaError_t Call(const char *name, const Body &body) {
  const cudaError_t wanted = Wanted(name);
  return Answer(wanted != cudaSuccess ? wanted : body());
}

/// What an event stood for when it was recorded.
class Moment {
 public:
  void Reach(cudaError_t status) {
    {
      std::lock_guard lock(mutex_);
      reached_ = true;
      status_ = status;
    }
    changed_.notify_all();
  }
  cudaError_t Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_; });
    return status_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  cudaError_t status_ = cudaSuccess;
};

}  // namespace
}  // namespace emulated

/// Work in the order in which it was given, on a thread. After a failure the rest is passed over until somebody
/// synchronizes; a real device takes nothing at all any more.
class EmulatedStream {
 public:
  EmulatedStream() : thread_([this] { Work(); }) {}
  ~EmulatedStream() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void Add(std::function<cudaError_t()> job, std::shared_ptr<emulated::Moment> moment = nullptr) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back({std::move(job), std::move(moment)});
    }
    changed_.notify_all();
  }
  cudaError_t Synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
    return std::exchange(status_, cudaSuccess);
  }

 private:
  struct Job {
    std::function<cudaError_t()> work;
    std::shared_ptr<emulated::Moment> moment;  // reached in place of work, also after failures
  };
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      busy_ = true;
      if (job.moment) {
        job.moment->Reach(status_);
      } else if (status_ == cudaSuccess) {
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(emulated::delay));
        const cudaError_t status = job.work();
        lock.lock();
        status_ = status;
      }
      busy_ = false;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool busy_ = false, stop_ = false;
  cudaError_t status_ = cudaSuccess;
  std::thread thread_;  // last: it uses the others
};

class EmulatedEvent {
 public:
  std::shared_ptr<emulated::Moment> Record() {
    std::lock_guard lock(mutex_);
    return moment_ = std::make_shared<emulated::Moment>();
  }
  std::shared_ptr<emulated::Moment> moment() {
    std::lock_guard lock(mutex_);
    return moment_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<emulated::Moment> moment_;
};

namespace emulated {
namespace {
EmulatedStream &StreamOf(cudaStream_t stream) {
  static EmulatedStream without_name;
  return stream ? *stream : without_name;
}
}  // namespace
}  // namespace emulated

using namespace emulated;

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
  }
  return "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t) { return "emulated error"; }
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int *count) {
  *count = devices;
  return Answer(devices == 0 ? cudaErrorNoDevice : cudaSuccess);
}
cudaError_t cudaSetDevice(int device) {
  return Answer(device < 0 || device >= devices ? cudaErrorInvalidDevice : cudaSuccess);
}
cudaError_t EmulatedAttributes(cudaFuncAttributes *attributes) {
  return Call("cudaFuncGetAttributes", [&] {
    attributes->numRegs = 32;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  return Call("cudaMalloc", [&] {
    *memory = TheMemory().Allocate(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}
cudaError_t cudaFree(void *memory) {
  return Answer(!memory || TheMemory().Release(memory) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  return Call("cudaStreamCreateWithFlags", [&] {
    *stream = new EmulatedStream;
    ++live;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --live;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return Answer(StreamOf(stream).Synchronize()); }

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return Call("cudaMemcpyAsync", [&] {
    Memory &memory = TheMemory();
    const auto fits = [&](const void *address, bool on_device) {
      return on_device ? memory.Holds(address, bytes) : !memory.Owns(address);
    };
    if (!fits(to, kind != cudaMemcpyDeviceToHost) || !fits(from, kind != cudaMemcpyHostToDevice))
      return cudaErrorInvalidValue;
    char *target = kind == cudaMemcpyDeviceToHost ? static_cast<char *>(to) : memory.Device(to);
    const char *source = kind == cudaMemcpyHostToDevice ? static_cast<const char *>(from) : memory.Device(from);
    StreamOf(stream).Add([=] {
      std::memcpy(target, source, bytes);
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  return Call("cudaEventCreateWithFlags", [&] {
    *event = new EmulatedEvent;
    ++live;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --live;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  StreamOf(stream).Add(nullptr, event->Record());
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::shared_ptr<Moment> moment = event->moment();
  return Answer(moment ? moment->Wait() : cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (std::shared_ptr<Moment> moment = event->moment())
    StreamOf(stream).Add([moment = std::move(moment)] { return moment->Wait(); });
  return cudaSuccess;
}

cudaError_t EmulatedLaunch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream, std::function<void()> one) {
  return Call("cudaLaunchKernel", [&] {
    const bool one_dimension = grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && shared_bytes == 0;
    if (!one_dimension || grid.x == 0 || grid.x > 0x7fffffff || block.x == 0 || block.x > 1024)
      return cudaErrorInvalidConfiguration;
    static std::atomic<size_t> launches{0};
    const bool backwards = ++launches % 2 == 0;
    StreamOf(stream).Add([=] {
      if (const cudaError_t wanted = Wanted("kernel"); wanted != cudaSuccess) return wanted;
      gridDim = grid;
      blockDim = block;
      const uint64_t threads = static_cast<uint64_t>(grid.x) * block.x;
      for (uint64_t k = 0; k < threads; ++k) {
        const uint64_t thread = backwards ? threads - 1 - k : k;
        blockIdx = dim3(static_cast<unsigned>(thread / block.x));
        threadIdx = dim3(static_cast<unsigned>(thread % block.x));
        one();
      }
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}
void EmulatedAddresses(void *bytes, size_t count) {
  const Memory &memory = TheMemory();
  for (size_t at = 0; at + sizeof(void *) <= count; at += sizeof(void *)) {
    void *word;
    std::memcpy(&word, static_cast<char *>(bytes) + at, sizeof word);
    if (!memory.Owns(word)) continue;
    word = memory.Device(word);
    std::memcpy(static_cast<char *>(bytes) + at, &word, sizeof word);
  }
}

// For tests.
#define EMULATED_API extern "C" __attribute__((visibility("default")))
EMULATED_API void EmulatedCudaDevices(int count) { devices = count; }
/// Microseconds before each piece of work.
EMULATED_API void EmulatedCudaDelay(int microseconds) { delay = microseconds; }
/// From now on calls of this name fail; "kernel": kernels do, when they run. "": none.
EMULATED_API void EmulatedCudaFails(const char *call, int error) {
  std::lock_guard lock(failing_mutex);
  failing_call = call;
  failing_with = static_cast<cudaError_t>(error);
}
/// Pieces of memory, streams and events that somebody has.
EMULATED_API size_t EmulatedCudaLive(void) { return TheMemory().live() + live; }
