// Makes a context of any kind: slots as they come.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_KERNEL_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_KERNEL_CONTEXT_BUILDER_H_

#include <vector>

#include "base/context_builder/op_context_builder_base.h"

namespace gert {

/// Slots beyond those of the node (IONum, IOInstanceNum; none are said: all are the node's) are additional ones.
/// Contexts of one call (`static_cast<InferShapeContext *>(kernel_context)`) view it.
class OpKernelContextBuilder : public OpContextBuilderBase<OpKernelContextBuilder> {
 public:
  OpKernelContextBuilder &Inputs(const std::vector<void *> &inputs) {
    inputs_ = inputs;
    return *this;
  }
  OpKernelContextBuilder &Outputs(const std::vector<void *> &outputs) {
    outputs_ = outputs;
    return *this;
  }
  OpKernelContextBuilder &IONum(size_t input_ir_num, size_t output_ir_num) {
    return IOInstanceNum(std::vector<uint32_t>(input_ir_num, 1), std::vector<uint32_t>(output_ir_num, 1));
  }
  OpKernelContextBuilder &IOInstanceNum(const std::vector<uint32_t> &input_instance_num,
                                        const std::vector<uint32_t> &output_instance_num) {
    node_inputs_ = node_outputs_ = 0;
    for (uint32_t count : input_instance_num) node_inputs_ += count;
    for (uint32_t count : output_instance_num) node_outputs_ += count;
    counted_ = true;
    return OpContextBuilderBase::IOInstanceNum(input_instance_num, output_instance_num);
  }
  ContextHolder<KernelContext> Build() {
    const size_t in = counted_ ? node_inputs_ : inputs_.size(), out = counted_ ? node_outputs_ : outputs_.size();
    if (in > inputs_.size() || out > outputs_.size()) return {};
    auto built = Node(Descs(in), Descs(out));
    if (built == nullptr) return {};
    built->frame.inputs.assign(inputs_.begin(), inputs_.end());
    built->frame.outputs = outputs_;
    return ContextHolder<KernelContext>(std::move(built));
  }

 private:
  std::vector<void *> inputs_, outputs_;
  size_t node_inputs_ = 0, node_outputs_ = 0;
  bool counted_ = false;
};

}  // namespace gert

#endif
