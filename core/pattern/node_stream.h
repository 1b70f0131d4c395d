// The nodes of some types one after the other, while the graph may be rewritten in between.
#pragma once

#include <vector>

#include "core/ir/type_index.h"

namespace gec {

/// First those that are there, in the order of the data flow; then those that appear, as they are made.
class NodeStream {
 public:
  /// `index` is the graph's, up to date.
  void Start(Graph &graph, std::vector<Symbol> types, TypeIndex &index);
  bool started() const { return graph_ != nullptr; }
  /// Null when there is none at present.
  Node *Next();
  /// Nodes that appear are not among them from here on.
  void Close() { closed_ = true; }
  /// The nodes that come are mostly rewritten, not only looked at: worth to have all of them at hand.
  void Rewrites(bool mostly) { rewrites_ = mostly; }
  /// For those who look at all of them again and again.
  void AppendAlive(std::vector<Node *> *out);
  size_t size() const { return nodes_.size() - next_; }

 private:
  void Refresh();
  void FetchAhead() const;
  bool Gone(const Node *node) const { return node->removed() || &node->graph() != graph_; }
  Graph *graph_ = nullptr;
  std::vector<Symbol> types_;
  std::vector<Node *> nodes_;
  size_t next_ = 0;
  uint32_t known_ = 0;  // ids below this are among the nodes
  bool closed_ = false;
  bool rewrites_ = false;
};

}  // namespace gec
