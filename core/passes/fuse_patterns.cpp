#include "core/passes/fuse_patterns.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/ir/type_index.h"
#include "core/passes/result_check.h"
#include "core/passes/why_not.h"
#include "core/pattern/rewrite.h"
#include "core/pattern/splice.h"
#include "core/support/context.h"
#include "core/support/error.h"
#include "core/support/log.h"

namespace gec {
namespace {

/// The name of a pass that runs outside a compile.
Symbol NameOf(const PassContext &ctx) { return Symbol(ctx.pass_name()); }

/// The hook takes the match; else *no is why not.
template <class Where>
bool Meets(const FusionHooks<Where> &hooks, Where &where, const PassContext &ctx, Refusal *no) {
  if (!hooks.meets) return true;
  if (ctx.why_not) ctx.why_not->Asks();
  const bool yes = hooks.meets(where);
  if (ctx.why_not && yes) ctx.why_not->Agreed();
  if (!yes) *no = ctx.why_not ? ctx.why_not->Answer({"returned 0", "hook 'meets' of the pass"}) : "the pass declined";
  return yes;
}

/// The hook's replacement, or null where it leaves the match alone, and *no is why.
template <class Where, class Text>
GraphPtr ReplacementFor(const FusionHooks<Where> &hooks, Where &where, const PassContext &ctx, Text &&text,
                        Refusal *no) {
  if (ctx.why_not) ctx.why_not->Asks();
  try {
    GraphPtr replacement = hooks.replacement(where);
    if (!replacement) Fail(GE_FAILED, "there is no replacement for ", text());
    if (ctx.why_not) ctx.why_not->Agreed();
    return replacement;
  } catch (const MatchLeftAlone &alone) {
    *no = {alone.why, "hook 'replace' of the pass"};
    if (ctx.why_not) *no = ctx.why_not->Answer(*no);
    return nullptr;
  }
}

void CheckAcyclic(const Graph &graph) {
  if (LogEnabled(GE_LOG_DEBUG)) (void)graph.TopologicalOrder();
}

/// Facts about the graph that came last: mostly it comes again.
class LastReplacement {
 public:
  const Replacement &Of(const GraphPtr &graph, bool frozen = false) {
    if (known_ && known_->StillTrueOf(*graph, frozen)) return *known_;
    try {
      if (known_) known_->Renew(graph);
      else known_.emplace(graph);
    } catch (...) {
      known_.reset();
      throw;
    }
    return *known_;
  }

 private:
  std::optional<Replacement> known_;
};

class FusionRule : public LoopRule {
 public:
  FusionRule(Graph &graph, GraphPatternPtr pattern, const FusionOptions &options, const FusionHooks<GraphMatch> &hooks,
             PassContext &ctx, FusionCounts &counts)
      : name_(pattern->graph->name()),
        matcher_(std::move(pattern), graph.shared_from_this(), options.match),
        dry_run_(options.dry_run),
        observer_(options.observer ? options.observer : ctx.why_not),
        hooks_(hooks),
        graph_(graph),
        ctx_(ctx),
        pass_(NameOf(ctx)),
        counts_(counts) {
    matcher_.Observe(observer_);
  }

  const char *name() const override { return name_.c_str(); }
  std::vector<Symbol> Types() override {
    try {
      matcher_.Compile();
    } catch (const Error &e) {
      Log(GE_LOG_WARNING, "pass '", ctx_.pass_name(), "': ", e.what());
      return {};
    }
    const std::vector<Symbol> &types = matcher_.RootTypes();
    if (ctx_.why_not) {
      ctx_.why_not->Begins(name_, graph_, matcher_.root()->Label(), types);
      if (std::none_of(types.begin(), types.end(), [&](Symbol type) { return graph_.Has(type); }))
        ctx_.why_not->Impossible(name_, TypesText(types));
    }
    // An observer is told at which node of the pattern the match ends.
    if (observer_ || matcher_.Possible()) return types;
    return {};
  }
  bool Try(Node *node) override {
    if (ctx_.why_not) ctx_.why_not->Begin(name_, node, matcher_.root()->Label());
    ++candidates_;
    if (!matcher_.FindAt(node)) return false;
    if (ctx_.why_not) ctx_.why_not->Matched();
    ++counts_.tried;
    // The hooks see a match of their own; one that asks for nothing needs none.
    std::optional<GraphMatch> match;
    if (hooks_.meets) {
      Refusal no;
      if (!Meets(hooks_, match.emplace(matcher_.Found()), ctx_, &no)) return Declined(node, no);
    }
    if (const std::optional<Refusal> no = matcher_.WhyNotReplaced()) return Declined(node, *no);
    if (matcher_.MayMakeCycle()) {
      // The maintained order bounds the search; a pass that edits the graph by hand pays for a new one.
      (void)TypeIndex::Of(node->graph());
      if (WouldMakeCycle(matcher_.found_nodes())) {
        if (observer_)
          observer_->Failed(0, matcher_.root(), node, Mismatch::kCycle, "one node in place of the match",
                            "it would lie on a cycle", matcher_.found_nodes().size());
        return Declined(nullptr, {"one node in place of the match would lie on a cycle"});  // the observer knows
      }
    }
    if (dry_run_) return false;
    const bool direct = matcher_.FoundRegion(&region_);
    std::optional<Boundary> boundary;  // before a hook sees the match
    if (!direct) boundary = match ? match->ToBoundary() : matcher_.Found().ToBoundary();
    const ContextScope in_rule("rule", name_), at_node("node", node->name());
    GraphPtr replacement = hooks_.given;
    if (!replacement) {
      if (!match) match.emplace(matcher_.Found());
      const uint64_t changes = node->graph().changes();
      Refusal no;
      replacement = ReplacementFor(
          hooks_, *match, ctx_, [&] { return match->Text(); }, &no);
      if (!replacement) return Declined(node, no);
      if (direct && changes != node->graph().changes()) region_ = Enclose(match->ToBoundary());
    }
    if (!direct) region_ = Enclose(*boundary);
    const ResultCheck::Replacing watched(ctx_.early_results.get(), ctx_.pass_name(), name_, *node);
    ReplaceRegion(region_, last_.Of(replacement, replacement == hooks_.given), pass_, &room_);
    ++applied_;
    if (ctx_.why_not) ReportApplied();
    ++counts_.applied;
    return true;
  }

  /// Reports candidates and rewrites all at once: to find the rule's counters costs more than to look at a candidate.
  void Report() {
    if (candidates_) ctx_.Tried(name_.c_str(), candidates_);
    candidates_ = 0;
    ReportApplied();
  }
  void ReportApplied() {
    if (applied_) ctx_.Applied(name_.c_str(), applied_);
    applied_ = 0;
  }

 private:
  bool Declined(const Node *node, const Refusal &why) {
    ctx_.Declined(name_.c_str(), why.Text());
    if (ctx_.why_not && node) ctx_.why_not->Declined(name_, node, why);
    ++counts_.declined;
    return false;
  }

  const std::string name_;
  GraphMatcher matcher_;
  const bool dry_run_;
  MatchObserver *const observer_;
  const FusionHooks<GraphMatch> &hooks_;
  Graph &graph_;
  PassContext &ctx_;
  const Symbol pass_;
  FusionCounts &counts_;
  int64_t candidates_ = 0, applied_ = 0;  // not reported yet
  LastReplacement last_;
  Region region_;  // of the newest match
  SpliceRoom room_;
};

}  // namespace

FusionCounts FusePatterns(Graph &graph, const std::vector<GraphPatternPtr> &patterns, const FusionOptions &options,
                          const std::vector<FusionHooks<GraphMatch>> &hooks, PassContext &ctx) {
  FusionCounts counts;
  Transaction all(graph);
  std::vector<std::unique_ptr<FusionRule>> rules;
  std::vector<LoopRule *> list;
  for (size_t i = 0; i < patterns.size(); ++i) {
    const FusionHooks<GraphMatch> &own = hooks[hooks.size() == 1 ? 0 : i];
    list.push_back(
        rules.emplace_back(std::make_unique<FusionRule>(graph, patterns[i], options, own, ctx, counts)).get());
  }
  RewritePolicy policy = kForwardCascade;
  policy.max_rewrites = options.max_rewrites;
  try {
    (void)RunRewrites(graph, list, policy, ctx.pass_name());
  } catch (...) {
    for (const auto &rule : rules) rule->ReportApplied();
    throw;
  }
  for (const auto &rule : rules) rule->Report();
  if (counts.applied) CheckAcyclic(graph);
  all.Commit();
  return counts;
}

bool DecomposeNodes(Graph &graph, const std::vector<Symbol> &types, const FusionHooks<Node> &hooks, PassContext &ctx) {
  for (Symbol type : types) {
    if (!ctx.why_not) break;
    ctx.why_not->Begins(type.str(), graph, type.str(), {type});
    if (!graph.Has(type)) ctx.why_not->Impossible(type.str(), type.str());
  }
  if (std::none_of(types.begin(), types.end(), [&](Symbol type) { return graph.Has(type); })) return false;
  std::vector<Node *> nodes;
  TypeIndex::Of(graph).Collect(types, &nodes);
  LastReplacement last;
  SpliceRoom room;
  bool changed = false;
  Transaction all(graph);
  for (Node *node : nodes) {
    if (node->removed()) continue;
    const std::string rule = node->type().str();
    ctx.Tried(rule.c_str());
    if (ctx.why_not) ctx.why_not->Begin(rule, node, rule);
    Refusal no;
    if (!Meets(hooks, *node, ctx, &no)) {
      ctx.Declined(rule.c_str(), *node, no);
      continue;
    }
    const Boundary boundary = BoundaryOf(*node);
    const std::string label = node->Label();
    const ContextScope in_rule("rule", rule), at_node("node", node->name());
    const GraphPtr replacement = ReplacementFor(
        hooks, *node, ctx, [&] { return label; }, &no);
    if (!replacement) {
      ctx.Declined(rule.c_str(), *node, no);
      continue;
    }
    const ResultCheck::Replacing watched(ctx.early_results.get(), ctx.pass_name(), rule, *node);
    ReplaceRegion(Enclose(boundary), last.Of(replacement), NameOf(ctx), &room);
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
