#include "core/compile/islands.h"

#include <algorithm>
#include <unordered_map>

#include "core/compile/outline.h"
#include "core/ops/infer_values.h"
#include "core/ops/make_node.h"
#include "core/ops/traits.h"
#include "core/pattern/convex_groups.h"
#include "core/placement/kernels.h"

namespace gec {
namespace {

Symbol IslandAttr() {
  static const Symbol name("_island");
  return name;
}

// Divisible by all small numbers, so that a reshape of it seldom fails. Values of four such extents, or of more than a
// terabyte for another reason, do not infer: their nodes run one by one.
constexpr int64_t kAssumedExtent = 5040;
// An island is worth a call from so many nodes on that compute something. A new extent costs it a plan, the single
// nodes a kernel each, so those whose extents change from run to run need more of them.
constexpr size_t kFewestNodes = 3, kFewestNodesOfOpenExtents = 8;

/// Infers a copy of the graph and keeps the result. Nodes are known by their place in Nodes(), which is that of the
/// original.
class Trial {
 public:
  Trial(const Graph &graph, const std::vector<TensorDesc> &inputs, const EvaluateFn &evaluate)
      : graph_(graph.Clone()), nodes_(graph_->Nodes()), facts_(nodes_.size()) {
    if (evaluate) scope_.evaluate = &evaluate;
    std::vector<size_t> place(graph_->id_limit());
    for (size_t k = 0; k < nodes_.size(); ++k) place[nodes_[k]->id()] = k;
    const std::vector<Node *> given = graph_->Inputs();
    for (size_t i = 0; i < given.size() && i < inputs.size(); ++i) UpdateOutput(*given[i], 0, inputs[i]);
    for (Node *node : graph_->TopologicalOrder()) {
      Fact &fact = facts_[place[node->id()]];
      for (size_t i = 0; i < node->input_count(); ++i)
        if (Endpoint e = node->input(i)) fact.certain &= facts_[place[e.node->id()]].certain;
      Infer(*node, &fact);
    }
  }

  /// The node computes something, and its output shapes follow from those of its inputs.
  bool Plannable(size_t k) const { return facts_[k].plannable; }
  /// No extent that it rests on was assumed.
  bool Certain(size_t k) const { return facts_[k].certain; }
  /// The value follows from shapes, wholly or in part.
  bool ValueKnown(size_t k, int32_t port) const {
    const Endpoint e{nodes_[k], port};
    return scope_.values.Value(e) != nullptr || scope_.values.Partial(e) != nullptr;
  }
  const TensorDesc &Desc(size_t k, int32_t port) const { return nodes_[k]->output_desc(static_cast<size_t>(port)); }

 private:
  struct Fact {
    bool plannable = false, certain = true;
  };

  void Infer(Node &node, Fact *fact) {
    bool fits = true;
    try {
      InferOne(node, scope_);
    } catch (const Error &e) {
      if (e.code() != GE_INFER_FAILED) throw;
      fits = false;
    }
    bool known = true;
    for (size_t o = 0; o < node.output_count(); ++o) {
      if (!fits) Forget(node, o, Shape::UnknownRank());
      if (node.output_desc(o).known() || (node.uses(o).empty() && o != 0)) continue;
      known = false;
      fact->certain = false;
      Shape shape = node.output_desc(o).shape;
      for (size_t d = 0; shape.has_rank() && d < shape.dims().size(); ++d)
        if (shape[d] < 0) shape[d] = kAssumedExtent;
      Forget(node, o, std::move(shape));
    }
    fact->plannable = fits && known && NeedsKernel(node) && node.subgraphs().empty() && !IsControlFlow(node) &&
                      !SaysEffect(node) && node.control_inputs().empty() && node.control_outputs().empty();
  }

  void Forget(Node &node, size_t output, Shape shape) {
    TensorDesc desc = node.output_desc(output);
    desc.SetShape(std::move(shape));
    UpdateOutput(node, output, std::move(desc));
    scope_.values.Forget({&node, static_cast<int32_t>(output)});
  }

  GraphPtr graph_;
  std::vector<Node *> nodes_;
  std::vector<Fact> facts_;
  InferScope scope_;
};

class Splitter {
 public:
  Splitter(const Graph &graph, const Trial &trial)
      : trial_(trial), graph_(graph.Clone()), order_(graph_->TopologicalOrder()) {
    const std::vector<Node *> nodes = graph_->Nodes();
    for (size_t k = 0; k < nodes.size(); ++k) place_[nodes[k]] = k;
    for (size_t k = 0; k < order_.size(); ++k) turn_[order_[k]] = k;
  }

  IslandGraph Run(const std::string &prefix) {
    std::vector<NodesToOutline> sets = Sets(prefix);
    if (sets.empty()) return {};
    // Sets read each other's nodes: what a set is to read instead takes effect when all have what they need.
    std::vector<Rewiring> changes;
    for (NodesToOutline &set : sets) TakeValuesAlong(&set.nodes, &changes);
    graph_->Rewire(changes);
    size_t number = 0;
    IslandGraph result;
    for (const Node *call : OutlineNodes(graph_->root(), *graph_, sets, &number))
      result.islands.push_back(Describe(*call));
    result.graph = graph_;
    return result;
  }

 private:
  std::vector<NodesToOutline> Sets(const std::string &prefix) const {
    std::vector<int32_t> kinds(graph_->id_limit(), -1);
    size_t computing = 0;
    for (const auto &[node, k] : place_) {
      // Apart, so that an extent that values decide costs the nodes that depend on it a plan, and no others.
      if (trial_.Plannable(k)) kinds[node->id()] = trial_.Certain(k) ? 0 : 1;
      computing += NeedsKernel(*node) || IsControlFlow(*node);
    }
    AttrMap attrs;
    attrs.Set(IslandAttr(), AttrValue(true));
    std::vector<NodesToOutline> sets;
    for (std::vector<Node *> &nodes : ConvexGroups(*graph_, order_, kinds)) {
      if (nodes.size() == computing) return {};  // nothing is left that could not be planned
      if (Computing(nodes) >= (trial_.Certain(place_.at(nodes[0])) ? kFewestNodes : kFewestNodesOfOpenExtents))
        sets.push_back({std::move(nodes), prefix, attrs});
    }
    return sets;
  }

  static size_t Computing(const std::vector<Node *> &nodes) {
    return static_cast<size_t>(std::count_if(nodes.begin(), nodes.end(), [](const Node *n) { return !IsView(*n); }));
  }

  bool ValueKnown(Endpoint e) const {
    const auto at = place_.find(e.node);
    return at != place_.end() && trial_.Plannable(at->second) && trial_.ValueKnown(at->second, e.port);
  }

  /// A plan knows the shapes of its inputs and no values. Where a value from outside follows from shapes, the nodes
  /// that compute it are copied, so that the plan works it out as well. *changes: edges from now on.
  void TakeValuesAlong(std::vector<Node *> *nodes, std::vector<Rewiring> *changes) {
    std::unordered_map<const Node *, Node *> inside;  // null: to be copied
    for (Node *node : *nodes) inside.emplace(node, node);
    std::vector<Node *> copied, pending = *nodes;
    while (!pending.empty()) {
      Node *node = pending.back();
      pending.pop_back();
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Endpoint e = node->input(i);
        if (!e || !ValueKnown(e) || !inside.emplace(e.node, nullptr).second) continue;
        copied.push_back(e.node);
        pending.push_back(e.node);
      }
    }
    std::sort(copied.begin(), copied.end(), [&](Node *a, Node *b) { return turn_.at(a) < turn_.at(b); });
    for (Node *&node : copied) {
      Node *copy = CopyNode(*graph_, *node, graph_->UniqueName(node->name()));
      for (size_t i = 0; i < node->input_count(); ++i)
        if (const Endpoint e = node->input(i)) graph_->Connect(Inside(e, inside), copy, static_cast<int32_t>(i));
      inside[node] = copy;
      node = copy;
    }
    for (Node *node : *nodes) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Endpoint e = node->input(i);
        if (e && Inside(e, inside).node != e.node)
          changes->push_back({{node, static_cast<int32_t>(i)}, Inside(e, inside)});
      }
    }
    nodes->insert(nodes->begin(), copied.begin(), copied.end());
  }
  static Endpoint Inside(Endpoint e, const std::unordered_map<const Node *, Node *> &inside) {
    const auto at = inside.find(e.node);
    return at == inside.end() || !at->second ? e : Endpoint{at->second, e.port};
  }

  Island Describe(const Node &call) const {
    const Graph &body = *call.subgraph(0);
    Island island{body.name(), 0, true, {}};
    for (const Node *node : body.Nodes()) {
      if (!NeedsKernel(*node)) continue;
      ++island.nodes;
      if (const auto at = place_.find(node); at != place_.end()) island.certain &= trial_.Certain(at->second);
    }
    for (size_t i = 0; i < call.input_count(); ++i) {
      Endpoint e = call.input(i);
      if (e.node->subgraphs().size() == 1 && !place_.count(e.node))  // another island's output
        e = e.node->subgraph(0)->Outputs()[static_cast<size_t>(e.port)];
      const TensorDesc &desc = trial_.Desc(place_.at(e.node), e.port);
      island.inputs.emplace_back(desc.dtype, desc.shape, desc.format);
    }
    return island;
  }

  const Trial &trial_;
  GraphPtr graph_;
  std::vector<Node *> order_;
  std::unordered_map<const Node *, size_t> place_;  // of the original nodes, in Nodes()
  std::unordered_map<const Node *, size_t> turn_;   // in order_
};

}  // namespace

bool IsIsland(const Graph &graph) { return !graph.attrs().empty() && graph.attrs().Has(IslandAttr()); }

IslandGraph MakeIslands(const Graph &graph, const std::vector<TensorDesc> &inputs, const EvaluateFn &evaluate,
                        const std::string &prefix) {
  const Trial trial(graph, inputs, evaluate);
  return Splitter(graph, trial).Run(prefix);
}

}  // namespace gec
