// Tries rules at the nodes of a graph and goes on while they change it. Two policies: GE's cascade, where one rule
// after the other goes forward over the graph and what appears is tried as well; and rounds over the graph with all
// rules until nothing changes.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct RewritePolicy {
  bool cascade = false;              // else rounds
  int rounds = 1;                    // at most
  int64_t max_rewrites = 1'000'000;  // of one call: a rule that feeds itself would never end
};
/// GE's: each rule once, from the beginning of the graph to its end, nodes that appear included.
inline constexpr RewritePolicy kForwardCascade{.cascade = true, .rounds = 1};

class LoopRule {
 public:
  virtual ~LoopRule() = default;
  virtual const char *name() const = 0;
  /// Types of the nodes to try, in the order of the data flow. Called when the rule's turn comes; none: it is passed
  /// over.
  virtual std::vector<Symbol> Types() = 0;
  /// True when the graph was rewritten. The node may be gone then.
  virtual bool Try(Node *node) = 0;
};

/// How many rewrites were made. Throws GE_FAILED, naming `pass` and rule, when they are more than the policy allows.
int64_t RunRewrites(Graph &graph, const std::vector<LoopRule *> &rules, const RewritePolicy &policy,
                    std::string_view pass);

}  // namespace gec
