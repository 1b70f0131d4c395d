#include "core/compile/claims.h"

#include <algorithm>

#include "core/ir/quantization.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/ops/traits.h"
#include "core/passes/pass.h"
#include "core/pattern/convex_groups.h"
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

/// A name that no graph has; *number is one that no name has had.
std::string FreeGraphName(const Graph &root, const std::string &engine, size_t *number) {
  for (;;) {
    std::string name = engine + "_region_" + std::to_string((*number)++);
    if (!root.FindSubgraph(name) && name != root.name()) return name;
  }
}

struct ClaimedNodes {
  std::vector<Node *> nodes;  // in topological order
  const Engine *engine;
};

/// The tensors of a graph by number: a node's outputs one behind the other.
class TensorNumbers {
 public:
  explicit TensorNumbers(const Graph &graph) : first_(graph.id_limit()) {
    for (const Node *node : graph.Nodes()) {
      first_[node->id()] = size_;
      size_ += static_cast<uint32_t>(node->output_count());
    }
  }
  uint32_t operator()(Endpoint e) const { return first_[e.node->id()] + static_cast<uint32_t>(e.port); }
  uint32_t size() const { return size_; }

 private:
  std::vector<uint32_t> first_;  // by node
  uint32_t size_ = 0;
};

/// Moves sets of nodes into graphs of their own, which calls take the place of: all edges change at once.
class Outliner {
 public:
  Outliner(Graph &root, Graph &graph)
      : root_(root),
        graph_(graph),
        number_(graph),
        region_(graph.id_limit(), kNone),
        inner_(number_.size()),
        moved_(number_.size()),
        listed_(number_.size()) {
    if (graph.NetOutput()) return;
    for (Endpoint e : graph.Outputs()) {
      if (e) listed_[number_(e)] = 1;
    }
  }

  /// Returns the number of regions that somebody reads. *named counts names that were given.
  size_t Run(const std::vector<ClaimedNodes> &regions, size_t *named) {
    for (size_t r = 0; r < regions.size(); ++r)
      for (const Node *node : regions[r].nodes) region_[node->id()] = static_cast<uint32_t>(r);
    calls_.reserve(regions.size());
    changes_.reserve(2 * graph_.node_count());
    for (const ClaimedNodes &region : regions) {
      std::string name = FreeGraphName(root_, region.engine->name(), named);
      if (std::vector<Endpoint> outputs = ReadOutside(region.nodes); !outputs.empty()) {
        calls_.push_back({region.nodes, Graph::Create(std::move(name)), *region.engine, {}, std::move(outputs)});
        MakeBody(calls_.back());
      } else {
        for (const Node *node : region.nodes) region_[node->id()] = kNone;  // they stay
      }
    }
    for (Call &call : calls_) MakeCall(call);
    for (const Call &call : calls_) ConnectCall(call);
    graph_.Rewire(changes_);
    MoveGraphOutputs();
    std::vector<Moving> moves;
    for (const Call &call : calls_) moves.push_back({&call.nodes, call.body.get()});
    graph_.MoveNodes(moves);
    for (const Call &call : calls_) call.body->SetOutputs(call.outputs);
    return calls_.size();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Call {
    const std::vector<Node *> &nodes;
    GraphPtr body;
    const Engine &engine;
    std::vector<Endpoint> inputs, outputs;
    Node *node = nullptr;
  };
  /// What stands for a tensor in the body that was made last where it reads the tensor.
  struct Inner {
    const Graph *body = nullptr;
    Node *node = nullptr;
  };

  /// Tensors of a region that others read.
  std::vector<Endpoint> ReadOutside(const std::vector<Node *> &nodes) const {
    std::vector<Endpoint> outputs;
    for (Node *node : nodes) {
      for (size_t o = 0; o < node->output_count(); ++o) {
        const Endpoint e{node, static_cast<int32_t>(o)};
        const auto &uses = node->uses(o);
        const bool read = listed_[number_(e)] || std::any_of(uses.begin(), uses.end(), [&](const Use &use) {
                            return region_[use.node->id()] != region_[node->id()];
                          });
        if (read) outputs.push_back(e);
      }
    }
    return outputs;
  }

  void MakeBody(Call &call) {
    for (Node *node : call.nodes) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Endpoint e = node->input(i);
        if (!e || region_[e.node->id()] == region_[node->id()]) continue;
        changes_.push_back({{node, static_cast<int32_t>(i)}, Inside(e, call)});
      }
    }
    call.body->SetGraphAttr(SkipOptimizationAttr(), AttrValue(true));
    call.body->SetGraphAttr(RegionAttr(), AttrValue(call.engine.name()));
  }

  /// Constants come along; what else lies outside becomes an input.
  Endpoint Inside(Endpoint e, Call &call) {
    const bool constant = IsConstType(e.node->type());
    Inner &inner = inner_[number_(e)];
    if (inner.body != call.body.get()) {
      inner = {call.body.get(), constant ? CopyNode(*call.body, *e.node, e.node->name()) : MakeInput(e, call)};
    }
    return {inner.node, constant ? e.port : 0};
  }
  Node *MakeInput(Endpoint e, Call &call) {
    static const Symbol index("index");
    NodeParts parts;
    parts.attrs.Set(index, AttrValue(static_cast<int64_t>(call.inputs.size())));
    Node *data = call.body->AddNode(data_, call.body->UniqueName("in" + std::to_string(call.inputs.size())), parts);
    TensorDesc desc = e.node->output_desc(static_cast<size_t>(e.port));
    KeepOnlyQuantization(&desc);
    call.body->SetOutputDesc(data, 0, std::move(desc));
    call.inputs.push_back(e);
    return data;
  }

  /// Nodes that stay read the call.
  void MakeCall(Call &call) {
    static const Symbol body("f");
    const int32_t inputs = static_cast<int32_t>(call.inputs.size()),
                  outputs = static_cast<int32_t>(call.outputs.size());
    call.node = graph_.AddNode(call_, graph_.UniqueName(call.body->name()), &inputs, 1, &outputs, 1);
    for (size_t o = 0; o < call.outputs.size(); ++o) {
      const Endpoint e = call.outputs[o], fresh{call.node, static_cast<int32_t>(o)};
      TensorDesc desc = e.node->output_desc(static_cast<size_t>(e.port));
      KeepOnlyQuantization(&desc);
      graph_.SetOutputDesc(call.node, o, std::move(desc));
      moved_[number_(e)] = fresh;
      for (const Use &use : e.node->uses(static_cast<size_t>(e.port)))
        if (region_[use.node->id()] == kNone) changes_.push_back({use, fresh});
    }
    InheritLineage(*call.node, call.nodes, Symbol());
    graph_.AttachSubgraph(call.node, body, call.body);
  }

  Endpoint Moved(Endpoint e) const { return moved_[number_(e)] ? moved_[number_(e)] : e; }

  void ConnectCall(const Call &call) {
    for (size_t i = 0; i < call.inputs.size(); ++i)
      changes_.push_back({{call.node, static_cast<int32_t>(i)}, Moved(call.inputs[i])});
  }

  void MoveGraphOutputs() {
    if (graph_.NetOutput()) return;
    std::vector<Endpoint> outputs = graph_.Outputs();
    for (Endpoint &e : outputs) {
      if (e) e = Moved(e);
    }
    graph_.SetOutputs(std::move(outputs));
  }

  Graph &root_, &graph_;
  const IrDef *const data_ = OpRegistry::Instance().Get("Data");
  const IrDef *const call_ = OpRegistry::Instance().Get("PartitionedCall");
  const TensorNumbers number_;
  std::vector<uint32_t> region_;  // by node
  // By tensor.
  std::vector<Inner> inner_;
  std::vector<Endpoint> moved_;  // of a region: where it is to be had
  std::vector<uint8_t> listed_;  // as an output of the graph
  std::vector<Call> calls_;
  std::vector<Rewiring> changes_;
};

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
      GraphView view(GraphView::kGraph);
      view.Reset(graph);
      Taken taken(view);
      for (const EnginePtr &engine : engines) taken.Ask(*engine);
      if (!taken.any()) return;
      const std::vector<int32_t> sets = taken.Sets(graph.id_limit());
      for (std::vector<Node *> &nodes : ConvexGroups(graph, graph.TopologicalOrder(), sets)) {
        const Engine &engine = taken.EngineOf(sets[nodes[0]->id()]);
        regions.push_back({std::move(nodes), &engine});
      }
    }
    count += Outliner(root, graph).Run(regions, &number);
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
  GraphView view(GraphView::kRegion);
  Transaction all(root);
  for (Node *node : root.Nodes()) {
    const Graph *body = RegionOf(*node);
    if (!body || !RegionShapesKnown(*body)) continue;
    RegionNote note{RegionEngine(*body), body->name(), 0, ""};
    for (Node *inner : body->Nodes()) {
      note.nodes += NeedsKernel(*inner);
      if (IsConstType(inner->type())) result.constants.push_back(ConstantOf({inner, 0}));
    }
    KernelFactory::Made made = kernels.MakeRegion(*node, *body, &view);
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
