#include "core/dump/node_sequence.h"

#include <algorithm>
#include <functional>
#include <set>

#include "core/dump/desc_text.h"
#include "core/dump/dump.h"
#include "core/ir/types.h"

namespace gec {
namespace {

constexpr size_t kSmallSource = 24;  // nodes at most that a value many read may be made of, to go to the front

uint64_t Mix(uint64_t hash, uint64_t more) { return (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29); }
uint64_t Mix(uint64_t hash, std::string_view text) { return Mix(hash, std::hash<std::string_view>()(text)); }

/// Which values come before all that is not needed for them. One that several blocks read would stand in the middle of
/// the first block else, where the others have nothing.
enum class Shared { kNone, kMostRead, kFarthestRead };

/// Every node right after what it reads, so that a block's nodes lie together.
class Ordering {
 public:
  Ordering(const Graph &graph, Shared first) : graph_(graph), first_(first) {}

  std::vector<const Node *> Run() {
    const std::vector<Node *> nodes = DumpOrder(graph_);
    for (const Node *node : SharedValues(nodes)) Visit(node);
    for (const Endpoint &e : graph_.Outputs())
      if (e) Visit(e.node);
    for (const Node *node : nodes) Visit(node);
    return std::move(order_);
  }

 private:
  std::vector<const Node *> SharedValues(const std::vector<Node *> &nodes) const {
    std::unordered_map<const Node *, size_t> place;
    for (const Node *node : nodes) place.emplace(node, place.size());
    std::vector<std::pair<size_t, const Node *>> shared;
    for (const Node *node : nodes) {
      if (IsShownByReader(*node)) continue;
      size_t last = 0;
      const size_t readers = Readers(*node, place, &last);
      if (readers < 2 || first_ == Shared::kNone || !IsSmall(*node)) continue;
      if (first_ == Shared::kFarthestRead) shared.emplace_back(last - std::min(last, place[node]), node);
      else if (readers > 2 || IsDataType(node->type())) shared.emplace_back(readers, node);
    }
    std::stable_sort(shared.begin(), shared.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<const Node *> order;
    for (const auto &[rank, node] : shared) order.push_back(node);
    return order;
  }

  /// How many nodes read the node, and where the last of them stands.
  static size_t Readers(const Node &node, const std::unordered_map<const Node *, size_t> &place, size_t *last) {
    std::set<const Node *> readers;
    for (size_t i = 0; i < node.output_count(); ++i)
      for (const Use &use : node.uses(i)) readers.insert(use.node);
    for (const Node *reader : readers)
      if (const auto at = place.find(reader); at != place.end()) *last = std::max(*last, at->second);
    return readers.size();
  }

  /// Made of few nodes.
  static bool IsSmall(const Node &node) {
    std::vector<const Node *> open = {&node};
    std::set<const Node *> seen = {&node};
    while (!open.empty()) {
      const Node *at = open.back();
      open.pop_back();
      for (size_t i = 0; i < at->input_count(); ++i) {
        const Node *from = at->input(i).node;
        if (!from || IsShownByReader(*from) || !seen.insert(from).second) continue;
        if (seen.size() > kSmallSource) return false;
        open.push_back(from);
      }
    }
    return true;
  }

  void Visit(const Node *root) {
    if (!Enter(root)) return;
    while (!stack_.empty()) {
      const Node *node = stack_.back().first;
      const size_t next = stack_.back().second++;
      const size_t inputs = node->input_count();
      if (next < 2 * inputs) {  // inputs of the graph last: right before who reads them
        const Node *from = node->input(next % inputs).node;
        if (from && IsDataType(from->type()) == (next >= inputs)) Enter(from);
      } else if (next - 2 * inputs < node->control_inputs().size()) {
        Enter(node->control_inputs()[next - 2 * inputs]);
      } else {
        order_.push_back(node);
        stack_.pop_back();
      }
    }
  }

  bool Enter(const Node *node) {
    if (IsShownByReader(*node) || !seen_.insert(node).second) return false;
    stack_.emplace_back(node, 0);
    return true;
  }

  const Graph &graph_;
  const Shared first_;
  std::set<const Node *> seen_;
  std::vector<std::pair<const Node *, size_t>> stack_;
  std::vector<const Node *> order_;
};

/// Positions in a repeat come to lie in its first block; what repeats there goes on to a first block of its own.
void FillFirst(const std::vector<Repeat> &repeats, std::vector<size_t> *first) {
  for (const Repeat &repeat : repeats) {
    FillFirst(repeat.inner, first);
    for (size_t i = repeat.begin + repeat.period; i < repeat.end(); ++i)
      (*first)[i] = (*first)[repeat.begin + (i - repeat.begin) % repeat.period];
  }
}

/// The sequence of nodes in this order, and what repeats in it.
NodeSequence Arrange(const Graph &graph, const std::vector<const Node *> &order,
                     const std::unordered_map<const Node *, uint64_t> &kinds) {
  NodeSequence s;
  std::unordered_map<const Node *, size_t> position;
  std::unordered_multimap<const Node *, std::pair<int32_t, int32_t>> outputs;  // port, number
  if (!graph.NetOutput()) {
    const std::vector<Endpoint> ends = graph.Outputs();
    for (size_t i = ends.size(); i-- > 0;)
      if (ends[i]) outputs.emplace(ends[i].node, std::make_pair(ends[i].port, static_cast<int32_t>(i)));
  }
  for (const Node *node : order) {
    position[node] = s.cells.size();
    s.cells.push_back({node});
    std::vector<std::pair<int32_t, int32_t>> ends;
    const auto [from, to] = outputs.equal_range(node);
    for (auto it = from; it != to; ++it) ends.push_back(it->second);
    std::sort(ends.begin(), ends.end());
    for (const auto &[port, number] : ends) s.cells.push_back({node, number, port});
  }
  for (const Node *node : graph.Nodes()) s.unread += node->total_uses() == 0 && IsShownByReader(*node);
  std::vector<RepeatStep> steps;
  for (size_t i = 0; i < s.cells.size(); ++i) {
    const PictureCell &cell = s.cells[i];
    if (cell.is_output()) {
      steps.push_back(
          {Mix(2, static_cast<uint64_t>(cell.port)), {{static_cast<int32_t>(position[cell.node]), cell.port}}});
      s.readings.push_back({position[cell.node], i, false});
      continue;
    }
    RepeatStep step{kinds.at(cell.node), {}};
    const auto read = [&](const Node *from, int32_t port, bool control) {
      const auto at = from ? position.find(from) : position.end();
      step.sources.push_back({at == position.end() ? -1 : static_cast<int32_t>(at->second), port});
      if (at != position.end()) s.readings.push_back({at->second, i, control});
    };
    for (size_t k = 0; k < cell.node->input_count(); ++k)
      read(cell.node->input(k).node, cell.node->input(k).port, false);
    for (const Node *c : cell.node->control_inputs()) read(c, -1, true);
    steps.push_back(std::move(step));
  }
  for (const RepeatStep &step : steps) {
    s.structure = Mix(s.structure, step.kind);
    for (const RepeatStep::Source &source : step.sources)
      s.structure = Mix(s.structure, static_cast<uint64_t>(source.at * 64 + source.port));
  }
  s.repeats = FindRepeats(steps);
  for (size_t i = 0; i < s.cells.size(); ++i) s.first.push_back(i);
  FillFirst(s.repeats, &s.first);
  return s;
}

/// Values of a constant that says what a node does, such as axes or a shape: of few integers. Others are weights.
std::string SteeringText(const Node &constant) {
  constexpr int64_t kFew = 16;
  const TensorPtr value = constant.attrs().GetTensor("value");
  if (!value || !value->desc.shape.known() || value->desc.shape.elements() > kFew) return "";
  const int32_t type = value->desc.dtype;
  return type == C_DT_INT32 || type == C_DT_INT64 || type == C_DT_BOOL ? ReadableValue(AttrValue(value)) : "";
}

size_t Drawn(const NodeSequence &s) {
  size_t count = 0;
  for (size_t i = 0; i < s.first.size(); ++i) count += s.first[i] == i;
  return count;
}

}  // namespace

bool IsShownByReader(const Node &node) {
  if (!IsConstType(node.type())) return false;
  const Graph &graph = node.graph();
  if (graph.NetOutput()) return true;
  for (const Endpoint &e : graph.Outputs())
    if (e.node == &node) return false;
  return true;
}

uint64_t NodeSequences::KindOf(const Node &node) {
  uint64_t kind = Mix(1, node.type().view());
  for (size_t i = 0; i < node.output_count(); ++i) kind = Mix(kind, DescText(node.output_desc(i)));
  kind = Mix(kind, PlacementText(node));
  if (IsDataType(node.type())) return kind;  // whatever its number
  for (const IrAttr &ir : node.ir().attrs) {
    const AttrValue *value = node.attrs().Find(ir.name);
    if (value) kind = Mix(Mix(kind, ir.name.view()), ReadableValue(*value));
  }
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Node *from = node.input(i).node;
    if (from && IsShownByReader(*from)) kind = Mix(Mix(kind, i), DescText(from->output_desc(0)) + SteeringText(*from));
  }
  for (size_t i = 0; i < node.subgraphs().size(); ++i)
    if (const Graph *sub = node.subgraph(i)) kind = Mix(kind, Of(*sub).structure);
  return kind;
}

const NodeSequence &NodeSequences::Of(const Graph &graph) {
  std::unique_ptr<NodeSequence> &made = made_[&graph];
  if (made) return *made;
  made = std::make_unique<NodeSequence>();  // stays where it is while KindOf adds others
  std::unordered_map<const Node *, uint64_t> kinds;
  for (const Node *node : graph.Nodes())
    if (!IsShownByReader(*node)) kinds[node] = KindOf(*node);
  bool any = false;
  for (Shared first : {Shared::kMostRead, Shared::kFarthestRead, Shared::kNone}) {
    NodeSequence s = Arrange(graph, Ordering(graph, first).Run(), kinds);
    if (!any || Drawn(s) < Drawn(*made)) *made = std::move(s);
    any = true;
  }
  return *made;
}

}  // namespace gec
