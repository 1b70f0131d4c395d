#include "core/compile/plan_growth.h"

#include <algorithm>

namespace gec {
namespace {

bool At(const ExecPlan::Argument &argument, Storage storage, int32_t index) {
  return !argument.absent && argument.at.storage == storage && argument.at.index == index;
}

bool TakesStrides(const GeKernel &kernel, size_t port) { return port < 64 && (kernel.strided_inputs >> port & 1) != 0; }

/// All steps that read what lies there read `value` itself, with strides; none writes there but `maker`.
bool OnlyStrided(const ExecPlan &plan, Storage storage, int32_t index, Endpoint value, const ExecPlan::Step *maker) {
  for (const ExecPlan::Step &step : plan.steps) {
    for (size_t i = 0; i < step.input_count; ++i) {
      if (!At(plan.arguments[step.first_input + i], storage, index)) continue;
      if (step.copy || step.node->input(i) != value || !TakesStrides(step.kernel->get(), i)) return false;
    }
    for (size_t i = 0; i < step.output_count; ++i)
      if (&step != maker && At(plan.arguments[step.first_output + i], storage, index)) return false;
  }
  return std::none_of(plan.copies.begin(), plan.copies.end(), [&](const ExecPlan::OutputCopy &copy) {
    return copy.from.storage == storage && copy.from.index == index;
  });
}

}  // namespace

std::vector<ExecPlan::Growth> FindGrowths(const ExecPlan &plan) {
  std::vector<ExecPlan::Growth> found;
  if (!plan.spaces.empty()) return found;
  const std::vector<Node *> inputs = plan.graph->Inputs();
  for (const ExecPlan::Step &step : plan.steps) {
    const GeKernel &kernel = step.kernel->get();
    for (uint32_t k = 0; !step.copy && k < kernel.alias_count; ++k) {
      const GeAlias &alias = kernel.aliases[k];
      if (alias.kind != GE_ALIAS_EXTENDS) continue;
      const ExecPlan::Argument &from = plan.arguments[step.first_input + static_cast<uint32_t>(alias.input)];
      const ExecPlan::Argument &to = plan.arguments[step.first_output + static_cast<uint32_t>(alias.output)];
      if (!At(from, Storage::kInput, from.at.index) || !At(to, Storage::kOutput, to.at.index)) continue;
      Node *const input = inputs[static_cast<size_t>(from.at.index)];
      const Endpoint made{const_cast<Node *>(step.node), alias.output};
      if (!OnlyStrided(plan, Storage::kInput, from.at.index, {input, 0}, nullptr) ||
          !OnlyStrided(plan, Storage::kOutput, to.at.index, made, &step))
        continue;
      found.push_back({from.at.index, to.at.index, static_cast<int32_t>(alias.offset)});
    }
  }
  return found;
}

}  // namespace gec
