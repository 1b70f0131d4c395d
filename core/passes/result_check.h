// Replacements made before shapes are known keep the data types and shapes of what they replace.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/passes/pass.h"
#include "core/pattern/boundary.h"

namespace gec {

/// Where tensors are described, ReplaceRegion compares them at once. In the stage before inference none is, so a pass
/// that replaces something there is checked at its end: the graph as it was and as it is are inferred, as copies, and
/// whatever is in both has to be the same. A pass that replaces nothing pays nothing.
class ResultCheck {
 public:
  ResultCheck(Graph &graph, const PassContext &ctx);
  /// Called before a part of the graph is replaced at this node.
  void Replaces(const std::string &rule, const Node &at, const Region &region) {
    if (active_) Note(rule, at, region);
  }
  /// Throws GE_GRAPH_INVALID naming the rules and the tensor that differs, and what its types are.
  void Finish() const;

 private:
  void Note(const std::string &rule, const Node &at, const Region &region);
  void Compare(const Graph &before, const Graph &after) const;
  [[noreturn]] void Refuse(const std::string &why) const;

  Graph &graph_;
  const PassContext &ctx_;
  bool active_;
  GraphPtr before_;  // the root; made by the first replacement
  std::vector<std::string> rules_;
  std::string replaced_;  // the rules, each with the node at which it came first
};

}  // namespace gec
