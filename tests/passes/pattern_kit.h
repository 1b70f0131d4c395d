// Patterns that are graphs, and what is asked of them, for tests of the matcher.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/passes/fuse_patterns.h"
#include "pass_graph.h"

namespace gec::test {

using Build = std::function<std::vector<Endpoint>(Builder &)>;

inline GraphPatternPtr PatternOf(const Build &build, const std::function<void(GraphPattern &)> &say = {}) {
  Builder b;
  b.Outputs(build(b));
  auto pattern = std::make_shared<GraphPattern>();
  pattern->graph = b.graph;
  if (say) say(*pattern);
  return pattern;
}
inline GraphPtr GraphOf(const Build &build) {
  Builder b;
  b.Outputs(build(b));
  return b.graph;
}
inline Node *Named(const Graph &graph, const char *type) { return Only(graph, type); }

inline FusionCounts Rewrite(Graph &graph, const GraphPatternPtr &pattern, const GraphPtr &replacement,
                            FusionOptions options = {}) {
  FusionHooks<GraphMatch> hooks;
  hooks.given = replacement;
  PassContext ctx;
  return FusePatterns(graph, {pattern}, options, {hooks}, ctx);
}
inline size_t Matches(Graph &graph, const GraphPatternPtr &pattern, MatchConfig config = {}) {
  GraphMatcher matcher(pattern, graph.shared_from_this(), config);
  size_t count = 0;
  while (matcher.Next()) ++count;
  return count;
}

}  // namespace gec::test
