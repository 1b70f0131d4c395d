// gert::RuntimeAttrs: the attributes of a node by number: those of the prototype in its order, then private ones.
#ifndef INC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
#define INC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"
#include "ge/data.h"

namespace gert {

/// Pointers are the object's. Null where the number is beyond the last attribute or the attribute has no value.
class RuntimeAttrs {
 public:
  RuntimeAttrs() = default;
  RuntimeAttrs(RuntimeAttrs &&) = default;
  RuntimeAttrs &operator=(RuntimeAttrs &&) = default;

  size_t GetAttrNum() const { return values_.size(); }
  /// The value: int64_t, float, bool, char (a zero-terminated text), ge::DataType, gert::Tensor, or a vector of
  /// continuous_vector.h. The caller has to know which.
  template <class T>
  const T *GetAttrPointer(size_t index) const {
    return index < values_.size() ? static_cast<const T *>(values_[index].second) : nullptr;
  }
  const int64_t *GetInt(size_t index) const { return As<int64_t>(index, C_VT_INT); }
  const float *GetFloat(size_t index) const { return As<float>(index, C_VT_FLOAT); }
  const bool *GetBool(size_t index) const { return As<bool>(index, C_VT_BOOL); }
  const char *GetStr(size_t index) const { return As<char>(index, C_VT_STRING); }
  const ge::DataType *GetDataType(size_t index) const { return As<ge::DataType>(index, C_VT_DATA_TYPE); }
  const Tensor *GetTensor(size_t index) const { return As<Tensor>(index, C_VT_TENSOR); }
  const TypedContinuousVector<int64_t> *GetListInt(size_t index) const {
    return As<TypedContinuousVector<int64_t>>(index, C_VT_LIST_INT);
  }
  const TypedContinuousVector<float> *GetListFloat(size_t index) const {
    return As<TypedContinuousVector<float>>(index, C_VT_LIST_FLOAT);
  }
  const TypedContinuousVector<bool> *GetListBool(size_t index) const {
    return As<TypedContinuousVector<bool>>(index, C_VT_LIST_BOOL);
  }
  const TypedContinuousVector<ge::DataType> *GetListDataType(size_t index) const {
    return As<TypedContinuousVector<ge::DataType>>(index, C_VT_LIST_DATA_TYPE);
  }
  const ContinuousVectorVector *GetListListInt(size_t index) const {
    return As<ContinuousVectorVector>(index, C_VT_LIST_LIST_INT);
  }
  const ContinuousVectorVector *GetListListFloat(size_t index) const {
    return As<ContinuousVectorVector>(index, C_VT_LIST_LIST_FLOAT);
  }

  /// Adds a copy of the value as the next attribute; null: one without a value.
  void Append(const GeAttrData *attr) {
    values_.emplace_back(C_VT_NONE, nullptr);
    if (attr == nullptr) return;
    const size_t count = static_cast<size_t>(attr->count);
    switch (attr->type) {
      case C_VT_INT:
        return Put(attr->type, attr->i);
      case C_VT_FLOAT:
        return Put(attr->type, static_cast<float>(attr->f));
      case C_VT_BOOL:
        return Put(attr->type, attr->i != 0);
      case C_VT_DATA_TYPE:
        return Put(attr->type, static_cast<ge::DataType>(attr->i));
      case C_VT_STRING: {
        Keep(attr->type, Zeros(count + 1));
        if (count > 0) std::memcpy(blocks_.back().get(), attr->s, count);
        return;
      }
      case C_VT_TENSOR:
        return PutTensor(*attr->tensor);
      case C_VT_LIST_INT:
        return PutList<int64_t>(*attr);
      case C_VT_LIST_FLOAT:
        return PutList<float>(*attr);
      case C_VT_LIST_BOOL:
        return PutList<bool>(*attr);
      case C_VT_LIST_DATA_TYPE:
        return PutList<ge::DataType>(*attr);
      case C_VT_LIST_LIST_INT:
      case C_VT_LIST_LIST_FLOAT:
        return Keep(attr->type, ContinuousVectorVector::Create(
                                    count, static_cast<const void *const *>(attr->list), attr->inner_counts,
                                    attr->type == C_VT_LIST_LIST_INT ? sizeof(int64_t) : sizeof(float)));
      default:  // lists of texts and of tensors have no form here
        return;
    }
  }

 private:
  template <class T>
  const T *As(size_t index, int32_t type) const {
    return index < values_.size() && values_[index].first == type ? GetAttrPointer<T>(index) : nullptr;
  }
  static std::unique_ptr<uint8_t[]> Zeros(size_t size) { return std::unique_ptr<uint8_t[]>(new uint8_t[size]()); }
  void Keep(int32_t type, std::unique_ptr<uint8_t[]> block) {
    values_.back() = {type, block.get()};
    blocks_.push_back(std::move(block));
  }
  template <class T>
  void Put(int32_t type, T value) {
    Keep(type, Zeros(sizeof value));
    std::memcpy(blocks_.back().get(), &value, sizeof value);
  }
  template <class T>
  void PutList(const GeAttrData &attr) {
    auto block = ContinuousVector::Create<T>(static_cast<size_t>(attr.count));
    if (block == nullptr) return;
    auto *vector = reinterpret_cast<ContinuousVector *>(block.get());
    (void)vector->SetSize(static_cast<size_t>(attr.count));
    if (attr.count > 0) std::memcpy(vector->MutableData(), attr.list, static_cast<size_t>(attr.count) * sizeof(T));
    Keep(attr.type, std::move(block));
  }
  void PutTensor(const GeTensorData &data) {
    StorageShape shape;
    for (int32_t i = 0; i < data.rank; ++i) shape.MutableStorageShape().AppendDim(data.dims[i]);
    for (int32_t i = 0; i < data.origin_rank; ++i) shape.MutableOriginShape().AppendDim(data.origin_dims[i]);
    size_t total = 0;
    auto block = Tensor::CreateFollowing(static_cast<ge::DataType>(data.data_type), shape, total);
    if (block == nullptr) return;
    auto *tensor = reinterpret_cast<Tensor *>(block.get());
    tensor->SetStorageFormat(static_cast<ge::Format>(data.format));
    tensor->SetOriginFormat(static_cast<ge::Format>(data.origin_format));
    if (data.data != nullptr && data.size >= tensor->GetSize())
      std::memcpy(tensor->GetAddr(), data.data, tensor->GetSize());
    Keep(C_VT_TENSOR, std::move(block));
  }
  std::vector<std::pair<int32_t, const void *>> values_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
};

}  // namespace gert

#endif
