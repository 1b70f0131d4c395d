#include "runtime/standalone_pass.h"

#include "core/compile/exec_plan.h"
#include "core/passes/pass.h"
#include "core/placement/registry.h"

namespace gec {
namespace {
CompileConfig DefaultConfig() {
  CompileConfig config;
  config.scope = PassScope::Current();
  config.blocked_layouts = true;
  config.verify = config.scope->Bool("passes.verify", false);
  return config;
}
}  // namespace

StandaloneRun::StandaloneRun()
    : env_(1, HostFeatures()),
      kernels_(EngineRegistry::Instance().Engines(), {}, env_.get()),
      config_(DefaultConfig()),
      state_{kernels_, config_},
      context_(ContextFor(state_)) {
  context_.owns_graph = false;  // a failure leaves the caller's graph as it was
}

bool StandaloneRun::Run(const PassEntry &pass, Graph &root) {
  // Passes that wait for shapes in a compile wait here as well.
  context_.shapes_known = state_.complete = InputsKnown(root) && WhyDynamic(root).empty();
  return RunPass(pass, root, context_);
}

void StandaloneRun::Explain(const PassEntry &pass, Graph &root, WhyNot *why) {
  if (pass.info.stage != GE_STAGE_BEFORE_INFER_SHAPE && pass.info.stage != GE_STAGE_NONE)
    RunPass(*PassRegistry::Instance().Get("InferShape"), root, context_);
  context_.why_not = why;
  Run(pass, root);
  context_.why_not = nullptr;
}

}  // namespace gec
