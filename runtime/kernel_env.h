// The services of a model for kernels: threads, and packed constants that every plan and context of the model shares.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/ir/tensor.h"
#include "core/placement/turn.h"
#include "ge/engine.h"
#include "runtime/constant_memory.h"
#include "runtime/packed_room.h"
#include "runtime/weight_store.h"

namespace gec {

class KernelEnv {
 public:
  KernelEnv(int32_t threads, uint64_t cpu_features, ConstantMemoryPtr room = {});
  KernelEnv(const KernelEnv &) = delete;
  KernelEnv &operator=(const KernelEnv &) = delete;
  /// Engines measure kernels that they can make in several ways. Before the first kernel.
  void Tune(bool on) { env_.tune = on; }
  const GeKernelEnv *get() const { return &env_; }
  int32_t threads() const { return env_.threads; }
  uint64_t packed_bytes() const;  // each at a multiple of 64 bytes
  size_t packed_count() const;
  /// Keeps constants for the life of the model from which something was packed: packed data goes by the constant's
  /// address, which must never become another constant's.
  /// From here on packed forms of constants come from there and go there. Before the first kernel.
  void UseStore(std::unique_ptr<WeightStore> store) { store_ = std::move(store); }
  WeightStore *store() const { return store_.get(); }
  /// Packing used memory of the thread, which waits for the next constant: there is none.
  static void DropSpareMemory();
  void Retain(const std::vector<TensorPtr> &constants);  // may hold nulls

 private:
  static void Parallel(void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg);
  static GeStatus Packed(void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                         const void **out);
  static GeStatus PackedFrom(void *host, const void *data, const char *key, uint64_t bytes, GePackFromFn pack,
                             void *arg, const void **out);
  /// The packed form, which `fill(buffer)` makes for the first that asks.
  template <class F>
  GeStatus Get(const void *data, const char *key, uint64_t bytes, F &&fill, const void **out);
  std::shared_ptr<Buffer> Room(uint64_t bytes);
  struct Entry {
    Turn busy;  // one thread packs, others wait for it
    std::shared_ptr<Buffer> buffer;
    uint64_t bytes = 0;
  };
  GeKernelEnv env_{};
  ConstantMemoryPtr constant_memory_;  // null: packed constants lie in room_
  PackedRoom room_;
  std::unique_ptr<WeightStore> store_;  // null: there is none
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> packed_;
  std::unordered_map<const void *, TensorPtr> packed_data_;  // null: kept alive by the model's graph
};

}  // namespace gec
