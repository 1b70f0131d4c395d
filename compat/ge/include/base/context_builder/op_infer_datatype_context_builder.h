// Makes a context for a function of IMPL_OP(...).InferDataType.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H_

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_datatype_context.h"

namespace gert {

/// Types of outputs are DT_UNDEFINED until the function sets them (GetOutputDataType).
class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
 public:
  OpInferDataTypeContextBuilder &InputTensorDesc(size_t index, ge::DataType dtype,
                                                 ge::Format origin_format = ge::FORMAT_ND,
                                                 ge::Format storage_format = ge::FORMAT_ND,
                                                 const ExpandDimsType & = {}) {
    Put(inputs_, index, dtype, origin_format, storage_format);
    return *this;
  }
  OpInferDataTypeContextBuilder &OutputTensorDesc(size_t index, ge::Format origin_format = ge::FORMAT_ND,
                                                  ge::Format storage_format = ge::FORMAT_ND,
                                                  const ExpandDimsType & = {}) {
    Put(outputs_, index, ge::DT_UNDEFINED, origin_format, storage_format);
    return *this;
  }
  ContextHolder<InferDataTypeContext> Build() {
    auto built = Node(inputs_, outputs_);
    if (built == nullptr) return {};
    for (const CompileTimeTensorDesc &desc : inputs_)
      built->frame.inputs.push_back(built->Own<ge::DataType>(desc.GetDataType()));
    for (size_t i = 0; i < outputs_.size(); ++i)
      built->frame.outputs.push_back(built->Own<ge::DataType>(ge::DT_UNDEFINED));
    return ContextHolder<InferDataTypeContext>(std::move(built));
  }

 private:
  static void Put(Descs &descs, size_t index, ge::DataType dtype, ge::Format origin, ge::Format storage) {
    if (descs.size() <= index) descs.resize(index + 1);
    descs[index].SetDataType(dtype);
    descs[index].SetOriginFormat(origin);
    descs[index].SetStorageFormat(storage);
  }
  Descs inputs_, outputs_;
};

}  // namespace gert

#endif
