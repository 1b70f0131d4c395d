#include "core/compile/claims.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/traits.h"
#include "core/passes/pass.h"
#include "core/pattern/convex_groups.h"
#include "core/pattern/pattern.h"
#include "core/pattern/rewrite.h"
#include "core/placement/graph_view.h"
#include "core/placement/regions.h"

namespace gec {
namespace {

/// The sets of nodes that engines took of one graph, by the numbers of its view.
class Taken {
 public:
  explicit Taken(const GraphView &view) : view_(view), set_(view.nodes().size(), kFree) {
    for (size_t k = 0; k < set_.size(); ++k) {
      const Node &node = *view.nodes()[k];
      if (IsControlFlow(node) || HasEffect(node) || !node.control_inputs().empty() || !node.control_outputs().empty() ||
          node.ir().own_kernel || !node.subgraphs().empty())
        set_[k] = kNever;
    }
  }

  void Ask(const Engine &engine) {
    engine_ = &engine;
    first_ = sets_.size();
    const GeClaims claims{sizeof claims, this, Take};
    engine.Claim(*view_.get(), claims);
    if (!error_.empty()) Fail(GE_PARAM_INVALID, "graph '", view_.get()->name, "': engine ", engine.name(), ' ', error_);
  }

  static constexpr int32_t kFree = -1, kNever = -2;
  /// The set of each node, by its id; negative: none.
  std::vector<int32_t> Sets(size_t id_limit) const {
    std::vector<int32_t> sets(id_limit, kFree);
    for (size_t k = 0; k < set_.size(); ++k) sets[view_.nodes()[k]->id()] = set_[k];
    return sets;
  }
  const Engine &EngineOf(int32_t set) const { return *sets_[static_cast<size_t>(set)]; }
  bool any() const { return !sets_.empty(); }

 private:
  static GeStatus Take(void *host, const int32_t *nodes, size_t count) {
    return static_cast<Taken *>(host)->TakeNodes(nodes, count);
  }
  /// Called by an engine: what is wrong is told when it has returned.
  GeStatus TakeNodes(const int32_t *nodes, size_t count) noexcept try {
    if (!error_.empty()) return GE_PARAM_INVALID;
    const int32_t set = static_cast<int32_t>(sets_.size());
    sets_.push_back(engine_);  // first: no node is in a set that is not there
    if (!nodes && count) error_ = Str("takes ", count, " nodes and names none");
    for (size_t i = 0; i < count && error_.empty(); ++i) {
      const int32_t k = nodes[i];
      if (k < 0 || static_cast<size_t>(k) >= set_.size())
        error_ = Str("takes node ", k, ", the graph has nodes 0 to ", static_cast<int64_t>(set_.size()) - 1);
      else if (set_[static_cast<size_t>(k)] >= static_cast<int32_t>(first_))
        error_ = Str("takes node ", k, ", ", view_.nodes()[static_cast<size_t>(k)]->Label(), ", twice");
      else if (set_[static_cast<size_t>(k)] == kFree && Allowed(*view_.nodes()[static_cast<size_t>(k)]))
        set_[static_cast<size_t>(k)] = set;
    }
    return error_.empty() ? GeStatus(GE_SUCCESS) : EngineFail(GE_PARAM_INVALID, error_.c_str());
  } catch (const std::bad_alloc &) {
    return EngineFail(GE_OUT_OF_MEMORY, "out of memory");
  }
  /// A node that names an engine is that one's alone.
  bool Allowed(const Node &node) const {
    const std::string_view wanted = WantedEngine(node);
    return wanted.empty() || wanted == engine_->name();
  }

  const GraphView &view_;
  std::vector<int32_t> set_;          // by node
  std::vector<const Engine *> sets_;  // who took a set
  const Engine *engine_ = nullptr;    // that is asked now
  size_t first_ = 0;                  // its first set
  std::string error_;
};

/// By node id and port: where a value that a region computes is to be had.
using EndpointMap = std::unordered_map<uint64_t, Endpoint>;

/// Moves nodes into a graph of their own, which a call takes the place of. In steps over all regions, so that the edges
/// of a tensor with many readers go from the end of its list, as they came: Copy while the graph is as it was,
/// Redirect, then the nodes are removed, last ones first, and Connect.
class Outliner {
 public:
  Outliner(std::string name, const std::vector<Node *> &nodes, const Engine &engine)
      : nodes_(nodes), engine_(engine), body_(Graph::Create(std::move(name))) {}

  /// False where nobody reads what the nodes compute: they stay.
  bool Copy(const OutputSet &graph_outputs) {
    for (Node *node : nodes_) copies_[node] = nullptr;
    for (Node *node : nodes_) AddOutputs(*node, graph_outputs);
    if (outputs_.empty()) return false;
    for (Node *node : nodes_) CopyIn(*node);
    for (Endpoint e : outputs_) inner_outputs_.push_back({copies_[e.node], e.port});
    body_->SetOutputs(inner_outputs_);
    body_->SetGraphAttr(SkipOptimizationAttr(), AttrValue(true));
    body_->SetGraphAttr(RegionAttr(), AttrValue(engine_.name()));
    return true;
  }

  /// Readers of the nodes read the call.
  void Redirect(Graph &graph, OutputSet &graph_outputs, EndpointMap *moved) {
    static const Symbol body("f");
    call_ = MakeNode(graph, "PartitionedCall", body_->name(), {static_cast<int32_t>(inputs_.size())},
                     {static_cast<int32_t>(outputs_.size())});
    for (size_t o = 0; o < outputs_.size(); ++o) {
      TensorDesc desc = outputs_[o].node->output_desc(static_cast<size_t>(outputs_[o].port));
      desc.attrs = nullptr;
      graph.SetOutputDesc(call_, o, std::move(desc));
    }
    InheritLineage(*call_, nodes_, Symbol());
    graph.AttachSubgraph(call_, body, body_);
    for (size_t o = 0; o < outputs_.size(); ++o) {
      const Endpoint fresh{call_, static_cast<int32_t>(o)};
      graph.ReplaceUses(outputs_[o], fresh);
      graph_outputs.Moved(outputs_[o], fresh);
      moved->emplace(KeyOf(outputs_[o]), fresh);
    }
  }

  void Connect(Graph &graph, const EndpointMap &moved) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto at = moved.find(input_keys_[i]);
      graph.Connect(at == moved.end() ? inputs_[i] : at->second, call_, static_cast<int32_t>(i));
    }
  }

 private:
  static uint64_t KeyOf(Endpoint e) { return uint64_t{e.node->id()} << 32 | static_cast<uint32_t>(e.port); }

  /// Constants come along; what else lies outside becomes an input.
  Endpoint Inside(Endpoint e) {
    if (auto at = copies_.find(e.node); at != copies_.end() && at->second) return {at->second, e.port};
    if (IsConstType(e.node->type())) return {copies_[e.node] = CopyNode(*body_, *e.node, e.node->name()), e.port};
    Node *&known = data_[KeyOf(e)];
    if (known) return {known, 0};
    static const Symbol index("index");
    Node *data = MakeNode(*body_, "Data", Str("in", inputs_.size()));
    body_->SetAttr(data, index, AttrValue(static_cast<int64_t>(inputs_.size())));
    TensorDesc desc = e.node->output_desc(static_cast<size_t>(e.port));
    desc.attrs = nullptr;
    body_->SetOutputDesc(data, 0, std::move(desc));
    inputs_.push_back(e);
    input_keys_.push_back(KeyOf(e));
    known = data;
    return {data, 0};
  }

  void CopyIn(Node &node) {
    Node *copy = CopyNode(*body_, node, body_->UniqueName(node.name()));
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i)) body_->Connect(Inside(node.input(i)), copy, static_cast<int32_t>(i));
    }
    copies_[&node] = copy;
  }

  /// Somebody outside reads these.
  void AddOutputs(Node &node, const OutputSet &graph_outputs) {
    for (size_t o = 0; o < node.output_count(); ++o) {
      const Endpoint e{&node, static_cast<int32_t>(o)};
      const auto &uses = node.uses(o);
      const bool read = graph_outputs.Has(e) || std::any_of(uses.begin(), uses.end(), [&](const Use &use) {
                          return copies_.find(use.node) == copies_.end();
                        });
      if (read) outputs_.push_back(e);
    }
  }

  const std::vector<Node *> &nodes_;
  const Engine &engine_;
  GraphPtr body_;
  Node *call_ = nullptr;
  std::unordered_map<const Node *, Node *> copies_;
  std::vector<Endpoint> inputs_, outputs_, inner_outputs_;
  std::vector<uint64_t> input_keys_;           // of inputs_, whose nodes may be gone when they are looked at
  std::unordered_map<uint64_t, Node *> data_;  // by the tensor outside
};

/// A name that no graph has; *number is one that no name has had.
std::string FreeGraphName(const Graph &root, const std::string &engine, size_t *number) {
  for (;;) {
    std::string name = Str(engine, "_region_", (*number)++);
    if (!root.FindSubgraph(name) && name != root.name()) return name;
  }
}

struct ClaimedNodes {
  std::vector<Node *> nodes;  // in topological order
  const Engine *engine;
};

/// Returns the number of regions that somebody reads.
size_t Outline(Graph &root, Graph &graph, const std::vector<ClaimedNodes> &regions, size_t *number) {
  OutputSet outputs(graph);
  std::vector<Outliner> outliners;
  std::vector<Node *> gone;
  for (const ClaimedNodes &region : regions) {
    outliners.emplace_back(FreeGraphName(root, region.engine->name(), number), region.nodes, *region.engine);
    if (outliners.back().Copy(outputs)) gone.insert(gone.end(), region.nodes.begin(), region.nodes.end());
    else outliners.pop_back();
  }
  EndpointMap moved;
  for (Outliner &one : outliners) one.Redirect(graph, outputs, &moved);
  std::sort(gone.begin(), gone.end(), [](const Node *a, const Node *b) { return a->id() > b->id(); });
  for (Node *node : gone) graph.RemoveNode(node);
  for (Outliner &one : outliners) one.Connect(graph, moved);
  return outliners.size();
}

}  // namespace

size_t ClaimRegions(Graph &root, const KernelFactory &kernels) {
  const EngineList engines = kernels.ClaimingEngines();
  if (engines.empty()) return 0;
  Transaction all(root);
  size_t count = 0, number = 0;  // of regions, of their names
  auto one = [&](Graph &graph) {
    if (SkipsOptimization(graph) || !Infers(graph)) return;
    std::vector<ClaimedNodes> regions;
    {
      const GraphView view = GraphView::OfGraph(graph);
      Taken taken(view);
      for (const EnginePtr &engine : engines) taken.Ask(*engine);
      if (!taken.any()) return;
      const std::vector<int32_t> sets = taken.Sets(graph.id_limit());
      for (std::vector<Node *> &nodes : ConvexGroups(graph, graph.TopologicalOrder(), sets)) {
        const Engine &engine = taken.EngineOf(sets[nodes[0]->id()]);
        regions.push_back({std::move(nodes), &engine});
      }
    }
    count += Outline(root, graph, regions, &number);
  };
  const std::vector<GraphPtr> subgraphs = root.subgraphs();
  one(root);
  for (const GraphPtr &graph : subgraphs) one(*graph);
  all.Commit();
  return count;
}

void DissolveRegions(Graph &root) {
  const std::vector<GraphPtr> subgraphs = root.subgraphs();
  if (std::none_of(subgraphs.begin(), subgraphs.end(), [](const GraphPtr &graph) { return IsRegion(*graph); })) return;
  auto one = [](Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (const Graph *body = RegionOf(*node)) InlineCall(*node, *body, "", Symbol());
    }
  };
  Transaction all(root);
  one(root);
  for (const GraphPtr &graph : subgraphs) one(*graph);
  for (const GraphPtr &graph : subgraphs) {
    if (IsRegion(*graph)) root.RemoveSubgraph(graph->name());
  }
  all.Commit();
}

RegionKernels MakeRegions(Graph &root, KernelFactory &kernels, std::vector<RegionNote> *notes) {
  RegionKernels result;
  Transaction all(root);
  for (Node *node : root.Nodes()) {
    const Graph *body = RegionOf(*node);
    if (!body || !RegionShapesKnown(*body)) continue;
    RegionNote note{RegionEngine(*body), body->name(), 0, ""};
    for (Node *inner : body->Nodes()) {
      note.nodes += NeedsKernel(*inner);
      if (IsConstType(inner->type())) result.constants.push_back(ConstantOf({inner, 0}));
    }
    KernelFactory::Made made = kernels.MakeRegion(*node);
    if (made.kernel) {
      result.made[note.name] = std::move(made);
    } else {
      note.refusal = std::move(made.refusals);
      InlineCall(*node, *body, "", Symbol());
      root.RemoveSubgraph(note.name);
    }
    if (notes) notes->push_back(std::move(note));
  }
  all.Commit();
  return result;
}

}  // namespace gec
