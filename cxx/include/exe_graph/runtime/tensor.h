// Tensors of run calls: shape, format, placement and an address with an optional manager.
#ifndef INC_EXE_GRAPH_RUNTIME_TENSOR_H_
#define INC_EXE_GRAPH_RUNTIME_TENSOR_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "graph/error_codes.h"
#include "graph/types.h"

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  Shape() = default;
  Shape(const std::initializer_list<int64_t> &dims) {
    for (int64_t dim : dims) AppendDim(dim);
  }
  size_t GetDimNum() const { return rank_; }
  void SetDimNum(size_t rank) { rank_ = rank <= kMaxDimNum ? rank : kMaxDimNum; }
  int64_t GetDim(size_t i) const { return i < kMaxDimNum ? dims_[i] : 0; }
  void SetDim(size_t i, int64_t value) {
    if (i < kMaxDimNum) dims_[i] = value;
  }
  Shape &AppendDim(int64_t value) {
    if (rank_ < kMaxDimNum) dims_[rank_++] = value;
    return *this;
  }
  /// Elements; a scalar has one.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < rank_; ++i) size *= dims_[i];
    return size;
  }
  bool IsScalar() const { return rank_ == 0; }
  void SetScalar() { rank_ = 0; }
  const int64_t &operator[](size_t i) const { return dims_[i]; }
  int64_t &operator[](size_t i) { return dims_[i]; }
  bool operator==(const Shape &other) const {
    if (rank_ != other.rank_) return false;
    for (size_t i = 0; i < rank_; ++i)
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

 private:
  size_t rank_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
 public:
  StorageShape() = default;
  StorageShape(const std::initializer_list<int64_t> &origin, const std::initializer_list<int64_t> &storage)
      : origin_(origin), storage_(storage) {}
  const Shape &GetOriginShape() const { return origin_; }
  const Shape &GetStorageShape() const { return storage_; }
  Shape &MutableOriginShape() { return origin_; }
  Shape &MutableStorageShape() { return storage_; }

 private:
  Shape origin_, storage_;
};

class ExpandDimsType {
 public:
  ExpandDimsType() = default;
  explicit ExpandDimsType(int64_t mask) : mask_(mask) {}
  bool operator==(const ExpandDimsType &other) const { return mask_ == other.mask_; }

 private:
  int64_t mask_ = 0;
};

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType &expand)
      : origin_(origin), storage_(storage), expand_(expand) {}
  ge::Format GetOriginFormat() const { return origin_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  ExpandDimsType GetExpandDimsType() const { return expand_; }

 private:
  ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
  ExpandDimsType expand_;
};

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
    return std::exchange(addr_, nullptr);
  }

 private:
  void Steal(TensorData &o) {
    addr_ = std::exchange(o.addr_, nullptr);
    manager_ = std::exchange(o.manager_, nullptr);
    size_ = std::exchange(o.size_, 0);
    placement_ = o.placement_;
  }
  void *addr_ = nullptr;
  TensorAddrManager manager_ = nullptr;
  size_t size_ = 0;
  TensorPlacement placement_ = kOnHost;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const StorageShape &shape, const StorageFormat &format, TensorPlacement placement, ge::DataType dt, void *addr)
      : Tensor(shape, format, placement, dt, addr, nullptr) {}
  Tensor(const StorageShape &shape, const StorageFormat &format, TensorPlacement placement, ge::DataType dt, void *addr,
         TensorAddrManager manager)
      : shape_(shape),
        format_(format),
        data_type_(dt),
        data_(addr, manager, static_cast<size_t>(ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), dt)),
              placement) {}
  Tensor(const StorageShape &shape, const StorageFormat &format, ge::DataType dt)
      : shape_(shape), format_(format), data_type_(dt) {}
  Tensor(Tensor &&) noexcept = default;
  Tensor &operator=(Tensor &&) noexcept = default;

  const StorageShape &GetShape() const { return shape_; }
  StorageShape &GetShape() { return shape_; }
  const Shape &GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape &GetOriginShape() const { return shape_.GetOriginShape(); }
  Shape &MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape &MutableOriginShape() { return shape_.MutableOriginShape(); }
  const StorageFormat &GetFormat() const { return format_; }
  StorageFormat &MutableFormat() { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(ge::DataType dt) { data_type_ = dt; }
  void *GetAddr() const { return data_.GetAddr(); }
  template <class T>
  const T *GetData() const {
    return static_cast<const T *>(GetAddr());
  }
  template <class T>
  T *GetData() {
    return static_cast<T *>(GetAddr());
  }
  void SetData(TensorData &&data) { data_ = std::move(data); }
  size_t GetSize() const { return data_.GetSize(); }
  void SetSize(size_t size) { data_.SetSize(size); }
  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  TensorPlacement GetPlacement() const { return data_.GetPlacement(); }
  void SetPlacement(TensorPlacement placement) { data_.SetPlacement(placement); }
  const TensorData &GetTensorData() const { return data_; }
  TensorData &MutableTensorData() { return data_; }

 private:
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType data_type_ = ge::DT_FLOAT;
  TensorData data_;
};

}  // namespace gert

#endif
