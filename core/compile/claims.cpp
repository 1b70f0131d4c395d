#include "core/compile/claims.h"

#include <algorithm>
#include <cstdio>

#include "core/compile/outline.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/traits.h"
#include "core/passes/pass.h"
#include "core/pattern/convex_groups.h"
#include "core/pattern/rewrite.h"
#include "core/placement/graph_view.h"
#include "core/placement/regions.h"
#include "core/support/memory.h"

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
    char left[128], text[192];
    MemoryText(left, sizeof left);
    std::snprintf(text, sizeof text, "out of memory for a set of %zu nodes; %s", count, left);
    return EngineFail(GE_OUT_OF_MEMORY, text);
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

}  // namespace

size_t ClaimRegions(Graph &root, const KernelFactory &kernels) {
  const EngineList engines = kernels.ClaimingEngines();
  if (engines.empty()) return 0;
  Transaction all(root);
  size_t count = 0, number = 0;  // of regions, of their names
  auto one = [&](Graph &graph) {
    if (SkipsOptimization(graph) || !Infers(graph)) return;
    std::vector<NodesToOutline> regions;
    {
      GraphView view(GraphView::kGraph);
      view.Reset(graph);
      Taken taken(view);
      for (const EnginePtr &engine : engines) taken.Ask(*engine);
      if (!taken.any()) return;
      const std::vector<int32_t> sets = taken.Sets(graph.id_limit());
      for (std::vector<Node *> &nodes : ConvexGroups(graph, view.order(), sets)) {
        const std::string &engine = taken.EngineOf(sets[nodes[0]->id()]).name();
        AttrMap attrs;
        attrs.Set(SkipOptimizationAttr(), AttrValue(true));
        attrs.Set(RegionAttr(), AttrValue(engine));
        regions.push_back({std::move(nodes), engine + "_region_", std::move(attrs)});
      }
    }
    count += OutlineNodes(root, graph, regions, &number).size();
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
  RegionMemory memory;
  Transaction all(root);
  for (Node *node : root.Nodes()) {
    const Graph *body = RegionOf(*node);
    if (!body || !RegionShapesKnown(*body)) continue;
    RegionNote note{RegionEngine(*body), body->name(), 0, ""};
    for (Node *inner : body->Nodes()) {
      note.nodes += NeedsKernel(*inner);
      if (IsConstType(inner->type())) result.constants.push_back(ConstantOf({inner, 0}));
    }
    KernelFactory::Made made = kernels.MakeRegion(*node, *body, &memory);
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
