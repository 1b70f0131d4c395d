// Boundaries, rewriting and the two kinds of fusion passes through the C ABI.
#include "core/pattern/rewrite.h"

#include <unordered_set>

#include "capi/src/pass_handles.h"
#include "core/ir/type_index.h"
#include "core/passes/fuse_patterns.h"
#include "core/passes/result_check.h"
#include "core/passes/why_not.h"
#include "core/support/log.h"
#include "ge/pattern.h"

namespace gec::api {

void HandOut(const std::vector<Node *> &nodes, GeNode **out, size_t *count, const char *function);  // pattern.cpp
MatchConfig ConfigOfFlags(uint32_t flags, const char *function);

namespace {

GeBoundary &BoundaryHandle(const GeBoundary *boundary, const char *function) {
  GeBoundary &self = ValidOf(const_cast<GeBoundary *>(boundary), function, "boundary");
  Enter(self.graphs, function);
  return self;
}

std::vector<Node *> NodesOf(GeNode *const *nodes, size_t count, const char *function, const char *argument) {
  if (!nodes && count) NullArgument(function, argument);
  std::vector<Node *> list;
  for (size_t i = 0; i < count; ++i) list.push_back(&NodeOf(nodes[i], function, argument));
  return list;
}

[[noreturn]] void ReplacedByItself(const Graph &graph) {
  Fail(GE_PARAM_INVALID, "the replacement is graph '", graph.name(), "' itself, of which a part is to be replaced");
}

/// A boundary that a program made by hand may name ports outside of the part, or lead to inputs of the graph.
void CheckPart(const Boundary &boundary, const Region &region) {
  for (const Node *node : region.nodes)
    if (IsDataType(node->type()))
      Fail(GE_GRAPH_INVALID, "the part to replace holds ", node->Label(), ", an input of graph '", region.graph->name(),
           "': no input of the boundary reads it");
  const std::unordered_set<const Node *> inside(region.nodes.begin(), region.nodes.end());
  for (const auto &[index, ports] : boundary.inputs)
    for (const Use &use : ports)
      if (!inside.count(use.node))
        Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary: ", use.node->Label(),
             " is not in the part, as no output of the boundary depends on it");
}

/// Why these nodes may not become one, or ""; those who ask why a pass does nothing are told.
std::string RefusedFuse(const std::vector<Node *> &nodes) {
  Refusal why = WhyNotFuse(nodes);
  const PassContext *running = PassContext::Current();
  if (!why.actual.empty() && running && running->why_not) {
    const Node *node = nodes.empty() ? nullptr : nodes.front();
    if (node && node->removed()) node = nullptr;
    why.expected = "can_fuse";
    running->why_not->Tell(running->pass_name(), node, why, false);
  }
  return why.actual;
}

/// Takes a callback's result: a graph that is now ours, or the reason why there is none.
GraphPtr Taken(GeStatus status, GeGraph *made, const Graph &target) {
  GraphPtr graph;
  if (made && IsValid(made)) {
    graph = made->graph;
    GeGraphDestroy(made);
  }
  if (status == GE_NOT_CHANGED && !graph)
    throw MatchLeftAlone{GeLastErrorCode() == status ? GeLastErrorMessage() : "returned GE_NOT_CHANGED"};
  if (status != GE_SUCCESS) {
    if (GeLastErrorCode() == status) Fail(status, GeLastErrorMessage());
    Fail(status, "the replacement returned ", GeStatusName(status), " (", status, ")");
  }
  if (graph.get() == &target) ReplacedByItself(target);
  return graph;
}

class PassHandle {
 public:
  explicit PassHandle(PassContext &context) { handle_.context = &context; }
  ~PassHandle() { handle_.magic = 0; }
  GePassContext *get() { return &handle_; }

 private:
  GePassContext handle_;
};

/// A handle that hooks see one match after the other through. The match is moved in and out, not copied.
class LentMatch {
 public:
  explicit LentMatch(Graph &target) : handle_{0, GraphMatch(nullptr), {target.shared_from_this()}} {
    handle_.is_lent = true;
  }
  template <class Call>
  auto During(GraphMatch &match, Call &&call) {
    struct Lease {
      GeMatch &handle;
      GraphMatch &match;
      Lease(GeMatch &h, GraphMatch &m) : handle(h), match(m) {
        handle.match = std::move(match);
        handle.magic = GeMatch::kMagic;
      }
      ~Lease() {
        *static_cast<volatile uint64_t *>(&handle.magic) = 0;
        match = std::move(handle.match);
        handle.graphs.resize(1);  // those that the hook added nodes of
      }
    } lease(handle_, match);
    return call(&handle_);
  }

 private:
  GeMatch handle_;
};

/// The common part of GeGraphFuse and GeGraphRewrite.
class Fusion {
 public:
  Fusion(Graph &target, GePassContext *context, const char *function)
      : function_(function),
        target_(target),
        running_(ContextOrNull(context, function)),
        self_(running_ ? *running_ : by_hand_),
        borrowed_(self_),
        lent_(target) {}
  /// The number that the scope allows one pass.
  int64_t MostRewrites() const { return self_.scope->Int(kMaxRewritesKey, kMaxRewrites); }
  void SetPatterns(GePattern *const *patterns, size_t count) {
    if (!patterns && count) NullArgument(function_, "patterns");
    for (size_t i = 0; i < count; ++i) {
      list_.push_back(ValidOf(patterns[i], function_, "patterns[i]").pattern);
      Enter(*list_.back()->graph, function_);
    }
  }
  /// They refer to `hooks`.
  FusionHooks<GraphMatch> HooksOf(const GeFusionHooks &hooks) {
    FusionHooks<GraphMatch> calls;
    if (hooks.meets)
      calls.meets = [this, &hooks](GraphMatch &match) {
        return lent_.During(match, [&](GeMatch *m) { return hooks.meets(hooks.user, m, borrowed_.get()) != 0; });
      };
    if (hooks.replace)
      calls.replacement = [this, &hooks](GraphMatch &match) {
        GeGraph *made = nullptr;
        const GeStatus status =
            lent_.During(match, [&](GeMatch *m) { return hooks.replace(hooks.user, m, borrowed_.get(), &made); });
        return Taken(status, made, target_);
      };
    return calls;
  }
  FusionCounts Run(const FusionOptions &options, const std::vector<FusionHooks<GraphMatch>> &calls) {
    return FusePatterns(target_, list_, options, calls, self_);
  }

 private:
  const char *const function_;
  Graph &target_;
  PassContext by_hand_;  // outside a compile nobody reads what is counted
  PassContext *const running_;
  PassContext &self_;
  PassHandle borrowed_;
  LentMatch lent_;
  std::vector<GraphPatternPtr> list_;
};

GeStatus ChangedOr(bool changed, const char *what) { return changed ? GE_SUCCESS : Report(GE_NOT_CHANGED, what); }

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeBoundaryCreate(GeBoundary **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeBoundaryCreate, out);
    *out = nullptr;
    *out = new GeBoundary();
  });
}

GeStatus GeBoundaryCreateOfNode(GeNode *node, GeBoundary **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeBoundaryCreateOfNode, out);
    *out = nullptr;
    Node &self = NodeOf(node, "GeBoundaryCreateOfNode");
    *out = new GeBoundary{GeBoundary::kMagic, BoundaryOf(self), {self.graph().shared_from_this()}};
  });
}

void GeBoundaryDestroy(GeBoundary *boundary) { DestroyEntered(boundary, "GeBoundaryDestroy"); }

GeStatus GeBoundaryAddInput(GeBoundary *boundary, int64_t index, GeNode *node, int64_t port) {
  return Guard([&] {
    GeBoundary &self = BoundaryHandle(boundary, "GeBoundaryAddInput");
    Node &reader = NodeOf(node, "GeBoundaryAddInput");
    if (index < 0) Fail(GE_PARAM_INVALID, "GeBoundaryAddInput: index is ", index);
    if (port < 0 || static_cast<size_t>(port) >= reader.input_count())
      Fail(GE_PARAM_INVALID, "GeBoundaryAddInput: ", reader.Label(), " has no input ", port, ", it has ",
           reader.input_count());
    const Endpoint source = reader.input(static_cast<size_t>(port));
    if (!source)
      Fail(GE_PARAM_INVALID, "GeBoundaryAddInput: input ", port, " of ", reader.Label(), " is not connected");
    auto present = self.boundary.inputs.find(index);
    if (present != self.boundary.inputs.end()) {
      const Use &first = present->second.front();
      if (first.node->input(static_cast<size_t>(first.port)) != source)
        Fail(GE_PARAM_INVALID, "GeBoundaryAddInput: input ", port, " of ", reader.Label(),
             " reads another tensor than input ", index, " of the boundary");
    }
    Keep(self.graphs, reader);
    const Use use{&reader, static_cast<int32_t>(port)};
    if (present == self.boundary.inputs.end()) self.boundary.inputs.emplace(index, std::vector<Use>{use});
    else present->second.push_back(use);
  });
}

GeStatus GeBoundarySetOutput(GeBoundary *boundary, int64_t index, GeNode *node, int64_t port) {
  return Guard([&] {
    GeBoundary &self = BoundaryHandle(boundary, "GeBoundarySetOutput");
    Node &maker = NodeOf(node, "GeBoundarySetOutput");
    if (index < 0) Fail(GE_PARAM_INVALID, "GeBoundarySetOutput: index is ", index);
    if (port < 0 || static_cast<size_t>(port) >= maker.output_count())
      Fail(GE_PARAM_INVALID, "GeBoundarySetOutput: ", maker.Label(), " has no output ", port, ", it has ",
           maker.output_count());
    Keep(self.graphs, maker);
    if (!self.boundary.outputs.emplace(index, Endpoint{&maker, static_cast<int32_t>(port)}).second)
      Fail(GE_BAD_STATE, "GeBoundarySetOutput: output ", index, " of the boundary is set already");
  });
}

size_t GeBoundaryInputCount(const GeBoundary *boundary) {
  if (!IsValid(boundary)) return 0;
  return GuardValue<size_t>(0, [&] { return BoundaryHandle(boundary, "GeBoundaryInputCount").boundary.inputs.size(); });
}
size_t GeBoundaryOutputCount(const GeBoundary *boundary) {
  if (!IsValid(boundary)) return 0;
  return GuardValue<size_t>(0,
                            [&] { return BoundaryHandle(boundary, "GeBoundaryOutputCount").boundary.outputs.size(); });
}

GeStatus GeBoundaryGetInput(const GeBoundary *boundary, int64_t index, GeNodeIo *ports, size_t *count) {
  return Guard([&] {
    GE_CHECK_ARG(GeBoundaryGetInput, count);
    const Boundary &self = BoundaryHandle(boundary, "GeBoundaryGetInput").boundary;
    const size_t room = *count;
    *count = 0;
    auto at = self.inputs.find(index);
    if (at == self.inputs.end())
      Fail(GE_NOT_FOUND, "GeBoundaryGetInput: the boundary has no input ", index, ", it has ", self.inputs.size());
    *count = at->second.size();
    if (room < at->second.size())
      Fail(GE_PARAM_INVALID, "GeBoundaryGetInput: room for ", room, " ports, there are ", at->second.size());
    if (!ports) NullArgument("GeBoundaryGetInput", "ports");
    for (const Use &use : at->second) *ports++ = {Handle(use.node), use.port};
  });
}

GeStatus GeBoundaryGetOutput(const GeBoundary *boundary, int64_t index, GeNodeIo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeBoundaryGetOutput, out);
    *out = GeNodeIo{};
    const Boundary &self = BoundaryHandle(boundary, "GeBoundaryGetOutput").boundary;
    auto at = self.outputs.find(index);
    if (at == self.outputs.end())
      Fail(GE_NOT_FOUND, "GeBoundaryGetOutput: the boundary has no output ", index, ", it has ", self.outputs.size());
    *out = {Handle(at->second.node), at->second.port};
  });
}

GeStatus GeBoundaryGetNodes(const GeBoundary *boundary, GeNode **nodes, size_t *count) {
  return Guard([&] {
    GE_CHECK_ARG(GeBoundaryGetNodes, count);
    const Boundary &self = BoundaryHandle(boundary, "GeBoundaryGetNodes").boundary;
    HandOut(Enclose(self).nodes, nodes, count, "GeBoundaryGetNodes");
  });
}

GeStatus GeBoundaryReplace(const GeBoundary *boundary, const GeGraph *replacement, GePassContext *context) {
  return Guard([&] {
    const Boundary &self = BoundaryHandle(boundary, "GeBoundaryReplace").boundary;
    const Graph &graph = GraphOf(replacement, "GeBoundaryReplace", "replacement");
    const PassContext *running = ContextOrNull(context, "GeBoundaryReplace");
    const Symbol pass(running ? running->pass_name() : std::string());
    const Region region = Enclose(self);
    if (region.graph == &graph) ReplacedByItself(graph);
    CheckPart(self, region);
    // The order that rewrites keep bounds the search for cycles, which one output alone does not need.
    if (region.outputs.size() > 1) (void)TypeIndex::Of(*region.graph);
    if (context) {
      if (std::string why = RefusedFuse(region.nodes); !why.empty()) Fail(GE_GRAPH_INVALID, why);
    }
    if (context) context->context->MayRewrite(pass.c_str());
    Transaction all(*region.graph);
    const std::string name = running ? running->pass_name() : "";
    const ResultCheck::Replacing watched(running ? running->early_results.get() : nullptr, name, "SubgraphRewriter",
                                         *region.nodes.front());
    const bool may_make_cycle = !context && WouldMakeCycle(region.nodes);
    (void)ReplaceRegion(self, graph, pass);
    // Several nodes in the place of several need not make the cycle that one would.
    if (may_make_cycle) (void)region.graph->TopologicalOrder();
    if (context) {
      context->context->Tried(pass.c_str());
      context->context->Applied(pass.c_str());
    }
    all.Commit();
  });
}

GeStatus GeBoundaryInfer(const GeBoundary *boundary, GeGraph *replacement) {
  return Guard([&] {
    const Boundary &self = BoundaryHandle(boundary, "GeBoundaryInfer").boundary;
    InferReplacement(self, GraphOf(replacement, "GeBoundaryInfer", "replacement"));
  });
}

GeStatus GeNodesCanFuse(GeNode *const *nodes, size_t count) {
  return Guard([&] {
    if (std::string why = RefusedFuse(NodesOf(nodes, count, "GeNodesCanFuse", "nodes")); !why.empty())
      Fail(GE_GRAPH_INVALID, why);
  });
}

GeStatus GeNodesReportFuse(GeNode *const *before, size_t before_count, GeNode *const *after, size_t after_count,
                           GePassContext *context) {
  return Guard([&] {
    PassContext &running = ContextOf(context, "GeNodesReportFuse");
    ReportRewrite(NodesOf(before, before_count, "GeNodesReportFuse", "before"),
                  NodesOf(after, after_count, "GeNodesReportFuse", "after"), running);
  });
}

size_t GeGraphMadeNodeCount(const GeGraph *graph) {
  return ReadGraph<size_t>(graph, "GeGraphMadeNodeCount", 0, [](const Graph &self) { return self.id_limit(); });
}

GeStatus GeGraphFuse(GeGraph *graph, GePattern *const *patterns, size_t count, uint32_t flags,
                     const GeFusionHooks *callers, GePassContext *context) {
  return Guard([&]() -> GeStatus {
    Graph &target = GraphOf(graph, "GeGraphFuse");
    if (!callers) NullArgument("GeGraphFuse", "hooks");
    const GeFusionHooks hooks = ReadStruct(*callers, "GeGraphFuse");
    if (!hooks.replace) NullArgument("GeGraphFuse", "hooks->replace");
    FusionOptions options;
    options.match = ConfigOfFlags(flags, "GeGraphFuse");
    Fusion fusion(target, context, "GeGraphFuse");
    options.max_rewrites = fusion.MostRewrites();
    fusion.SetPatterns(patterns, count);
    const FusionCounts counts = fusion.Run(options, {fusion.HooksOf(hooks)});
    return ChangedOr(counts.applied != 0, "no match was replaced");
  });
}

GeStatus GeGraphRewrite(GeGraph *graph, GePattern *const *patterns, const GeGraph *const *replacements, size_t count,
                        const GeRewriteOptions *given, const GeFusionHooks *callers, GePassContext *context,
                        GeRewriteCounts *counts) {
  return Guard([&] {
    const char *const self = "GeGraphRewrite";
    Graph &target = GraphOf(graph, self);
    if (counts) WriteStruct(GeRewriteCounts{}, counts, self);
    const GeRewriteOptions wanted = given ? ReadStruct(*given, self) : GeRewriteOptions{};
    const GeFusionHooks hooks = callers ? ReadStruct(*callers, self) : GeFusionHooks{};
    if (wanted.max_rewrites < 0) Fail(GE_PARAM_INVALID, self, ": max_rewrites is ", wanted.max_rewrites);
    FusionOptions options;
    options.match = ConfigOfFlags(wanted.match_flags, self);
    options.dry_run = wanted.dry_run != 0;
    Fusion fusion(target, context, self);
    options.max_rewrites = wanted.max_rewrites ? wanted.max_rewrites : fusion.MostRewrites();
    fusion.SetPatterns(patterns, count);
    std::vector<FusionHooks<GraphMatch>> calls(count, fusion.HooksOf(hooks));
    for (size_t i = 0; i < count; ++i) {
      if (replacements && replacements[i])
        calls[i].given = GraphOf(replacements[i], self, "replacements[i]").shared_from_this();
      else if (!hooks.replace && !options.dry_run)
        NullArgument(self, replacements ? "replacements[i]" : "replacements");
    }
    const FusionCounts done = fusion.Run(options, calls);
    if (counts) WriteStruct(GeRewriteCounts{0, done.tried, done.applied, done.declined}, counts, self);
  });
}

GeStatus GeGraphDecompose(GeGraph *graph, const char *const *types, size_t count, const GeDecomposeHooks *callers,
                          GePassContext *context) {
  return Guard([&]() -> GeStatus {
    Graph &target = GraphOf(graph, "GeGraphDecompose");
    if (!callers) NullArgument("GeGraphDecompose", "hooks");
    const GeDecomposeHooks known = ReadStruct(*callers, "GeGraphDecompose"), *hooks = &known;
    if (!hooks->replace) NullArgument("GeGraphDecompose", "hooks->replace");
    if (!types && count) NullArgument("GeGraphDecompose", "types");
    std::vector<Symbol> list;
    for (size_t i = 0; i < count; ++i) {
      if (!types[i]) NullArgument("GeGraphDecompose", "types[i]");
      list.emplace_back(types[i]);
    }
    PassContext by_hand;
    PassContext *running = ContextOrNull(context, "GeGraphDecompose");
    PassContext &self = running ? *running : by_hand;
    PassHandle borrowed(self);
    FusionHooks<Node> calls;
    if (hooks->meets)
      calls.meets = [&](Node &node) { return hooks->meets(hooks->user, Handle(&node), borrowed.get()) != 0; };
    calls.replacement = [&](Node &node) {
      GeGraph *made = nullptr;
      const GeStatus status = hooks->replace(hooks->user, Handle(&node), borrowed.get(), &made);
      return Taken(status, made, target);
    };
    return ChangedOr(DecomposeNodes(target, list, calls, self), "no node was replaced");
  });
}

}  // extern "C"
