#include "runtime/kernel_env.h"

#include <cstdio>
#include <exception>

#include "core/placement/call_watch.h"
#include "core/placement/engine.h"
#include "runtime/threads.h"

namespace gec {
namespace {

GeStatus NoMemory(uint64_t bytes) noexcept {
  char text[96];
  std::snprintf(text, sizeof text, "out of memory while packing a constant of %llu bytes",
                static_cast<unsigned long long>(bytes));
  return EngineFail(GE_OUT_OF_MEMORY, text);
}

}  // namespace

KernelEnv::KernelEnv(int32_t threads, uint64_t cpu_features, ConstantMemoryPtr room)
    : constant_memory_(std::move(room)) {
  env_.struct_size = sizeof env_;
  env_.host = this;
  env_.threads = threads;
  env_.cpu_features = cpu_features;
  env_.parallel_for = &Parallel;
  env_.packed_constant = &Packed;
  env_.fail = &EngineFail;
}

void KernelEnv::Parallel(void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg) {
  ParallelFor(static_cast<KernelEnv *>(host)->env_.threads, n, grain, fn, arg);
}

GeStatus KernelEnv::Packed(void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                           const void **out) {
  *out = nullptr;
  auto *self = static_cast<KernelEnv *>(host);
  try {
    std::string full(reinterpret_cast<const char *>(&data), sizeof data);
    full += key;
    std::shared_ptr<Entry> entry;
    {
      std::lock_guard lock(self->mutex_);
      std::shared_ptr<Entry> &slot = self->packed_[full];
      if (!slot) slot = std::make_shared<Entry>();
      entry = slot;
    }
    const TurnLock lock(entry->busy);
    if (!entry->buffer) {
      std::shared_ptr<Buffer> buffer =
          self->constant_memory_ ? self->constant_memory_->Take(bytes) : Buffer::Allocate(bytes);
      if (GeStatus status = pack(arg, buffer->data()); status != GE_SUCCESS) return status;
      if (lock.lost()) throw Abandoned();
      entry->buffer = std::move(buffer);
      entry->bytes = bytes;
      std::lock_guard list(self->mutex_);
      self->packed_data_.emplace(data, nullptr);
    } else if (entry->bytes != bytes) {
      return EngineFail(GE_PARAM_INVALID, Str("packed constant '", key, "' was made with ", entry->bytes,
                                              " bytes and is asked for with ", bytes)
                                              .c_str());
    }
    NotePacked(data);
    *out = entry->buffer->data();
    return GE_SUCCESS;
  } catch (const Error &e) {
    return EngineFail(e.code(), e.what());
  } catch (const std::bad_alloc &) {
    return NoMemory(bytes);
  } catch (const std::exception &e) {
    return EngineFail(GE_FAILED, e.what());
  } catch (const Abandoned &) {  // it does not travel through the engine; its call ends with it
    return EngineFail(GE_FAILED, "nobody waits for this kernel any more");
  }
}

uint64_t KernelEnv::packed_bytes() const {
  std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto &[key, entry] : packed_) sum += ConstantMemoryFor(entry->bytes);
  return sum;
}

size_t KernelEnv::packed_count() const {
  std::lock_guard lock(mutex_);
  return packed_.size();
}

void KernelEnv::Retain(const std::vector<TensorPtr> &constants) {
  std::lock_guard lock(mutex_);
  for (const TensorPtr &constant : constants) {
    auto at = constant ? packed_data_.find(constant->data()) : packed_data_.end();
    if (at != packed_data_.end() && !at->second) at->second = constant;
  }
}

}  // namespace gec
