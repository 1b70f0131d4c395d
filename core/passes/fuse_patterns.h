// Runs GE's pattern and decomposition passes; the user supplies patterns and replacements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/pattern/graph_match.h"

namespace gec {

/// Thrown by a hook that looked at a match and made nothing for it.
struct MatchLeftAlone {
  std::string why;
};

template <class Where>
struct FusionHooks {
  std::function<bool(Where &)> meets;  // empty: always
  /// A null graph fails the pass, a MatchLeftAlone leaves the match as it is.
  std::function<GraphPtr(Where &)> replacement;
};

/// Replaces the matches of each pattern in turn; those that one node could not stand for without a cycle are left
/// alone. True when something was replaced. A pattern that cannot match anything is passed over with a warning.
bool FusePatterns(Graph &graph, const std::vector<GraphPatternPtr> &patterns, MatchConfig config,
                  const FusionHooks<GraphMatch> &hooks, PassContext &ctx);

/// The same for single nodes of these types: those that the graph has now.
bool DecomposeNodes(Graph &graph, const std::vector<Symbol> &types, const FusionHooks<Node> &hooks, PassContext &ctx);

/// Counts a rewrite that a pass did by hand and marks the new nodes. Throws GE_GRAPH_INVALID.
void ReportRewrite(const std::vector<Node *> &before, const std::vector<Node *> &after, PassContext &ctx);

/// Every node of the graph is on a logical stream: 0, or one per user label.
void AssignStreams(const Graph &root, StreamTable *streams);
/// Keeps what passes decided, as an attribute of nodes.
void KeepStreams(Graph &root, const StreamTable &before, const StreamTable &after);

}  // namespace gec
