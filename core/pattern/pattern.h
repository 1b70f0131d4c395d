// Patterns over a graph as data: operator types, constants with conditions, wildcards, operands in any order.
//
// A match may only be replaced when nobody outside reads a value inside it: Pattern::Legal says so.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/pattern/match_engine.h"
#include "core/pattern/refusal.h"

namespace gec {

/// Answers questions about uses that need the whole graph's output list.
class OutputSet {
 public:
  explicit OutputSet(const Graph &graph);
  bool Has(Endpoint e) const;
  void Moved(Endpoint from, Endpoint to);  // after ReplaceUses

 private:
  const Graph &graph_;
  std::unordered_map<uint64_t, int> listed_;  // without a NetOutput node
};

class Pattern;

/// The matched parts, by the numbers that Pattern's functions returned.
class Match {
 public:
  Endpoint operator[](int part) const { return bound_[static_cast<size_t>(part)]; }
  Node *node(int part) const { return bound_[static_cast<size_t>(part)].node; }
  /// Nodes that the match covers, root included; constants and wildcards are not among them.
  std::vector<Node *> covered;
  /// Is told where searches for this match end; null: nobody is.
  void Observe(MatchObserver *observer) { engine_.Observe(observer); }

 private:
  friend class Pattern;
  std::vector<Endpoint> bound_;
  MatchEngine engine_;  // its memory serves the next search
};

/// A condition that is code.
struct PatternCondition {
  std::string what = {};  // it asks for, in words
  std::function<bool(Endpoint)> holds = {};
  Mismatch kind = Mismatch::kPredicate;
};

class Pattern {
 public:
  using Condition = PatternCondition;

  /// Anything; the same thing wherever this part is used.
  int Any();
  /// A constant for which the condition holds (empty: any).
  int Const(Condition condition = {});
  /// A float constant of one element near `value`.
  int Scalar(double value);
  /// A float constant of one element; its value is read from the match.
  int Scalar();
  /// Output 0 of an operator of one of these types. Inputs beyond those given must not be connected.
  int Op(std::initializer_list<const char *> types, std::initializer_list<int> inputs, Condition condition = {});
  /// The same with two operands in either order.
  int Commutative(std::initializer_list<const char *> types, int a, int b, Condition condition = {});

  /// The part made last is the root.
  const std::vector<Symbol> &RootTypes() const { return program_.slots.back().types; }
  /// The types of its operators, for people: "Add; Mul or Div".
  std::string NeededText() const;
  /// Every operator of the pattern has one of these types.
  bool Possible(const std::unordered_set<Symbol> &present) const;
  bool Find(Node *root, Match *match) const;
  /// The inner form, of which slot i is part i.
  const MatchProgram &program() const { return program_; }
  /// Interior values are read only inside and are no graph outputs; no covered node has control edges.
  static bool Legal(const std::vector<Node *> &covered, const Node *root, const OutputSet &outputs, Refusal *why);

 private:
  int AddPart(MatchSlot::Kind kind, Condition condition);
  MatchProgram program_;
};

/// The value of a float constant with one element.
bool ScalarOf(Endpoint e, double *value);
bool Near(double a, double b, double relative = 1e-5);

}  // namespace gec
