#include "core/pattern/node_stream.h"

#include <algorithm>

namespace gec {

void NodeStream::Start(Graph &graph, std::vector<Symbol> types, TypeIndex &index) {
  graph_ = &graph;
  types_ = std::move(types);
  nodes_.clear();
  next_ = 0;
  closed_ = false;
  known_ = graph.id_limit();
  index.Collect(types_, &nodes_);
}

void NodeStream::Refresh() {
  for (; !closed_ && known_ < graph_->id_limit(); ++known_) {
    Node *node = graph_->node(known_);
    if (!node->removed() && std::find(types_.begin(), types_.end(), node->type()) != types_.end())
      nodes_.push_back(node);
  }
}

/// Large graphs do not lie in the processor's caches. Each step fetches what the steps before made reachable.
void NodeStream::FetchAhead() const {
  constexpr size_t kNode = 24, kInput = 10, kSource = 5, kLine = 64;
  // Of a node, from its start: type, inputs, then the edges of its outputs.
  constexpr size_t kInputs = 2 * kLine, kEdges = 3 * kLine;
  auto fetch = [](const Node *node, size_t from, size_t to) {
    for (size_t at = from; at < to; at += kLine) __builtin_prefetch(reinterpret_cast<const char *>(node) + at);
  };
  auto first_input = [](const Node *node) { return node->input_count() > 0 ? node->input(0).node : nullptr; };
  if (next_ + kNode >= nodes_.size()) return;
  fetch(nodes_[next_ + kNode], 0, rewrites_ ? sizeof(Node) : kInputs);
  const Node *soon = nodes_[next_ + kInput];
  const Node *fed_by = first_input(soon);
  if (!rewrites_) {
    if (fed_by) fed_by->Fetch();
    return;
  }
  if (fed_by) fetch(fed_by, 0, sizeof(Node));
  // Rewrites move edges: of the node's reader, and of what its source reads.
  if (soon->output_count() > 0 && !soon->uses(0).empty()) fetch(soon->uses(0)[0].node, 0, kInputs);
  graph_->FetchName(*soon);
  const Node *source = first_input(nodes_[next_ + kSource]);
  if (!source) return;
  graph_->FetchName(*source);
  if (const Node *before = first_input(source)) fetch(before, 0, kEdges);
}

Node *NodeStream::Next() {
  for (;;) {
    if (next_ == nodes_.size()) Refresh();
    if (next_ == nodes_.size()) return nullptr;
    FetchAhead();
    Node *node = nodes_[next_++];
    if (!Gone(node)) return node;
  }
}

void NodeStream::AppendAlive(std::vector<Node *> *out) {
  Refresh();
  // A node that has gone at the front is never looked at again: rewrites go from there.
  while (next_ < nodes_.size() && Gone(nodes_[next_])) ++next_;
  for (size_t i = next_; i < nodes_.size(); ++i)
    if (!Gone(nodes_[i])) out->push_back(nodes_[i]);
}

}  // namespace gec
