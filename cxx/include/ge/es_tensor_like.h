// EsTensorLike: a parameter that takes a tensor, "no tensor", or a literal that becomes a constant.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_LIKE_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_LIKE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_tensor_holder.h"

namespace ge {
namespace es {

class EsTensorLike {
 public:
  EsTensorLike(const EsTensorHolder &tensor) : tensor_(tensor) {}          // NOLINT: all implicit by contract
  EsTensorLike(const std::nullptr_t) {}                                    // NOLINT
  EsTensorLike(const int64_t value) : kind_(Kind::kInt), int_(value) {}    // NOLINT
  EsTensorLike(const float value) : kind_(Kind::kFloat), float_(value) {}  // NOLINT
  EsTensorLike(const std::vector<int64_t> &values) : kind_(Kind::kInts), ints_(values) {}    // NOLINT
  EsTensorLike(const std::vector<float> &values) : kind_(Kind::kFloats), floats_(values) {}  // NOLINT
  EsTensorLike(const EsTensorLike &) = delete;
  EsTensorLike(EsTensorLike &&) = delete;
  EsTensorLike &operator=(const EsTensorLike &) = delete;
  EsTensorLike &operator=(EsTensorLike &&) = delete;

  /// Owner of the tensor; null for a literal.
  EsCGraphBuilder *GetOwnerBuilder() const {
    return tensor_.GetCTensorHolder() != nullptr ? EsGetOwnerBuilder(tensor_.GetCTensorHolder()) : nullptr;
  }
  /// The tensor, or a fresh constant in `graph`.
  EsTensorHolder ToTensorHolder(EsCGraphBuilder *graph) const {
    if (kind_ == Kind::kTensor || graph == nullptr) return tensor_;
    if (kind_ == Kind::kInt) return EsCreateScalarInt64(graph, int_);
    if (kind_ == Kind::kFloat) return EsCreateScalarFloat(graph, float_);
    if (kind_ == Kind::kInts) return EsCreateVectorInt64(graph, Data(ints_), static_cast<int64_t>(ints_.size()));
    return EsCreateVectorFloat(graph, Data(floats_), static_cast<int64_t>(floats_.size()));
  }

 private:
  template <class T>
  static const T *Data(const std::vector<T> &values) {
    return EsDataOf(values, {static_cast<int64_t>(values.size())});
  }
  // Not a std::variant, which would cost every program a tenth of a second of compiling.
  enum class Kind { kTensor, kInt, kFloat, kInts, kFloats };
  Kind kind_ = Kind::kTensor;
  EsTensorHolder tensor_;
  int64_t int_ = 0;
  float float_ = 0;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
};

inline EsCGraphBuilder *ResolveBuilderImpl(const EsTensorLike &tensor) { return tensor.GetOwnerBuilder(); }
inline EsCGraphBuilder *ResolveBuilderImpl(EsCTensorHolder *tensor) {
  return tensor == nullptr ? nullptr : EsGetOwnerBuilder(tensor);
}
inline EsCGraphBuilder *ResolveBuilderImpl(const std::vector<EsTensorHolder> &tensors) {
  for (const EsTensorHolder &tensor : tensors)
    if (EsCGraphBuilder *builder = ResolveBuilderImpl(tensor.GetCTensorHolder())) return builder;
  return nullptr;
}
inline EsCGraphBuilder *ResolveBuilderImpl(const std::vector<EsCTensorHolder *> &tensors) {
  for (EsCTensorHolder *tensor : tensors)
    if (EsCGraphBuilder *builder = ResolveBuilderImpl(tensor)) return builder;
  return nullptr;
}
inline EsCGraphBuilder *ResolveBuilderImpl(const EsGraphBuilder *builder) {
  return builder == nullptr ? nullptr : builder->GetCGraphBuilder();
}
inline EsCGraphBuilder *ResolveBuilderImpl(EsCGraphBuilder *builder) { return builder; }
inline EsCGraphBuilder *ResolveBuilderImpl(const std::nullptr_t) { return nullptr; }

inline EsCGraphBuilder *ResolveBuilder() { return nullptr; }
/// First builder found, from left to right.
template <class T, class... Ts>
EsCGraphBuilder *ResolveBuilder(const T &first, const Ts &...rest) {
  EsCGraphBuilder *builder = ResolveBuilderImpl(first);
  return builder != nullptr ? builder : ResolveBuilder(rest...);
}

}  // namespace es
}  // namespace ge

#endif
