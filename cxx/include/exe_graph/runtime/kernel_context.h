// gert::KernelContext: numbered inputs and outputs of a callback. The contexts of single callbacks are views of it.
#ifndef INC_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H_

#include <cstddef>
#include <vector>

namespace gert {

class ComputeNodeInfo;

namespace detail {
/// The objects behind a context; they belong to the caller of the function.
struct KernelFrame {
  std::vector<const void *> inputs;  // the node's, then additional ones
  std::vector<void *> outputs;       // the same
  const ComputeNodeInfo *node = nullptr;
};
}  // namespace detail

class KernelContext {
 public:
  explicit KernelContext(detail::KernelFrame *frame) : frame_(frame) {}
  size_t GetInputNum() const { return frame_->inputs.size(); }
  size_t GetOutputNum() const { return frame_->outputs.size(); }
  /// Null beyond the last one.
  template <class T>
  const T *GetInputPointer(size_t index) const {
    return index < frame_->inputs.size() ? static_cast<const T *>(frame_->inputs[index]) : nullptr;
  }
  template <class T>
  T *GetOutputPointer(size_t index) const {
    return index < frame_->outputs.size() ? static_cast<T *>(frame_->outputs[index]) : nullptr;
  }
  const ComputeNodeInfo *GetComputeNodeExtend() const { return frame_->node; }

 protected:
  detail::KernelFrame *frame_;
};

}  // namespace gert

#endif
