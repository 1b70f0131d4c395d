#include "core/ir/type_index.h"

#include <algorithm>

namespace gec {

TypeIndex::TypeIndex(const Graph &graph) : graph_(graph) {}

TypeIndex *TypeIndex::Current(const Graph &graph) {
  TypeIndex *index = graph.types_index_.get();
  return index && index->changes_ == graph.changes() ? index : nullptr;
}

TypeIndex &TypeIndex::Of(Graph &graph) {
  if (TypeIndex *index = Current(graph)) return *index;
  if (!graph.types_index_) graph.types_index_ = std::make_shared<TypeIndex>(graph);
  graph.types_index_->Build();
  return *graph.types_index_;
}

TypeIndex &TypeIndex::Fresh(Graph &graph) {
  TypeIndex &index = Of(graph);
  if (index.kept_) index.Build();
  return index;
}

void TypeIndex::Build() {
  changes_ = graph_.changes() - 1;  // until all is done
  for (Bucket &bucket : buckets_) bucket.nodes.clear();
  positions_.assign(graph_.id_limit(), 0);
  const std::vector<Node *> order = graph_.TopologicalOrder();
  constexpr size_t kAhead = 12;
  for (size_t at = 0; at < order.size(); ++at) {
    if (at + kAhead < order.size()) order[at + kAhead]->Fetch();
    positions_[order[at]->id()] = static_cast<int64_t>(at);
    Take(order[at]->type()).nodes.push_back(order[at]);
  }
  kept_ = false;
  changes_ = graph_.changes();
  for (Bucket &bucket : buckets_) {
    bucket.sorted = bucket.nodes.size();
    bucket.seen = changes_;
  }
}

namespace {
size_t HashOf(Symbol type) { return type.hash() * 0x9E3779B97F4A7C15u >> 32; }
}  // namespace

TypeIndex::Bucket *TypeIndex::Find(Symbol type) {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t i = HashOf(type) & mask;; i = (i + 1) & mask) {
    const Slot &slot = slots_[i];
    if (slot.bucket == kNone) return nullptr;
    if (slot.type == type) return &buckets_[slot.bucket];
  }
}

void TypeIndex::Grow() {
  std::vector<Slot> slots(std::max<size_t>(32, 2 * slots_.size()));
  const size_t mask = slots.size() - 1;
  for (uint32_t b = 0; b < buckets_.size(); ++b) {
    size_t i = HashOf(buckets_[b].type) & mask;
    while (slots[i].bucket != kNone) i = (i + 1) & mask;
    slots[i] = {buckets_[b].type, b};
  }
  slots_.swap(slots);
}

TypeIndex::Bucket &TypeIndex::Take(Symbol type) {
  if (Bucket *bucket = Find(type)) return *bucket;
  buckets_.push_back({type, {}, 0, 0});
  if (2 * buckets_.size() > slots_.size()) {
    Grow();
  } else {
    const size_t mask = slots_.size() - 1;
    size_t i = HashOf(type) & mask;
    while (slots_[i].bucket != kNone) i = (i + 1) & mask;
    slots_[i] = {type, static_cast<uint32_t>(buckets_.size() - 1)};
  }
  return buckets_.back();
}

void TypeIndex::Sort(Bucket &bucket) const {
  if (bucket.seen == graph_.changes() && bucket.sorted == bucket.nodes.size()) return;
  bucket.seen = graph_.changes();
  // Nodes that an undo brings back change the graph, and then the index is made anew.
  if (std::erase_if(bucket.nodes, [](const Node *node) { return node->removed(); })) bucket.sorted = 0;
  if (bucket.sorted == bucket.nodes.size()) return;
  auto before = [this](const Node *a, const Node *b) { return Before(a, b); };
  if (!std::is_sorted(bucket.nodes.begin(), bucket.nodes.end(), before))
    std::sort(bucket.nodes.begin(), bucket.nodes.end(), before);
  bucket.sorted = bucket.nodes.size();
}

void TypeIndex::Collect(const std::vector<Symbol> &types, std::vector<Node *> *out) {
  for (size_t t = 0; t < types.size(); ++t) {
    Bucket *bucket = Find(types[t]);
    if (!bucket || std::find(types.begin(), types.begin() + static_cast<ptrdiff_t>(t), types[t]) !=
                       types.begin() + static_cast<ptrdiff_t>(t))
      continue;
    Sort(*bucket);
    const auto middle = static_cast<ptrdiff_t>(out->size());
    out->insert(out->end(), bucket->nodes.begin(), bucket->nodes.end());
    if (middle)
      std::inplace_merge(out->begin(), out->begin() + middle, out->end(),
                         [this](const Node *a, const Node *b) { return Before(a, b); });
  }
}

/// Readers of `node` that come before it move to its position, and theirs in turn.
void TypeIndex::Raise(Node *node) {
  pending_.push_back(node);
  while (!pending_.empty()) {
    Node *from = pending_.back();
    pending_.pop_back();
    const int64_t position = positions_[from->id()];
    auto lift = [&](Node *reader) {
      int64_t &at = positions_[reader->id()];
      if (at >= position) return;
      at = position;
      if (Bucket *bucket = Find(reader->type())) bucket->sorted = 0;
      pending_.push_back(reader);
    };
    for (size_t o = 0; o < from->output_count(); ++o)
      for (const Use &use : from->uses(o)) lift(use.node);
    for (Node *after : from->control_outputs()) lift(after);
  }
}

void TypeIndex::Rewritten(uint32_t first, int64_t base) {
  changes_ = graph_.changes() - 1;
  kept_ = true;
  positions_.resize(graph_.id_limit(), base);
  Graph &graph = const_cast<Graph &>(graph_);
  for (uint32_t id = first; id < graph.id_limit(); ++id) {
    Node *node = graph.node(id);
    if (!node->removed()) Take(node->type()).nodes.push_back(node);
  }
  for (uint32_t id = first; id < graph.id_limit(); ++id) {
    Node *node = graph.node(id);
    if (node->removed()) continue;
    int64_t &at = positions_[id];
    for (size_t i = 0; i < node->input_count(); ++i)
      if (const Endpoint e = node->input(i)) at = std::max(at, positions_[e.node->id()]);
    for (const Node *before : node->control_inputs()) at = std::max(at, positions_[before->id()]);
    Raise(node);
  }
  changes_ = graph_.changes();
}

}  // namespace gec
