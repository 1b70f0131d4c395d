#include "runtime/static_run.h"

#include <algorithm>
#include <cstring>

#include "core/placement/barrier.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

alignas(64) char g_empty[64];  // what an empty tensor points at: never null, never read

std::string WorkOf(const ExecPlan::Step &step) {
  return Str(step.copy ? "a copy of " : "", step.node->type().view(), " '", step.node->OriginText(), "'");
}

}  // namespace

GeStatus StaticRun::StartedCopy::Start(void *state, const GeKernelArgs *args) {
  const StartedCopy &self = *static_cast<const StartedCopy *>(state);
  return self.memory->StartCopyToHost(self.number, args->outputs[0], args->inputs[0], self.bytes);
}

GeStatus StaticRun::StartedCopy::Wait(void *state, const GeKernelArgs *) {
  const StartedCopy &self = *static_cast<const StartedCopy *>(state);
  return self.memory->WaitForCopy(self.number);
}

StaticRun::StaticRun(PlanPtr plan)
    : plan_(std::move(plan)), inputs_(plan_->inputs), outputs_(plan_->outputs), slots_(plan_->arguments.size()) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ExecPlan::Argument &argument = plan_->arguments[i];
    const Location &at = argument.at;
    if (argument.absent) continue;
    switch (at.storage) {
      case Storage::kNone:
        slots_[i] = g_empty;
        break;
      case Storage::kArena:
        break;
      case Storage::kConst:
        slots_[i] = static_cast<char *>(const_cast<void *>(plan_->constants[at.index]->data())) + at.offset;
        break;
      case Storage::kInput:
        input_patches_.push_back({static_cast<uint32_t>(i), at.index, at.offset});
        break;
      case Storage::kOutput:
        output_patches_.push_back({static_cast<uint32_t>(i), at.index, at.offset});
        break;
    }
  }
  for (const TensorDesc &desc : plan_->inputs) input_bytes_.push_back(desc.bytes());
  for (const TensorDesc &desc : plan_->outputs) output_bytes_.push_back(desc.bytes());
  in_state_.assign(plan_->outputs.size(), 0);
  for (const MemoryPlan::State &state : plan_->memory.states) in_state_[static_cast<size_t>(state.output)] = 1;
  calls_.reserve(plan_->steps.size());
  for (const ExecPlan::Step &step : plan_->steps) {
    const GeKernel &kernel = step.kernel->get();
    Call call{kernel.run, kernel.state, {}};
    call.args.struct_size = sizeof call.args;
    call.args.inputs = const_cast<const void *const *>(slots_.data() + step.first_input);
    call.args.outputs = slots_.data() + step.first_output;
    if (step.dims >= 0) {
      call.args.input_dims = plan_->dims.data() + step.dims;
      call.args.output_dims = call.args.input_dims + step.input_count;
    }
    calls_.push_back(call);
  }
  if (plan_->sizes) PointToExtents();
  if (!plan_->growths.empty()) FindGrowingPorts();
}

/// Extents are this run's own, so that each run may have another size.
void StaticRun::PointToExtents() {
  const PlanSizes &sizes = *plan_->sizes;
  layout_.emplace(plan_->memory);
  extents_.dims = sizes.dims();
  FindParts();
  dims_ = plan_->dims;
  for (size_t k = 0; k < dims_.size(); ++k)
    if (dims_[k]) dims_[k] = extents_.dims.data() + sizes.DimsOfPort(k);
  for (size_t i = 0; i < calls_.size(); ++i) {
    const ExecPlan::Step &step = plan_->steps[i];
    if (step.dims < 0) continue;
    calls_[i].args.input_dims = dims_.data() + step.dims;
    calls_[i].args.output_dims = calls_[i].args.input_dims + step.input_count;
  }
}

/// Arguments that lie behind others in their block or buffer, by as much as the plan says at its own size.
void StaticRun::FindParts() {
  for (uint32_t i = 0; i < plan_->arguments.size(); ++i) {
    const int32_t number = plan_->sizes->OffsetOfArgument(i);
    if (number < 0) continue;
    const Location &at = plan_->arguments[i].at;
    const auto patch = [&](std::vector<PatchEntry> &all) {
      return static_cast<int32_t>(
          std::find_if(all.begin(), all.end(), [&](const PatchEntry &p) { return p.slot == i; }) - all.begin());
    };
    if (at.storage == Storage::kArena) parts_.push_back({i, number, -1});
    if (at.storage == Storage::kInput) parts_.push_back({i, number, patch(input_patches_)});
    if (at.storage == Storage::kOutput) parts_.push_back({i, number, patch(output_patches_)});
    const uint64_t begin =
        at.storage == Storage::kArena ? plan_->memory.blocks[static_cast<size_t>(at.block)].offset : 0;
    extents_.offsets.resize(std::max(extents_.offsets.size(), static_cast<size_t>(number) + 1));
    extents_.offsets[static_cast<size_t>(number)] = at.offset - begin;
  }
  own_offsets_ = extents_.offsets;
}

void StaticRun::PlaceParts() {
  for (const Part &part : parts_) {
    const Location &at = plan_->arguments[part.argument].at;
    const uint64_t offset = extents_.offsets[static_cast<size_t>(part.number)];
    if (at.storage == Storage::kArena) slots_[part.argument] = base_ + layout_->OffsetOf(at.block) + offset;
    else if (at.storage == Storage::kInput) input_patches_[static_cast<size_t>(part.patch)].offset = offset;
    else output_patches_[static_cast<size_t>(part.patch)].offset = offset;
  }
}

bool StaticRun::Resize(const GeTensorData *inputs, size_t count) {
  if (!plan_->sizes || !plan_->sizes->At(*plan_, inputs, count, &next_)) return false;
  if (layout_->Fit(next_.blocks)) bound_ = false;
  std::copy(next_.dims.begin(), next_.dims.end(), extents_.dims.begin());
  TakeOffsets(next_.offsets);
  TakeExtents();
  return true;
}

void StaticRun::TakeOwnSize() {
  layout_->Reset();
  bound_ = false;
  std::copy(plan_->sizes->dims().begin(), plan_->sizes->dims().end(), extents_.dims.begin());
  TakeOffsets(own_offsets_);
  TakeExtents();
}

void StaticRun::TakeOffsets(const std::vector<uint64_t> &offsets) {
  if (offsets == extents_.offsets) return;
  std::copy(offsets.begin(), offsets.end(), extents_.offsets.begin());
  bound_ = false;
}

/// Descriptions and bytes of inputs and outputs as the extents at hand say.
void StaticRun::TakeExtents() {
  plan_->sizes->SetArenaAtHand(layout_->arena_bytes());
  const auto take = [&](TensorDesc *desc, size_t from) {
    for (size_t d = 0; d < desc->shape.dims().size(); ++d) desc->shape[d] = extents_.dims[from + d];
    desc->origin_shape = desc->shape;
  };
  for (size_t i = 0; i < inputs_.size(); ++i) {
    take(&inputs_[i], plan_->sizes->DimsOfInput(i));
    input_bytes_[i] = inputs_[i].bytes();
  }
  for (size_t j = 0; j < outputs_.size(); ++j) {
    take(&outputs_[j], plan_->sizes->DimsOfOutput(j));
    output_bytes_[j] = outputs_[j].bytes();
  }
}

void StaticRun::FindGrowingPorts() {
  strides_.resize(plan_->arguments.size());
  growing_.resize(plan_->growths.size());
  for (size_t k = 0; k < growing_.size(); ++k) {
    const ExecPlan::Growth &growth = plan_->growths[k];
    growing_[k].strides.resize(outputs_[static_cast<size_t>(growth.output)].shape.dims().size());
    for (uint32_t a = 0; a < plan_->arguments.size(); ++a) {
      const ExecPlan::Argument &argument = plan_->arguments[a];
      const bool from = argument.at.storage == Storage::kInput && argument.at.index == growth.input;
      const bool to = argument.at.storage == Storage::kOutput && argument.at.index == growth.output;
      if (!argument.absent && (from || to)) growing_[k].arguments.push_back(a);
    }
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    calls_[i].args.input_strides = strides_.data() + plan_->steps[i].first_input;
    calls_[i].args.output_strides = strides_.data() + plan_->steps[i].first_output;
  }
}

void StaticRun::SetGrowth(size_t k, const int64_t *strides) {
  Growing &growing = growing_[k];
  if (strides) std::copy(strides, strides + growing.strides.size(), growing.strides.begin());
  if (growing.set == (strides != nullptr)) return;
  growing.set = strides != nullptr;
  for (uint32_t a : growing.arguments) strides_[a] = strides ? growing.strides.data() : nullptr;
}

bool StaticRun::BoundTo(const char *base, const std::vector<SpaceMemory *> &spaces) const {
  if (!bound_ || base_ != base || spaces_.size() != spaces.size()) return false;
  for (size_t i = 0; i < spaces.size(); ++i)
    if (spaces_[i].memory != spaces[i] || spaces_[i].base != spaces[i]->base()) return false;
  return true;
}

void StaticRun::Bind(char *base, std::vector<SpaceMemory *> spaces) {
  base_ = base;
  bound_ = false;  // until all is done
  spaces_.clear();
  for (SpaceMemory *space : spaces) spaces_.push_back({space, space->base()});
  const auto base_of = [&](int32_t space) {
    return space == 0 ? base : spaces[static_cast<size_t>(space) - 1]->base();
  };
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ExecPlan::Argument &argument = plan_->arguments[i];
    if (!argument.absent && argument.at.storage == Storage::kArena)
      slots_[i] = base_of(argument.at.index) + OffsetOf(argument.at);
  }
  PlaceParts();
  started_.clear();
  started_.reserve(calls_.size());  // calls point to them
  for (size_t i = 0; i < spaces.size(); ++i) spaces[i]->ReserveCopies(plan_->started[i]);
  for (size_t i = 0; i < calls_.size(); ++i) {
    const ExecPlan::Step &step = plan_->steps[i];
    if (step.started >= 0) {
      SpaceMemory *memory = spaces[static_cast<size_t>(step.space) - 1];
      started_.push_back({memory, static_cast<size_t>(step.started), step.bytes});
      calls_[i].run = step.wait ? &StartedCopy::Wait : &StartedCopy::Start;
      calls_[i].state = &started_.back();
    }
    const uint64_t workspace =
        layout_ && step.workspace_block >= 0 ? layout_->OffsetOf(step.workspace_block) : step.workspace;
    calls_[i].args.workspace = step.workspace_bytes ? base_of(step.space) + workspace : nullptr;
    calls_[i].args.stream = step.space ? spaces[static_cast<size_t>(step.space) - 1]->stream() : nullptr;
  }
  bound_ = true;
}

void StaticRun::CopyOutputs(const void *const *inputs, void *const *outputs) {
  for (const ExecPlan::OutputCopy &copy : plan_->copies) {
    const char *from = nullptr;
    switch (copy.from.storage) {
      case Storage::kNone:
        continue;
      case Storage::kArena:
        from = base_;
        break;
      case Storage::kInput:
        from = static_cast<const char *>(inputs[copy.from.index]);
        break;
      case Storage::kOutput:
        from = static_cast<const char *>(outputs[copy.from.index]);
        break;
      case Storage::kConst:
        from = static_cast<const char *>(plan_->constants[copy.from.index]->data());
        break;
    }
    from += copy.from.storage == Storage::kArena ? OffsetOf(copy.from) : copy.from.offset;
    const uint64_t bytes = output_bytes_[static_cast<size_t>(copy.output)];
    if (from != outputs[copy.output]) std::memmove(outputs[copy.output], from, bytes);
  }
}

void StaticRun::FinishSpaces() const {
  for (const BoundSpace &space : spaces_) {
    const GeStatus status = space.memory->Synchronize();
    if (status == GE_SUCCESS) continue;
    const std::string text = Reported(status);
    for (const BoundSpace &other : spaces_)
      if (&other > &space) other.memory->Synchronize();
    const Engine &engine = space.memory->engine();
    std::string last = "nothing";
    for (const ExecPlan::Step &step : plan_->steps)
      if (&step.kernel->engine() == &engine && !step.wait) last = WorkOf(step);
    Fail(status, "engine ", engine.name(), " failed in a run: the last that it was given in ", engine.space()->name,
         " is ", last, ": ", text);
  }
}

GeStatus StaticRun::Threw(const Call *call) const noexcept {
  return Thrown(plan_->steps[static_cast<size_t>(call - calls_.data())].kernel->engine().name(), "run");
}

void StaticRun::Failed(const Call *call, GeStatus status) const {
  const ExecPlan::Step &step = plan_->steps[static_cast<size_t>(call - calls_.data())];
  const std::string text = Reported(status);
  for (const BoundSpace &space : spaces_) space.memory->Synchronize();  // nothing goes on behind the caller's back
  TakeEngineError();
  Fail(status, WorkOf(step), " failed on ", step.kernel->engine().name(), ": ", text);
}

void StaticRun::Ended(const Call *call) const {
  const size_t done = static_cast<size_t>(call - calls_.data());
  for (const BoundSpace &space : spaces_) space.memory->Synchronize();  // nothing goes on behind the caller's back
  TakeEngineError();
  CancelState::Here().Throw(
      Str("after ", done, " of ", calls_.size(), " steps of a run, before ", WorkOf(plan_->steps[done])));
}

void StaticRun::RefuseHungEngines() const {
  for (const ExecPlan::Step &step : plan_->steps) {
    const Hang *hang = step.kernel->engine().hang();
    if (!hang) continue;
    Fail(GE_BAD_STATE, step.node->type().view(), " '", step.node->OriginText(), "' is to run on ", hang->engine,
         ", which is not called any more: ", hang->What(), "; compile the graph again, for other engines");
  }
}

void StaticRun::RunStepwise(const void *const *inputs, void *const *outputs, Profiler *profiler) {
  Patch(inputs, outputs);
  const size_t noted = profiler ? profiler->Begin(plan_) : 0;
  uint64_t begin = profiler ? Profiler::Now() : 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const ExecPlan::Step &step = plan_->steps[i];
    const CallWatch::About about(*step.node);
    const Call &call = calls_[i];
    if (CancelState::Here().Due()) Ended(&call);
    // A copy is several calls of functions of the engine's memory, which are noted one by one.
    GeStatus status = step.copy ? call.run(call.state, &call.args) : step.kernel->Run(call.args);
    // Work that was only given to a stream shows where it is done.
    if (profiler && status == GE_SUCCESS && step.space)
      status = spaces_[static_cast<size_t>(step.space) - 1].memory->Synchronize();
    if (status != GE_SUCCESS) Failed(&call, status);
    if (!profiler) continue;
    const uint64_t end = Profiler::Now();  // the next one's beginning, too: each look at the clock takes time
    if (!step.wait) profiler->Step(noted, i, begin, end);  // a copy waited for was measured where it is
    begin = end;
  }
  if (!profiler && !spaces_.empty()) FinishSpaces();
  CopyOutputs(inputs, outputs);
}

}  // namespace gec
