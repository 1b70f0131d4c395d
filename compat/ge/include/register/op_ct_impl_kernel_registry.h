// The kinds of functions that IMPL_OP_CT registers.
#ifndef INC_REGISTER_OP_CT_IMPL_KERNEL_REGISTRY_H_
#define INC_REGISTER_OP_CT_IMPL_KERNEL_REGISTRY_H_

#include <cstdint>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace gert {

class ExeResGenerationContext;
class OpCheckContext;

struct OpCtImplKernelRegistry {
  /// Memory and other resources of a node.
  using OpCalcParamKernelFunc = ge::graphStatus (*)(ExeResGenerationContext *context);
  /// Tasks of a node, each in its serialised form.
  using OpGenTaskKernelFunc = ge::graphStatus (*)(const ExeResGenerationContext *context,
                                                  std::vector<std::vector<uint8_t>> &tasks);
  /// result: a JSON text.
  using OP_CHECK_FUNC_V2 = ge::graphStatus (*)(const OpCheckContext *context, ge::AscendString &result);

  /// Functions of a type; null where nothing was registered.
  struct OpCtImplFunctions {
    OpCalcParamKernelFunc calc_op_param = nullptr;
    OpGenTaskKernelFunc gen_task = nullptr;
    OP_CHECK_FUNC_V2 check_support = nullptr;
    OP_CHECK_FUNC_V2 op_select_format = nullptr;
  };
};

}  // namespace gert

#endif
