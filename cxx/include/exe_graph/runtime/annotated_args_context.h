// gert::AnnotatedArgsContext: what AnnotatedArgsOp::DeclareLaunchArgs declares launches with, and the builder of their
// arguments.
//
//   AnnotatedKernelArgs args(InputAddr{0, x->GetAddr()}, OutputAddr{0, y->GetAddr()}, uint64_t{1024});
//   return ctx.AddLaunch({"kernel", binary.data(), binary.size(), 8, ctx.GetStreamId()}, std::move(args));
#ifndef INC_EXE_GRAPH_RUNTIME_ANNOTATED_ARGS_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_ANNOTATED_ARGS_CONTEXT_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "exe_graph/runtime/eager_op_execution_context.h"
#include "graph/detail/language.h"
#include "graph/utils/args_format_desc_utils.h"

namespace gert {

struct InputAddr {
  uint32_t index;  // of the present inputs
  const void *addr;
};
struct OutputAddr {
  uint32_t index;
  const void *addr;
};
struct WorkspaceAddr {
  uint32_t index;  // in the order of MallocWorkSpace
  const void *addr;
};
struct AnnotatedKernelLaunchInfo {
  const char *kernel_name = nullptr;
  const void *kernel_bin = nullptr;
  size_t kernel_bin_size = 0;
  uint32_t block_dim = 0;
  uint32_t stream_id = 0;
};

/// The arguments of one launch: slots of 8 bytes in the order of the calls, addresses and numbers. An index above
/// INT32_MAX, or being moved from, spoils the object: every call answers GRAPH_FAILED then. Copies are independent.
class AnnotatedKernelArgs {
 public:
  AnnotatedKernelArgs() : slots_(ge::detail::MakeUnique<Slots>()) {}
  /// Any mix of InputAddr, OutputAddr, WorkspaceAddr and uint64_t.
  template <class First, class... Rest,
            class = typename std::enable_if<
                !std::is_same<typename std::decay<First>::type, AnnotatedKernelArgs>::value>::type>
  explicit AnnotatedKernelArgs(const First &first, const Rest &...rest) : AnnotatedKernelArgs() {
    (void)AppendArg(first);
    (void)std::initializer_list<ge::graphStatus>{ge::GRAPH_SUCCESS, AppendArg(rest)...};
  }
  AnnotatedKernelArgs(const AnnotatedKernelArgs &other)
      : slots_(other.slots_ ? ge::detail::MakeUnique<Slots>(*other.slots_) : nullptr) {}
  AnnotatedKernelArgs &operator=(const AnnotatedKernelArgs &other) {
    if (this != &other) slots_ = other.slots_ ? ge::detail::MakeUnique<Slots>(*other.slots_) : nullptr;
    return *this;
  }
  AnnotatedKernelArgs(AnnotatedKernelArgs &&) noexcept = default;
  AnnotatedKernelArgs &operator=(AnnotatedKernelArgs &&) noexcept = default;

  ge::graphStatus AppendArg(InputAddr input) { return Append(ge::AddrType::INPUT_INSTANCE, input.index, input.addr); }
  ge::graphStatus AppendArg(OutputAddr output) {
    return Append(ge::AddrType::OUTPUT_INSTANCE, output.index, output.addr);
  }
  ge::graphStatus AppendArg(WorkspaceAddr workspace) {
    return Append(ge::AddrType::WORKSPACE, workspace.index, workspace.addr);
  }
  ge::graphStatus AppendArg(uint64_t value) {
    if (!Usable()) return ge::GRAPH_FAILED;
    slots_->data.push_back(value);
    ge::ArgsFormatDescUtils::AppendCustomValue(slots_->descs, value);
    return ge::GRAPH_SUCCESS;
  }
  /// The slots' bytes, and what each of them is.
  ge::graphStatus ExtractArgsData(std::vector<uint8_t> &args_data, std::vector<ge::ArgDesc> &descs) const {
    if (!Usable()) return ge::GRAPH_FAILED;
    args_data.resize(slots_->data.size() * sizeof(uint64_t));
    if (!args_data.empty()) std::memcpy(args_data.data(), slots_->data.data(), args_data.size());
    descs = slots_->descs;
    return ge::GRAPH_SUCCESS;
  }

 private:
  struct Slots {
    std::vector<uint64_t> data;
    std::vector<ge::ArgDesc> descs;
    bool spoilt = false;
  };
  bool Usable() const { return slots_ != nullptr && !slots_->spoilt; }
  ge::graphStatus Append(ge::AddrType type, uint32_t index, const void *addr) {
    if (!Usable()) return ge::GRAPH_FAILED;
    if (index > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
      slots_->spoilt = true;
      return ge::GRAPH_FAILED;
    }
    slots_->data.push_back(reinterpret_cast<uintptr_t>(addr));
    ge::ArgsFormatDescUtils::Append(slots_->descs, type, static_cast<int32_t>(index));
    return ge::GRAPH_SUCCESS;
  }
  std::unique_ptr<Slots> slots_;
};
static_assert(sizeof(AnnotatedKernelArgs) == sizeof(void *), "one pointer");

namespace detail {

struct DeclaredLaunch {
  std::string kernel_name;
  std::vector<uint8_t> kernel_bin;
  uint32_t block_dim = 0, stream_id = 0;
  std::vector<uint8_t> args;
  std::vector<ge::ArgDesc> descs;
};

/// Of one call of DeclareLaunchArgs.
struct AnnotatedFrame : KernelFrame {
  static constexpr size_t kRound = 512, kMostArgBytes = 65536;
  uint32_t stream_id = 0;
  std::vector<Tensor> in, out;
  std::vector<size_t> workspaces;  // bytes
  std::vector<Memory> memory;      // by workspace
  std::vector<DeclaredLaunch> launches;

  void Connect() {
    for (const Tensor &tensor : in) inputs.push_back(&tensor);
    for (Tensor &tensor : out) outputs.push_back(&tensor);
  }
  /// The problem of the declared launches as a whole; empty when there is none.
  std::string Problem() const {
    if (launches.empty()) return "no launch was declared";
    for (const DeclaredLaunch &launch : launches)
      if (launch.stream_id != stream_id)
        return "launch '" + launch.kernel_name + "' is on stream " + std::to_string(launch.stream_id) +
               ", the node on stream " + std::to_string(stream_id);
    return "";
  }
};

}  // namespace detail

/// Pointers from the context are valid until the call that it was made for returns. Failures are logged.
class AnnotatedArgsContext : public ExtendedKernelContext {
 public:
  enum class AdditionalInputIndex : uint32_t { kWorkspaceAllocator = 0, kNum };
  enum class AdditionalOutputIndex : uint32_t { kWorkSpace = 0, kArgsHandler, kNum };
  using ExtendedKernelContext::ExtendedKernelContext;

  const Tensor *GetInputTensor(size_t index) const { return InputOf<Tensor>(index); }
  const Tensor *GetRequiredInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir_index) const { return GetDynamicInputTensor(ir_index, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir_index, size_t relative_index) const {
    return InputOf<Tensor>(ir_index, relative_index);
  }
  const Tensor *GetOutputTensor(size_t index) const { return OutputOf<Tensor>(index); }
  const Tensor *GetRequiredOutputTensor(size_t ir_index) const { return GetDynamicOutputTensor(ir_index, 0); }
  const Tensor *GetDynamicOutputTensor(size_t ir_index, size_t relative_index) const {
    return OutputOf<Tensor>(ir_index, relative_index);
  }

  /// Of a multiple of 512 bytes; a null address for size 0 and when memory is short.
  WorkspaceAddr MallocWorkSpace(size_t size) {
    constexpr size_t kAlignment = 64, kRound = detail::AnnotatedFrame::kRound;
    const size_t rounded = (size + kRound - 1) / kRound * kRound;
    const auto index = static_cast<uint32_t>(Frame().workspaces.size());
    if (size == 0 || rounded < size) {
      detail::Refuse(*this, "a workspace of " + std::to_string(size) + " bytes");
      return {index, nullptr};
    }
    detail::Memory memory(aligned_alloc(kAlignment, rounded));
    if (memory == nullptr) {
      detail::Refuse(*this, "no memory for " + std::to_string(size) + " bytes");
      return {index, nullptr};
    }
    Frame().workspaces.push_back(rounded);
    Frame().memory.push_back(std::move(memory));
    return {index, Frame().memory.back().get()};
  }
  /// The node's stream.
  uint32_t GetStreamId() const { return Frame().stream_id; }
  /// Binary and arguments are copied. GRAPH_FAILED without a name, a binary, a block or a stream, for arguments that
  /// cannot be used, and for more than 65536 bytes of them.
  ge::graphStatus AddLaunch(const AnnotatedKernelLaunchInfo &info, AnnotatedKernelArgs &&args) {
    detail::DeclaredLaunch launch;
    const AnnotatedKernelArgs taken(std::move(args));
    std::string problem;
    if (info.kernel_name == nullptr || *info.kernel_name == '\0') problem = "a launch needs the name of a kernel";
    else if (info.kernel_bin == nullptr || info.kernel_bin_size == 0) problem = "a launch needs the kernel's binary";
    else if (info.block_dim == 0) problem = "a launch needs blocks";
    else if (info.stream_id == std::numeric_limits<uint32_t>::max()) problem = "a launch needs a stream";
    else if (taken.ExtractArgsData(launch.args, launch.descs) != ge::GRAPH_SUCCESS)
      problem = "the arguments of a launch cannot be used";
    else if (launch.args.size() > detail::AnnotatedFrame::kMostArgBytes)
      problem = "a launch has " + std::to_string(launch.args.size()) + " bytes of arguments, at most 65536 are allowed";
    if (!problem.empty()) {
      detail::Refuse(*this, problem);
      return ge::GRAPH_FAILED;
    }
    launch.kernel_name = info.kernel_name;
    const auto *binary = static_cast<const uint8_t *>(info.kernel_bin);
    launch.kernel_bin.assign(binary, binary + info.kernel_bin_size);
    launch.block_dim = info.block_dim;
    launch.stream_id = info.stream_id;
    Frame().launches.push_back(std::move(launch));
    return ge::GRAPH_SUCCESS;
  }

 private:
  detail::AnnotatedFrame &Frame() const { return static_cast<detail::AnnotatedFrame &>(*frame_); }
};
static_assert(std::is_standard_layout<AnnotatedArgsContext>::value, "a view of the context before it");

}  // namespace gert

#endif
