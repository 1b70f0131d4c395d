// Outputs of runs: memory that is counted, copied to where a caller wants it, or taken from a caller's allocator.
#ifndef INC_GE_DETAIL_SESSION_TENSORS_H_
#define INC_GE_DETAIL_SESSION_TENSORS_H_

#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/tensor.h"
#include "ge/ge_allocator.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/tensor.h"

namespace ge {
namespace detail {

inline std::vector<int64_t> DimsOf(const gert::Shape &shape) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) dims.push_back(shape.GetDim(i));
  return dims;
}

// An output's memory: a counted copy of a ge::Tensor.
struct SharedOutput {
  Tensor tensor;
  std::atomic<int> count{1};
  static graphStatus Manage(void *addr, gert::TensorOperateType type, void **out) {
    auto *self = static_cast<SharedOutput *>(addr);
    if (type == gert::kGetTensorAddress) {
      *out = self->tensor.GetData();
    } else if (type == gert::kPlusShareCount) {
      ++self->count;
    } else if (--self->count == 0) {
      delete self;
    }
    return GRAPH_SUCCESS;
  }
};

// An output in memory of a program's allocator.
struct SharedBlock {
  MemBlock *block;
  AllocatorPtr keep;
  std::atomic<int> count{1};
  static graphStatus Manage(void *addr, gert::TensorOperateType type, void **out) {
    auto *self = static_cast<SharedBlock *>(addr);
    if (type == gert::kGetTensorAddress) {
      *out = self->block->GetAddr();
    } else if (type == gert::kPlusShareCount) {
      ++self->count;
    } else if (--self->count == 0) {
      self->block->Free();
      delete self;
    }
    return GRAPH_SUCCESS;
  }
};

class OutputMemory {
 public:
  static void CopyOut(const Tensor &result, Tensor &given) {
    if (result.GetSize() > 0) std::memcpy(given.GetData(), result.GetData(), result.GetSize());
  }
  static void CopyOut(gert::Tensor &result, gert::Tensor &given) {
    if (result.GetSize() > 0) std::memcpy(given.GetAddr(), result.GetAddr(), result.GetSize());
    given.MutableStorageShape() = result.GetStorageShape();
    given.MutableOriginShape() = result.GetOriginShape();
    given.SetSize(result.GetSize());
  }
  /// Into memory of the allocator, which lives as long as the tensor.
  static Status MoveTo(const AllocatorPtr &allocator, Tensor &tensor) {
    MemBlock *block = CopyInto(*allocator, tensor.GetData(), tensor.GetSize());
    if (block == nullptr) return FAILED;
    const size_t size = tensor.GetSize();
    return tensor.SetData(static_cast<uint8_t *>(block->GetAddr()), size,
                          [block, allocator](uint8_t *) { block->Free(); });
  }
  static Status MoveTo(const AllocatorPtr &allocator, gert::Tensor &tensor) {
    MemBlock *block = CopyInto(*allocator, tensor.GetAddr(), tensor.GetSize());
    if (block == nullptr) return FAILED;
    auto *shared = new SharedBlock{block, allocator};
    tensor.SetData(gert::TensorData(shared, &SharedBlock::Manage, tensor.GetSize(), gert::kOnHost));
    return SUCCESS;
  }
  /// The same in the other kind of tensor. The first borrows memory: the caller's tensor outlives it.
  static Status Borrow(const gert::Tensor &tensor, Tensor &held) {
    TensorDesc desc(Shape(DimsOf(tensor.GetStorageShape())), tensor.GetStorageFormat(), tensor.GetDataType());
    desc.SetOriginShape(Shape(DimsOf(tensor.GetOriginShape())));
    held = Tensor(desc);
    return held.SetData(static_cast<uint8_t *>(const_cast<void *>(tensor.GetAddr())), tensor.GetSize(),
                        [](uint8_t *) {});
  }
  static gert::Tensor Share(Tensor &&tensor) {
    gert::StorageShape shape;
    const TensorDesc desc = tensor.GetTensorDesc();
    for (int64_t dim : desc.GetShape().GetDims()) shape.MutableStorageShape().AppendDim(dim);
    for (int64_t dim : desc.GetOriginShape().GetDims()) shape.MutableOriginShape().AppendDim(dim);
    const size_t size = tensor.GetSize();
    gert::Tensor result(shape, gert::StorageFormat(desc.GetOriginFormat(), desc.GetFormat(), {}), desc.GetDataType());
    auto *shared = new SharedOutput{std::move(tensor)};
    result.SetData(gert::TensorData(shared, &SharedOutput::Manage, size, gert::kOnHost));
    return result;
  }

 private:
  static MemBlock *CopyInto(Allocator &allocator, const void *data, size_t size) {
    MemBlock *block = allocator.Malloc(size);
    if (block == nullptr || block->GetAddr() == nullptr) {
      (void)GeSetLastError(GE_OUT_OF_MEMORY, "the stream's allocator has no memory for an output");
      return nullptr;
    }
    if (size > 0) std::memcpy(block->GetAddr(), data, size);
    return block;
  }
};

}  // namespace detail
}  // namespace ge

#endif
