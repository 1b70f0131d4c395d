// ge::KernelLaunchInfo: one task of a node for a device, as a value that can be kept as bytes.
#ifndef INC_GRAPH_KERNEL_LAUNCH_INFO_H_
#define INC_GRAPH_KERNEL_LAUNCH_INFO_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/exe_res_generation_context.h"
#include "graph/detail/language.h"
#include "graph/detail/task_message.h"
#include "graph/error_codes.h"

namespace ge {

/// A task stands on the stream of the context's node at first. Copies are independent; one that was moved from, or
/// loaded from bytes that are no task, is invalid: its texts are null, its numbers the largest uint32_t, setters fail.
/// A null context stands for node 0 on stream 0. Nothing here launches anything. Threads: as a std::string.
class KernelLaunchInfo {
 public:
  ~KernelLaunchInfo() = default;
  KernelLaunchInfo(const KernelLaunchInfo &other)
      : task_(other.task_ ? detail::MakeUnique<Task>(*other.task_) : nullptr) {}
  KernelLaunchInfo &operator=(const KernelLaunchInfo &other) {
    if (this != &other) task_ = other.task_ ? detail::MakeUnique<Task>(*other.task_) : nullptr;
    return *this;
  }
  KernelLaunchInfo(KernelLaunchInfo &&) noexcept = default;
  KernelLaunchInfo &operator=(KernelLaunchInfo &&) noexcept = default;

  /// The bytes that Serialize wrote.
  static KernelLaunchInfo LoadFromData(const gert::ExeResGenerationContext *context, const std::vector<uint8_t> &data) {
    (void)context;
    KernelLaunchInfo info;
    auto task = detail::MakeUnique<Task>();
    if (Read(detail::TaskReader(data.data(), data.size()), *task, 0)) info.task_ = std::move(task);
    return info;
  }
  /// A kernel of a library, with blocks and arguments.
  static KernelLaunchInfo CreateAicpuKfcTask(const gert::ExeResGenerationContext *context, const char *so_name,
                                             const char *kernel_name) {
    KernelLaunchInfo info = Make(context, Kind::kKernel);
    info.task_->so_name = so_name == nullptr ? "" : so_name;
    info.task_->kernel_name = kernel_name == nullptr ? "" : kernel_name;
    return info;
  }
  /// Tells the group's other members that the node has come this far.
  static KernelLaunchInfo CreateHcomRecordTask(const gert::ExeResGenerationContext *context,
                                               const char *group_name = "group") {
    return OfGroups(context, Kind::kRecord, {group_name == nullptr ? "" : group_name});
  }
  /// Waits for them.
  static KernelLaunchInfo CreateHcomWaitTask(const gert::ExeResGenerationContext *context,
                                             const char *group_name = "group") {
    return OfGroups(context, Kind::kWait, {group_name == nullptr ? "" : group_name});
  }
  /// Several tasks launched as one. Invalid when one of them is.
  static KernelLaunchInfo CreateFusionTask(const gert::ExeResGenerationContext *context,
                                           const std::vector<KernelLaunchInfo> &sub_tasks) {
    KernelLaunchInfo info = Make(context, Kind::kFusion);
    for (const KernelLaunchInfo &sub : sub_tasks) {
      if (sub.task_ == nullptr || sub.task_->kind == Kind::kFusion) return KernelLaunchInfo();
      info.task_->parts.push_back(*sub.task_);
    }
    return info;
  }
  /// A collective operation among groups.
  static KernelLaunchInfo CreateCcuTask(const gert::ExeResGenerationContext *context,
                                        const std::vector<std::string> &groups) {
    return OfGroups(context, Kind::kCcu, groups);
  }

  /// Equal tasks give equal bytes. Empty for an invalid task.
  std::vector<uint8_t> Serialize() const { return task_ == nullptr ? std::vector<uint8_t>() : Write(*task_); }

  void SetStreamId(uint32_t stream_id) {
    if (task_ != nullptr) task_->stream_id = stream_id;
  }
  uint32_t GetStreamId() const { return task_ == nullptr ? kNone : task_->stream_id; }
  /// Blocks and arguments are those of kernels: tasks of CreateAicpuKfcTask, CreateFusionTask and CreateCcuTask.
  graphStatus SetBlockDim(uint32_t block_dim) {
    if (!HasKernel()) return GRAPH_FAILED;
    task_->block_dim = block_dim;
    return GRAPH_SUCCESS;
  }
  uint32_t GetBlockDim() const { return HasKernel() ? task_->block_dim : kNone; }
  /// A text as graph/utils/args_format_desc_utils.h writes it. Null: GRAPH_FAILED.
  graphStatus SetArgsFormat(const char *args_format) {
    if (!HasKernel() || args_format == nullptr) return GRAPH_FAILED;
    task_->args_format = args_format;
    return GRAPH_SUCCESS;
  }
  /// Null where a task has no such text; valid until the task changes.
  const char *GetArgsFormat() const { return HasKernel() ? task_->args_format.c_str() : nullptr; }
  const char *GetSoName() const { return IsKernel() ? task_->so_name.c_str() : nullptr; }
  const char *GetKernelName() const { return IsKernel() ? task_->kernel_name.c_str() : nullptr; }

 private:
  // Types of tasks in a model file.
  enum class Kind : uint32_t { kKernel = 0, kRecord = 14, kWait = 15, kFusion = 47, kCcu = 49 };
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  // Fields of a task, of its kernel, and of the kernel's context; groups and parts are ours.
  enum Field : uint32_t { kType = 2, kStream = 10, kKernelDef = 20, kPrivate = 34, kFusionTask = 53 };
  enum KernelField : uint32_t { kContext = 1, kBlockDim = 11, kSoName = 16, kKernelName = 17 };
  enum ContextField : uint32_t { kOpIndex = 4, kArgsFormat = 9 };

  struct Task {
    Kind kind = Kind::kKernel;
    uint32_t stream_id = 0, op_index = 0, block_dim = 0;
    std::string so_name, kernel_name, args_format;
    std::vector<std::string> groups;
    std::vector<Task> parts;
  };

  KernelLaunchInfo() = default;
  bool IsKernel() const { return task_ != nullptr && task_->kind == Kind::kKernel; }
  bool HasKernel() const { return task_ != nullptr && task_->kind != Kind::kRecord && task_->kind != Kind::kWait; }
  static KernelLaunchInfo Make(const gert::ExeResGenerationContext *context, Kind kind) {
    KernelLaunchInfo info;
    info.task_ = detail::MakeUnique<Task>();
    info.task_->kind = kind;
    if (context == nullptr) return info;
    info.task_->stream_id = static_cast<uint32_t>(context->GetStreamId());
    info.task_->op_index = static_cast<uint32_t>(context->GetOpId());
    return info;
  }
  static KernelLaunchInfo OfGroups(const gert::ExeResGenerationContext *context, Kind kind,
                                   const std::vector<std::string> &groups) {
    KernelLaunchInfo info = Make(context, kind);
    info.task_->groups = groups;
    return info;
  }

  static std::vector<uint8_t> Write(const Task &task) {
    detail::TaskWriter context, kernel, message;
    context.Number(kOpIndex, task.op_index);
    context.Text(kArgsFormat, task.args_format);
    kernel.Message(kContext, context.Take());
    kernel.Number(kBlockDim, task.block_dim);
    kernel.Text(kSoName, task.so_name);
    kernel.Text(kKernelName, task.kernel_name);
    message.Number(kType, static_cast<uint32_t>(task.kind));
    message.Number(kStream, task.stream_id);
    message.Message(kKernelDef, kernel.Take());
    for (const std::string &group : task.groups) message.Text(kPrivate, group);
    for (const Task &part : task.parts) message.Message(kFusionTask, Write(part));
    return message.Take();
  }
  // Unknown fields are passed over, as protobuf does.
  static bool Read(detail::TaskReader reader, Task &task, int depth) {
    bool typed = false;
    while (reader.Next()) {
      if (reader.field() == kType) {
        typed = true;
        task.kind = static_cast<Kind>(reader.number());
        if (task.kind != Kind::kKernel && task.kind != Kind::kRecord && task.kind != Kind::kWait &&
            task.kind != Kind::kFusion && task.kind != Kind::kCcu)
          return false;
      } else if (reader.field() == kStream) {
        task.stream_id = static_cast<uint32_t>(reader.number());
      } else if (reader.field() == kKernelDef) {
        if (!ReadKernel(reader.message(), task)) return false;
      } else if (reader.field() == kPrivate) {
        task.groups.push_back(reader.text());
      } else if (reader.field() == kFusionTask) {
        task.parts.emplace_back();
        if (depth > 0 || !Read(reader.message(), task.parts.back(), depth + 1)) return false;
      }
    }
    return typed && !reader.broken();
  }
  static bool ReadKernel(detail::TaskReader reader, Task &task) {
    while (reader.Next()) {
      if (reader.field() == kBlockDim) task.block_dim = static_cast<uint32_t>(reader.number());
      if (reader.field() == kSoName) task.so_name = reader.text();
      if (reader.field() == kKernelName) task.kernel_name = reader.text();
      if (reader.field() != kContext) continue;
      detail::TaskReader context = reader.message();
      while (context.Next()) {
        if (context.field() == kOpIndex) task.op_index = static_cast<uint32_t>(context.number());
        if (context.field() == kArgsFormat) task.args_format = context.text();
      }
      if (context.broken()) return false;
    }
    return !reader.broken();
  }

  std::unique_ptr<Task> task_;
};

}  // namespace ge

#endif
