// Patterns and matches through the C ABI.
#include "ge/pattern.h"

#include "capi/src/pass_handles.h"

namespace gec::api {
namespace {

int32_t PortOf(int64_t index) { return index < 0 || index > INT32_MAX ? -1 : static_cast<int32_t>(index); }

Endpoint OutputOf(const GeNodeIo &io, const char *function, const char *argument) {
  Node &node = NodeOf(io.node, function, argument);
  const int32_t port = PortOf(io.index);
  if (port < 0 || static_cast<size_t>(port) >= node.output_count())
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has no output ", io.index, ", it has ", node.output_count());
  return {&node, port};
}

GeNodeIo Io(Endpoint e) { return {Handle(e.node), e.port}; }

GraphMatch &MatchOf(const GeMatch *match, const char *function) {
  GeMatch &self = ValidOf(const_cast<GeMatch *>(match), function, "match");
  Enter(*self.match.pattern().graph, function);
  Enter(self.graphs, function);
  return self.match;
}

}  // namespace

/// Nodes into an array of the caller.
void HandOut(const std::vector<Node *> &nodes, GeNode **out, size_t *count, const char *function) {
  const size_t room = *count;
  *count = nodes.size();
  if (room < nodes.size()) Fail(GE_PARAM_INVALID, function, ": room for ", room, " nodes, there are ", nodes.size());
  if (!out && !nodes.empty()) NullArgument(function, "nodes");
  for (size_t i = 0; i < nodes.size(); ++i) out[i] = Handle(nodes[i]);
}

MatchConfig ConfigOfFlags(uint32_t flags, const char *function) {
  constexpr uint32_t kKnown = GE_MATCH_CONST_VALUES | GE_MATCH_IR_ATTRS;
  if (flags & ~kKnown) Fail(GE_PARAM_INVALID, function, ": flags are ", flags, ", known: ", kKnown);
  return {(flags & GE_MATCH_CONST_VALUES) != 0, (flags & GE_MATCH_IR_ATTRS) != 0};
}

}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePatternCreate(GeGraph *graph, GePattern **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePatternCreate, out);
    *out = nullptr;
    Graph &self = GraphOf(graph, "GePatternCreate");
    auto handle = std::make_unique<GePattern>();
    handle->pattern = std::make_shared<GraphPattern>();
    handle->pattern->graph = self.shared_from_this();
    *out = handle.release();
  });
}

void GePatternDestroy(GePattern *pattern) { DestroyEntered(pattern, "GePatternDestroy"); }

GeStatus GePatternRetainGraph(const GePattern *pattern, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePatternRetainGraph, out);
    *out = nullptr;
    *out = NewHandle(ValidOf(pattern, "GePatternRetainGraph", "pattern").pattern->graph);
  });
}

GeStatus GePatternCapture(GePattern *pattern, GeNode *node, int64_t index) {
  return Guard([&] {
    GraphPattern &self = *ValidOf(pattern, "GePatternCapture", "pattern").pattern;
    // One that is refused takes its number too: those behind it keep theirs, as a program counts its calls.
    self.captured.emplace_back();
    const Endpoint tensor = OutputOf({node, index}, "GePatternCapture", "node");
    if (&tensor.node->graph() != self.graph.get())
      Fail(GE_PARAM_INVALID, "GePatternCapture: ", tensor.node->Label(), " is of graph '", tensor.node->graph().name(),
           "', the pattern's is '", self.graph->name(), "'");
    self.captured.back() = tensor;
  });
}

size_t GePatternCapturedCount(const GePattern *pattern) {
  if (!IsValid(pattern)) return 0;
  return GuardValue<size_t>(
      0, [&] { return ValidOf(pattern, "GePatternCapturedCount", "pattern").pattern->captured.size(); });
}

GeStatus GePatternGetCaptured(const GePattern *pattern, size_t index, GeNodeIo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePatternGetCaptured, out);
    *out = GeNodeIo{};
    const GraphPattern &self = *ValidOf(pattern, "GePatternGetCaptured", "pattern").pattern;
    if (index >= self.captured.size())
      Fail(GE_PARAM_INVALID, "GePatternGetCaptured: index is ", index, ", the pattern captures ", self.captured.size());
    if (!self.captured[index])
      Fail(GE_NOT_FOUND, "GePatternGetCaptured: tensor ", index, " was refused when it was captured");
    *out = Io(self.captured[index]);
  });
}

GeStatus GeMatcherCreate(const GePattern *pattern, GeGraph *target, uint32_t flags, GeMatcher **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatcherCreate, out);
    *out = nullptr;
    const GraphPatternPtr &shared = ValidOf(pattern, "GeMatcherCreate", "pattern").pattern;
    GraphPtr graph = GraphOf(target, "GeMatcherCreate", "target").shared_from_this();
    const MatchConfig config = ConfigOfFlags(flags, "GeMatcherCreate");
    Enter(*shared->graph, "GeMatcherCreate");
    *out = new GeMatcher{GeMatcher::kMagic, shared, graph, GraphMatcher(shared, graph, config)};
  });
}

GeStatus GeMatcherNext(GeMatcher *matcher, GeMatch **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatcherNext, out);
    *out = nullptr;
    GeMatcher &self = ValidOf(matcher, "GeMatcherNext", "matcher");
    Enter(*self.target, "GeMatcherNext");
    Enter(*self.pattern->graph, "GeMatcherNext");
    if (std::unique_ptr<GraphMatch> match = self.matcher.Next())
      *out = new GeMatch{GeMatch::kMagic, std::move(*match), {self.target}};
  });
}

void GeMatcherDestroy(GeMatcher *matcher) { DestroyEntered(matcher, "GeMatcherDestroy"); }

GeStatus GeMatchCreate(const GePattern *pattern, GeMatch **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchCreate, out);
    *out = nullptr;
    *out = new GeMatch{GeMatch::kMagic, GraphMatch(ValidOf(pattern, "GeMatchCreate", "pattern").pattern), {}};
  });
}

GeStatus GeMatchClone(const GeMatch *match, GeMatch **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchClone, out);
    *out = nullptr;
    auto copy = std::make_unique<GeMatch>(ValidOf(match, "GeMatchClone", "match"));
    copy->is_lent = false;
    *out = copy.release();
  });
}

void GeMatchDestroy(GeMatch *match) {
  if (!IsValid(match) || !match->is_lent) DestroyEntered(match, "GeMatchDestroy");
}

GeStatus GeMatchAdd(GeMatch *match, const GeNodeIo *pattern, const GeNodeIo *matched) {
  return Guard([&] {
    GeMatch &self = ValidOf(match, "GeMatchAdd", "match");
    GE_CHECK_ARG(GeMatchAdd, pattern);
    GE_CHECK_ARG(GeMatchAdd, matched);
    const Endpoint from = OutputOf(*pattern, "GeMatchAdd", "pattern->node");
    const Endpoint to = OutputOf(*matched, "GeMatchAdd", "matched->node");
    Keep(self.graphs, *to.node);
    if (!self.match.Map(from, to))
      Fail(GE_BAD_STATE, "GeMatchAdd: ", from.node->Label(), " of the pattern stands for another node than ",
           to.node->Label());
  });
}

GeStatus GeMatchGetNode(const GeMatch *match, const GeNode *pattern_node, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchGetNode, out);
    *out = nullptr;
    const GraphMatch &self = MatchOf(match, "GeMatchGetNode");
    const Node &wanted = NodeOf(pattern_node, "GeMatchGetNode", "pattern_node");
    const Endpoint at = self.At(&wanted);
    if (!at) Fail(GE_NOT_FOUND, "GeMatchGetNode: ", wanted.Label(), " is not a node of the pattern that is mapped");
    *out = Handle(at.node);
  });
}

GeStatus GeMatchGetNodes(const GeMatch *match, GeNode **nodes, size_t *count) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchGetNodes, count);
    HandOut(MatchOf(match, "GeMatchGetNodes").Nodes(), nodes, count, "GeMatchGetNodes");
  });
}

GeStatus GeMatchGetCaptured(const GeMatch *match, size_t index, GeNodeIo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchGetCaptured, out);
    *out = GeNodeIo{};
    *out = Io(MatchOf(match, "GeMatchGetCaptured").Captured(index));
  });
}

GeStatus GeMatchRetainPatternGraph(const GeMatch *match, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchRetainPatternGraph, out);
    *out = nullptr;
    *out = NewHandle(MatchOf(match, "GeMatchRetainPatternGraph").pattern().graph);
  });
}

GeStatus GeMatchCreateBoundary(const GeMatch *match, GeBoundary **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchCreateBoundary, out);
    *out = nullptr;
    const Boundary boundary = MatchOf(match, "GeMatchCreateBoundary").ToBoundary();
    *out = new GeBoundary{GeBoundary::kMagic, boundary, match->graphs};
  });
}

GeStatus GeMatchDescribe(const GeMatch *match, GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeMatchDescribe, write);
    const std::string text = MatchOf(match, "GeMatchDescribe").Text();
    write(user, text.data(), text.size());
  });
}

}  // extern "C"
