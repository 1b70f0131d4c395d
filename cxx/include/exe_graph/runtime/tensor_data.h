// gert::TensorData: an address with an optional manager that counts or frees it.
#ifndef INC_EXE_GRAPH_RUNTIME_TENSOR_DATA_H_
#define INC_EXE_GRAPH_RUNTIME_TENSOR_DATA_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "graph/detail/language.h"
#include "graph/error_codes.h"

namespace gert {

enum TensorPlacement : int32_t {
  kOnDeviceHbm = 0,
  kOnHost = 1,
  kFollowing = 2,
  kOnDeviceP2p = 3,
  kTensorPlacementEnd = 4
};
enum TensorOperateType { kGetTensorAddress = 0, kFreeTensor = 1, kPlusShareCount = 2 };
/// Manages the memory behind an address; null: plain borrowed memory.
using TensorAddrManager = ge::graphStatus (*)(void *addr, TensorOperateType type, void **out);
using TensorAddress = void *;

/// Move-only owner of an address: the destructor frees it through the manager.
class TensorData {
 public:
  explicit TensorData(void *addr = nullptr, TensorAddrManager manager = nullptr) : addr_(addr), manager_(manager) {}
  TensorData(void *addr, TensorAddrManager manager, size_t size, TensorPlacement placement)
      : addr_(addr), manager_(manager), size_(size), placement_(placement) {}
  TensorData(const TensorData &) = delete;
  TensorData &operator=(const TensorData &) = delete;
  TensorData(TensorData &&o) noexcept { Steal(o); }
  TensorData &operator=(TensorData &&o) noexcept {
    if (this != &o) {
      (void)Free();
      Steal(o);
    }
    return *this;
  }
  ~TensorData() { (void)Free(); }

  void *GetAddr() const {
    if (manager_ == nullptr || addr_ == nullptr) return addr_;
    void *out = nullptr;
    return manager_(addr_, kGetTensorAddress, &out) == ge::GRAPH_SUCCESS ? out : nullptr;
  }
  size_t GetSize() const { return size_; }
  void SetSize(size_t size) { size_ = size; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(TensorPlacement placement) { placement_ = placement; }
  ge::graphStatus SetAddr(void *addr, TensorAddrManager manager) {
    ge::graphStatus status = Free();
    addr_ = addr;
    manager_ = manager;
    return status;
  }
  ge::graphStatus ShareFrom(const TensorData &other) {
    if (&other == this) return ge::GRAPH_SUCCESS;
    (void)Free();
    addr_ = other.addr_;
    manager_ = other.manager_;
    size_ = other.size_;
    placement_ = other.placement_;
    return manager_ == nullptr || addr_ == nullptr ? ge::GRAPH_SUCCESS : manager_(addr_, kPlusShareCount, nullptr);
  }
  bool IsSharedWith(const TensorData &other) const { return addr_ == other.addr_ && manager_ == other.manager_; }
  ge::graphStatus Free() {
    if (manager_ == nullptr || addr_ == nullptr) return ge::GRAPH_SUCCESS;
    ge::graphStatus status = manager_(addr_, kFreeTensor, nullptr);
    addr_ = nullptr;
    manager_ = nullptr;
    return status;
  }
  void *Release(TensorAddrManager &manager) {
    manager = manager_;
    manager_ = nullptr;
    return ge::detail::Exchange(addr_, nullptr);
  }

 private:
  void Steal(TensorData &o) {
    addr_ = ge::detail::Exchange(o.addr_, nullptr);
    manager_ = ge::detail::Exchange(o.manager_, nullptr);
    size_ = ge::detail::Exchange(o.size_, 0);
    placement_ = o.placement_;
  }
  void *addr_ = nullptr;
  TensorAddrManager manager_ = nullptr;
  size_t size_ = 0;
  TensorPlacement placement_ = kOnHost;
};

}  // namespace gert

#endif
