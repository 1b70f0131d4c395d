// IMPL_OP_CT: what an operator does while a graph is compiled.
//
//   IMPL_OP_CT(AddCustom).CalcOpParam(Calculate).GenerateTask(Generate).CheckSupport(Supported);
//   …
//   const auto *functions = gert::OpCtImplRegistry::GetInstance().GetOpImpl("AddCustom");
//
// They are kept and found by type; the library generates no tasks of a device.
#ifndef INC_REGISTER_OP_CT_IMPL_REGISTRY_H_
#define INC_REGISTER_OP_CT_IMPL_REGISTRY_H_

#include <map>
#include <string>

#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/types.h"
#include "register/detail/function_table.h"
#include "register/op_ct_impl_kernel_registry.h"

#define OP_CT_IMPL_MAIM_VERSION 1

namespace gert {

/// One for the library it is compiled into. It has no lock: registering belongs to start-up.
struct GE_OF_THIS_LIBRARY OpCtImplRegistry : public OpCtImplKernelRegistry {
  using OpType = ge::AscendString;
  static OpCtImplRegistry &GetInstance() {
    static OpCtImplRegistry registry;
    return registry;
  }
  OpCtImplFunctions &CreateOrGetOpImpl(const ge::char_t *op_type) { return GetAllTypesToImpl()[OpType(Text(op_type))]; }
  /// Null for a type that nobody registered.
  const OpCtImplFunctions *GetOpImpl(const ge::char_t *op_type) const {
    const auto &all = GetAllTypesToImpl();
    auto found = all.find(OpType(Text(op_type)));
    return found == all.end() ? nullptr : &found->second;
  }
  const std::map<OpType, OpCtImplFunctions> &GetAllTypesToImpl() const { return All(); }
  std::map<OpType, OpCtImplFunctions> &GetAllTypesToImpl() { return All(); }

 private:
  static const ge::char_t *Text(const ge::char_t *op_type) { return op_type != nullptr ? op_type : ""; }
  static std::map<OpType, OpCtImplFunctions> &All() {
    return ge::detail::LibraryTable<std::map<OpType, OpCtImplFunctions>, OpCtImplRegistry>();
  }
};

/// Settings take effect at once; copies have the same settings.
class GE_OF_THIS_LIBRARY OpCtImplRegisterV2 {
 public:
  explicit OpCtImplRegisterV2(const ge::char_t *op_type) : type_(op_type != nullptr ? op_type : "") {
    (void)Functions();
  }
  OpCtImplRegisterV2 &CalcOpParam(OpCtImplKernelRegistry::OpCalcParamKernelFunc calc_op_param_func) {
    Functions().calc_op_param = calc_op_param_func;
    return *this;
  }
  OpCtImplRegisterV2 &GenerateTask(OpCtImplKernelRegistry::OpGenTaskKernelFunc gen_task_func) {
    Functions().gen_task = gen_task_func;
    return *this;
  }
  OpCtImplRegisterV2 &CheckSupport(OpCtImplKernelRegistry::OP_CHECK_FUNC_V2 check_support_func) {
    Functions().check_support = check_support_func;
    return *this;
  }
  OpCtImplRegisterV2 &OpSelectFormat(OpCtImplKernelRegistry::OP_CHECK_FUNC_V2 op_select_format_func) {
    Functions().op_select_format = op_select_format_func;
    return *this;
  }

 private:
  OpCtImplKernelRegistry::OpCtImplFunctions &Functions() {
    return OpCtImplRegistry::GetInstance().CreateOrGetOpImpl(type_.c_str());
  }
  std::string type_;
};

}  // namespace gert

#define IMPL_OP_CT(op_type)                                                                          \
  [[maybe_unused]] static const ::gert::OpCtImplRegisterV2 GE_UNIQUE_NAME(op_ct_impl_##op_type##_) = \
      ::gert::OpCtImplRegisterV2(#op_type)

#endif
