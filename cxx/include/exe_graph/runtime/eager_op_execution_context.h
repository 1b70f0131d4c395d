// gert::EagerOpExecutionContext: what EagerExecuteOp::Execute computes with.
#ifndef INC_EXE_GRAPH_RUNTIME_EAGER_OP_EXECUTION_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_EAGER_OP_EXECUTION_CONTEXT_H_

#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/kernel_args.h"
#include "exe_graph/runtime/tensor.h"
#include "ge/log.h"
#include "ge/status.h"

namespace gert {

using rtStream = void *;

namespace detail {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

/// Of one call of Execute.
struct ExecuteFrame : KernelFrame {
  static constexpr size_t kRound = 512;  // allocations are multiples of it
  std::vector<Tensor> in, out;
  /// Memory for an output whose size only the call tells; null: every output has its memory.
  void *host = nullptr;
  void *(*give)(void *host, int32_t output, uint64_t bytes) = nullptr;
  std::vector<const void *> given;  // by output: what it gave
  std::list<Memory> memory;         // workspaces and arguments, until the call is over
  std::list<KernelArgs> args;

  void *Allocate(size_t bytes) {
    constexpr size_t kAlignment = 64;
    const size_t rounded = (bytes + kRound - 1) / kRound * kRound;
    if (rounded < bytes) return nullptr;
    memory.emplace_back(aligned_alloc(kAlignment, rounded));
    return memory.back().get();
  }
};

/// A log line "Type 'name': text", and null.
inline std::nullptr_t Refuse(const ExtendedKernelContext &context, const std::string &text) {
  const std::string line = std::string(context.GetNodeType()) + " '" + context.GetNodeName() + "': " + text;
  GeLogMessage(GE_LOG_ERROR, line.c_str());
  return nullptr;
}

}  // namespace detail

/// Tensors lie in host memory, and there is one stream, whose work is done when a call returns: GetStream is null. What
/// the context hands out is valid until Execute returns. Failures return null and write to the log.
class EagerOpExecutionContext : public ExtendedKernelContext {
 public:
  enum class AdditionalInputIndex : uint32_t { kDeviceAllocator = 0, kStream, kNum };
  enum class AdditionalOutputIndex : uint32_t { kWorkSpace = 0, kArgsHandler, kNum };
  using ExtendedKernelContext::ExtendedKernelContext;

  rtStream GetStream() const { return nullptr; }
  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  const Tensor *GetOutputTensor(size_t index) const { return OutputOf<Tensor>(index); }

  /// Sets type, formats and shapes of an output and gives it memory, where the graph has not planned it already: then
  /// the shape has to fit. An output that is an input changed in place (of the same name in the prototype) is made by
  /// MakeOutputRefInput.
  Tensor *MallocOutputTensor(size_t index, const StorageShape &shape, const StorageFormat &format, ge::DataType dtype) {
    auto *tensor = OutputOf<Tensor>(index);
    if (tensor == nullptr) return detail::Refuse(*this, "there is no output " + std::to_string(index));
    if (GetComputeNodeInfo()->IsReference(index))
      return detail::Refuse(*this, "output " + std::to_string(index) + " is an input changed in place");
    return Room(*tensor, index, shape, format, dtype);
  }
  /// The output begins as a copy of the input, which nobody else sees changed. Only where the prototype gives both the
  /// same name.
  Tensor *MakeOutputRefInput(size_t output_index, size_t input_index) const {
    auto *tensor = OutputOf<Tensor>(output_index);
    const Tensor *input = GetInputTensor(input_index);
    if (tensor == nullptr || input == nullptr || !GetComputeNodeInfo()->IsReference(output_index, input_index))
      return detail::Refuse(*this, "output " + std::to_string(output_index) + " is not input " +
                                       std::to_string(input_index) + " changed in place");
    tensor = Room(*tensor, output_index, input->GetShape(), input->GetFormat(), input->GetDataType());
    if (tensor != nullptr && input->GetSize() > 0) std::memcpy(tensor->GetAddr(), input->GetAddr(), input->GetSize());
    return tensor;
  }
  /// 64-byte aligned, of a multiple of 512 bytes, until Execute returns.
  void *MallocWorkSpace(size_t size) {
    void *memory = Frame().Allocate(size);
    return memory != nullptr ? memory : detail::Refuse(*this, "no memory for " + std::to_string(size) + " bytes");
  }
  /// A copy of host_args in the host's memory, as all memory is; it is labelled device, since programs look for it
  /// under that label. The n-th call makes arguments n - 1 (UpdateArgsContext::GetKernelArgs).
  const KernelArgs *MallocReadOnlyDevArgs(void *host_args, size_t args_size) const {
    if (host_args == nullptr || args_size == 0) return detail::Refuse(*this, "a launch needs arguments");
    void *memory = Frame().Allocate(args_size);
    if (memory == nullptr) return detail::Refuse(*this, "no memory for " + std::to_string(args_size) + " bytes");
    std::memcpy(memory, host_args, args_size);
    Frame().args.push_back({memory, args_size, {}, ge::kPlacementDevice, {}});
    return &Frame().args.back();
  }

 protected:
  detail::ExecuteFrame &Frame() const { return static_cast<detail::ExecuteFrame &>(*frame_); }

 private:
  Tensor *Room(Tensor &tensor, size_t index, const StorageShape &shape, const StorageFormat &format,
               ge::DataType dtype) const {
    const int64_t bytes = ge::GetSizeInBytes(shape.GetStorageShape().GetShapeSize(), dtype);
    if (bytes < 0) return detail::Refuse(*this, "output " + std::to_string(index) + ": type or shape has no size");
    const auto size = static_cast<size_t>(bytes);
    detail::ExecuteFrame &frame = Frame();
    if (frame.give == nullptr) {
      if (size > tensor.GetSize())
        return detail::Refuse(*this, "output " + std::to_string(index) + " is planned with " +
                                         std::to_string(tensor.GetSize()) + " bytes, " + std::to_string(size) +
                                         " are asked for");
    } else {
      constexpr size_t kRound = detail::ExecuteFrame::kRound;
      void *memory = frame.give(frame.host, static_cast<int32_t>(index), (size + kRound - 1) / kRound * kRound);
      if (memory == nullptr) return detail::Refuse(*this, "no memory for " + std::to_string(size) + " bytes");
      if (frame.given.size() <= index) frame.given.resize(index + 1);
      frame.given[index] = memory;
      tensor.SetData(TensorData(memory, nullptr, size, kOnHost));
    }
    tensor.GetShape() = shape;
    tensor.MutableFormat() = format;
    tensor.SetDataType(dtype);
    tensor.SetSize(size);
    return &tensor;
  }
};
static_assert(std::is_standard_layout<EagerOpExecutionContext>::value, "a view of the context before it");

}  // namespace gert

#endif
