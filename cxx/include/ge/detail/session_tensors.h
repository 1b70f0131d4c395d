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
  explicit SharedOutput(Tensor &&held) : tensor(std::move(held)) {}
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

class OutputMemory {
 public:
  /// Memory of the caller's for an output.
  static GeTensorData Given(void *data, size_t size) {
    GeTensorData given{};
    given.data = data;
    given.size = size;
    return given;
  }
  /// The output that was written into memory of `given`.
  static void DescribeAs(const Tensor &result, gert::Tensor &given) {
    const TensorDesc desc = result.GetTensorDesc();
    given.MutableStorageShape() = given.MutableOriginShape() = {};
    for (int64_t dim : desc.GetShape().GetDims()) given.MutableStorageShape().AppendDim(dim);
    for (int64_t dim : desc.GetOriginShape().GetDims()) given.MutableOriginShape().AppendDim(dim);
    given.SetSize(result.GetSize());
    given.SetPlacement(gert::kOnHost);
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
    auto *shared = new SharedOutput(std::move(tensor));
    result.SetData(gert::TensorData(shared, &SharedOutput::Manage, size, gert::kOnHost));
    return result;
  }
  static bool Borrow(const std::vector<gert::Tensor> &tensors, std::vector<Tensor> &held) {
    held.resize(tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i)
      if (Borrow(tensors[i], held[i]) != GRAPH_SUCCESS) return false;
    return true;
  }
  static void Share(std::vector<Tensor> &&tensors, std::vector<gert::Tensor> &shared) {
    for (Tensor &tensor : tensors) shared.push_back(Share(std::move(tensor)));
  }
};

}  // namespace detail
}  // namespace ge

#endif
