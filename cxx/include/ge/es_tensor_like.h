// EsTensorLike: a parameter that takes a tensor, "no tensor", or a literal that becomes a constant.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_LIKE_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_LIKE_H_

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_tensor_holder.h"

namespace ge {
namespace es {

class EsTensorLike {
 public:
  EsTensorLike(const EsTensorHolder &tensor) : value_(tensor) {}        // NOLINT: all implicit by contract
  EsTensorLike(const std::nullptr_t) : value_(EsTensorHolder()) {}      // NOLINT
  EsTensorLike(const int64_t value) : value_(value) {}                  // NOLINT
  EsTensorLike(const float value) : value_(value) {}                    // NOLINT
  EsTensorLike(const std::vector<int64_t> &values) : value_(values) {}  // NOLINT
  EsTensorLike(const std::vector<float> &values) : value_(values) {}    // NOLINT
  EsTensorLike(const EsTensorLike &) = delete;
  EsTensorLike(EsTensorLike &&) = delete;
  EsTensorLike &operator=(const EsTensorLike &) = delete;
  EsTensorLike &operator=(EsTensorLike &&) = delete;

  /// Owner of the tensor; null for a literal.
  EsCGraphBuilder *GetOwnerBuilder() const {
    const EsTensorHolder *tensor = std::get_if<EsTensorHolder>(&value_);
    return tensor != nullptr && tensor->GetCTensorHolder() != nullptr ? EsGetOwnerBuilder(tensor->GetCTensorHolder())
                                                                      : nullptr;
  }
  /// The tensor, or a fresh constant in `graph`.
  EsTensorHolder ToTensorHolder(EsCGraphBuilder *graph) const {
    if (const auto *tensor = std::get_if<EsTensorHolder>(&value_)) return *tensor;
    if (graph == nullptr) return EsTensorHolder();
    if (const auto *i = std::get_if<int64_t>(&value_)) return EsCreateScalarInt64(graph, *i);
    if (const auto *f = std::get_if<float>(&value_)) return EsCreateScalarFloat(graph, *f);
    if (const auto *v = std::get_if<std::vector<int64_t>>(&value_))
      return EsCreateVectorInt64(graph, Data(*v), static_cast<int64_t>(v->size()));
    const auto &v = std::get<std::vector<float>>(value_);
    return EsCreateVectorFloat(graph, Data(v), static_cast<int64_t>(v.size()));
  }

 private:
  template <class T>
  static const T *Data(const std::vector<T> &values) {
    return EsDataOf(values, {static_cast<int64_t>(values.size())});
  }
  std::variant<EsTensorHolder, int64_t, float, std::vector<int64_t>, std::vector<float>> value_;
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
