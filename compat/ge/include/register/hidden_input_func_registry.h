// REG_HIDDEN_INPUT_FUNC: who gives the address of a kernel's argument that is no input of the operator.
//
//   ge::graphStatus Address(const ge::OpDescPtr &op, void *&address) { … }
//   REG_HIDDEN_INPUT_FUNC(ge::HiddenInputType::HCOM, Address);
#ifndef INC_REGISTER_HIDDEN_INPUT_FUNC_REGISTRY_H_
#define INC_REGISTER_HIDDEN_INPUT_FUNC_REGISTRY_H_

#include <cstdint>
#include <memory>

#include "graph/error_codes.h"
#include "register/detail/function_table.h"

namespace ge {

/// Passed through: what it is, is between those who register and those who call.
class OpDesc;
using OpDescPtr = std::shared_ptr<OpDesc>;

enum class HiddenInputType : uint32_t { HCOM };
/// Of register/hidden_inputs_func_registry.h.
enum class HiddenInputsType : uint32_t { HCOM, TILEFWK, HCCLSUPERKERNEL, MAX };

using GetHiddenAddr = ge::graphStatus (*)(const ge::OpDescPtr &op_desc, void *&addr);

/// One for the process. Any thread may call.
class HiddenInputFuncRegistry {
 public:
  static HiddenInputFuncRegistry &GetInstance() {
    static HiddenInputFuncRegistry registry;
    return registry;
  }
  /// Null where nothing was registered.
  GetHiddenAddr FindHiddenInputFunc(const HiddenInputType input_type) const { return Table::Find(input_type); }
  /// The last function of a type counts.
  void Register(const HiddenInputType input_type, const GetHiddenAddr func) { Table::Set(input_type, func); }

 private:
  struct Kind {
    static const char *Name() { return "hidden input"; }
  };
  using Table = detail::FunctionTable<Kind, HiddenInputType, GetHiddenAddr>;
};

class HiddenInputFuncRegister {
 public:
  HiddenInputFuncRegister(const HiddenInputType input_type, const GetHiddenAddr func) {
    HiddenInputFuncRegistry::GetInstance().Register(input_type, func);
  }
};

}  // namespace ge

#define REG_HIDDEN_INPUT_FUNC(type, func) \
  [[maybe_unused]] static const ::ge::HiddenInputFuncRegister GE_UNIQUE_NAME(g_reg_hidden_input_func_)((type), (func))

#endif
