// REG_HIDDEN_INPUTS_FUNC: who gives the addresses of a kernel's arguments that are no inputs of the operator.
#ifndef INC_REGISTER_HIDDEN_INPUTS_FUNC_REGISTRY_H_
#define INC_REGISTER_HIDDEN_INPUTS_FUNC_REGISTRY_H_

#include <cstdint>
#include <vector>

#include "register/hidden_input_func_registry.h"

namespace ge {

using GetHiddenAddrs = ge::graphStatus (*)(const ge::OpDescPtr &op_desc, std::vector<void *> &addr);

/// One for the process. Any thread may call.
class HiddenInputsFuncRegistry {
 public:
  static HiddenInputsFuncRegistry &GetInstance() {
    static HiddenInputsFuncRegistry registry;
    return registry;
  }
  /// Null where nothing was registered.
  GetHiddenAddrs FindHiddenInputsFunc(const HiddenInputsType input_type) const { return Table::Find(input_type); }
  /// The last function of a type counts. MAX is the number of types and none of them.
  void Register(const HiddenInputsType input_type, const GetHiddenAddrs func) {
    if (input_type < HiddenInputsType::MAX) Table::Set(input_type, func);
  }

 private:
  struct Kind {
    static const char *Name() { return "hidden inputs"; }
  };
  using Table = detail::FunctionTable<Kind, HiddenInputsType, GetHiddenAddrs>;
};

class HiddenInputsFuncRegister {
 public:
  HiddenInputsFuncRegister(const HiddenInputsType input_type, const GetHiddenAddrs func) {
    HiddenInputsFuncRegistry::GetInstance().Register(input_type, func);
  }
};

}  // namespace ge

#define REG_HIDDEN_INPUTS_FUNC(type, func) \
  [[maybe_unused]] static const ::ge::HiddenInputsFuncRegister GE_UNIQUE_NAME(g_reg_hidden_inputs_func_)((type), (func))

#endif
