#include "runtime/model_memory.h"

#include <algorithm>

#include "core/compile/plan_sizes.h"
#include "runtime/constant_memory.h"

namespace gec {

ModelMemory MemoryOf(Model &model) {
  ModelMemory memory;
  memory.packed_bytes = model.env().packed_bytes();
  const PlanPtr plan = model.NewestPlan();
  if (!plan) return memory;
  memory.has_plan = true;
  memory.is_static = plan->is_static() && std::all_of(model.inputs().begin(), model.inputs().end(),
                                                      [](const ModelPort &port) { return port.desc.known(); });
  for (const TensorPtr &constant : plan->constants)
    memory.constant_bytes += constant ? ConstantMemoryFor(constant->bytes()) : 0;
  memory.arena_bytes = plan->memory.arena_bytes;
  if (plan->sizes && plan->sizes->arena_at_hand() != 0) memory.arena_bytes = plan->sizes->arena_at_hand();
  memory.live_peak_bytes = plan->memory.live_peak;
  return memory;
}

}  // namespace gec
