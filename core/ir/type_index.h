// The nodes of a graph by operator type, in one order of the data flow that all who look for nodes share.
//
// The graph keeps the index. Rewrites of regions keep it up to date (core/pattern/rewrite.h); after any other change of
// nodes or edges the next question makes it anew, which takes a walk over the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

class TypeIndex {
 public:
  explicit TypeIndex(const Graph &graph);  // use Of

  /// The graph's index, up to date. Throws GE_GRAPH_INVALID for a cycle.
  static TypeIndex &Of(Graph &graph);
  /// The same; the order is that of Graph::TopologicalOrder, also where rewrites kept another valid one.
  static TypeIndex &Fresh(Graph &graph);
  /// Null when there is none, or the graph has changed since.
  static TypeIndex *Current(const Graph &graph);

  /// Appends the nodes of these types in order.
  void Collect(const std::vector<Symbol> &types, std::vector<Node *> *out);
  /// No node lies before one that it reads; equal numbers say nothing.
  int64_t PositionOf(const Node &node) const { return positions_[node.id()]; }
  bool Before(const Node *a, const Node *b) const {
    const int64_t x = PositionOf(*a), y = PositionOf(*b);
    return x != y ? x < y : a->id() < b->id();
  }

  /// Nodes with ids from `first` on came in the place of nodes of which the first had position `base`, and the index
  /// was up to date before. Moves what comes too early behind them, and nothing else.
  void Rewritten(uint32_t first, int64_t base);

 private:
  struct Bucket {
    Symbol type;
    std::vector<Node *> nodes;  // may hold removed ones
    size_t sorted = 0;          // in order up to here
    uint64_t seen = 0;          // the graph's changes when no removed one was among them
  };
  struct Slot {
    Symbol type;
    uint32_t bucket = kNone;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void Build();
  Bucket *Find(Symbol type);
  Bucket &Take(Symbol type);
  void Grow();
  void Sort(Bucket &bucket) const;
  void Raise(Node *node);

  const Graph &graph_;
  uint64_t changes_ = 0;  // of the graph, when the index was up to date
  bool kept_ = false;     // by rewrites
  std::vector<Bucket> buckets_;
  std::vector<Slot> slots_;         // a power of two; open addressing
  std::vector<int64_t> positions_;  // by id
  std::vector<Node *> pending_;     // of Raise
};

}  // namespace gec
