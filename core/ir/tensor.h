// Tensor descriptions and tensors. Content is shared and immutable once attached to a graph.
#pragma once

#include <atomic>
#include <memory>
#include <string>
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

  TensorDesc() noexcept {}
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

/// Content of a buffer that is read or computed when somebody first asks for it.
class DeferredContent {
 public:
  virtual ~DeferredContent() = default;
  /// Writes all of it.
  virtual void Write(void *to) const = 0;
  /// Where it lies, at any alignment; null where it has to be computed.
  virtual const void *InPlace() const { return nullptr; }
  /// Nobody reads what lies in place for now: its memory may go.
  virtual void Leave() const {}
  /// A text that equals another one only where the contents are equal, without a look at them; "": nobody can tell.
  virtual std::string Identity() const { return ""; }
};

/// A block of memory with one owner: allocated, or borrowed with a release function.
class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  static std::shared_ptr<Buffer> Allocate(uint64_t bytes);       // 64-byte aligned, zeroed; throws GE_OUT_OF_MEMORY
  static std::shared_ptr<Buffer> AllocateUnset(uint64_t bytes);  // the same, content undefined
  /// For blocks that are filled piece by piece: zeros, untouched so far, at a multiple of LargePages::kBytes.
  static std::shared_ptr<Buffer> AllocateLarge(uint64_t bytes);
  static std::shared_ptr<Buffer> Copy(const void *data, uint64_t bytes);
  static std::shared_ptr<Buffer> Borrow(void *data, uint64_t bytes, void (*release)(void *), void *user);
  /// Its address is taken at once, and memory when the content is asked for: kernels that pack a constant read it from
  /// where it lies, and no copy is ever made.
  static std::shared_ptr<Buffer> Defer(uint64_t bytes, std::shared_ptr<const DeferredContent> content);
  /// The deferred buffer at this address; null when there is none, or it has its content by now.
  static std::shared_ptr<Buffer> DeferredAt(const void *address);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  /// With its content. Throws GE_OUT_OF_MEMORY where that was deferred and there is no room for it.
  void *data() const {
    if (is_deferred_.load(std::memory_order_acquire)) Fill();
    return data_;
  }
  /// Where the content is, or will be.
  void *address() const { return data_; }
  /// The content that is to come; null where it is there.
  std::shared_ptr<const DeferredContent> deferred() const;
  uint64_t size() const { return size_; }
  /// Gives the memory of an allocated buffer back while its address stays taken: the content is zeros from here on. For
  /// the one owner who knows that nobody reads it any more. Small and borrowed buffers stay as they are.
  void Discard();
  bool discarded() const { return discarded_; }

 private:
  Buffer() = default;
  void Fill() const;
  void *data_ = nullptr;
  uint64_t size_ = 0;
  void (*release_)(void *) = nullptr;
  void *user_ = nullptr;
  mutable bool allocated_ = false;
  size_t mapped_ = 0;        // bytes of a mapping of its own: of a deferred one at data_,
  void *mapping_ = nullptr;  // of a large one here
  bool discarded_ = false;
  mutable std::atomic<bool> is_deferred_{false};
  mutable std::shared_ptr<const DeferredContent> content_;  // of a deferred one
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
