#include "core/passes/fuse_patterns.h"

#include <algorithm>
#include <memory>

#include "core/pattern/rewrite.h"
#include "core/support/context.h"
#include "core/support/error.h"
#include "core/support/log.h"

namespace gec {
namespace {

/// The name of a pass that runs outside a compile.
Symbol NameOf(const PassContext &ctx) { return Symbol(ctx.pass_name()); }

/// The hook's replacement, or null where it leaves the match alone.
template <class Where, class Text>
GraphPtr ReplacementFor(const FusionHooks<Where> &hooks, Where &where, const std::string &rule, PassContext &ctx,
                        Text &&text) {
  try {
    GraphPtr replacement = hooks.replacement(where);
    if (!replacement) Fail(GE_FAILED, "there is no replacement for ", text());
    return replacement;
  } catch (const MatchLeftAlone &alone) {
    ctx.Declined(rule.c_str(), alone.why);
    return nullptr;
  }
}

void CheckAcyclic(const Graph &graph) {
  if (LogEnabled(GE_LOG_DEBUG)) (void)graph.TopologicalOrder();
}

}  // namespace

bool FusePatterns(Graph &graph, const std::vector<GraphPatternPtr> &patterns, MatchConfig config,
                  const FusionHooks<GraphMatch> &hooks, PassContext &ctx) {
  bool changed = false;
  Transaction all(graph);
  for (const GraphPatternPtr &pattern : patterns) {
    const std::string rule = pattern->graph->name();
    try {
      pattern->Check();
    } catch (const Error &e) {
      Log(GE_LOG_WARNING, "pass '", ctx.pass_name(), "': ", e.what());
      continue;
    }
    GraphMatcher matcher(pattern, graph.shared_from_this(), config);
    while (std::unique_ptr<GraphMatch> match = matcher.Next()) {
      ctx.Tried(rule.c_str());
      if (hooks.meets && !hooks.meets(*match)) {
        ctx.Declined(rule.c_str(), "the pass declined");
        continue;
      }
      if (WouldMakeCycle(match->Nodes())) {
        ctx.Declined(rule.c_str(), "one node in place of the match would lie on a cycle");
        continue;
      }
      const Boundary boundary = match->ToBoundary();
      const ContextScope in_rule("rule", rule), at_node("node", match->pairs().front().second.node->name());
      const GraphPtr replacement = ReplacementFor(hooks, *match, rule, ctx, [&] { return match->Text(); });
      if (!replacement) continue;
      (void)ReplaceRegion(boundary, *replacement, NameOf(ctx));
      ctx.Applied(rule.c_str());
      changed = true;
    }
  }
  if (changed) CheckAcyclic(graph);
  all.Commit();
  return changed;
}

bool DecomposeNodes(Graph &graph, const std::vector<Symbol> &types, const FusionHooks<Node> &hooks, PassContext &ctx) {
  std::vector<Node *> nodes;
  for (Node *node : graph.TopologicalOrder())
    if (std::find(types.begin(), types.end(), node->type()) != types.end()) nodes.push_back(node);
  bool changed = false;
  Transaction all(graph);
  for (Node *node : nodes) {
    if (node->removed()) continue;
    const std::string rule = node->type().str();
    ctx.Tried(rule.c_str());
    if (hooks.meets && !hooks.meets(*node)) {
      ctx.Declined(rule.c_str(), "the pass declined");
      continue;
    }
    const Boundary boundary = BoundaryOf(*node);
    const std::string label = node->Label();
    const ContextScope in_rule("rule", rule), at_node("node", node->name());
    const GraphPtr replacement = ReplacementFor(hooks, *node, rule, ctx, [&] { return label; });
    if (!replacement) continue;
    (void)ReplaceRegion(boundary, *replacement, NameOf(ctx));
    ctx.Applied(rule.c_str());
    changed = true;
  }
  if (changed) CheckAcyclic(graph);
  all.Commit();
  return changed;
}

void ReportRewrite(const std::vector<Node *> &before, const std::vector<Node *> &after, PassContext &ctx) {
  const std::string &pass = ctx.pass_name();
  if (pass.empty()) Fail(GE_GRAPH_INVALID, "a rewrite is reported outside a pass");
  if (before.empty()) Fail(GE_GRAPH_INVALID, "there are no nodes that were replaced");
  for (const auto *list : {&before, &after})
    for (const Node *node : *list)
      if (!node || node->removed() || &node->graph() != &list->front()->graph())
        Fail(GE_GRAPH_INVALID, "a node of the rewrite was removed or is of another graph than its neighbours");
  std::vector<std::unique_ptr<Transaction>> all;
  for (const auto *list : {&before, &after})
    if (!list->empty()) all.push_back(std::make_unique<Transaction>(list->front()->graph()));
  for (Node *node : after) InheritFrom(*node, before, Symbol(pass));
  ctx.Tried(pass.c_str());
  ctx.Applied(pass.c_str());
  while (!all.empty()) {  // the innermost first: both lists may be of one graph
    all.back()->Commit();
    all.pop_back();
  }
}

void AssignStreams(const Graph &root, StreamTable *streams) {
  static const Symbol label("_user_stream_label");
  std::map<std::string, int64_t> labelled;
  auto assign = [&](const Graph &graph) {
    for (const Node *node : graph.Nodes()) {
      const std::string name = node->attrs().String(label, "");
      if (name.empty()) {
        streams->ids[node] = 0;
        continue;
      }
      auto [at, fresh] = labelled.emplace(name, streams->last + 1);
      if (fresh) ++streams->last;
      streams->ids[node] = at->second;
    }
  };
  assign(root);
  for (const GraphPtr &sub : root.subgraphs()) assign(*sub);
}

void KeepStreams(Graph &root, const StreamTable &before, const StreamTable &after) {
  static const Symbol stream("_logic_stream_id");
  auto keep = [&](Graph &graph) {
    for (Node *node : graph.Nodes()) {
      auto was = before.ids.find(node), is = after.ids.find(node);
      if (is != after.ids.end() && (was == before.ids.end() || was->second != is->second))
        graph.SetAttr(node, stream, AttrValue(is->second));
    }
  };
  keep(root);
  for (const GraphPtr &sub : root.subgraphs()) keep(*sub);
}

}  // namespace gec
