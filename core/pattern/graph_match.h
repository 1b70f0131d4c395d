// Patterns that are graphs: Data nodes stand for anything, inner nodes for operators, outputs for what is handed out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/pattern/boundary.h"
#include "core/pattern/match_engine.h"
#include "core/pattern/node_stream.h"
#include "core/pattern/refusal.h"

namespace gec {

/// A demand of a pattern about one of its nodes beyond type and edges.
struct PatternNodeRule {
  bool commutative = false;   // inputs 0 and 1 in either order
  bool dynamic = false;       // its type may have dynamic ports; as many instances as the pattern's node has
  bool more_inputs = false;   // or more
  int optional_input = -1;    // the node may be missing: its readers then read what this input reads
  std::vector<Symbol> types;  // besides its own
  std::vector<Endpoint> alternatives;
  std::vector<MatchConstraint> constraints;
};

struct GraphPattern {
  GraphPtr graph;
  std::vector<Endpoint> captured;  // tensors that users of a match ask for by number
  std::unordered_map<const Node *, PatternNodeRule> rules;
  const PatternNodeRule *RuleOf(const Node *node) const;
  /// Throws GE_GRAPH_INVALID: subgraphs, control edges, operators with dynamic ports for which no rule allows them,
  /// cycles, no output; rules that the graph no longer has the edges and nodes for, and nodes that stand for one
  /// another in a circle.
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
  GraphPatternPtr pattern_;
  std::vector<std::pair<const Node *, Endpoint>> pairs_;
  std::shared_ptr<const Boundary> boundary_;  // where the pattern's own edges do not tell it
};

struct CompiledPattern;

/// Finds the matches of a pattern one after the other, while the target may be rewritten in between.
class GraphMatcher : private MatchSearch {
 public:
  GraphMatcher(GraphPatternPtr pattern, GraphPtr target, MatchConfig config);
  ~GraphMatcher() override;
  GraphMatcher(GraphMatcher &&) noexcept;
  /// The next match, or null. Every node of the target is tried once; nodes that appear meanwhile are tried too.
  /// Throws what GraphPattern::Check throws.
  std::unique_ptr<GraphMatch> Next();

  // For those who have candidates of their own.
  /// Checks the pattern and makes its inner form. Throws what GraphPattern::Check throws.
  void Compile();
  /// Types of the nodes at which a match can begin.
  const std::vector<Symbol> &RootTypes() const;
  bool Possible() const;
  /// True when a match begins at this node.
  bool FindAt(Node *root);
  /// The match that FindAt found.
  GraphMatch Found() const;
  /// Its region without a detour, when its shape is plain and the graph is as it was then; else false.
  bool FoundRegion(Region *region) const;
  /// One node in the place of what was found could lie on a cycle only where this is true.
  bool MayMakeCycle() const;
  /// Why nothing can take the place of what was found, or nothing: an input of the pattern is read only by nodes that
  /// may be missing, and are, or in whose place others stand.
  std::optional<Refusal> WhyNotReplaced() const;
  /// The nodes of what was found, those behind Data not among them.
  const std::vector<Node *> &found_nodes() const { return inside_; }
  /// The pattern's node that matches begin with.
  const Node *root() const;
  void Observe(MatchObserver *observer);

 private:
  void Candidates(size_t output, const std::vector<MatchState> &states, std::vector<Node *> *out) override;
  bool Accept(const std::vector<MatchState> &states) override;
  Endpoint Resolve(MatchOperand want) const;
  int InputSlot(MatchOperand want) const;
  bool Reads(int input) const;
  std::shared_ptr<const Boundary> OwnBoundary() const;
  bool Near(size_t output, const std::vector<MatchState> &states, std::vector<Node *> *out);

  GraphPatternPtr pattern_;
  GraphPtr target_;
  MatchConfig config_;
  std::unique_ptr<CompiledPattern> compiled_;
  MatchEngine engine_;
  MatchObserver *observer_ = nullptr;
  NodeStream anchors_;
  std::vector<NodeStream> others_;  // per output, where nothing that matched leads to it
  bool started_ = false;
  uint64_t changes_ = 0;        // of the target, when the match was found
  std::vector<Node *> inside_;  // of the newest solution
};

}  // namespace gec
