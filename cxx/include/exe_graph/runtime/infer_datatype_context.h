// gert::InferDataTypeContext: what a function that infers data types reads and writes.
#ifndef INC_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "graph/error_codes.h"

namespace gert {

/// DT_UNDEFINED where there is no such port.
class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  ge::DataType GetInputDataType(size_t index) const { return Value(InputOf<ge::DataType>(index)); }
  ge::DataType GetRequiredInputDataType(size_t ir_index) const { return GetDynamicInputDataType(ir_index, 0); }
  ge::DataType GetOptionalInputDataType(size_t ir_index) const { return GetDynamicInputDataType(ir_index, 0); }
  ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative_index) const {
    return Value(InputOf<ge::DataType>(ir_index, relative_index));
  }
  ge::DataType GetOutputDataType(size_t index) const { return Value(OutputOf<ge::DataType>(index)); }
  /// GRAPH_FAILED where there is no such output.
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType type) {
    return Put(OutputOf<ge::DataType>(index), type);
  }
  ge::graphStatus SetRequiredOutputDataType(size_t ir_index, ge::DataType type) {
    return SetDynamicOutputDataType(ir_index, 0, type);
  }
  ge::graphStatus SetDynamicOutputDataType(size_t ir_index, size_t relative_index, ge::DataType type) {
    return Put(OutputOf<ge::DataType>(ir_index, relative_index), type);
  }

 private:
  static ge::DataType Value(const ge::DataType *type) { return type == nullptr ? ge::DT_UNDEFINED : *type; }
  static ge::graphStatus Put(ge::DataType *slot, ge::DataType type) {
    if (slot == nullptr) return ge::GRAPH_FAILED;
    *slot = type;
    return ge::GRAPH_SUCCESS;
  }
};
static_assert(std::is_standard_layout<InferDataTypeContext>::value, "a view of the context before it");

}  // namespace gert

#endif
