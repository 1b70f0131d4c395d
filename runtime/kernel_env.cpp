#include "runtime/kernel_env.h"

#include <cstdio>
#include <exception>

#include "core/placement/call_watch.h"
#include "core/placement/engine.h"
#include "core/support/per_thread.h"
#include "runtime/threads.h"

namespace gec {
namespace {

GeStatus NoMemory(uint64_t bytes) noexcept {
  char text[96];
  std::snprintf(text, sizeof text, "out of memory while packing a constant of %llu bytes",
                static_cast<unsigned long long>(bytes));
  return EngineFail(GE_OUT_OF_MEMORY, text);
}

/// Where the content of a constant can be read while it is packed. What lies where its elements do not suit, and what
/// has to be computed, is written to memory that the thread uses again for the next one.
class DeferredSource {
 public:
  explicit DeferredSource(const void *data) : at_(data) {
    const std::shared_ptr<Buffer> buffer = Buffer::DeferredAt(data);
    const std::shared_ptr<const DeferredContent> content = buffer ? buffer->deferred() : nullptr;
    if (!content) return;
    const void *in_place = content->InPlace();
    constexpr uintptr_t kAlignment = 16;  // of the largest element
    if (in_place && reinterpret_cast<uintptr_t>(in_place) % kAlignment == 0) {
      at_ = in_place;
      content_ = content;
      return;
    }
    memory_ = std::move(Spare());
    if (!memory_ || memory_->size() < buffer->size()) memory_ = Buffer::AllocateUnset(buffer->size());
    content->Write(memory_->data());
    at_ = memory_->data();
  }
  ~DeferredSource() {
    constexpr uint64_t kMostKept = uint64_t{64} << 20;
    if (content_) content_->Leave();
    if (memory_ && memory_->size() <= kMostKept) Spare() = std::move(memory_);
  }
  DeferredSource(const DeferredSource &) = delete;
  DeferredSource &operator=(const DeferredSource &) = delete;
  const void *get() const { return at_; }
  /// Gives the thread's memory back.
  static void Drop() { Spare() = nullptr; }

 private:
  static std::shared_ptr<Buffer> &Spare() { return PerThread<std::shared_ptr<Buffer>>::Get(); }
  const void *at_;
  std::shared_ptr<const DeferredContent> content_;
  std::shared_ptr<Buffer> memory_;
};

}  // namespace

void KernelEnv::DropSpareMemory() { DeferredSource::Drop(); }

KernelEnv::KernelEnv(int32_t threads, uint64_t cpu_features, ConstantMemoryPtr room)
    : constant_memory_(std::move(room)) {
  env_.struct_size = sizeof env_;
  env_.host = this;
  env_.threads = threads;
  env_.cpu_features = cpu_features;
  env_.parallel_for = &Parallel;
  env_.packed_constant = &Packed;
  env_.pack_constant = &PackedFrom;
  env_.fail = &EngineFail;
}

void KernelEnv::Parallel(void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg) {
  ParallelFor(static_cast<KernelEnv *>(host)->env_.threads, n, grain, fn, arg);
}

template <class F>
GeStatus KernelEnv::Get(const void *data, const char *key, uint64_t bytes, F &&fill, const void **out) {
  *out = nullptr;
  try {
    std::string full(reinterpret_cast<const char *>(&data), sizeof data);
    full += key;
    std::shared_ptr<Entry> entry;
    {
      std::lock_guard lock(mutex_);
      std::shared_ptr<Entry> &slot = packed_[full];
      if (!slot) slot = std::make_shared<Entry>();
      entry = slot;
    }
    const TurnLock lock(entry->busy);
    if (!entry->buffer) {
      std::shared_ptr<Buffer> buffer;
      if (GeStatus status = fill(&buffer); status != GE_SUCCESS) return status;
      if (lock.lost()) throw Abandoned();
      entry->buffer = std::move(buffer);
      entry->bytes = bytes;
      std::lock_guard list(mutex_);
      packed_data_.emplace(data, nullptr);
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

std::shared_ptr<Buffer> KernelEnv::Room(uint64_t bytes) {
  return constant_memory_ ? constant_memory_->Take(bytes) : room_.Take(bytes);
}

GeStatus KernelEnv::Packed(void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                           const void **out) {
  auto *self = static_cast<KernelEnv *>(host);
  return self->Get(
      data, key, bytes,
      [&](std::shared_ptr<Buffer> *buffer) {
        if (const std::shared_ptr<Buffer> constant = Buffer::DeferredAt(data)) constant->data();
        *buffer = self->Room(bytes);
        return pack(arg, (*buffer)->data());
      },
      out);
}

GeStatus KernelEnv::PackedFrom(void *host, const void *data, const char *key, uint64_t bytes, GePackFromFn pack,
                               void *arg, const void **out) {
  auto *self = static_cast<KernelEnv *>(host);
  return self->Get(
      data, key, bytes,
      [&](std::shared_ptr<Buffer> *buffer) -> GeStatus {
        const uint64_t size = self->store_ ? ConstantBytes(data) : 0;
        ContentHash identity;
        if (size != 0) {
          const std::shared_ptr<Buffer> constant = Buffer::DeferredAt(data);
          const std::shared_ptr<const DeferredContent> content = constant ? constant->deferred() : nullptr;
          const std::string text = content ? content->Identity() : "";
          if (!text.empty()) {
            identity = HashContent(text);
            if ((*buffer = self->store_->FindByIdentity(identity, key, bytes))) return GE_SUCCESS;
          }
        }
        const DeferredSource source(data);
        const ContentHash content = size != 0 ? HashContent(source.get(), size) : ContentHash();
        if (size != 0 && (*buffer = self->store_->FindByContent(content, identity, key, bytes))) return GE_SUCCESS;
        *buffer = self->Room(bytes);
        const GeStatus status = pack(arg, source.get(), (*buffer)->data());
        if (status == GE_SUCCESS && size != 0) self->store_->Add({content, identity, key, *buffer});
        return status;
      },
      out);
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
    auto at = constant && constant->buffer ? packed_data_.find(constant->buffer->address()) : packed_data_.end();
    if (at != packed_data_.end() && !at->second) at->second = constant;
  }
}

}  // namespace gec
