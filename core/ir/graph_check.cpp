// Order and rules of a whole graph. Everything here is linear in nodes and edges.
#include <algorithm>

#include "core/ir/graph.h"
#include "core/ir/types.h"

namespace gec {
namespace {

std::string CycleText(const std::vector<std::pair<Node *, size_t>> &path, Node *again) {
  size_t start = 0;
  while (path[start].first != again) ++start;
  std::string text;
  // The path runs from consumers to producers; readers expect the direction of the data.
  size_t shown = 0;
  for (size_t i = path.size(); i-- > start && shown < 8; ++shown) text += "'" + path[i].first->name() + "' -> ";
  if (path.size() - start > shown) text += "… -> ";
  return text + "'" + path.back().first->name() + "'";
}

}  // namespace

namespace {
constexpr size_t kFetchAhead = 12;  // in a large graph a walk waits for memory
}  // namespace

std::vector<Node *> Graph::TopologicalOrder() const {
  // Passes ask one after the other, and most of them change nothing. A transaction has the graph for itself, so only
  // there is the order remembered.
  if (!order_.empty()) return order_;
  // Depth first over producers, starting from the nodes in creation order: a graph built in a valid order keeps it.
  std::vector<Node *> order;
  order.reserve(alive_);
  // Up to the first node that reads a younger one, which most graphs do not have, nothing has to be remembered.
  size_t at = 0;
  for (; at < nodes_.size(); ++at) {
    if (at + kFetchAhead < nodes_.size()) nodes_[at + kFetchAhead]->FetchInputs();
    Node *node = nodes_[at];
    if (node->removed_) continue;
    const auto older = [node](const Node *producer) { return !producer || producer->id_ < node->id_; };
    const std::vector<Node *> &controls = node->control_inputs();
    if (!std::all_of(node->inputs_.begin(), node->inputs_.end(), [&](const Endpoint &e) { return older(e.node); }) ||
        !std::all_of(controls.begin(), controls.end(), older))
      break;
    order.push_back(node);
  }
  if (at < nodes_.size()) OrderFrom(at, &order);
  if (Log()) order_ = order;
  return order;
}

/// The nodes before `at` are in order already.
void Graph::OrderFrom(size_t at, std::vector<Node *> *order) const {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(nodes_.size(), kNew);
  for (const Node *node : *order) state[node->id_] = kDone;
  std::vector<std::pair<Node *, size_t>> path;
  for (; at < nodes_.size(); ++at) {
    if (at + kFetchAhead < nodes_.size()) nodes_[at + kFetchAhead]->FetchInputs();
    Node *start = nodes_[at];
    if (start->removed_ || state[start->id_] != kNew) continue;
    // Mostly all that the node waits for is there by now.
    const auto done = [&](const Node *node) { return !node || state[node->id_] == kDone; };
    const std::vector<Node *> &controls = start->control_inputs();
    if (std::all_of(start->inputs_.begin(), start->inputs_.end(), [&](const Endpoint &e) { return done(e.node); }) &&
        std::all_of(controls.begin(), controls.end(), done)) {
      state[start->id_] = kDone;
      order->push_back(start);
      continue;
    }
    path.emplace_back(start, 0);
    state[start->id_] = kOpen;
    while (!path.empty()) {
      auto &[node, next] = path.back();
      size_t data = node->inputs_.size(), total = data + node->control_inputs().size();
      Node *producer = nullptr;
      while (next < total) {
        Node *candidate = next < data ? node->inputs_[next].node : node->control_inputs()[next - data];
        ++next;
        if (!candidate || state[candidate->id_] == kDone) continue;
        producer = candidate;
        break;
      }
      if (!producer) {
        state[node->id_] = kDone;
        order->push_back(node);
        path.pop_back();
      } else if (state[producer->id_] == kOpen) {
        Fail(GE_GRAPH_INVALID, "graph '", name_, "' has a cycle: ", CycleText(path, producer));
      } else {
        state[producer->id_] = kOpen;
        path.emplace_back(producer, 0);
      }
    }
  }
}

namespace {

class Checker {
 public:
  explicit Checker(const Graph &graph) : graph_(graph), nodes_(graph.Nodes()) {}

  void Run() {
    size_t edges = 0, uses = 0, controls_in = 0, controls_out = 0, net_outputs = 0;
    for (Node *node : nodes_) {
      Ports(*node);
      edges += Inputs(*node);
      uses += Uses(*node);
      controls_in += node->control_inputs().size();
      controls_out += node->control_outputs().size();
      Attributes(*node);
      Constant(*node);
      Subgraphs(*node);
      net_outputs += node->type() == Symbol("NetOutput");
    }
    if (edges != uses || controls_in != controls_out) Broken("its edges are not the same in both directions");
    if (net_outputs > 1) Broken("it has ", net_outputs, " NetOutput nodes, expected at most one");
    GraphInputs();
    auto outputs = graph_.Outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i]) Broken("output ", i, " is not connected");
    }
    graph_.TopologicalOrder();
  }

 private:
  template <class... Args>
  [[noreturn]] void Broken(const Args &...args) const {
    Fail(GE_GRAPH_INVALID, "graph '", graph_.name(), "': ", args...);
  }
  template <class... Args>
  [[noreturn]] void Broken(const Node &node, const Args &...args) const {
    Fail(GE_GRAPH_INVALID, "graph '", graph_.name(), "': ", node.Label(), ": ", args...);
  }

  void Ports(const Node &node) const {
    const IrDef &ir = node.ir();
    auto [in_first, in_count] = node.InputRange(ir.inputs.size());
    auto [out_first, out_count] = node.OutputRange(ir.outputs.size());
    if (static_cast<size_t>(in_first) != node.input_count() || static_cast<size_t>(out_first) != node.output_count())
      Broken(node, "it has ", node.input_count(), " inputs and ", node.output_count(), " outputs, its prototype says ",
             in_first, " and ", out_first);
    (void)in_count;
    (void)out_count;
  }

  size_t Inputs(const Node &node) const {
    size_t connected = 0;
    // Data and variables are fed from outside.
    bool fed = IsDataType(node.type()) || IsVariableType(node.type());
    size_t port = 0, dynamic = 0;
    for (const IrPort &ir : node.ir().inputs) {
      size_t count = ir.kind == GE_IR_DYNAMIC ? static_cast<size_t>(node.dynamic_input_counts()[dynamic++]) : 1;
      for (size_t i = 0; i < count; ++i, ++port) {
        Endpoint e = node.input(port);
        if (!e) {
          if (ir.kind != GE_IR_OPTIONAL && !fed)
            Broken(node, "input '", ir.name.view(), count > 1 ? std::to_string(i) : "", "' (port ", port,
                   ") is not connected");
          continue;
        }
        ++connected;
        if (e.node->removed()) Broken(node, "input port ", port, " is fed by the removed node ", e.node->Label());
        if (&e.node->graph() != &graph_)
          Broken(node, "input port ", port, " is fed from graph '", e.node->graph().name(), "'");
        if (e.port < 0 || static_cast<size_t>(e.port) >= e.node->output_count())
          Broken(node, "input port ", port, " reads output ", e.port, " of ", e.node->Label(), ", which has ",
                 e.node->output_count(), " outputs");
      }
    }
    return connected;
  }

  size_t Uses(Node &node) const {
    size_t total = 0;
    for (size_t o = 0; o < node.output_count(); ++o) {
      for (const Use &use : node.uses(o)) {
        ++total;
        bool ok = !use.node->removed() && use.port >= 0 && static_cast<size_t>(use.port) < use.node->input_count() &&
                  use.node->input(static_cast<size_t>(use.port)) == Endpoint{&node, static_cast<int32_t>(o)};
        if (!ok) Broken(node, "output ", o, " lists a consumer that does not read it");
      }
    }
    return total;
  }

  void Attributes(const Node &node) const {
    for (const IrAttr &ir : node.ir().attrs) {
      const AttrValue *value = node.attrs().Find(ir.name);
      if (!value) {
        if (ir.required) Broken(node, "required attribute '", ir.name.view(), "' is not set");
        continue;
      }
      if (value->type() != ir.type && ir.type != C_VT_NONE && value->type() != C_VT_NONE)
        Broken(node, "attribute '", ir.name.view(), "' has type ", value->type(), ", its prototype says ", ir.type);
    }
  }

  // Kernels read as many bytes as a constant's description says: its value has to be there and to have them.
  void Constant(const Node &node) const {
    static const Symbol name("value");
    if (!IsConstType(node.type())) return;
    const TensorPtr value = node.attrs().GetTensor(name);
    // A tensor without elements needs no content, where the description says that there are none.
    const auto empty = [&] {
      const Shape &shape = value->desc.shape;
      return shape.known() && shape.elements() == 0 && node.output_count() == 1 && node.output_desc(0).shape == shape;
    };
    if (!value || (!value->buffer && !empty()))
      Broken(node, "the constant has no value: attribute 'value' holds no content");
    const TensorDesc &held = value->desc;
    const auto text = [](const TensorDesc &desc) { return Str(DataTypeName(desc.dtype), desc.shape.str()); };
    if (!held.known()) Broken(node, "its value is ", text(held), ", which leaves dimensions open");
    if (DataTypeBits(held.dtype) == 0) Broken(node, "its value is ", text(held), ", whose type has no fixed size");
    if (held.bytes() != value->bytes())
      Broken(node, "its value is ", text(held), " of ", held.bytes(), " bytes, its content has ", value->bytes());
    if (node.output_count() != 1) return;
    const TensorDesc &said = node.output_desc(0);
    // Programs may leave the description to inference: it is that of a new node then.
    const TensorDesc fresh{};
    const bool open = !said.shape.has_rank() || said.shape == fresh.shape;
    if (said.dtype == C_DT_UNDEFINED || (open && said.dtype == fresh.dtype)) return;
    const bool fits =
        said.shape == fresh.shape || Agree(said.shape, held.shape) || Agree(said.shape, held.origin_shape);
    if (said.dtype != held.dtype || !fits)
      Broken(node, "its value is ", text(held), ", its output is described as ", text(said));
  }

  void Subgraphs(const Node &node) const {
    for (size_t i = 0; i < node.subgraphs().size(); ++i) {
      const SubgraphRef &ref = node.subgraphs()[i];
      const Graph *sub = node.subgraph(i);
      if (!sub)
        Broken(node, "subgraph '", ref.ir_name.view(), "' names '", ref.graph_name, "', which the root graph lacks");
      Mapping(node, ref, *sub);
    }
    for (const IrGraph &ir : node.ir().graphs) {
      if (ir.kind == GE_IR_DYNAMIC) continue;
      bool there = std::any_of(node.subgraphs().begin(), node.subgraphs().end(),
                               [&](const SubgraphRef &ref) { return ref.ir_name == ir.name; });
      if (!there) Broken(node, "subgraph '", ir.name.view(), "' is missing");
    }
  }

  // Data k of the subgraph reads element k of the first dynamic input, output j feeds element j of the first dynamic
  // output.
  void Mapping(const Node &node, const SubgraphRef &ref, const Graph &sub) const {
    static const Symbol index("index"), loop_for("For"), cond("cond");
    if (node.ir().dynamic_inputs) {
      // A For body also receives the loop counter.
      int64_t limit = node.dynamic_input_counts()[0] + (node.type() == loop_for ? 1 : 0);
      for (Node *data : sub.Inputs()) {
        int64_t k = data->Int(index);
        if (k < 0 || k >= limit)
          Broken(node, "subgraph '", ref.graph_name, "': ", data->Label(), " has index ", k, ", the node passes ",
                 limit, " inputs");
      }
    }
    if (node.ir().dynamic_outputs && ref.ir_name != cond) {
      size_t want = static_cast<size_t>(node.dynamic_output_counts()[0]), have = sub.Outputs().size();
      if (have != want) Broken(node, "subgraph '", ref.graph_name, "' has ", have, " outputs, the node has ", want);
    }
  }

  void GraphInputs() const {
    static const Symbol index("index");
    Node *before = nullptr;
    int64_t last = -1;
    for (Node *data : graph_.Inputs()) {
      int64_t k = data->Int(index);
      if (k < 0) Broken(*data, "index is ", k);
      if (before && k == last) Broken(*data, "index ", k, " is also that of ", before->Label());
      if (!graph_.parent() && k != last + 1) Broken(*data, "index is ", k, ", expected ", last + 1);
      before = data;
      last = k;
    }
  }

  const Graph &graph_;
  std::vector<Node *> nodes_;
};

}  // namespace

void Graph::Verify() const {
  Checker(*this).Run();
  if (parent_) return;
  for (const GraphPtr &sub : subgraphs_) Checker(*sub).Run();
}

}  // namespace gec
