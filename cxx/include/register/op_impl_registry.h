// IMPL_OP: inference functions for an operator type.
//
//   IMPL_OP(AddCustom).InferShape(AddShape).InferDataType(AddType);
//
// The library calls them for types that have no inference of its own; without InferDataType the types follow from the
// prototype (one type allowed, a symbol shared with an input or an attribute).
#ifndef INC_REGISTER_OP_IMPL_REGISTRY_H_
#define INC_REGISTER_OP_IMPL_REGISTRY_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/detail/context_infer.h"
#include "register/op_impl_kernel_registry.h"

namespace gert {

/// What is said takes effect at once; copies say the same.
class OpImplRegisterV2 {
 public:
  explicit OpImplRegisterV2(const ge::char_t *op_type) : type_(op_type != nullptr ? op_type : "") {}

  OpImplRegisterV2 &InferShape(OpImplKernelRegistry::InferShapeKernelFunc infer_shape_func) {
    if (infer_shape_func != nullptr) ge::detail::ImplOps::Set(type_, infer_shape_func, {});
    return *this;
  }
  OpImplRegisterV2 &InferDataType(OpImplKernelRegistry::InferDataTypeKernelFunc infer_datatype_func) {
    if (infer_datatype_func != nullptr) ge::detail::ImplOps::Set(type_, {}, infer_datatype_func);
    return *this;
  }
  /// Inputs of the prototype whose values InferShape reads. Every value that is known is there for it anyway.
  OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t>) { return *this; }

  /// An attribute beside the prototype's; contexts number such attributes behind those, in this order. Without a
  /// default a node that lacks it is refused.
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr) { return Add(private_attr, false, ge::AttrValue()); }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, int64_t fallback) {
    return With(private_attr, fallback);
  }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, const std::vector<int64_t> &fallback) {
    return With(private_attr, fallback);
  }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, const ge::char_t *fallback) {
    return With(private_attr, ge::AscendString(fallback));
  }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, float fallback) { return With(private_attr, fallback); }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, bool fallback) { return With(private_attr, fallback); }
  OpImplRegisterV2 &PrivateAttr(const ge::char_t *private_attr, const std::vector<float> &fallback) {
    return With(private_attr, fallback);
  }

 private:
  template <class T>
  OpImplRegisterV2 &With(const ge::char_t *name, const T &fallback) {
    ge::AttrValue value;
    (void)value.SetAttrValue(fallback);
    return Add(name, true, value);
  }
  OpImplRegisterV2 &Add(const ge::char_t *name, bool has_default, const ge::AttrValue &value) {
    if (name != nullptr) ge::detail::PrivateAttrs::Add(type_, {name, has_default, value});
    return *this;
  }
  std::string type_;
};

}  // namespace gert

#define GE_IMPL_OP_NAME_(op_type, counter) op_impl_register_##op_type##_##counter
#define GE_IMPL_OP_NAME(op_type, counter) GE_IMPL_OP_NAME_(op_type, counter)
#define IMPL_OP(op_type)                                                                         \
  [[maybe_unused]] static const ::gert::OpImplRegisterV2 GE_IMPL_OP_NAME(op_type, __COUNTER__) = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)

#endif
