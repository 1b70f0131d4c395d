#include "runtime/standalone_pass.h"

#include "core/compile/exec_plan.h"
#include "core/passes/pass.h"
#include "core/passes/why_not.h"
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

void StandaloneRun::Prepare(const PassEntry &pass, Graph &root) {
  const int32_t stage = pass.info.stage;
  if (pass.info.essential || pass.info.kind == PassKind::kSequence || stage == GE_STAGE_BEFORE_INFER_SHAPE) return;
  if (inferred_ == root.changes()) return;
  // No instrument is asked or told: a compile infers whatever they say.
  const PassEntryPtr infer = PassRegistry::Instance().Get("InferShape");
  Transaction attempt(root);
  try {
    (void)infer->run(root, context_);
    attempt.Commit();
  } catch (const Error &) {
    if (stage != GE_STAGE_NONE) throw;  // a pass of no stage may work on what cannot be inferred
  }
  inferred_ = root.changes();
}

void StandaloneRun::Explain(const PassEntry &pass, Graph &root, const std::string &node, WhyNot *why) {
  const auto find = [&] {
    const Node *found = node.empty() ? nullptr : root.Find(node);
    for (const GraphPtr &sub : root.subgraphs()) found = found || node.empty() ? found : sub->Find(node);
    return found;
  };
  context_.why_not = why;
  why->prepare = [this](const PassEntry &held, Graph &graph) { Prepare(held, graph); };
  context_.shapes_known = state_.complete = InputsKnown(root) && WhyDynamic(root).empty();
  Prepare(pass, root);
  const Node *before = find();
  if (!node.empty() && !before)
    why->Closed(pass.info.name, {"it is gone: inference found its value, or nothing reads it",
                                 Str("node '", node, "' is there when the pass runs")});
  // Asked for alone it runs whatever the scope says; a compile would not run it.
  Refusal closed;
  if (pass.info.kind != PassKind::kSequence && !PassEnabled(pass, context_, &closed))
    why->Closed(pass.info.name, closed);
  const uint64_t id = before ? before->id() : 0;
  const bool changed = RunPass(pass, root, context_);
  const Node *after = find();
  if (node.empty() ? !changed : before && after == before && after->id() == id) why->Ended(pass.info.name, node, after);
  why->prepare = nullptr;
  context_.why_not = nullptr;
}

}  // namespace gec
