#include "core/pattern/graph_match.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include "core/ops/registry.h"
#include "core/support/error.h"

namespace gec {

// ---- pattern ----

void GraphPattern::Check() const {
  auto refuse = [&](const auto &...why) { Fail(GE_GRAPH_INVALID, "pattern '", graph->name(), "': ", why...); };
  if (graph->Outputs().empty()) refuse("it has no output");
  for (Endpoint e : graph->Outputs())
    if (!e) refuse("one of its outputs is not connected");
  static const Symbol net_output("NetOutput"), index("index");
  std::set<int64_t> indexes;
  for (Node *node : graph->Nodes()) {
    if (node->type() == net_output) continue;
    if (!node->control_inputs().empty() || !node->control_outputs().empty())
      refuse(node->Label(), " has control edges, which patterns cannot have");
    if (!node->subgraphs().empty()) refuse(node->Label(), " has subgraphs, which patterns cannot have");
    if (node->ir().dynamic_inputs || node->ir().dynamic_outputs)
      refuse(node->Label(), " is of a type with dynamic inputs or outputs, which patterns cannot have");
    if (IsDataType(node->type()) && !indexes.insert(node->Int(index)).second)
      refuse(node->Label(), " has index ", node->Int(index), ", which another input has");
  }
  graph->TopologicalOrder();
}

// ---- match ----

bool GraphMatch::Map(Endpoint pattern, Endpoint matched) {
  auto [at, fresh] = by_node_.emplace(pattern.node, matched);
  if (!fresh) {
    // A placeholder stands for a tensor, another node for a node.
    return IsDataType(pattern.node->type()) ? at->second == matched : at->second.node == matched.node;
  }
  pairs_.emplace_back(pattern.node, matched);
  return true;
}

Endpoint GraphMatch::At(const Node *pattern) const {
  auto at = by_node_.find(pattern);
  return at == by_node_.end() ? Endpoint() : at->second;
}

void GraphMatch::Forget(size_t count) {
  while (pairs_.size() > count) {
    by_node_.erase(pairs_.back().first);
    pairs_.pop_back();
  }
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
  const Endpoint at = At(captured[index].node);
  if (!at)
    Fail(GE_NOT_FOUND, "captured tensor ", index, " of pattern '", pattern_->graph->name(),
         "': its node is not part of what matched");
  return IsDataType(captured[index].node->type()) ? at : Endpoint{at.node, captured[index].port};
}

Boundary GraphMatch::ToBoundary() const {
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

// ---- matcher ----

GraphMatcher::GraphMatcher(GraphPatternPtr pattern, GraphPtr target, MatchConfig config)
    : pattern_(std::move(pattern)), target_(std::move(target)), config_(config) {}

namespace {

bool SameType(const Node &a, const Node &b) {
  return a.type() == b.type() || (IsConstType(a.type()) && IsConstType(b.type()));
}

/// Prototype attributes by name, defaults included. The registered prototype counts: a program may have been generated
/// from another version of it.
bool SameIrAttrs(const Node &a, const Node &b) {
  auto ir_of = [](const Node &node) {
    const OpEntry *installed = OpRegistry::Instance().Find(node.type());
    return installed ? installed->ir : &node.ir();
  };
  const IrDef &ia = *ir_of(a), &ib = *ir_of(b);
  if (ia.attrs.size() != ib.attrs.size()) return false;
  auto value_of = [](const Node &node, const IrAttr &attr) {
    const AttrValue *set = node.attrs().Find(attr.name);
    return set ? *set : attr.fallback;
  };
  return std::all_of(ia.attrs.begin(), ia.attrs.end(), [&](const IrAttr &attr) {
    const IrAttr *other = ib.FindAttr(attr.name);
    return other && value_of(a, attr) == value_of(b, *other);
  });
}

/// A pattern's constant without a value matches any.
bool SameConstant(const Node &pattern, const Node &target) {
  static const Symbol value("value");
  const TensorPtr a = pattern.attrs().GetTensor(value), b = target.attrs().GetTensor(value);
  if (!a || !a->buffer || (a->buffer->size() == 0 && a->desc.bytes() != 0)) return true;
  if (!b || !b->buffer) return false;
  return a->desc.dtype == b->desc.dtype && a->desc.shape == b->desc.shape && a->buffer->size() == b->buffer->size() &&
         std::memcmp(a->buffer->data(), b->buffer->data(), a->buffer->size()) == 0;
}

size_t ConnectedInputs(const Node &node) {
  size_t count = 0;
  for (size_t i = 0; i < node.input_count(); ++i) count += node.input(i) ? 1 : 0;
  return count;
}

}  // namespace

bool GraphMatcher::SameNode(const Node &pattern, const Node &target, bool anchor) const {
  if (IsConstType(pattern.type()))
    return IsConstType(target.type()) && (!config_.const_values || SameConstant(pattern, target));
  if (anchor && !SameType(pattern, target)) return false;
  return config_.ir_attrs ? SameIrAttrs(pattern, target) : SameType(pattern, target);
}

bool GraphMatcher::MatchFrom(GraphMatch &match, Node *pattern, Node *target) const {
  if (const Endpoint known = match.At(pattern)) return known.node == target;
  if (!SameNode(*pattern, *target, true) || !match.Map({pattern, 0}, {target, 0})) return false;
  std::deque<std::pair<Node *, Node *>> pending{{pattern, target}};
  while (!pending.empty()) {
    auto [p, t] = pending.front();
    pending.pop_front();
    if (ConnectedInputs(*p) != ConnectedInputs(*t)) return false;
    for (size_t i = 0; i < p->input_count(); ++i) {
      const Endpoint wanted = p->input(i);
      if (!wanted) continue;
      const Endpoint found = i < t->input_count() ? t->input(i) : Endpoint();
      if (!found) return false;
      if (IsDataType(wanted.node->type())) {
        if (!match.Map(wanted, found)) return false;
        continue;
      }
      if (wanted.port != found.port) return false;
      if (const Endpoint known = match.At(wanted.node)) {
        if (known.node != found.node) return false;
        continue;
      }
      if (!SameNode(*wanted.node, *found.node, false)) return false;
      match.Map(wanted, found);
      pending.emplace_back(wanted.node, found.node);
    }
  }
  return true;
}

bool GraphMatcher::Closed(const GraphMatch &match) const {
  std::unordered_set<const Node *> inside;
  for (const auto &[pattern, matched] : match.pairs())
    if (!IsDataType(pattern->type())) inside.insert(matched.node);
  std::vector<Endpoint> owned;
  for (Endpoint e : outputs_) owned.push_back(match.At(e.node));
  return SelfContained(inside, owned, nullptr);
}

/// Outputs from `output` on; all candidates are tried.
bool GraphMatcher::Extend(GraphMatch &match, size_t output) {
  if (output == outputs_.size()) return Closed(match);
  Node *pattern = outputs_[output].node;
  if (match.At(pattern)) return Extend(match, output + 1);
  for (Node *candidate : candidates_[output]) {
    if (candidate->removed()) continue;
    const size_t mark = match.pairs().size();
    if (MatchFrom(match, pattern, candidate) && Extend(match, output + 1)) return true;
    match.Forget(mark);
  }
  return false;
}

void GraphMatcher::Refresh() {
  if (known_ == target_->id_limit()) return;
  // At first in the order of the data flow; later ones were made by rewriting and come in the order they were made.
  std::vector<Node *> nodes;
  if (known_ == 0) {
    nodes = target_->TopologicalOrder();
  } else {
    for (uint32_t id = known_; id < target_->id_limit(); ++id)
      if (Node *node = target_->node(id); !node->removed()) nodes.push_back(node);
  }
  known_ = target_->id_limit();
  for (size_t o = 0; o < outputs_.size(); ++o)
    for (Node *node : nodes)
      if (SameType(*outputs_[o].node, *node)) candidates_[o].push_back(node);
}

std::unique_ptr<GraphMatch> GraphMatcher::Next() {
  if (!checked_) {
    pattern_->Check();
    outputs_ = pattern_->graph->Outputs();
    candidates_.resize(outputs_.size());
    checked_ = true;
  }
  Refresh();
  while (next_ < candidates_[0].size()) {
    Node *anchor = candidates_[0][next_++];
    if (anchor->removed()) continue;
    auto match = std::make_unique<GraphMatch>(pattern_);
    if (MatchFrom(*match, outputs_[0].node, anchor) && Extend(*match, 1)) return match;
  }
  return nullptr;
}

}  // namespace gec
