// Runs GE's pattern and decomposition passes; the user supplies patterns and replacements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/pattern/graph_match.h"
#include "core/pattern/rewrite_loop.h"

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
  GraphPtr given;  // takes the place of every match; `replacement` is not asked then
};

struct FusionOptions {
  MatchConfig match;
  int64_t max_rewrites = RewritePolicy().max_rewrites;
  bool dry_run = false;               // matches are counted, and nothing is replaced
  MatchObserver *observer = nullptr;  // is told where matches end
};
/// Counts of the matches that a pass replaced, or that a dry run found.
struct FusionCounts {
  int64_t tried = 0, applied = 0, declined = 0;
};

/// Replaces the matches of each pattern in turn; those that one node could not stand for without a cycle are left
/// alone. A pattern that cannot match anything is passed over with a warning.
/// `hooks` has one entry per pattern, or one for all.
FusionCounts FusePatterns(Graph &graph, const std::vector<GraphPatternPtr> &patterns, const FusionOptions &options,
                          const std::vector<FusionHooks<GraphMatch>> &hooks, PassContext &ctx);

/// The same for single nodes of these types: those that the graph has now.
bool DecomposeNodes(Graph &graph, const std::vector<Symbol> &types, const FusionHooks<Node> &hooks, PassContext &ctx);

/// Counts a rewrite that a pass did by hand and marks the new nodes. Throws GE_GRAPH_INVALID.
void ReportRewrite(const std::vector<Node *> &before, const std::vector<Node *> &after, PassContext &ctx);

/// Every node of the graph is on a logical stream: 0, or one per user label.
void AssignStreams(const Graph &root, StreamTable *streams);
/// Keeps what passes decided, as an attribute of nodes.
void KeepStreams(Graph &root, const StreamTable &before, const StreamTable &after);

}  // namespace gec
