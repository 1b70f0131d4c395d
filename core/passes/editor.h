// The changes that built-in passes make to a graph: make a node, put it in the place of another, drop what nobody
// reads.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/passes/pass.h"
#include "core/pattern/pattern.h"

namespace gec {

class Editor {
 public:
  Editor(Graph &graph, PassContext &ctx, const char *pass) : graph(graph), ctx(ctx), pass(pass), outputs_(graph) {}

  using Attr = std::pair<const char *, AttrValue>;
  /// A node whose outputs are described like `like`'s output 0 when that is given, else inferred. It stands for `from`.
  Node *Make(const char *type, std::string_view name_hint, const std::vector<Endpoint> &inputs,
             const std::vector<Attr> &attrs, const std::vector<const Node *> &from, const TensorDesc *like = nullptr,
             int32_t dynamic_outputs = 0);
  Endpoint Constant(TensorPtr value, std::string_view name_hint, const std::vector<const Node *> &from);
  /// Everybody who read `from` reads `to`; producers that are not needed any more go.
  void Replace(Endpoint from, Endpoint to);
  /// Removes the node and, in turn, its producers while nothing reads them.
  void Sweep(Node *node);

  bool IsOutput(Endpoint e) const { return outputs_.Has(e); }
  const OutputSet &outputs() const { return outputs_; }
  /// Read once, by a node of this graph, and no graph output; the producer has no control edges.
  bool OnlyUse(Endpoint e) const;
  static bool HasControl(const Node &node) { return !node.control_inputs().empty() || !node.control_outputs().empty(); }

  Graph &graph;
  PassContext &ctx;
  const char *const pass;
  bool changed = false;

 private:
  OutputSet outputs_;
};

/// A rewrite of one pattern. The action returns the value that replaces the root's output 0, or none and a reason in
/// *why.
struct RewriteRule {
  const char *name;
  Pattern pattern;
  std::function<Endpoint(Editor &, const Match &, Node *root, Refusal *why)> action;
  Symbol makes = {};  // a type that other rules of the pass start from
};
/// Tries rules at every node in topological order, repeatedly while something changes (`rounds` at most).
bool RunRules(Editor &editor, const std::vector<RewriteRule> &rules, int rounds = 4);

// ---- facts about values ----

inline const TensorDesc &DescOf(Endpoint e) { return e.node->output_desc(static_cast<size_t>(e.port)); }
inline bool IsFloat32(Endpoint e) { return DescOf(e).dtype == C_DT_FLOAT; }
/// Both shapes are known to be the same: complete and equal.
bool SameKnownShape(Endpoint a, Endpoint b);
/// Values of a constant integer input as int64; false when it is no integer constant.
bool IntsAt(const Node &node, size_t input, std::vector<int64_t> *values);
/// A constant of one element that does not raise the rank of `x` when combined with it.
bool ScalarBeside(Endpoint constant, Endpoint x, double *value);
TensorPtr FloatTensor(const Shape &shape, const std::vector<float> &values);
TensorPtr IntTensor(const std::vector<int64_t> &values);
TensorPtr ScalarTensor(float value);

}  // namespace gec
