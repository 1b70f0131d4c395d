#include "runtime/static_run.h"

#include <cstring>

#include "runtime/profiler.h"

namespace gec {
namespace {

alignas(64) char g_empty[64];  // what an empty tensor points at: never null, never read

}  // namespace

StaticRun::StaticRun(PlanPtr plan) : plan_(std::move(plan)), slots_(plan_->arguments.size()) {
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
  for (const TensorDesc &desc : plan_->outputs) output_bytes_.push_back(desc.bytes());
  calls_.reserve(plan_->steps.size());
  for (const ExecPlan::Step &step : plan_->steps) {
    const GeKernel &kernel = step.kernel->get();
    calls_.push_back({kernel.run,
                      kernel.state,
                      {sizeof(GeKernelArgs), const_cast<const void *const *>(slots_.data() + step.first_input),
                       slots_.data() + step.first_output, nullptr, nullptr}});
  }
}

void StaticRun::Bind(char *base) {
  base_ = base;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ExecPlan::Argument &argument = plan_->arguments[i];
    if (!argument.absent && argument.at.storage == Storage::kArena) slots_[i] = base + argument.at.offset;
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    const ExecPlan::Step &step = plan_->steps[i];
    calls_[i].args.workspace = step.kernel->get().workspace_bytes ? base + step.workspace : nullptr;
  }
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
    from += copy.from.offset;
    if (from != outputs[copy.output]) std::memmove(outputs[copy.output], from, copy.bytes);
  }
}

void StaticRun::Failed(const Call *call, GeStatus status) const {
  const Node &node = *plan_->steps[static_cast<size_t>(call - calls_.data())].node;
  std::string text = TakeEngineError();
  Fail(status, node.type().view(), " '", node.OriginText(), "' failed on ",
       plan_->steps[static_cast<size_t>(call - calls_.data())].kernel->engine().name(), ": ",
       text.empty() ? Str("status ", status) : text);
}

void StaticRun::RunProfiled(const void *const *inputs, void *const *outputs, Profiler *profiler) {
  Patch(inputs, outputs);
  for (size_t i = 0; i < calls_.size(); ++i) {
    const ExecPlan::Step &step = plan_->steps[i];
    const uint64_t begin = Profiler::Now();
    GeStatus status = calls_[i].run(calls_[i].state, &calls_[i].args);
    profiler->Kernel(*step.node, *step.kernel, begin, Profiler::Now());
    if (status != GE_SUCCESS) Failed(&calls_[i], status);
  }
  CopyOutputs(inputs, outputs);
}

}  // namespace gec
