// Patterns that are graphs: Data nodes stand for anything, inner nodes for operators, outputs for what is handed out.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/pattern/boundary.h"

namespace gec {

struct GraphPattern {
  GraphPtr graph;
  std::vector<Endpoint> captured;  // tensors that users of a match ask for by number
  /// Throws GE_GRAPH_INVALID: subgraphs, control edges, operators with dynamic ports, cycles, no output.
  void Check() const;
};
using GraphPatternPtr = std::shared_ptr<GraphPattern>;

struct MatchConfig {
  bool const_values = false;  // constants of the pattern that have a value match equal ones only
  bool ir_attrs = false;      // prototype attributes must be equal; the types of inner nodes are not compared then
};

/// The target's nodes that the nodes of a pattern matched.
class GraphMatch {
 public:
  explicit GraphMatch(GraphPatternPtr pattern) : pattern_(std::move(pattern)) {}
  const GraphPattern &pattern() const { return *pattern_; }
  const GraphPatternPtr &pattern_ptr() const { return pattern_; }
  /// False when the pattern's node stands for another one already.
  bool Map(Endpoint pattern, Endpoint matched);
  Endpoint At(const Node *pattern) const;  // empty when the node is not mapped
  /// Without those behind Data, in the order of the data flow.
  std::vector<Node *> Nodes() const;
  /// Throws GE_NOT_FOUND: fewer tensors were captured, or the node is not mapped.
  Endpoint Captured(size_t index) const;
  Boundary ToBoundary() const;
  std::string Text() const;
  const std::vector<std::pair<const Node *, Endpoint>> &pairs() const { return pairs_; }

 private:
  friend class GraphMatcher;
  void Forget(size_t count);  // pairs from here on
  GraphPatternPtr pattern_;
  std::vector<std::pair<const Node *, Endpoint>> pairs_;
  std::unordered_map<const Node *, Endpoint> by_node_;
};

/// Finds the matches of a pattern one after the other, while the target may be rewritten in between.
class GraphMatcher {
 public:
  GraphMatcher(GraphPatternPtr pattern, GraphPtr target, MatchConfig config);
  /// The next match, or null. Every node of the target is tried once; nodes that appear meanwhile are tried too.
  /// Throws what GraphPattern::Check throws.
  std::unique_ptr<GraphMatch> Next();

 private:
  void Refresh();
  bool Extend(GraphMatch &match, size_t output);
  bool MatchFrom(GraphMatch &match, Node *pattern, Node *target) const;
  bool SameNode(const Node &pattern, const Node &target, bool anchor) const;
  bool Closed(const GraphMatch &match) const;

  GraphPatternPtr pattern_;
  GraphPtr target_;
  MatchConfig config_;
  std::vector<Endpoint> outputs_;                // of the pattern
  std::vector<std::vector<Node *>> candidates_;  // per output
  size_t next_ = 0;                              // of the candidates of output 0
  uint32_t known_ = 0;                           // ids below this are among the candidates
  bool checked_ = false;
};

}  // namespace gec
