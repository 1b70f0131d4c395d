// Queries about an operator: supported or not, formats, generalised parameters, and a replay of its kernel.
//
//   ge::graphStatus Supported(const ge::Operator &op, ge::AscendString &result) { … }
//   REG_CHECK_SUPPORT(AddCustom, Supported);
//   …
//   auto function = optiling::OpCheckFuncRegistry::GetOpCapability(FUNC_CHECK_SUPPORTED, "AddCustom");
#ifndef INC_REGISTER_OP_CHECK_H_
#define INC_REGISTER_OP_CHECK_H_

#include <cstdint>
#include <string>
#include <utility>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "register/detail/function_table.h"

namespace ge {
class Operator;
}

#define FUNC_CHECK_SUPPORTED "check_supported"
#define FUNC_OP_SELECT_FORMAT "op_select_format"
#define FUNC_GET_OP_SUPPORT_INFO "get_op_support_info"
#define FUNC_GET_SPECIFIC_INFO "get_op_specific_info"

namespace optiling {

/// result: a JSON text.
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator &op, ge::AscendString &result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator &op, const ge::AscendString &generalize_config,
                                                  ge::AscendString &generalized_op_params);

/// The arguments of a replay function. Pointers are the caller's.
struct ReplayFuncParam {
  int32_t block_dim = 0;
  const char *tiling_data = nullptr;
  const char *kernel_name = nullptr;
  const char *entry_file = nullptr;
  int32_t gentype = 0;
  const char *output_kernel_file = nullptr;
  char **objptr = nullptr;
  int32_t task_ration = 0;
  int32_t tiling_key = 0;
};
using REPLAY_FUNC = int32_t (*)(ReplayFuncParam &param, const int32_t core_type);

/// One for the process; look-ups give null where nothing was registered, and the last registration counts. Any thread
/// may call.
class OpCheckFuncRegistry {
 public:
  static void RegisterOpCapability(const ge::AscendString &check_type, const ge::AscendString &op_type,
                                   OP_CHECK_FUNC func) {
    CheckTable::Set(Key(check_type, op_type), func);
  }
  static OP_CHECK_FUNC GetOpCapability(const ge::AscendString &check_type, const ge::AscendString &op_type) {
    return CheckTable::Find(Key(check_type, op_type));
  }
  static void RegisterParamGeneralize(const ge::AscendString &op_type, PARAM_GENERALIZE_FUNC func) {
    GeneralizeTable::Set(op_type.GetString(), func);
  }
  static PARAM_GENERALIZE_FUNC GetParamGeneralize(const ge::AscendString &op_type) {
    return GeneralizeTable::Find(op_type.GetString());
  }
  static void RegisterReplay(const ge::AscendString &op_type, const ge::AscendString &soc_version, REPLAY_FUNC func) {
    ReplayTable::Set(Key(op_type, soc_version), func);
  }
  static REPLAY_FUNC GetReplay(const ge::AscendString &op_type, const ge::AscendString &soc_version) {
    return ReplayTable::Find(Key(op_type, soc_version));
  }

 private:
  using TwoNames = std::pair<std::string, std::string>;
  struct CheckKind {
    static const char *Name() { return "operator checks"; }
  };
  struct GeneralizeKind {
    static const char *Name() { return "operator generalizers"; }
  };
  struct ReplayKind {
    static const char *Name() { return "operator replays"; }
  };
  using CheckTable = ge::detail::FunctionTable<CheckKind, TwoNames, OP_CHECK_FUNC>;
  using GeneralizeTable = ge::detail::FunctionTable<GeneralizeKind, std::string, PARAM_GENERALIZE_FUNC>;
  using ReplayTable = ge::detail::FunctionTable<ReplayKind, TwoNames, REPLAY_FUNC>;
  static TwoNames Key(const ge::AscendString &a, const ge::AscendString &b) { return {a.GetString(), b.GetString()}; }
};

class OpCheckFuncHelper {
 public:
  OpCheckFuncHelper(const ge::AscendString &check_type, const ge::AscendString &op_type, OP_CHECK_FUNC func) {
    OpCheckFuncRegistry::RegisterOpCapability(check_type, op_type, func);
  }
  OpCheckFuncHelper(const ge::AscendString &op_type, PARAM_GENERALIZE_FUNC func) {
    OpCheckFuncRegistry::RegisterParamGeneralize(op_type, func);
  }
};

class ReplayFuncHelper {
 public:
  ReplayFuncHelper(const ge::AscendString &op_type, const ge::AscendString &soc_version, REPLAY_FUNC func) {
    OpCheckFuncRegistry::RegisterReplay(op_type, soc_version, func);
  }
};

}  // namespace optiling

#define GE_REG_OP_CHECK(check_type, op_type, func)                                                            \
  [[maybe_unused]] static const ::optiling::OpCheckFuncHelper GE_UNIQUE_NAME(op_check_registry_##op_type##_)( \
      check_type, #op_type, (func))

#define REG_CHECK_SUPPORT(op_type, func) GE_REG_OP_CHECK(FUNC_CHECK_SUPPORTED, op_type, func)
#define REG_OP_SELECT_FORMAT(op_type, func) GE_REG_OP_CHECK(FUNC_OP_SELECT_FORMAT, op_type, func)
#define REG_OP_SUPPORT_INFO(op_type, func) GE_REG_OP_CHECK(FUNC_GET_OP_SUPPORT_INFO, op_type, func)
#define REG_OP_SPEC_INFO(op_type, func) GE_REG_OP_CHECK(FUNC_GET_SPECIFIC_INFO, op_type, func)
#define REG_OP_PARAM_GENERALIZE(op_type, generalize_func)                                                          \
  [[maybe_unused]] static const ::optiling::OpCheckFuncHelper GE_UNIQUE_NAME(op_generalize_registry_##op_type##_)( \
      #op_type, (generalize_func))
#define REG_REPLAY_FUNC(op_type, soc_version, func)                                                           \
  [[maybe_unused]] static const ::optiling::ReplayFuncHelper GE_UNIQUE_NAME(op_replay_registry_##op_type##_)( \
      #op_type, #soc_version, (func))

#endif
