// Memory of an engine's own (GeMemorySpace), as runs and plans hold it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/placement/engine.h"

namespace gec {

/// A piece of an engine's memory, given back with the object. Keeps the engine.
class SpaceBlock {
 public:
  SpaceBlock() = default;
  SpaceBlock(EnginePtr engine, uint64_t bytes) : data_(engine->Allocate(bytes)), engine_(std::move(engine)) {}
  SpaceBlock(SpaceBlock &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), engine_(std::move(other.engine_)) {}
  SpaceBlock &operator=(SpaceBlock &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(engine_, other.engine_);
    return *this;
  }
  ~SpaceBlock() {
    if (data_) engine_->Release(data_);
  }
  char *data() const { return static_cast<char *>(data_); }

 private:
  void *data_ = nullptr;
  EnginePtr engine_;
};

/// A run context has one for each engine with memory of its own: an arena that grows, a stream, and where the engine
/// has events a second stream for copies to the host. One thread uses it.
class SpaceMemory {
 public:
  explicit SpaceMemory(EnginePtr engine);
  ~SpaceMemory();
  SpaceMemory(const SpaceMemory &) = delete;
  SpaceMemory &operator=(const SpaceMemory &) = delete;
  /// True when the arena moved. Nothing in it may be in use.
  bool Ensure(uint64_t bytes);
  char *base() const { return arena_.data(); }
  uint64_t bytes() const { return bytes_; }
  void *stream() const { return stream_; }
  const Engine &engine() const { return *engine_; }
  GeStatus Synchronize() const;

  /// A copy to the host that goes on beside later work; the k-th of a run. Wait answers when it is done.
  GeStatus StartCopyToHost(size_t k, void *to, const void *from, uint64_t bytes);
  GeStatus WaitForCopy(size_t k) const { return engine_->WaitEvent(copies_[k].done); }
  /// Makes the events of that many copies.
  void ReserveCopies(size_t count);

 private:
  EnginePtr engine_;
  SpaceBlock arena_;
  uint64_t bytes_ = 0;
  void *stream_ = nullptr, *copy_stream_ = nullptr;  // a null one is one like any other
  bool two_streams_ = false;
  struct Copy {
    void *ready = nullptr, *done = nullptr;  // the value is there; the copy is
  };
  std::vector<Copy> copies_;
};

/// A constant that lies in the engine's memory: its address is for kernels of that engine alone.
TensorPtr CopyConstant(const EnginePtr &engine, const Tensor &constant);

/// One call of a kernel whose engine has memory of its own, for a caller whose values are in the host's: copies inputs
/// there and outputs back. Null entries are absent ports.
struct HostBuffer {
  void *data;
  uint64_t bytes;
};
GeStatus RunFromHost(const Kernel &kernel, SpaceMemory &memory, std::span<const HostBuffer> inputs,
                     std::span<const HostBuffer> outputs);

/// `bytes` rounded up, so that what follows lies at a multiple of the alignment.
constexpr uint64_t AlignUp(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace gec
