#include "core/compile/pass_context.h"

namespace gec {

PassContext PassContextFor(const KernelFactory &kernels) {
  PassContext context;
  context.evaluate = kernels.Evaluator();
  context.supported = [&kernels](const GeOpDesc &op, EngineOffer *offer) {
    const Engine *engine = kernels.FastTaker(op);
    if (engine) *offer = {engine->name(), (engine->flags() & GE_ENGINE_VIEWS) != 0 ? 0 : engine->cost()};
    return engine != nullptr;
  };
  context.refusals = [&kernels](const GeOpDesc &op) { return kernels.FastRefusals(op); };
  context.least_cost = kernels.LeastCost();
  return context;
}

}  // namespace gec
