// Tensor descriptions and tensors. Content is shared and immutable once attached to a graph.
#pragma once

#include <memory>
#include <vector>

#include "core/ir/shape.h"
#include "core/support/error.h"
#include "ge/data.h"

namespace gec {

class AttrMap;

struct TensorDesc {
  int32_t dtype = C_DT_FLOAT;
  int32_t format = C_FORMAT_ND;
  int32_t origin_format = C_FORMAT_ND;
  Shape shape;                     // in `format`
  Shape origin_shape;              // in `origin_format`
  std::shared_ptr<AttrMap> attrs;  // of the port; usually null; copied on write

  TensorDesc() = default;
  TensorDesc(int32_t type, Shape s, int32_t f = C_FORMAT_ND)
      : dtype(type), format(f), origin_format(f), shape(s), origin_shape(std::move(s)) {}
  /// Sets both shapes, for plain layouts.
  void SetShape(const Shape &s) { shape = origin_shape = s; }
  static TensorDesc From(const GeTensorData &data);
  /// Borrows: dims point into this.
  GeTensorData View() const;
  bool known() const { return shape.known(); }
  uint64_t bytes() const { return ByteSize(dtype, shape.elements()); }
};

/// A block of memory with one owner: allocated, or borrowed with a release function.
class Buffer {
 public:
  static std::shared_ptr<Buffer> Allocate(uint64_t bytes);       // 64-byte aligned, zeroed; throws GE_OUT_OF_MEMORY
  static std::shared_ptr<Buffer> AllocateUnset(uint64_t bytes);  // the same, content undefined
  static std::shared_ptr<Buffer> Copy(const void *data, uint64_t bytes);
  static std::shared_ptr<Buffer> Borrow(void *data, uint64_t bytes, void (*release)(void *), void *user);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void *data() const { return data_; }
  uint64_t size() const { return size_; }
  /// Gives the memory of an allocated buffer back while its address stays taken: the content is zeros from here on. For
  /// the one owner who knows that nobody reads it any more. Small and borrowed buffers stay as they are.
  void Discard();
  bool discarded() const { return discarded_; }

 private:
  Buffer() = default;
  void *data_ = nullptr;
  uint64_t size_ = 0;
  void (*release_)(void *) = nullptr;
  void *user_ = nullptr;
  bool allocated_ = false;
  bool discarded_ = false;
};

struct Tensor {
  TensorDesc desc;
  std::shared_ptr<Buffer> buffer;  // null: GE's empty Tensor()

  Tensor() = default;
  Tensor(TensorDesc d, std::shared_ptr<Buffer> b) : desc(std::move(d)), buffer(std::move(b)) {}
  template <class T>
  static std::shared_ptr<Tensor> Of(int32_t dtype, Shape shape, const std::vector<T> &values) {
    return std::make_shared<Tensor>(TensorDesc(dtype, std::move(shape)),
                                    Buffer::Copy(values.data(), values.size() * sizeof(T)));
  }
  const void *data() const { return buffer ? buffer->data() : nullptr; }
  template <class T>
  const T *as() const {
    return static_cast<const T *>(data());
  }
  uint64_t bytes() const { return buffer ? buffer->size() : 0; }
  /// Description with data, size and GE_TENSOR_CONSTANT set; borrows.
  GeTensorData View() const;
  /// Values of an integer tensor (any integer type) as int64; throws GE_PARAM_INVALID for another type.
  std::vector<int64_t> Ints() const;
};
using TensorPtr = std::shared_ptr<const Tensor>;

}  // namespace gec
