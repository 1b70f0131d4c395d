#include "core/pattern/convex_groups.h"

#include <algorithm>
#include <numeric>

namespace gec {
namespace {

using Groups = std::vector<std::vector<Node *>>;

class Grouping {
 public:
  Grouping(const Graph &graph, const std::vector<Node *> &order, const std::vector<int32_t> &kinds)
      : order_(order), kinds_(kinds), parent_(kinds.size()), level_(kinds.size()), output_(kinds.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (Endpoint e : graph.Outputs()) {
      if (e) output_[e.node->id()] = 1;
    }
  }

  Groups Run() {
    for (const Node *node : order_) Label(*node);
    Join();
    return Collect();
  }

 private:
  bool Together(const Node &a, const Node &b) const { return kinds_[a.id()] >= 0 && kinds_[a.id()] == kinds_[b.id()]; }
  uint32_t Root(uint32_t id) {  // union-find
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void Union(uint32_t a, uint32_t b) {
    a = Root(a), b = Root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

  void Label(const Node &node) {
    int64_t &level = level_[node.id()];
    for (const Node *from : node.control_inputs()) level = std::max(level, level_[from->id()] + 1);
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Node *from = node.input(i).node;
      if (from && !IsConstType(from->type()))
        level = std::max(level, level_[from->id()] + (Together(*from, node) ? 0 : 1));
    }
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Node *from = node.input(i).node;
      if (from && Together(*from, node) && level_[from->id()] == level) Union(from->id(), node.id());
    }
  }

  /// Higher levels first, so that chains join as a whole.
  void Join() {
    Groups groups = Collect();
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const auto &a, const auto &b) { return level_[a[0]->id()] > level_[b[0]->id()]; });
    for (const std::vector<Node *> &group : groups) {
      const uint32_t reader = OnlyReader(group);
      if (reader != kNone) Union(group[0]->id(), reader);
    }
  }
  /// The one other group of the kind that reads this one, when nobody else does.
  uint32_t OnlyReader(const std::vector<Node *> &group) {
    uint32_t reader = kNone;
    for (const Node *node : group) {
      if (output_[node->id()]) return kNone;
      for (size_t o = 0; o < node->output_count(); ++o) {
        for (const Use &use : node->uses(o)) {
          const uint32_t root = Root(use.node->id());
          if (root == Root(node->id())) continue;
          if (!Together(*node, *use.node) || (reader != kNone && reader != root)) return kNone;
          reader = root;
        }
      }
    }
    return reader;
  }

  Groups Collect() {
    std::vector<uint32_t> number(kinds_.size(), kNone);
    Groups groups;
    for (Node *node : order_) {
      if (kinds_[node->id()] < 0) continue;
      uint32_t &at = number[Root(node->id())];
      if (at == kNone) {
        at = static_cast<uint32_t>(groups.size());
        groups.emplace_back();
      }
      groups[at].push_back(node);
    }
    return groups;
  }

  static constexpr uint32_t kNone = UINT32_MAX;
  const std::vector<Node *> &order_;
  const std::vector<int32_t> &kinds_;
  // By node id.
  std::vector<uint32_t> parent_;
  std::vector<int64_t> level_;
  std::vector<uint8_t> output_;  // of the graph
};

}  // namespace

Groups ConvexGroups(const Graph &graph, const std::vector<Node *> &order, const std::vector<int32_t> &kinds) {
  return Grouping(graph, order, kinds).Run();
}

}  // namespace gec
