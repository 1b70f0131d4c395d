// IMPL_OP: functions for an operator type.
//
//   IMPL_OP(AddCustom).InferShape(AddShape).InferDataType(AddType);
//   IMPL_OP(AddCustom).Tiling(AddTiling).TilingParse<AddCompileInfo>(AddTilingParse);
//
// The library calls those that infer for types that have no inference of its own; without InferDataType the types
// follow from the prototype (one type allowed, a symbol shared with an input or an attribute). Tiling functions serve
// kernels of a device: programs find them through base/registry/op_impl_space_registry_v2.h.
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

/// Settings take effect at once; copies have the same settings. A later function replaces an earlier one, null none.
class OpImplRegisterV2 {
 public:
  explicit OpImplRegisterV2(const ge::char_t *op_type) : type_(op_type != nullptr ? op_type : "") {}

  OpImplRegisterV2 &InferShape(OpImplKernelRegistry::InferShapeKernelFunc infer_shape_func) {
    return Put(&OpImplKernelRegistry::OpImplFunctions::infer_shape, infer_shape_func);
  }
  /// Called where an output has a dimension that is not known, and every input's are known or bounded.
  OpImplRegisterV2 &InferShapeRange(OpImplKernelRegistry::InferShapeRangeKernelFunc infer_shape_range_func) {
    return Put(&OpImplKernelRegistry::OpImplFunctions::infer_shape_range, infer_shape_range_func);
  }
  OpImplRegisterV2 &InferDataType(OpImplKernelRegistry::InferDataTypeKernelFunc infer_datatype_func) {
    return Put(&OpImplKernelRegistry::OpImplFunctions::infer_datatype, infer_datatype_func);
  }
  OpImplRegisterV2 &InferFormat(OpImplKernelRegistry::InferFormatFunc infer_format_func) {
    return Put(&OpImplKernelRegistry::OpImplFunctions::infer_format_func, infer_format_func);
  }
  OpImplRegisterV2 &Tiling(OpImplKernelRegistry::TilingKernelFunc tiling_func, size_t max_tiling_data_size = 2048) {
    if (tiling_func == nullptr) return *this;
    ge::detail::ImplOps::Change(type_, [&](Functions &functions) {
      functions.tiling = tiling_func;
      functions.max_tiling_data_size = max_tiling_data_size;
    });
    return *this;
  }
  /// T is what the function makes of the compile information; it has a default constructor.
  template <class T>
  OpImplRegisterV2 &TilingParse(OpImplKernelRegistry::KernelFunc tiling_parse_func) {
    if (tiling_parse_func == nullptr) return *this;
    ge::detail::ImplOps::Change(type_, [&](Functions &functions) {
      functions.tiling_parse = tiling_parse_func;
      functions.compile_info_creator = []() -> void * { return new T(); };
      functions.compile_info_deleter = [](void *info) { delete static_cast<T *>(info); };
    });
    return *this;
  }
  template <class T>
  OpImplRegisterV2 &TilingParse(OpImplKernelRegistry::TilingParseFunc tiling_parse_func) {
    // One kind of context is a view of the other: they are called alike.
    return TilingParse<T>(
        reinterpret_cast<OpImplKernelRegistry::KernelFunc>(reinterpret_cast<void (*)()>(tiling_parse_func)));
  }

  /// Inputs of the prototype whose values InferShape reads. Every value that is known is there for it anyway.
  OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs) {
    return Depends(inputs, &Functions::SetInputDataDependency);
  }
  /// The same for Tiling.
  OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
    return Depends(inputs, &Functions::SetTilingInputDataDependency);
  }
  OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                               std::initializer_list<TilingPlacement>) {
    return TilingInputsDataDependency(inputs);
  }

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
  using Functions = OpImplKernelRegistry::OpImplFunctions;
  // A function that the library calls.
  template <class F>
  OpImplRegisterV2 &Put(F Functions::*member, F function) {
    if (function == nullptr) return *this;
    ge::detail::ImplOps::Change(type_, [&](Functions &functions) { functions.*member = function; });
    ge::detail::ImplOps::Use(type_);
    return *this;
  }
  OpImplRegisterV2 &Depends(std::initializer_list<int32_t> inputs, ge::graphStatus (Functions::*set)(size_t)) {
    ge::detail::ImplOps::Change(type_, [&](Functions &functions) {
      for (int32_t input : inputs)
        if (input >= 0) (void)(functions.*set)(static_cast<size_t>(input));
    });
    return *this;
  }
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
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)
/// Functions under the name "DefaultImpl".
#define IMPL_OP_DEFAULT() IMPL_OP(DefaultImpl)

#endif
