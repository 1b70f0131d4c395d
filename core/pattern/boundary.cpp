#include "core/pattern/boundary.h"

#include <algorithm>

#include "core/ir/type_index.h"
#include "core/support/error.h"

namespace gec {

Boundary BoundaryOf(Node &node) {
  Boundary boundary;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Endpoint source = node.input(i);
    if (!source) continue;
    const Use use{&node, static_cast<int32_t>(i)};
    auto same = std::find_if(boundary.inputs.begin(), boundary.inputs.end(), [&](const auto &input) {
      const Use &first = input.second.front();
      return first.node->input(static_cast<size_t>(first.port)) == source;
    });
    if (same != boundary.inputs.end()) same->second.push_back(use);
    else boundary.inputs[static_cast<int64_t>(boundary.inputs.size())].push_back(use);
  }
  for (size_t i = 0; i < node.output_count(); ++i)
    boundary.outputs[static_cast<int64_t>(i)] = {&node, static_cast<int32_t>(i)};
  return boundary;
}

bool SelfContained(const std::unordered_set<const Node *> &nodes, const std::vector<Endpoint> &outputs,
                   std::string *why) {
  if (nodes.empty()) return true;
  std::unordered_set<const Node *> owners;
  for (Endpoint e : outputs) owners.insert(e.node);
  auto refuse = [&](const Node &node, const std::string &reader) {
    if (why) *why = node.Label() + " is read by " + reader + ", but is not the owner of an output";
    return false;
  };
  for (const Node *node : nodes) {
    if (owners.count(node)) continue;
    for (size_t o = 0; o < node->output_count(); ++o)
      for (const Use &use : node->uses(o))
        if (!nodes.count(use.node)) return refuse(*node, use.node->Label() + " outside");
    if (node->IsGraphOutput()) return refuse(*node, "the graph's outputs");
  }
  return true;
}

Region Enclose(const Boundary &boundary) {
  Region region;
  int64_t expected = 0;
  for (const auto &[index, ports] : boundary.inputs) {
    if (index != expected++) Fail(GE_GRAPH_INVALID, "the boundary has no input ", expected - 1);
    if (ports.empty())
      Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary has no port: no operator of the part reads it");
    Endpoint source;
    for (const Use &use : ports) {
      if (!use.node || use.node->removed())
        Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary: its node was removed");
      if (use.port < 0 || static_cast<size_t>(use.port) >= use.node->input_count())
        Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary: ", use.node->Label(), " has no input port ",
             use.port);
      const Endpoint producer = use.node->input(static_cast<size_t>(use.port));
      if (!producer)
        Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary: input port ", use.port, " of ", use.node->Label(),
             " is not connected");
      if (source && source != producer)
        Fail(GE_GRAPH_INVALID, "input ", index, " of the boundary: its ports read different tensors, of ",
             source.node->Label(), " and ", producer.node->Label());
      source = producer;
    }
    region.producers.push_back(source);
  }
  expected = 0;
  for (const auto &[index, e] : boundary.outputs) {
    if (index != expected++) Fail(GE_GRAPH_INVALID, "the boundary has no output ", expected - 1);
    if (!e.node || e.node->removed())
      Fail(GE_GRAPH_INVALID, "output ", index, " of the boundary: its node was removed");
    if (e.port < 0 || static_cast<size_t>(e.port) >= e.node->output_count())
      Fail(GE_GRAPH_INVALID, "output ", index, " of the boundary: ", e.node->Label(), " has no output port ", e.port);
    if (region.graph && region.graph != &e.node->graph())
      Fail(GE_GRAPH_INVALID, "outputs of the boundary lie in graphs '", region.graph->name(), "' and '",
           e.node->graph().name(), "'");
    region.graph = &e.node->graph();
    region.outputs.push_back(e);
  }
  if (region.outputs.empty()) Fail(GE_GRAPH_INVALID, "the boundary has no output");

  std::unordered_set<const Node *> outside, seen;
  for (Endpoint e : region.producers) outside.insert(e.node);
  auto enter = [&](Node *node) {
    if (seen.insert(node).second) region.nodes.push_back(node);
  };
  size_t next = 0;
  for (Endpoint e : region.outputs) {
    enter(e.node);
    for (; next < region.nodes.size(); ++next) {
      const Node &node = *region.nodes[next];
      for (size_t i = 0; i < node.input_count(); ++i)
        if (Node *source = node.input(i).node; source && !outside.count(source)) enter(source);
    }
  }
  std::string why;
  if (!SelfContained(seen, region.outputs, &why)) Fail(GE_GRAPH_INVALID, "the boundary is not closed: ", why);
  return region;
}

namespace {

template <class Visit>
void ForConsumers(const Node &node, Visit &&visit) {
  for (size_t o = 0; o < node.output_count(); ++o)
    for (const Use &use : node.uses(o)) visit(use.node);
  for (Node *after : node.control_outputs()) visit(after);
}
template <class Visit>
void ForProducers(const Node &node, Visit &&visit) {
  for (size_t i = 0; i < node.input_count(); ++i)
    if (Endpoint e = node.input(i)) visit(e.node);
  for (Node *before : node.control_inputs()) visit(before);
}

/// A few nodes, or many.
class NodeSet {
 public:
  explicit NodeSet(const std::vector<Node *> &nodes) : list_(nodes) {
    constexpr size_t kFew = 16;
    if (nodes.size() > kFew) hashed_.insert(nodes.begin(), nodes.end());
  }
  bool Has(const Node *node) const {
    return hashed_.empty() ? std::find(list_.begin(), list_.end(), node) != list_.end() : hashed_.count(node) != 0;
  }

 private:
  const std::vector<Node *> &list_;
  std::unordered_set<const Node *> hashed_;
};

// Every one of `nodes`, which are `inside`, leads to `last` on ways inside.
bool AllReach(const std::vector<Node *> &nodes, const NodeSet &inside, const Node *last) {
  std::unordered_set<const Node *> reached{last};
  std::vector<const Node *> pending{last};
  while (!pending.empty()) {
    const Node *node = pending.back();
    pending.pop_back();
    ForProducers(*node, [&](const Node *source) {
      if (inside.Has(source) && reached.insert(source).second) pending.push_back(source);
    });
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node *node) { return reached.count(node) != 0; });
}

}  // namespace

bool WouldMakeCycle(const std::vector<Node *> &nodes) {
  const NodeSet inside(nodes);
  std::vector<const Node *> pending, left_by, feeding;
  for (const Node *node : nodes) {
    bool leaves = false;
    ForConsumers(*node, [&](const Node *reader) {
      if (inside.Has(reader)) return;
      leaves = true;
      pending.push_back(reader);
    });
    if (leaves && std::find(left_by.begin(), left_by.end(), node) == left_by.end()) left_by.push_back(node);
    ForProducers(*node, [&](const Node *source) {
      if (!inside.Has(source)) feeding.push_back(source);
    });
  }
  // The usual case needs no search: what leaves through the node that all others lead to cannot come back into an
  // acyclic graph.
  if (left_by.empty() || feeding.empty() || (left_by.size() == 1 && AllReach(nodes, inside, left_by.front())))
    return false;
  // Whatever lies behind the last node that feeds the region does not lead to it.
  const TypeIndex *index = TypeIndex::Current(nodes.front()->graph());
  int64_t last = INT64_MIN;
  for (const Node *node : feeding)
    if (index) last = std::max(last, index->PositionOf(*node));
  std::unordered_set<const Node *> seen;
  std::vector<const Node *> first;
  first.swap(pending);
  auto visit = [&](const Node *reader) {
    if (index && index->PositionOf(*reader) > last) return;
    if (seen.insert(reader).second) pending.push_back(reader);
  };
  std::for_each(first.begin(), first.end(), visit);
  if (pending.empty()) return false;
  const std::unordered_set<const Node *> feeds(feeding.begin(), feeding.end());
  while (!pending.empty()) {
    const Node *node = pending.back();
    pending.pop_back();
    if (feeds.count(node)) return true;
    ForConsumers(*node, visit);
  }
  return false;
}

}  // namespace gec
