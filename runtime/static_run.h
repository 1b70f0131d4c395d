// A plan bound to a context's memory: running it is a loop over {function, state, arguments}.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/compile/plan_sizes.h"
#include "core/placement/call_watch.h"
#include "core/placement/memory_space.h"
#include "core/plan/block_layout.h"
#include "core/support/cancel.h"
#include "runtime/arena.h"

namespace gec {

class Profiler;

class StaticRun {
 public:
  explicit StaticRun(PlanPtr plan);
  const ExecPlan &plan() const { return *plan_; }
  const PlanPtr &plan_ptr() const { return plan_; }

  /// Points every argument that lives in an arena at its base: the host's, and those of the plan's spaces (by number
  /// less 1). Needed once, and again whenever an arena moved.
  void Bind(char *base, std::vector<SpaceMemory *> spaces = {});
  char *base() const { return base_; }
  /// Of the host's arena, at the size taken last.
  uint64_t arena_bytes() const { return layout_ ? layout_->arena_bytes() : plan_->arena_bytes; }
  /// Bound to these, and none of them has moved since.
  bool BoundTo(const char *base, const std::vector<SpaceMemory *> &spaces) const;
  /// Descriptions of the inputs, and of the outputs to come; of the size taken last, where the plan serves several.
  const std::vector<TensorDesc> &inputs() const { return inputs_; }
  const std::vector<TensorDesc> &outputs() const { return outputs_; }
  const std::vector<uint64_t> &input_bytes() const { return input_bytes_; }
  const std::vector<uint64_t> &output_bytes() const { return output_bytes_; }
  /// Takes the size of these inputs, where the plan serves it; else all stays as it is. Where values then have no room,
  /// they move, and the run has to be bound again. Allocates nothing but the first time.
  bool Resize(const GeTensorData *inputs, size_t count);
  /// Back to the size that the plan was made for, and as much memory as that needs.
  void TakeOwnSize();
  /// Growth `k` of the plan takes place in memory with these distances along its dimensions; null: input and output lie
  /// apart, dense.
  void SetGrowth(size_t k, const int64_t *strides);
  /// Output `j` takes the place of an input, whose memory it is written to.
  bool in_state(size_t j) const { return in_state_[j] != 0; }

  /// Runs once. One pointer per graph input and output; throws what a kernel reported, with the node's name.
  /// Allocates nothing.
  void Run(const void *const *inputs, void *const *outputs) {
    Patch(inputs, outputs);
    const Call *call = calls_.data(), *const end = call + calls_.size();
    GeStatus status = GE_SUCCESS;
    const bool &told = EngineErrorWaits();
    const CancelLook cancel = CancelState::Here().look();
    bool ended = false;
    if (told) TakeEngineError();
    try {  // one for all calls: costs nothing while nobody throws
      for (; call != end; ++call) {
        if (cancel.Due()) [[unlikely]] {
          ended = true;
          break;
        }
        if (status = call->run(call->state, &call->args); status != GE_SUCCESS) break;
        if (told) TakeEngineError();  // by a call that succeeded: no text for the next one that fails
      }
    } catch (...) {
      status = Threw(call);
    }
    if (status != GE_SUCCESS) Failed(call, status);
    if (ended) Ended(call);
    if (!spaces_.empty()) FinishSpaces();
    CopyOutputs(inputs, outputs);
  }
  /// Throws GE_BAD_STATE where the engine of a kernel is not called any more.
  void RefuseHungEngines() const;
  /// The same as Run, step by step where each is noted: with a profiler (else null), and where the thread's calls are
  /// watched.
  void RunOnce(const void *const *inputs, void *const *outputs, Profiler *profiler) {
    if (EngineHealth::AnyHung()) RefuseHungEngines();
    if (profiler || CallWatch::Current()) RunStepwise(inputs, outputs, profiler);
    else Run(inputs, outputs);
  }

 private:
  struct Call {
    GeKernelRunFn run;
    void *state;
    GeKernelArgs args;
  };
  /// A copy to the host that goes on beside later work, or the wait for it.
  struct StartedCopy {
    SpaceMemory *memory;
    size_t number;
    uint64_t bytes;
    static GeStatus Start(void *state, const GeKernelArgs *args);
    static GeStatus Wait(void *state, const GeKernelArgs *args);
  };
  struct PatchEntry {
    uint32_t slot;
    int32_t index;
    uint64_t offset;
  };
  void Patch(const void *const *inputs, void *const *outputs) {
    for (const PatchEntry &p : input_patches_) {
      slots_[p.slot] = const_cast<char *>(static_cast<const char *>(inputs[p.index])) + p.offset;
    }
    for (const PatchEntry &p : output_patches_) slots_[p.slot] = static_cast<char *>(outputs[p.index]) + p.offset;
  }
  void RunStepwise(const void *const *inputs, void *const *outputs, Profiler *profiler);
  /// Waits for what engines with streams still do.
  void FinishSpaces() const;
  /// Inside a catch block: reports what the call threw.
  GeStatus Threw(const Call *call) const noexcept;
  void CopyOutputs(const void *const *inputs, void *const *outputs);
  /// The run is cancelled, or too late, before this call.
  [[noreturn]] void Ended(const Call *call) const;
  [[noreturn]] void Failed(const Call *call, GeStatus status) const;

  void PointToExtents();
  void FindParts();
  void PlaceParts();
  void TakeOffsets(const std::vector<uint64_t> &offsets);
  void TakeExtents();
  /// Of a place in the arena of a space.
  uint64_t OffsetOf(const Location &at) const { return layout_ && at.block >= 0 ? layout_->OffsetOf(at) : at.offset; }
  void FindGrowingPorts();

  PlanPtr plan_;
  std::vector<TensorDesc> inputs_, outputs_;
  PlanSizes::Extents extents_, next_;  // of a plan that serves several sizes: at hand; while they are looked at
  std::optional<BlockLayout> layout_;  // of the arena of such a plan
  struct Part {  // an argument behind others: which of the offsets it has, and its patch in a caller's buffer
    uint32_t argument;
    int32_t number, patch;
  };
  std::vector<Part> parts_;
  std::vector<uint64_t> own_offsets_;     // at the plan's size
  std::vector<const int64_t *> dims_;     // of arguments, as ExecPlan::dims; they point into extents_
  std::vector<const int64_t *> strides_;  // of arguments; empty where nothing grows
  struct Growing {
    std::vector<uint32_t> arguments;
    std::vector<int64_t> strides;
    bool set = false;
  };
  std::vector<Growing> growing_;  // by growth of the plan
  char *base_ = nullptr;
  bool bound_ = false;
  struct BoundSpace {
    SpaceMemory *memory;
    const char *base;
  };
  std::vector<BoundSpace> spaces_;
  std::vector<uint64_t> input_bytes_, output_bytes_;
  std::vector<uint8_t> in_state_;  // by output
  std::vector<void *> slots_;
  std::vector<Call> calls_;
  std::vector<StartedCopy> started_;  // in the order of the plan's steps
  std::vector<PatchEntry> input_patches_, output_patches_;
};

}  // namespace gec
