#include "core/compile/compile_passes.h"

#include <algorithm>
#include <utility>

#include "core/compile/compile_state.h"
#include "core/compile/engine_hooks.h"
#include "core/compile/exec_plan.h"
#include "core/ops/recover_ir.h"
#include "core/passes/attribute_forms.h"
#include "core/passes/builtin.h"
#include "core/passes/fold.h"
#include "core/passes/follow_formats.h"
#include "core/passes/fuse_patterns.h"
#include "core/passes/promote_types.h"
#include "core/passes/result_check.h"
#include "core/placement/own_kernels.h"
#include "core/placement/regions.h"
#include "core/placement/reserved_nodes.h"

namespace gec {
namespace {

/// A model gives the memory of constants back that its kernels keep in another form: a copy of its graph lacks them.
void CheckContents(const Graph &graph) {
  for (Node *node : graph.Nodes()) {
    if (!IsConstType(node->type())) continue;
    const TensorPtr tensor = ConstantOf({node, 0});
    if (tensor && tensor->buffer->discarded())
      Fail(GE_BAD_STATE, "graph '", graph.name(), "': ", node->Label(), " has lost its content of ", tensor->bytes(),
           " bytes: the graph is that of a model which keeps it in the form that kernels read");
  }
}

size_t WriteOut(Graph &graph) {
  const size_t replaced = ReplaceAttributeForms(graph);
  FollowFormats(graph);
  return replaced + PromoteInputs(graph);
}

bool Enabled(const char *pass, const PassContext &context) {
  return PassEnabled(*PassRegistry::Instance().Get(pass), context);
}

bool RunHooks(Graph &graph, PassContext &context, int32_t hook) {
  CompileState &state = StateOf(context);
  if (state.config.offline || state.kernels.OptimizingEngines().empty()) return false;
  const NodesSoFar before(graph, state.kernels);
  const size_t changed = RunEngineHooks(graph, state.kernels, context, hook);
  context.Changes(changed);
  if (changed == 0) return false;
  MarkOwnKernels(graph, state.kernels, &before);
  return true;
}

}  // namespace

bool VerifyGraph(Graph &root, PassContext &) {
  root.Verify();
  CheckContents(root);
  for (const GraphPtr &sub : root.subgraphs()) CheckContents(*sub);
  DissolveRegions(root);
  UnmarkReservedNodes(root);
  return false;
}

bool RecoverPrototypes(Graph &root, PassContext &context) {
  GraphPtr recovered = RecoverIr(root);
  if (!recovered) return false;
  recovered->Verify();
  if (context.owns_graph) context.successor = std::move(recovered);  // saves a copy
  else root.TakeContent(*recovered);
  return true;
}

bool SetInputShapes(Graph &graph, PassContext &context) {
  const std::vector<InputShape> &shapes = StateOf(context).config.input_shapes;
  if (shapes.empty()) return false;
  const std::vector<Node *> inputs = graph.Inputs();
  const std::vector<std::string> known = InputNames(graph);
  for (const auto &[name, dims, bounds] : shapes) {
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
  return true;
}

bool FindOwnKernels(Graph &root, PassContext &context) {
  MarkOwnKernels(root, StateOf(context).kernels);
  return false;
}

bool VariablesToPorts(Graph &root, PassContext &context) {
  LowerVariables(root, StateOf(context).config.variables);
  return false;
}

bool InferShapes(Graph &graph, PassContext &context) {
  const CompileState &state = StateOf(context);
  InferOptions options;
  options.inputs = state.inputs;
  EvaluateFn evaluate = state.kernels.Evaluator();
  if (evaluate) options.evaluate = &evaluate;
  InferResult result = InferGraph(graph, options);
  if (const auto early = std::exchange(context.early_results, nullptr)) early->Finish(graph, options);
  if (state.write_out && WriteOut(graph) != 0) result = InferGraph(graph, options);
  size_t changes = 0;
  if (Enabled("ConstantFolding", context)) changes += FoldKnownValues(graph, result.values);
  if (Enabled("DeadCode", context)) changes += RemoveDeadNodes(graph);
  context.Changes(changes);
  // In a compile that is a step of its own: shapes that a later pass opens must not bring the passes in between back.
  if (!context.owns_graph) FindOpenShapes(graph, context);
  return changes != 0;
}

bool WriteOutTypes(Graph &graph, PassContext &context) {
  StateOf(context).write_out = true;
  const size_t changes = WriteOut(graph);
  context.Changes(changes);
  return changes != 0;
}

bool FindOpenShapes(Graph &graph, PassContext &context) {
  context.shapes_known = StateOf(context).complete = InputsKnown(graph) && WhyDynamic(graph).empty();
  return false;
}

bool MayHaveRegions(const PassContext &context) {
  const CompileState &state = StateOf(context);
  return !state.config.offline && state.config.regions && !state.kernels.ClaimingEngines().empty();
}

bool PartitionGraph(Graph &graph, PassContext &context) {
  CompileState &state = StateOf(context);
  if (state.config.offline) return false;
  size_t regions = 0;
  if (MayHaveRegions(context)) {
    // A copy for new shapes has its regions; their kernels are made for these.
    if (!state.inputs) regions = ClaimRegions(graph, state.kernels);
    if (state.complete)
      state.regions = MakeRegions(graph, state.kernels, state.report ? &state.report->regions : nullptr);
  }
  MarkReservedNodes(graph, state.kernels);
  context.Changes(regions);
  return regions != 0;
}

bool EnginesBefore(Graph &graph, PassContext &context) { return RunHooks(graph, context, GE_HOOK_BEFORE_OPTIMIZATION); }
bool EnginesAfter(Graph &graph, PassContext &context) { return RunHooks(graph, context, GE_HOOK_AFTER_OPTIMIZATION); }

template <int32_t kStage>
bool ProgramStage(Graph &root, PassContext &context) {
  CompileState &state = StateOf(context);
  if (state.compiled_before) return false;
  // A pass of the program may make nodes for kernels of its own; those that library passes made before are not.
  const NodesSoFar before(root, state.kernels);
  if constexpr (kStage == GE_STAGE_BEFORE_INFER_SHAPE) context.early_results = std::make_shared<ResultCheck>();
  if (RunSequence(PassRegistry::Instance().OfProgram(kStage), root, context) == 0) return false;
  MarkOwnKernels(root, state.kernels, &before);
  return true;
}
template bool ProgramStage<GE_STAGE_BEFORE_INFER_SHAPE>(Graph &, PassContext &);
template bool ProgramStage<GE_STAGE_AFTER_INFER_SHAPE>(Graph &, PassContext &);
template bool ProgramStage<GE_STAGE_AFTER_BUILTIN_FUSION_PASS>(Graph &, PassContext &);
template bool ProgramStage<GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE>(Graph &, PassContext &);

bool StreamStage(Graph &graph, PassContext &context) {
  if (StateOf(context).compiled_before) return false;
  const std::vector<PassEntryPtr> passes = PassRegistry::Instance().OfProgram(GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM);
  const bool streams = std::any_of(passes.begin(), passes.end(),
                                   [](const PassEntryPtr &p) { return p->info.kind == PassKind::kStream; });
  if (streams) AssignStreams(graph, &context.streams);
  const StreamTable before = context.streams;
  const size_t changed = RunSequence(passes, graph, context);
  if (streams) KeepStreams(graph, before, context.streams);
  return changed != 0;
}

}  // namespace gec
