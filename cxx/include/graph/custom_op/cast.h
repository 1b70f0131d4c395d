// CustomOpCast: a custom operator as one of its capabilities.
#ifndef INC_GRAPH_CUSTOM_OP_CAST_H_
#define INC_GRAPH_CUSTOM_OP_CAST_H_

#include "graph/custom_op/capability.h"
#include "graph/detail/custom_op_interfaces.h"

namespace ge {

namespace detail {
template <class T>
struct CapabilityOf;
template <>
struct CapabilityOf<EagerExecuteOp> {
  static constexpr CustomOpCapability value = CustomOpCapability::kEagerExecute;
};
template <>
struct CapabilityOf<CompilableOp> {
  static constexpr CustomOpCapability value = CustomOpCapability::kCompilable;
};
template <>
struct CapabilityOf<ShapeInferOp> {
  static constexpr CustomOpCapability value = CustomOpCapability::kShapeInfer;
};
template <>
struct CapabilityOf<PortableOp> {
  static constexpr CustomOpCapability value = CustomOpCapability::kPortable;
};
template <>
struct CapabilityOf<ArgsUpdater> {
  static constexpr CustomOpCapability value = CustomOpCapability::kArgsUpdater;
};
template <>
struct CapabilityOf<AnnotatedArgsOp> {
  static constexpr CustomOpCapability value = CustomOpCapability::kAnnotatedArgs;
};
}  // namespace detail

/// Null when the operator is null, does not implement T, or says that it does not offer it.
template <class T>
T *CustomOpCast(BaseCustomOp *op) {
  if (op == nullptr) return nullptr;
  const auto *provider = dynamic_cast<const CustomOpCapabilityProvider *>(op);
  if (provider != nullptr && !provider->HasCapability(detail::CapabilityOf<T>::value)) return nullptr;
  return dynamic_cast<T *>(op);
}

}  // namespace ge

#endif
