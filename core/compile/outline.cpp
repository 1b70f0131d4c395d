#include "core/compile/outline.h"

#include <algorithm>

#include "core/ir/quantization.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/ops/traits.h"
#include "core/pattern/rewrite.h"

namespace gec {
namespace {

/// A name that no graph has; *number is one that no name has had.
std::string FreeGraphName(const Graph &root, const std::string &hint, size_t *number) {
  for (;;) {
    std::string name = hint + std::to_string((*number)++);
    if (!root.FindSubgraph(name) && name != root.name()) return name;
  }
}

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

  std::vector<Node *> Run(const std::vector<NodesToOutline> &regions, size_t *named) {
    for (size_t r = 0; r < regions.size(); ++r)
      for (const Node *node : regions[r].nodes) region_[node->id()] = static_cast<uint32_t>(r);
    calls_.reserve(regions.size());
    changes_.reserve(2 * graph_.node_count());
    for (const NodesToOutline &region : regions) {
      std::string name = FreeGraphName(root_, region.hint, named);
      if (std::vector<Endpoint> outputs = ReadOutside(region.nodes); !outputs.empty()) {
        calls_.push_back({region.nodes, Graph::Create(std::move(name)), region.attrs, {}, std::move(outputs)});
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
    std::vector<Node *> made;
    for (const Call &call : calls_) made.push_back(call.node);
    return made;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Call {
    const std::vector<Node *> &nodes;
    GraphPtr body;
    const AttrMap &attrs;
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
    for (const AttrMap::Entry &attr : call.attrs) call.body->SetGraphAttr(attr.first, attr.second);
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
    Node *data =
        call.body->AddNode(data_, call.body->UniqueName("in" + std::to_string(call.inputs.size())), NodeParts(parts));
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
    // The body's nodes keep their lineage; messages about the call name the first few.
    const size_t named = std::min<size_t>(call.nodes.size(), 16);
    InheritLineage(*call.node, {call.nodes.begin(), call.nodes.begin() + static_cast<ptrdiff_t>(named)}, Symbol());
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

std::vector<Node *> OutlineNodes(Graph &root, Graph &graph, const std::vector<NodesToOutline> &sets, size_t *number) {
  return Outliner(root, graph).Run(sets, number);
}

}  // namespace gec
