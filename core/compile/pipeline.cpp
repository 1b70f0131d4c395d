#include "core/compile/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

#include "core/compile/engine_hooks.h"
#include "core/compile/exec_plan.h"
#include "core/compile/graph_dumps.h"
#include "core/compile/pass_context.h"
#include "core/dump/dump.h"
#include "core/ops/recover_ir.h"
#include "core/ops/symbolic_dims.h"
#include "core/passes/attribute_forms.h"
#include "core/passes/builtin.h"
#include "core/passes/fold.h"
#include "core/passes/follow_formats.h"
#include "core/passes/fuse_patterns.h"
#include "core/passes/pass.h"
#include "core/passes/promote_types.h"
#include "core/placement/own_kernels.h"
#include "core/placement/regions.h"
#include "core/placement/reserved_nodes.h"
#include "core/serialize/air.h"

namespace gec {
namespace {

class Stage {
 public:
  Stage(const char *name, const CompileConfig &config, CompileReport *report)
      : report_(report), begin_(std::chrono::steady_clock::now()) {
    entry_.name = name;
    if (report_) report_->stages.reserve(report_->stages.size() + 1);  // the destructor may not need memory
    if (config.progress) config.progress(name);
  }
  ~Stage() {
    entry_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (report_) report_->stages.push_back(std::move(entry_));
  }
  void Changed(size_t count) { entry_.changes += static_cast<int64_t>(count); }

 private:
  CompileReport *report_;
  StageTime entry_;
  std::chrono::steady_clock::time_point begin_;
};

void ApplyInputShapes(Graph &graph, const CompileConfig &config) {
  if (config.input_shapes.empty()) return;
  const std::vector<Node *> inputs = graph.Inputs();
  const std::vector<std::string> known = InputNames(graph);
  for (const auto &[name, dims, bounds] : config.input_shapes) {
    Node *found = nullptr;
    std::string names;
    for (size_t i = 0; i < known.size(); ++i) {
      names += (names.empty() ? "" : ", ") + known[i];
      if (!found && (known[i] == name || inputs[i]->name() == name)) found = inputs[i];
    }
    if (!found) Fail(GE_OPTION_INVALID, "option ge.inputShape names input '", name, "', the graph has: ", names);
    TensorDesc desc = found->output_desc(0);
    desc.SetShape(Shape(dims.data(), dims.size()));
    SetBounds(&desc, bounds.low.empty() ? nullptr : &bounds);
    graph.SetOutputDesc(found, 0, std::move(desc));
  }
}

/// Writes the graph as readable text after a stage; numbered, so that the files sort in the order of the compile.
class StageDumps {
 public:
  explicit StageDumps(const CompileConfig &config) : folder_(config.dump_dir) {
    if (folder_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) Fail(GE_PATH_INVALID, "option dump_dir: cannot create '", folder_, "': ", error.message());
  }
  void Write(const Graph &graph, std::string name) {
    if (folder_.empty()) return;
    std::replace(name.begin(), name.end(), ' ', '_');
    char number[16];
    std::snprintf(number, sizeof number, "%03d_", count_++);
    const std::string path = folder_ + "/" + number + name + ".txt";
    const std::string text = DumpReadable(graph);
    FileWriter file(path);
    file.Write(text.data(), text.size());
    file.Commit();
  }

 private:
  std::string folder_;
  int count_ = 0;
};

constexpr int32_t kCleaningLevel = 1;  // passes up to it remove and fold; those above it put operators together

bool Disabled(const CompileConfig &config, std::string_view pass) {
  return std::find(config.disabled_passes.begin(), config.disabled_passes.end(), pass) != config.disabled_passes.end();
}

/// Types and layouts that a program left implicit are written out: no kernel takes mixed types, and kernels of
/// convolutions read their layout from an attribute. Operators with attributes for constant inputs become their
/// siblings. The program's passes see the graph without this.
enum class Explicit { kLater, kNow };

size_t WriteOut(Graph &graph) {
  const size_t replaced = ReplaceAttributeForms(graph);
  FollowFormats(graph);
  return replaced + PromoteInputs(graph);
}

size_t InferAndFold(Graph &graph, const std::vector<TensorDesc> *inputs, const KernelFactory &kernels,
                    const CompileConfig &config, Explicit written_out = Explicit::kNow) {
  InferOptions options;
  options.inputs = inputs;
  EvaluateFn evaluate = kernels.Evaluator();
  if (evaluate) options.evaluate = &evaluate;
  InferResult result = InferGraph(graph, options);
  if (written_out == Explicit::kNow && WriteOut(graph) != 0) result = InferGraph(graph, options);
  size_t changes = 0;
  if (config.opt_level < 1) return changes;
  if (!Disabled(config, "ConstantFolding")) changes += FoldKnownValues(graph, result.values);
  if (!Disabled(config, "DeadCode")) changes += RemoveDeadNodes(graph);
  return changes;
}

PassContext ContextFor(const KernelFactory &kernels, const CompileConfig &config) {
  PassContext context = PassContextFor(kernels);
  context.c0 = config.blocked_layouts ? kernels.ChannelBlock() : 0;
  context.opt_level = config.opt_level;
  context.disabled.insert(config.disabled_passes.begin(), config.disabled_passes.end());
  context.verify = config.verify;
  context.options = config.options;
  context.switches = config.switches;
  return context;
}

bool HasStreamPasses() {
  std::vector<PassEntryPtr> all = PassRegistry::Instance().All();
  return std::any_of(all.begin(), all.end(), [](const PassEntryPtr &p) { return p->kind == PassKind::kStream; });
}
bool HasUserPasses(int32_t stage) {
  std::vector<PassEntryPtr> all = PassRegistry::Instance().All();
  return std::any_of(all.begin(), all.end(),
                     [stage](const PassEntryPtr &p) { return p->info.stage == stage && !p->info.builtin; });
}

/// GE's name of a stage's dump.
const char *DumpName(int32_t stage) {
  switch (stage) {
    case GE_STAGE_BEFORE_INFER_SHAPE:
      return "RunCustomPassBeforeInfershape";
    case GE_STAGE_AFTER_INFER_SHAPE:
      return "RunCustomPass_AfterInferShape";
    case GE_STAGE_AFTER_BUILTIN_FUSION_PASS:
      return "RunCustomPassAfterBuiltinFusionPass";
    default:
      return "RunCustomPassAfterOriginGraphOptimize";
  }
}

bool MayHaveRegions(const KernelFactory &kernels, const CompileConfig &config) {
  return !config.offline && config.regions && !kernels.ClaimingEngines().empty();
}

/// Engines say what they want of the graph, before anything is fused. Returns the number of regions that they took.
size_t OfferToEngines(Graph &graph, KernelFactory &kernels, const CompileConfig &config, Optimized *result,
                      CompileReport *report) {
  if (config.offline) return 0;
  size_t regions = 0;
  if (MayHaveRegions(kernels, config)) {
    regions = ClaimRegions(graph, kernels);
    if (result->complete) result->regions = MakeRegions(graph, kernels, report ? &report->regions : nullptr);
  }
  MarkReservedNodes(graph, kernels);
  return regions;
}

/// The stages in which engines take parts of the graph, which is without what is not needed by then. Returns the number
/// of regions.
size_t Partition(Graph &graph, PassContext &context, KernelFactory &kernels, const CompileConfig &config,
                 Optimized *result, CompileReport *report) {
  if (MayHaveRegions(kernels, config)) {
    Stage stage("cleaning", config, report);
    const size_t changed = RunStage(graph, context, GE_STAGE_AFTER_INFER_SHAPE, PassOwner::kLibrary, kCleaningLevel);
    stage.Changed(changed);
    if (changed) InferAndFold(graph, nullptr, kernels, config);
  }
  Stage stage("partition", config, report);
  const size_t regions = OfferToEngines(graph, kernels, config, result, report);
  stage.Changed(regions);
  return regions;
}

/// Engines change the graph for their own nodes.
void RunHookStage(Graph &graph, PassContext &context, KernelFactory &kernels, const CompileConfig &config, int32_t hook,
                  CompileReport *report) {
  if (config.offline || kernels.OptimizingEngines().empty()) return;
  Stage stage(hook == GE_HOOK_BEFORE_OPTIMIZATION ? "engines before optimization" : "engines after optimization",
              config, report);
  const NodesSoFar before(graph, kernels);
  const size_t changed = RunEngineHooks(graph, kernels, context, hook);
  stage.Changed(changed);
  if (changed == 0) return;
  MarkOwnKernels(graph, kernels, &before);
  InferAndFold(graph, nullptr, kernels, config);
}

/// Passes that give nodes streams of their own start from one stream, and one per label that users set.
size_t RunStreamStage(Graph &graph, PassContext &context) {
  constexpr int32_t kStage = GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM;
  const bool streams = HasStreamPasses();
  if (streams) AssignStreams(graph, &context.streams);
  const StreamTable before = context.streams;
  const size_t changed =
      RunStage(graph, context, kStage, PassOwner::kProgram) + RunStage(graph, context, kStage, PassOwner::kLibrary);
  if (streams) KeepStreams(graph, before, context.streams);
  return changed;
}

}  // namespace

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

/// A model gives the memory of constants back that its kernels keep in another form: a copy of its graph lacks them.
static void CheckContents(const Graph &graph) {
  for (Node *node : graph.Nodes()) {
    if (!IsConstType(node->type())) continue;
    const TensorPtr tensor = ConstantOf({node, 0});
    if (tensor && tensor->buffer->discarded())
      Fail(GE_BAD_STATE, "graph '", graph.name(), "': ", node->Label(), " has lost its content of ", tensor->bytes(),
           " bytes: the graph is that of a model which keeps it in the form that kernels read");
  }
}

/// The graph as this library knows its operators, without what an earlier compile of it left.
static GraphPtr Verified(GraphPtr graph) {
  graph->Verify();
  CheckContents(*graph);
  for (const GraphPtr &sub : graph->subgraphs()) CheckContents(*sub);
  DissolveRegions(*graph);
  UnmarkReservedNodes(*graph);
  // A program's prototypes may be of another version than ours.
  GraphPtr recovered = RecoverIr(*graph);
  if (!recovered) return graph;
  recovered->Verify();
  return recovered;
}

bool InputsKnown(const Graph &graph) {
  for (Node *node : graph.Inputs()) {
    const TensorDesc &desc = node->output_desc(0);
    if (!desc.known() || desc.dtype == C_DT_UNDEFINED) return false;
  }
  return true;
}

Optimized OptimizeGraph(GraphPtr graph, KernelFactory &kernels, const CompileConfig &config, CompileReport *report) {
  Optimized result;
  StageDumps dumps(config);
  {
    Stage stage("verify", config, report);
    graph = Verified(std::move(graph));
    ApplyInputShapes(*graph, config);
  }
  dumps.Write(*graph, "input");
  const GraphDumps ge_dumps;
  ge_dumps.Write(*graph, "PreRunBegin", GraphDumps::kFirst);
  PassContext context = ContextFor(kernels, config);
  static const Symbol kOptimized = kOptimizedAttr;
  const bool again = graph->attrs().Find(kOptimized) != nullptr;
  if (!config.dump_dir.empty() || ge_dumps.on()) {
    context.after_pass = [&](const PassRun &run, Graph &root) {
      if (run.changed) dumps.Write(root, run.name);
      if (run.kind == PassKind::kStream) ge_dumps.Write(root, "RunCustomPass_AfterAssignLogicStream" + run.name);
      else if (run.changed) ge_dumps.Write(root, run.name, GraphDumps::kDetail);
    };
  }
  // A pass of the program may make nodes for kernels of its own; those that library passes made before are not.
  const auto run_program_passes = [&](int32_t at) -> size_t {
    if (again) return 0;
    const NodesSoFar before(*graph, kernels);
    const size_t changed = RunStage(*graph, context, at, PassOwner::kProgram);
    if (changed) MarkOwnKernels(*graph, kernels, &before);
    if (HasUserPasses(at)) ge_dumps.Write(*graph, DumpName(at));
    return changed;
  };
  {
    Stage stage("passes before inference", config, report);
    CheckPassNames(context.disabled);
    stage.Changed(run_program_passes(GE_STAGE_BEFORE_INFER_SHAPE));
    MarkOwnKernels(*graph, kernels);
    // Before calls are inlined: where a call stands decides when what it calls reads and writes.
    LowerVariables(*graph, config.variables);
    stage.Changed(RunStage(*graph, context, GE_STAGE_BEFORE_INFER_SHAPE, PassOwner::kLibrary));
  }
  auto infer = [&](const char *name) {
    Stage stage(name, config, report);
    stage.Changed(InferAndFold(*graph, nullptr, kernels, config, Explicit::kLater));
    dumps.Write(*graph, name);
  };
  infer("infer");
  ge_dumps.Write(*graph, "AfterInfershape");
  const auto run = [&](Stage &stage, size_t changed) {
    stage.Changed(changed);
    if (changed) InferAndFold(*graph, nullptr, kernels, config);
  };
  {
    Stage stage("passes of the program", config, report);
    // What a pass made is inferred before types are written out: the descriptions of its nodes say nothing yet.
    const size_t changed = run_program_passes(GE_STAGE_AFTER_INFER_SHAPE);
    run(stage, changed != 0 ? changed : WriteOut(*graph));
    result.complete = InputsKnown(*graph) && WhyDynamic(*graph).empty();
  }
  RunHookStage(*graph, context, kernels, config, GE_HOOK_BEFORE_OPTIMIZATION, report);
  if (Partition(*graph, context, kernels, config, &result, report) != 0) dumps.Write(*graph, "regions");
  {
    Stage stage("passes", config, report);
    run(stage, RunStage(*graph, context, GE_STAGE_AFTER_INFER_SHAPE, PassOwner::kLibrary));
  }
  {
    Stage stage("late passes", config, report);
    for (int32_t s : {GE_STAGE_AFTER_BUILTIN_FUSION_PASS, GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE}) {
      const size_t changed = run_program_passes(s);
      stage.Changed(changed);
      if (changed) InferAndFold(*graph, nullptr, kernels, config);
      if (result.complete) stage.Changed(RunStage(*graph, context, s, PassOwner::kLibrary));
    }
    if (!again) stage.Changed(RunStreamStage(*graph, context));
  }
  if (result.complete) RunHookStage(*graph, context, kernels, config, GE_HOOK_AFTER_OPTIMIZATION, report);
  dumps.Write(*graph, "final");
  ge_dumps.Write(*graph, "Build", GraphDumps::kLast);
  if (report) report->passes = std::move(context.report);
  result.graph = std::move(graph);
  return result;
}

GraphPtr CopyToSpecialize(const Graph &graph) {
  // A region that control flow enters is a plan of its own.
  return IsRegion(graph) ? CallOfRegion(graph) : graph.Clone();
}

Optimized SpecializeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                          const CompileConfig &config) {
  Optimized result;
  result.complete = true;
  InferAndFold(*copy, &inputs, kernels, config);
  result.regions = MakeRegions(*copy, kernels, nullptr);
  MarkReservedNodes(*copy, kernels);  // of regions that were refused
  PassContext context = ContextFor(kernels, config);
  // Known shapes allow what unknown ones forbade: an Expand that does nothing, a sum of equal shapes as a residual.
  if (RunStage(*copy, context, GE_STAGE_AFTER_INFER_SHAPE, PassOwner::kLibrary))
    InferAndFold(*copy, &inputs, kernels, config);
  RunStage(*copy, context, GE_STAGE_AFTER_BUILTIN_FUSION_PASS, PassOwner::kLibrary);
  if (RunEngineHooks(*copy, kernels, context, GE_HOOK_AFTER_OPTIMIZATION))
    InferAndFold(*copy, &inputs, kernels, config);
  result.graph = std::move(copy);
  return result;
}

GraphPtr GeneralizeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, SymbolicDims &symbolic,
                         KernelFactory &kernels, const CompileConfig &config) {
  const SymbolicScope scope(&symbolic);
  InferAndFold(*copy, &inputs, kernels, config);
  PassContext context = ContextFor(kernels, config);
  if (RunStage(*copy, context, GE_STAGE_AFTER_INFER_SHAPE, PassOwner::kLibrary))
    InferAndFold(*copy, &inputs, kernels, config);
  RunStage(*copy, context, GE_STAGE_AFTER_BUILTIN_FUSION_PASS, PassOwner::kLibrary);
  return copy;
}

Optimized InstantiateGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                           const CompileConfig &config) {
  Optimized result;
  result.complete = true;
  InferAndFold(*copy, &inputs, kernels, config);
  PassContext context = ContextFor(kernels, config);
  if (config.opt_level >= 1 && !Disabled(config, "ConstantFolding")) ConstantFolding(*copy, context);
  result.graph = std::move(copy);
  return result;
}

}  // namespace gec
