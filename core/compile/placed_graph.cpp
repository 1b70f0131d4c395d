#include "core/compile/placed_graph.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "core/ir/quantization.h"
#include "core/ops/make_node.h"
#include "core/ops/op_desc.h"
#include "core/ops/traits.h"
#include "core/placement/node_engines.h"

namespace gec {
namespace {

void MarkEngine(Graph &graph, Node *node, const std::string &engine, const std::string &refusals) {
  static const Symbol kRefusals(kRefusalsAttr);
  graph.SetAttr(node, EngineAttr(), AttrValue(engine));
  if (!refusals.empty()) graph.SetAttr(node, kRefusals, AttrValue(refusals));
}

/// Follows a plan in its order, so that a value is there before it is read.
class Placer {
 public:
  explicit Placer(const ExecPlan &plan) : plan_(plan), copy_(plan.graph->Clone()) {
    const std::vector<Node *> from = plan.graph->Nodes(), to = copy_->Nodes();
    for (size_t i = 0; i < from.size(); ++i) nodes_[from[i]] = to[i];
  }

  GraphPtr Run() {
    for (const ExecPlan::Placed &placed : plan_.placed) {
      if (placed.wait) continue;
      if (placed.copied >= 0) AddMove(placed);
      else Mark(placed);
    }
    const std::vector<Endpoint> outputs = plan_.graph->Outputs();
    std::vector<Endpoint> moved;
    for (Endpoint e : outputs) moved.push_back(In(0, e));
    copy_->SetOutputs(std::move(moved));
    return copy_;
  }

 private:
  using Key = std::tuple<const Node *, int32_t, int32_t>;  // node and output of the plan's graph, and a space

  /// The value of the plan's graph as that space has it, in the copy.
  Endpoint In(int32_t space, Endpoint e) const {
    const auto at = moved_.find(Key(e.node, e.port, space));
    return at == moved_.end() ? Endpoint{nodes_.at(e.node), e.port} : at->second;
  }

  void SetMemory(Node *node, int32_t space) {
    static const Symbol kMemory(kMemoryAttr);
    if (space != 0)
      copy_->SetAttr(node, kMemory, AttrValue(plan_.spaces[static_cast<size_t>(space) - 1]->space()->name));
  }

  void Describe(Node *node, const ExecPlan::Placed &placed) {
    static const Symbol kImplementation(kImplementationAttr);
    MarkEngine(*copy_, node, placed.kernel->engine().name(), placed.refusals);
    copy_->SetAttr(node, kImplementation, AttrValue(placed.elided ? "view" : placed.kernel->implementation()));
    SetMemory(node, placed.space);
  }

  void Mark(const ExecPlan::Placed &placed) {
    const Node &node = *placed.node;
    Node *copy = nodes_.at(&node);
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Endpoint e = node.input(i);
      if (!e) continue;
      const Endpoint here = In(placed.space, e);
      if (here != copy->input(i)) copy_->Reconnect(here, copy, static_cast<int32_t>(i));
    }
    Describe(copy, placed);
  }

  void AddMove(const ExecPlan::Placed &placed) {
    const Endpoint value{const_cast<Node *>(placed.node), placed.copied};
    const std::string to = placed.space ? plan_.spaces[static_cast<size_t>(placed.space) - 1]->space()->name : "host";
    const std::string name = Str(value.node->name(), value.port ? Str("_", value.port) : "", "_to_", to);
    Node *move = MakeNode(*copy_, "TensorMove", copy_->UniqueName(name));
    // From one memory to another a value goes through the host's.
    copy_->Connect(placed.space ? In(0, value) : Endpoint{nodes_.at(value.node), value.port}, move, 0);
    TensorDesc desc = value.node->output_desc(static_cast<size_t>(value.port));
    KeepOnlyQuantization(&desc);
    copy_->SetOutputDesc(move, 0, std::move(desc));
    Describe(move, placed);
    moved_[Key(value.node, value.port, placed.space)] = {move, 0};
  }

  const ExecPlan &plan_;
  GraphPtr copy_;
  std::unordered_map<const Node *, Node *> nodes_;
  std::map<Key, Endpoint> moved_;
};

}  // namespace

GraphPtr PlacedGraph(const ExecPlan &plan) { return Placer(plan).Run(); }

void MarkEngines(Graph &root, const KernelFactory &kernels) {
  for (const NodeEngine &e : EnginesOfNodes(root, kernels))
    if (!e.engine.empty()) MarkEngine(e.node->graph(), e.node, e.engine, e.refusals);
}

}  // namespace gec
