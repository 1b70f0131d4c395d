// Many edges at once, and nodes that go over to another graph.
#include <algorithm>
#include <unordered_set>

#include "core/ir/graph.h"
#include "core/ir/undo_log.h"

namespace gec {
namespace {

using Uses = InlineVec<Use, 2>;

bool Reads(const Use &use, Endpoint e) { return use.node->input(static_cast<size_t>(use.port)) == e; }

/// Tensors with so many uses that a use is not looked for in the list: it is left out when the list is made anew.
class LongLists {
 public:
  static bool IsLong(const Uses &uses) { return uses.size() > 16; }
  void Add(Endpoint e, Uses *uses) {
    if (uses == last_) return;
    last_ = uses;
    if (known_.insert(uses).second) lists_.push_back({e, uses, {}});
  }
  /// The lists as they will be; nothing has changed yet.
  void Prepare() {
    for (List &list : lists_) {
      list.other.reserve(list.uses->size());
      for (const Use &use : *list.uses)
        if (Reads(use, list.tensor)) list.other.push_back(use);
    }
  }
  /// Puts the prepared lists in their place, or the old ones back.
  void Exchange() noexcept {
    for (List &list : lists_) std::swap(*list.uses, list.other);
  }

 private:
  struct List {
    Endpoint tensor;
    Uses *uses, other;
  };
  std::vector<List> lists_;
  std::unordered_set<const Uses *> known_;
  const Uses *last_ = nullptr;
};

}  // namespace

void Graph::Rewire(const std::vector<Rewiring> &changes) {
  constexpr size_t kInLongList = SIZE_MAX;
  struct Step {
    Use use;
    Endpoint before;
    size_t at;  // in the list of uses
  };
  struct Undo {
    std::vector<Step> steps;
    LongLists lists;
    bool exchanged = false;
    void operator()() {
      if (exchanged) lists.Exchange();
      for (size_t k = steps.size(); k-- > 0;) {
        const auto &[use, before, at] = steps[k];
        Unlink(use.node, use.port);
        if (!before) continue;
        if (at != kInLongList) Link(before, use.node, use.port, at);
        else use.node->inputs_[static_cast<size_t>(use.port)] = before;
      }
    }
  };
  Transaction all(*this);
  // Lists lose their holes before the record of the change: it is undone first, and finds them as they were then.
  for (const auto &[use, to] : changes) {
    use.node->graph().CheckInput(use.node, use.port);
    to.node->graph().CheckOutput(to);
    if (&use.node->graph().root() != &root() || &to.node->graph().root() != &root())
      Fail(GE_PARAM_INVALID, "graph '", name_, "': ", use.node->Label(), " or ", to.node->Label(),
           " is of another root graph");
    if (const Endpoint before = use.node->input(static_cast<size_t>(use.port)))
      (void)before.node->uses(static_cast<size_t>(before.port));
    (void)to.node->uses(static_cast<size_t>(to.port));
  }
  Undo &undo = Log()->Push(Undo());
  undo.steps.reserve(changes.size());
  for (const auto &[use, to] : changes) {
    const Endpoint before = use.node->input(static_cast<size_t>(use.port));
    if (before == to) continue;
    ReserveOneMore(to.node->outputs_[static_cast<size_t>(to.port)].uses);
    size_t at = kInLongList;
    if (before) {
      Uses &uses = before.node->outputs_[static_cast<size_t>(before.port)].uses;
      if (LongLists::IsLong(uses)) undo.lists.Add(before, &uses);
      else at = Unlink(use.node, use.port);
    }
    Link(to, use.node, use.port, SIZE_MAX);
    undo.steps.push_back({use, before, at});
  }
  undo.lists.Prepare();
  undo.lists.Exchange();
  undo.exchanged = true;
  all.Commit();
}

/// Makes room for all that follows. Returns the number of nodes.
size_t Graph::PrepareMove(const std::vector<Moving> &moves) {
  size_t count = 0;
  std::vector<bool> seen(nodes_.size());
  std::vector<const Graph *> targets;
  for (const Moving &move : moves) targets.push_back(move.target);
  std::sort(targets.begin(), targets.end());
  if (std::adjacent_find(targets.begin(), targets.end()) != targets.end())
    Fail(GE_PARAM_INVALID, "graph '", name_, "': all nodes that move to one graph are given together");
  for (const auto &[nodes, target] : moves) {
    if (target == this || &target->root() != &root())
      Fail(GE_PARAM_INVALID, "nodes of graph '", name_, "' cannot move to graph '", target->name_,
           "': it is the same one, or of another root graph");
    count += nodes->size();
    target->nodes_.reserve(target->nodes_.size() + nodes->size());
    target->by_name_.Reserve(nodes->size());
    for (const Node *node : *nodes) {
      Own(node, "node");
      if (seen[node->id_]) Fail(GE_PARAM_INVALID, node->Label(), " cannot move twice");
      seen[node->id_] = true;
      target->KnowType(node->type());
      target->HoldHome(*node);
    }
  }
  return count;
}

void Graph::MoveNodes(const std::vector<Moving> &moves) {
  struct Undo {
    Graph &from;
    std::vector<std::pair<Node *, uint32_t>> moved;  // with the old id
    void operator()() {
      for (size_t k = moved.size(); k-- > 0;) {
        auto [node, id] = moved[k];
        Graph &to = node->graph();
        to.MarkRemoved(node);
        to.nodes_[node->id_] = MovedAway();
        node->id_ = id;
        node->graph_ = &from;
        from.nodes_[id] = node;
        from.Restore(node);
      }
    }
  };
  const size_t count = PrepareMove(moves);
  Undo made{*this, {}};
  made.moved.reserve(count);
  Transaction all(*this);
  Undo &undo = Log()->Push(std::move(made));
  // Where many names go, one walk over the index is faster than to look for each.
  const Node *lonely = nullptr;
  const bool at_once = repeated_ == 0 && count > alive_ / 4;
  for (const auto &[nodes, target] : moves) {
    for (Node *node : *nodes) {
      undo.moved.emplace_back(node, node->id_);
      if (!at_once) ReleaseName(node);
      TakeOut(node);
      nodes_[node->id_] = MovedAway();
      target->Place(node);
      target->Restore(node);
    }
    for (const Node *node : *nodes)
      if (!AmongNeighbours(*node)) lonely = node;
  }
  if (at_once) by_name_.EraseIf([&](uint32_t id) { return nodes_[id] == MovedAway(); });
  if (lonely)
    Fail(GE_GRAPH_INVALID, lonely->Label(), " moves from graph '", name_, "' to graph '", lonely->graph().name_,
         "' without its neighbours");
  all.Commit();
}

bool Graph::AmongNeighbours(const Node &node) noexcept {
  const Graph *graph = &node.graph();
  bool here = true;
  for (const Node *other : node.control_inputs()) here &= &other->graph() == graph;
  for (const Node *other : node.control_outputs()) here &= &other->graph() == graph;
  for (Endpoint e : node.inputs_) here &= !e || &e.node->graph() == graph;
  for (const Node::Output &output : node.outputs_)
    for (const Use &use : output.uses) here &= !use.node || &use.node->graph() == graph;
  return here;
}

}  // namespace gec
