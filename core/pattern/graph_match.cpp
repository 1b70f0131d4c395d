#include "core/pattern/graph_match.h"

#include <algorithm>
#include <unordered_set>

#include "core/support/error.h"

namespace gec {

bool GraphMatch::Map(Endpoint pattern, Endpoint matched) {
  // Patterns have few nodes.
  if (const Endpoint present = At(pattern.node)) {
    // A placeholder stands for a tensor, another node for a node.
    return IsDataType(pattern.node->type()) ? present == matched : present.node == matched.node;
  }
  pairs_.emplace_back(pattern.node, matched);
  return true;
}

Endpoint GraphMatch::At(const Node *pattern) const {
  for (const auto &[node, matched] : pairs_)
    if (node == pattern) return matched;
  return Endpoint();
}

std::vector<Node *> GraphMatch::Nodes() const {
  std::vector<Node *> nodes;
  for (const auto &[pattern, matched] : pairs_)
    if (!IsDataType(pattern->type())) nodes.push_back(matched.node);
  std::sort(nodes.begin(), nodes.end(), [](const Node *a, const Node *b) { return a->id() < b->id(); });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  // Only the ways inside the match count, so the rest of the graph need not be looked at.
  std::unordered_set<const Node *> pending(nodes.begin(), nodes.end());
  std::vector<Node *> order, path;
  for (Node *start : nodes) {
    path.push_back(start);
    while (!path.empty()) {
      Node *node = path.back();
      Node *before = nullptr;
      for (size_t i = 0; pending.count(node) && i < node->input_count() && !before; ++i) {
        Node *source = node->input(i).node;
        if (source && pending.count(source)) before = source;
      }
      if (before) {
        path.push_back(before);
        continue;
      }
      if (pending.erase(node)) order.push_back(node);
      path.pop_back();
    }
  }
  return order;
}

Endpoint GraphMatch::Captured(size_t index) const {
  const std::vector<Endpoint> &captured = pattern_->captured;
  if (index >= captured.size())
    Fail(GE_NOT_FOUND, "captured tensor ", index, " of pattern '", pattern_->graph->name(), "': it captures ",
         captured.size());
  if (!captured[index])
    Fail(GE_NOT_FOUND, "captured tensor ", index, " of pattern '", pattern_->graph->name(),
         "' was refused when it was captured");
  const Endpoint at = At(captured[index].node);
  if (!at)
    Fail(GE_NOT_FOUND, "captured tensor ", index, " of pattern '", pattern_->graph->name(),
         "': its node is not part of what matched");
  return IsDataType(captured[index].node->type()) ? at : Endpoint{at.node, captured[index].port};
}

Boundary GraphMatch::ToBoundary() const {
  if (boundary_) return *boundary_;
  static const Symbol index("index");
  Boundary boundary;
  for (Node *data : pattern_->graph->Inputs()) {
    std::vector<Use> &ports = boundary.inputs[data->Int(index)];
    for (const Use &use : data->uses(0))
      if (Node *node = At(use.node).node) ports.push_back({node, use.port});
  }
  int64_t number = 0;
  for (Endpoint e : pattern_->graph->Outputs()) {
    const Endpoint at = At(e.node);
    boundary.outputs[number++] = IsDataType(e.node->type()) ? at : Endpoint{at.node, e.port};
  }
  return boundary;
}

std::string GraphMatch::Text() const {
  std::string text = "[PatternName:" + pattern_->graph->name() + "][MatchNodesPair]";
  for (const auto &[pattern, matched] : pairs_) {
    const bool gone = matched.node->removed();
    text += "{" + pattern->type().str() + ":" + (gone ? "(removed)" : matched.node->name()) + "}";
  }
  return text;
}

}  // namespace gec
