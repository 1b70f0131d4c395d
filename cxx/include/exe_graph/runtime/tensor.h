// Tensors of run calls: shape, format, placement and an address with an optional manager.
#ifndef INC_EXE_GRAPH_RUNTIME_TENSOR_H_
#define INC_EXE_GRAPH_RUNTIME_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor_data.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace gert {

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
  /// kFollowing: the data lies right behind this object.
  const void *GetAddr() const { return Address(); }
  void *GetAddr() { return Address(); }
  template <class T>
  const T *GetData() const {
    return static_cast<const T *>(Address());
  }
  template <class T>
  T *GetData() {
    return static_cast<T *>(Address());
  }
  void SetData(TensorData &&data) { data_ = std::move(data); }
  size_t GetSize() const { return data_.GetSize(); }
  void SetSize(size_t size) { data_.SetSize(size); }
  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  TensorPlacement GetPlacement() const { return data_.GetPlacement(); }
  void SetPlacement(TensorPlacement placement) { data_.SetPlacement(placement); }
  const TensorData &GetTensorData() const { return data_; }
  TensorData &MutableTensorData() { return data_; }

  /// A tensor with room for its elements right behind the object, in one block; total_size gets the block's bytes. Null
  /// when type and count have no size or memory is short.
  static std::unique_ptr<uint8_t[]> CreateFollowing(int64_t shape_size, ge::DataType dt, size_t &total_size) {
    const int64_t bytes = ge::GetSizeInBytes(shape_size, dt);
    if (bytes < 0) return nullptr;
    total_size = sizeof(Tensor) + static_cast<size_t>(bytes);
    std::unique_ptr<uint8_t[]> block(new (std::nothrow) uint8_t[total_size]);
    if (block == nullptr) return nullptr;
    auto *tensor = new (block.get()) Tensor;
    tensor->data_type_ = dt;
    tensor->SetPlacement(kFollowing);
    tensor->SetSize(static_cast<size_t>(bytes));
    return block;
  }
  static std::unique_ptr<uint8_t[]> CreateFollowing(ge::DataType dt, const StorageShape &shape, size_t &total_size) {
    auto block = CreateFollowing(shape.GetStorageShape().GetShapeSize(), dt, total_size);
    if (block != nullptr) reinterpret_cast<Tensor *>(block.get())->shape_ = shape;
    return block;
  }

 private:
  void *Address() const {
    if (data_.GetPlacement() == kFollowing) return const_cast<Tensor *>(this) + 1;
    return data_.GetAddr();
  }
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType data_type_ = ge::DT_FLOAT;
  TensorData data_;
};

}  // namespace gert

#endif
