#include "core/compile/pipeline.h"

#include <memory>
#include <set>

#include "core/compile/compile_instruments.h"
#include "core/compile/compile_passes.h"
#include "core/compile/compile_state.h"
#include "core/compile/exec_plan.h"
#include "core/compile/pass_context.h"
#include "core/compile/reproducer.h"
#include "core/ops/symbolic_dims.h"
#include "core/passes/pass.h"
#include "core/placement/regions.h"

namespace gec {
namespace {

constexpr int32_t kCleaningLevel = 1;  // passes up to it remove and fold; those above it put operators together

PassEntryPtr Pass(const char *name) { return PassRegistry::Instance().Get(name); }

/// The library's passes of a stage. `most_level`: those above this level are left out.
std::vector<PassEntryPtr> Library(int32_t stage, int32_t most_level = INT32_MAX) {
  std::vector<PassEntryPtr> passes;
  for (PassEntryPtr &pass : PassRegistry::Instance().OfLibrary(stage))
    if (pass->info.level <= most_level) passes.push_back(std::move(pass));
  return passes;
}

/// Passes that run one after the other. Where they changed something, shapes are inferred anew behind them, once.
struct Group {
  std::vector<PassEntryPtr> passes;
  bool infer = false;
};

/// A stage of the compile, as reports name it.
struct Step {
  const char *name;
  std::vector<Group> groups;
  bool (*wanted)(const PassContext &) = nullptr;  // null: always
  PassEntry pass = {};                            // that runs the groups
};

bool RunGroups(const std::vector<Group> &groups, Graph &root, PassContext &context) {
  bool any = false;
  for (const Group &group : groups) {
    const bool changed = RunSequence(group.passes, root, context) != 0;
    if (changed && group.infer) RunPass(*Pass("InferShape"), root, context);
    any |= changed;
  }
  return any;
}

/// A sequence of the compile's own.
PassEntry Sequence(const char *name, PassFn run) {
  PassEntry entry;
  entry.info.name = name;
  entry.info.stage = GE_STAGE_NONE;
  entry.info.level = 0;
  entry.info.builtin = true;
  entry.info.essential = entry.info.holds_passes = true;
  entry.info.kind = PassKind::kSequence;
  entry.info.whole_tree = true;
  entry.run = std::move(run);
  return entry;
}

bool HaveOptimizingEngines(const PassContext &context) {
  const CompileState &state = StateOf(context);
  return !state.config.offline && !state.kernels.OptimizingEngines().empty();
}
bool HaveOptimizingEnginesAndShapes(const PassContext &context) {
  return context.shapes_known && HaveOptimizingEngines(context);
}

std::vector<Step> MakeSteps() {
  constexpr int32_t kEarly = GE_STAGE_AFTER_INFER_SHAPE, kLate = GE_STAGE_AFTER_BUILTIN_FUSION_PASS;
  std::vector<PassEntryPtr> first = Library(GE_STAGE_BEFORE_INFER_SHAPE);
  first.insert(first.begin(), {Pass("FindOwnKernels"), Pass("VariablesToPorts")});
  return {
      {"verify", {{{Pass("VerifyGraph"), Pass("RecoverPrototypes"), Pass("SetInputShapes")}}}},
      {"passes before inference", {{{Pass("Stage.BeforeInferShape")}}, {std::move(first)}}},
      {kInferStage, {{{Pass("InferShape")}}}},
      // Nodes that a program's pass made are inferred before types are written out: the descriptions of its nodes say
      // nothing yet.
      {"passes of the program",
       {{{Pass("Stage.AfterInferShape")}, true}, {{Pass("WriteOutTypes")}, true}, {{Pass("FindOpenShapes")}}}},
      // Engines say what they want of the graph, before anything is fused, but without what is not needed by then.
      {"engines before optimization", {{{Pass("Engines.BeforeOptimization")}, true}}, HaveOptimizingEngines},
      {"cleaning", {{Library(kEarly, kCleaningLevel), true}}, MayHaveRegions},
      {kPartitionStage, {{{Pass("PartitionGraph")}}}},
      {"passes", {{Library(kEarly), true}, {{Pass("LowerPrecision")}, true}}},
      {"late passes",
       {{{Pass("Stage.AfterBuiltinFusionPass")}, true},
        {Library(kLate)},
        {{Pass("Stage.AfterOriginGraphOptimize")}, true},
        {{Pass("Stage.AfterAssignLogicStream")}}}},
      {"engines after optimization", {{{Pass("Engines.AfterOptimization")}, true}}, HaveOptimizingEnginesAndShapes},
  };
}

/// The whole compile, made once: a small graph takes little longer than this would.
const PassEntry &WholeCompile() {
  static const std::vector<Step> *steps = [] {
    auto *made = new std::vector<Step>(MakeSteps());
    for (Step &step : *made) {
      const std::vector<Group> *groups = &step.groups;
      step.pass =
          Sequence(step.name, [groups](Graph &graph, PassContext &ctx) { return RunGroups(*groups, graph, ctx); });
    }
    return made;
  }();
  static const PassEntry *all = new PassEntry(Sequence(kCompileSequence, [](Graph &graph, PassContext &ctx) {
    bool any = false;
    for (const Step &step : *steps)
      if (!step.wanted || step.wanted(ctx)) any |= RunPass(step.pass, graph, ctx);
    return any;
  }));
  return *all;
}

/// A sequence for copies for new inputs, made once.
const PassEntry *SequenceOf(const char *name, std::vector<Group> groups) {
  return new PassEntry(Sequence(
      name, [groups = std::move(groups)](Graph &graph, PassContext &ctx) { return RunGroups(groups, graph, ctx); }));
}

/// A copy for new inputs: no passes of the program, no stages of the report.
Optimized Specialize(const PassEntry &all, GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                     const CompileConfig &config) {
  CompileState state{kernels, config};
  state.inputs = &inputs;
  state.compiled_before = state.write_out = state.complete = true;
  PassContext context = ContextFor(state);
  RunPass(all, *copy, context);
  return {std::move(copy), true, std::move(state.regions), std::move(context.report)};
}

}  // namespace

CompileState &StateOf(const PassContext &context) {
  if (!context.compile)
    Fail(GE_BAD_STATE, "pass '", context.pass_name(), "' needs what only a compile has: engines and their kernels");
  return *context.compile;
}

PassContext ContextFor(CompileState &state) {
  PassContext context = PassContextFor(state.kernels);
  const CompileConfig &config = state.config;
  if (config.scope) context.scope = config.scope;
  context.c0 = config.blocked_layouts ? state.kernels.ChannelBlock() : 0;
  context.verify = config.verify;
  context.options = config.options;
  context.owns_graph = true;
  context.compile = &state;
  return context;
}

void NumberRepeats(std::vector<std::string> &names) {
  std::set<std::string> taken(names.begin(), names.end()), seen;
  if (taken.size() == names.size()) return;
  for (std::string &name : names) {
    if (seen.insert(name).second) continue;
    std::string numbered;
    size_t n = 2;
    do {
      numbered = name + '#' + std::to_string(n++);
    } while (!taken.insert(numbered).second);
    name = std::move(numbered);
  }
}

std::vector<std::string> InputNames(const Graph &graph) {
  std::vector<std::string> names;
  for (const Node *node : graph.Inputs())
    if (!IsVariableInput(*node)) names.push_back(node->OriginText());
  NumberRepeats(names);
  return names;
}

bool InputsKnown(const Graph &graph) {
  for (Node *node : graph.Inputs()) {
    const TensorDesc &desc = node->output_desc(0);
    if (!desc.known() || desc.dtype == C_DT_UNDEFINED) return false;
  }
  return true;
}

Optimized OptimizeGraph(GraphPtr graph, KernelFactory &kernels, const CompileConfig &config, CompileReport *report) {
  CompileState state{kernels, config, report};
  PassContext context = ContextFor(state);
  context.own_instruments = CompileInstruments(config, report);
  std::shared_ptr<Reproducer> reproducer;
  if (!config.reproducer.empty()) {
    reproducer = std::make_shared<Reproducer>(config.reproducer, config.reproducer_arguments, config.reproducer_files);
    context.own_instruments.push_back(reproducer);
  }
  static const Symbol kOptimized = kOptimizedAttr;
  state.compiled_before = graph->attrs().Find(kOptimized) != nullptr;
  try {
    RunPass(WholeCompile(), *graph, context);
  } catch (const Error &e) {
    if (!reproducer || reproducer->note().empty()) throw;
    Fail(e.code(), e.what(), "\n", reproducer->note());
  }
  if (context.successor) graph = std::move(context.successor);
  if (report) report->passes = std::move(context.report);
  return {std::move(graph), state.complete, std::move(state.regions), {}};
}

GraphPtr CopyToSpecialize(const Graph &graph) {
  // A region that control flow enters is a plan of its own.
  return IsRegion(graph) ? CallOfRegion(graph) : graph.Clone();
}

Optimized SpecializeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                          const CompileConfig &config) {
  // Known shapes allow what unknown ones forbade: an Expand that does nothing, a sum of equal shapes as a residual.
  static const PassEntry *all = SequenceOf("Specialize", {{{Pass("InferShape"), Pass("PartitionGraph")}},
                                                          {Library(GE_STAGE_AFTER_INFER_SHAPE), true},
                                                          {{Pass("LowerAttention")}, true},
                                                          {Library(GE_STAGE_AFTER_BUILTIN_FUSION_PASS)},
                                                          {{Pass("Engines.AfterOptimization")}, true}});
  return Specialize(*all, std::move(copy), inputs, kernels, config);
}

Optimized GeneralizeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, SymbolicDims &symbolic,
                          KernelFactory &kernels, const CompileConfig &config) {
  const SymbolicScope scope(&symbolic);
  static const PassEntry *all = SequenceOf("Generalize", {{{Pass("InferShape")}},
                                                          {Library(GE_STAGE_AFTER_INFER_SHAPE), true},
                                                          {{Pass("LowerAttention")}, true},
                                                          {Library(GE_STAGE_AFTER_BUILTIN_FUSION_PASS)}});
  return Specialize(*all, std::move(copy), inputs, kernels, config);
}

Optimized InstantiateGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                           const CompileConfig &config) {
  static const PassEntry *all = SequenceOf("Instantiate", {{{Pass("InferShape"), Pass("ConstantFolding")}}});
  return Specialize(*all, std::move(copy), inputs, kernels, config);
}

}  // namespace gec
