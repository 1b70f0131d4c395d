// REGISTER_OP_AICORE_CONFIG: how cores of one kind of device run an operator, apart from the operator's definition.
//
//   REGISTER_OP_AICORE_CONFIG(AddCustom, soc, []() { ops::OpAICoreConfig config("soc"); …; return config; });
#ifndef INC_ASC_REGISTER_OP_CONFIG_REGISTRY_H_
#define INC_ASC_REGISTER_OP_CONFIG_REGISTRY_H_

#include <functional>
#include <map>
#include <string>

#include "asc/register/op_def.h"
#include "register/detail/function_table.h"

namespace ops {

using OpAICoreConfigFunc = std::function<OpAICoreConfig()>;

/// Of this program or library. It has no lock: registering belongs to start-up.
class OpConfigRegistry {
 public:
  /// 0; -1 without names or a function. The last one for an operator and device counts.
  static int RegisterOpAICoreConfig(const char *op_type, const char *soc_version, const OpAICoreConfigFunc &func) {
    if (op_type == nullptr || soc_version == nullptr || !func) return -1;
    All()[op_type][ge::AscendString(soc_version)] = func;
    return 0;
  }
  /// By kind of device; empty for an operator that has none.
  static std::map<ge::AscendString, OpAICoreConfigFunc> GetOpAllAICoreConfig(const char *op_type) {
    auto found = op_type != nullptr ? All().find(op_type) : All().end();
    return found == All().end() ? std::map<ge::AscendString, OpAICoreConfigFunc>() : found->second;
  }

 private:
  static std::map<std::string, std::map<ge::AscendString, OpAICoreConfigFunc>> &All() {
    static auto *all = new std::map<std::string, std::map<ge::AscendString, OpAICoreConfigFunc>>;
    return *all;
  }
};

}  // namespace ops

#define REGISTER_OP_AICORE_CONFIG(opType, socVersion, opFunc)                          \
  [[maybe_unused]] static const int GE_UNIQUE_NAME(g_op_config_##opType##socVersion) = \
      ::ops::OpConfigRegistry::RegisterOpAICoreConfig(#opType, #socVersion, opFunc)

#endif
