#include "core/compile/engine_hooks.h"

#include <algorithm>
#include <unordered_set>

#include "core/ops/infer.h"
#include "core/placement/regions.h"
#include "core/support/log.h"

namespace gec {
namespace {

WithGraphHandle g_with_handle = nullptr;

/// Nodes that are not the engine's to change, and what to call them when they are gone.
struct ForeignNode {
  const Node *node;
  std::string label, engine;
};

std::vector<ForeignNode> ForeignNodes(const Graph &root, const Engine &engine) {
  std::vector<ForeignNode> found;
  const auto collect = [&](const Graph &graph) {
    for (const Node *node : graph.Nodes()) {
      const Graph *region = RegionOf(*node);
      const std::string owner = region ? RegionEngine(*region) : std::string(WantedEngine(*node));
      if (!owner.empty() && owner != engine.name()) found.push_back({node, node->Label(), owner});
    }
  };
  collect(root);
  for (const GraphPtr &graph : root.subgraphs()) collect(*graph);
  return found;
}

std::unordered_set<const Node *> NodesOf(const Graph &root) {
  std::unordered_set<const Node *> nodes;
  for (const Node *node : root.Nodes()) nodes.insert(node);
  for (const GraphPtr &graph : root.subgraphs())
    for (const Node *node : graph->Nodes()) nodes.insert(node);
  return nodes;
}

/// An input or output of the graph.
struct Port {
  std::string text;  // all that may not change, but for the shape
  Shape shape;
  bool output;
  std::string str() const { return text + ' ' + shape.str(); }
};

/// The graph's inputs and outputs. A program knows the graph by them, so they are not an engine's to change.
std::vector<Port> Interface(const Graph &root) {
  static const Symbol index("index");
  std::vector<Port> ports;
  for (const Node *node : root.Inputs()) {
    const TensorDesc &desc = node->output_desc(0);
    ports.push_back({Str("input ", node->Int(index), " '", node->OriginText(), "', ", GeDataTypeName(desc.dtype)),
                     desc.shape, false});
  }
  const std::vector<Endpoint> outputs = root.Outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].node) {
      ports.push_back({Str("output ", i, ", not connected"), Shape::UnknownRank(), true});
      continue;
    }
    const TensorDesc &desc = outputs[i].node->output_desc(static_cast<size_t>(outputs[i].port));
    ports.push_back({Str("output ", i, ", ", GeDataTypeName(desc.dtype)), desc.shape, true});
  }
  return ports;
}

/// Inputs stay as they were declared. Of outputs more or less may be known than before, but nothing else.
bool Same(const Port &was, const Port &is) {
  return was.text == is.text && (was.output && is.output ? Agree(was.shape, is.shape) : was.shape == is.shape);
}

void CheckInterface(const std::vector<Port> &before, const std::vector<Port> &after) {
  for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const bool had = i < before.size(), has = i < after.size();
    if (had && has && Same(before[i], after[i])) continue;
    Fail(GE_PARAM_INVALID, "it changed what the graph takes and gives: ", had ? before[i].str() : "nothing", " became ",
         has ? after[i].str() : "nothing");
  }
}

/// What an engine put in says by inference only what its outputs are.
void InferChanged(Graph &root, const EvaluateFn &evaluate) try {
  InferOptions options;
  if (evaluate) options.evaluate = &evaluate;
  InferGraph(root, options);
} catch (const Error &e) {
  if (e.code() != GE_UNSUPPORTED) throw;
  Fail(GE_INFER_FAILED, e.what());  // not the engine's refusal
}

bool RunHook(const Engine &engine, Graph &root, int32_t hook, const EvaluateFn &evaluate) {
  const std::vector<ForeignNode> foreign = ForeignNodes(root, engine);
  const std::vector<Port> ports = Interface(root);
  Transaction all(root);
  GeStatus status = GE_FAILED;
  g_with_handle(root, [&](GeGraph *handle) { status = engine.Optimize(handle, hook); });
  if (status == GE_NOT_CHANGED) return false;  // what it did all the same is undone
  if (status != GE_SUCCESS) Fail(status, Reported(status));
  root.Verify();
  InferChanged(root, evaluate);
  CheckInterface(ports, Interface(root));
  all.Commit();
  if (foreign.empty()) return true;
  const std::unordered_set<const Node *> left = NodesOf(root);
  for (const ForeignNode &f : foreign)
    if (!left.count(f.node)) Fail(GE_PARAM_INVALID, "it removed ", f.label, ", which engine ", f.engine, " is to run");
  return true;
}

}  // namespace

void SetGraphHandles(WithGraphHandle with) { g_with_handle = with; }

size_t RunEngineHooks(Graph &root, const KernelFactory &kernels, PassContext &context, int32_t hook) {
  size_t changed = 0;
  const bool before = hook == GE_HOOK_BEFORE_OPTIMIZATION;
  for (const EnginePtr &engine : kernels.OptimizingEngines()) {
    if (!g_with_handle) Fail(GE_UNSUPPORTED, "engine ", engine->name(), " changes graphs, which needs the C ABI");
    PassEntry pass;
    pass.info.name = engine->name() + (before ? ": before optimization" : ": after optimization");
    pass.info.stage = before ? GE_STAGE_AFTER_INFER_SHAPE : GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE;
    pass.run = [&](Graph &graph, PassContext &) { return RunHook(*engine, graph, hook, kernels.Evaluator()); };
    pass.info.whole_tree = true;
    try {
      changed += RunPass(pass, root, context);
    } catch (const Error &e) {
      if (e.code() != GE_UNSUPPORTED) throw;
      Log(GE_LOG_INFO, "engine ", engine->name(), " leaves the graph as it is: ", e.what());
    }
  }
  return changed;
}

}  // namespace gec
