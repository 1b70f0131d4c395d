// Making, finding and removing nodes.
#include "core/ir/graph.h"

#include <algorithm>
#include <mutex>

#include "core/ir/undo_log.h"

namespace gec {

GraphPtr Graph::Create(std::string name) {
  return GraphPtr(new Graph(std::move(name)), [](Graph *graph) { graph->End(); });
}

Graph::~Graph() {
  for (const GraphPtr &sub : subgraphs_) sub->parent_ = nullptr;  // somebody may still hold it
}

/// In the place of nodes that moved to another graph. Never changes.
Node *Graph::MovedAway() noexcept {
  alignas(Node) static std::byte memory[sizeof(Node)];
  static Node *node = new (memory) Node;
  return node;
}

void Graph::End() noexcept {
  for (const GraphPtr &sub : subgraphs_) sub->parent_ = nullptr;
  subgraph_index_.clear();
  subgraphs_.clear();  // they may hold this graph for nodes that it made
  types_index_.reset();
  if (held_.load(std::memory_order_acquire) > 1 || !homes_.empty()) {
    for (Node *&node : nodes_) {
      if (node == MovedAway()) continue;
      node->removed_ = true;
      Release(node);
      if (node->home_ == this) continue;
      node->graph_ = node->home_;
      node = MovedAway();
    }
    attrs_ = AttrMap();
  }
  for (Graph *home : homes_) home->DropNodes();
  homes_.clear();
  DropNodes();
}

void Graph::HoldHome(const Node &node) {
  Graph *home = node.home_;
  if (home == this || std::find(homes_.begin(), homes_.end(), home) != homes_.end()) return;
  homes_.push_back(home);
  home->HoldNodes();
}

void Graph::Place(Node *node) noexcept {
  node->id_ = static_cast<uint32_t>(nodes_.size());
  node->graph_ = this;
  nodes_.push_back(node);
  has_input_descs_ |= node->rare().described;
}

std::vector<Node *> Graph::Nodes() const {
  if (!listed_.empty()) return listed_;
  std::vector<Node *> alive;
  alive.reserve(alive_);
  for (Node *node : nodes_) {
    if (!node->removed_) alive.push_back(node);
  }
  if (Log()) listed_ = alive;  // a transaction has the graph for itself
  return alive;
}

void Graph::KnowType(Symbol type) {
  constexpr size_t kUsual = 8;  // a small graph gets by with one allocation
  for (const TypeCount &known : types_)
    if (known.type == type) return;
  if (types_.capacity() == 0) types_.reserve(kUsual);
  types_.push_back({type, 0});
}

void Graph::Count(Symbol type, bool more) noexcept {
  for (TypeCount &known : types_) {
    if (known.type != type) continue;
    known.alive += more ? 1 : size_t(-1);
    return;
  }
}

size_t Graph::CountOf(Symbol type) const {
  for (const TypeCount &known : types_)
    if (known.type == type) return known.alive;
  return 0;
}

bool Graph::HasAny(std::initializer_list<Symbol> types) const {
  return std::any_of(types.begin(), types.end(), [this](Symbol type) { return Has(type); });
}

std::vector<Symbol> Graph::Types() const {
  std::vector<Symbol> types;
  for (const TypeCount &known : types_)
    if (known.alive) types.push_back(known.type);
  return types;
}

Node *Graph::NodeAt(size_t index) const {
  if (index >= alive_) return nullptr;
  if (alive_ == nodes_.size()) return nodes_[index];
  if (listed_.empty()) listed_ = Nodes();
  return listed_[index];
}

Node *Graph::node(uint32_t id) { return id < nodes_.size() ? nodes_[id] : nullptr; }

Node *Graph::Find(std::string_view name, uint32_t hash) const {
  int64_t id = by_name_.Find(hash, [&](uint32_t i) { return nodes_[i]->name_ == name; });
  return id < 0 ? nullptr : nodes_[static_cast<size_t>(id)];
}

std::string Graph::UniqueName(std::string name) {
  if (name.empty()) name = "node";
  if (!Find(name)) return name;
  uint32_t &next = next_suffix_[name];
  std::string candidate;
  do {
    candidate = name + '_' + std::to_string(++next);
  } while (Find(candidate));
  return candidate;
}

void Graph::Own(const Node *node, const char *what) const {
  if (!node) Fail(GE_PARAM_INVALID, what, " is null");
  if (!node->valid()) Fail(GE_PARAM_INVALID, what, " is not a node of a valid graph");
  if (&node->graph() != this)
    Fail(GE_PARAM_INVALID, what, " ", node->Label(), " belongs to graph '", node->graph().name_, "', not to '", name_,
         "'");
  if (node->removed_) Fail(GE_BAD_STATE, what, " ", node->Label(), " was removed from graph '", name_, "'");
}

// Undoing puts nodes back in any order: the index always has the one with the smallest id.
void Graph::TakeName(Node *node) noexcept {
  const uint32_t hash = node->name_hash_;
  const int64_t first = by_name_.Find(hash, [&](uint32_t i) { return nodes_[i]->name_ == node->name_; });
  if (first < 0) return by_name_.Insert(hash, node->id_);
  ++repeated_;
  by_name_.Erase(hash, static_cast<uint32_t>(first));
  by_name_.Insert(hash, std::min(static_cast<uint32_t>(first), node->id_), true);
}

void Graph::ReleaseName(Node *node) noexcept {
  const uint32_t hash = node->name_hash_;
  const NameIndex::Erased erased = by_name_.Erase(hash, node->id_);
  if (!erased.there) {
    --repeated_;
    return;
  }
  for (size_t i = node->id_ + size_t{1}; erased.shared && repeated_ > 0 && i < nodes_.size(); ++i) {
    if (nodes_[i]->removed_ || nodes_[i]->name_ != node->name_) continue;
    --repeated_;
    return by_name_.Insert(hash, nodes_[i]->id_, true);
  }
}

void Graph::Restore(Node *node) noexcept {
  TakeName(node);
  node->removed_ = false;
  ++alive_;
  Count(node->type(), true);
  listed_.clear();
  Changed();
  static const Symbol net_output("NetOutput");
  if (node->type() == net_output && !net_output_) net_output_ = node;
}

void Graph::MarkRemoved(Node *node) noexcept {
  ReleaseName(node);
  TakeOut(node);
}

void Graph::TakeOut(Node *node) noexcept {
  node->removed_ = true;
  --alive_;
  Count(node->type(), false);
  listed_.clear();
  Changed();
  if (node == net_output_) {
    net_output_ = nullptr;
    for (size_t i = 0; Has(node->type()) && i < nodes_.size() && !net_output_; ++i) {
      if (!nodes_[i]->removed_ && nodes_[i]->type() == node->type()) net_output_ = nodes_[i];
    }
  }
}

void Graph::Release(Node *node) noexcept {
  node->attrs_ = AttrMap();
  if (!node->rare_) return;
  node->rare_->input_descs.clear();
  node->rare_->described = false;
  node->rare_->subgraphs.clear();
}

Node *Graph::AddNode(const IrDef *ir, std::string name, const int32_t *dyn_in, size_t dyn_in_size,
                     const int32_t *dyn_out, size_t dyn_out_size) {
  NodeParts parts;
  parts.dyn_in = dyn_in;
  parts.dyn_in_size = dyn_in_size;
  parts.dyn_out = dyn_out;
  parts.dyn_out_size = dyn_out_size;
  return AddNode(ir, std::move(name), std::move(parts));
}

namespace {
/// Instances of each dynamic port, of which the caller gave the first; returns how many ports there are altogether.
size_t CountPorts(const IrDef &ir, const std::string &name, const std::vector<IrPort> &ports, const int32_t *given,
                  size_t size, InlineVec<int32_t, 2> *counts) {
  size_t dynamic = 0, total = 0;
  for (const IrPort &port : ports) {
    if (port.kind != GE_IR_DYNAMIC) {
      ++total;
      continue;
    }
    const int32_t n = dynamic < size ? given[dynamic] : 0;
    if (n < 0 || n > (1 << 24))
      Fail(GE_PARAM_INVALID, ir.type.view(), " '", name, "': dynamic port '", port.name.view(), "' has ", n,
           " instances");
    counts->push_back(n);
    ++dynamic;
    total += static_cast<size_t>(n);
  }
  if (size > dynamic)
    Fail(GE_PARAM_INVALID, ir.type.view(), " '", name, "': ", size, " counts given for ", dynamic, " dynamic ports");
  return total;
}
}  // namespace

Node *Graph::AddNode(const IrDef *ir, std::string name, NodeParts &&parts) {
  if (!ir) Fail(GE_PARAM_INVALID, "node '", name, "' has no operator definition");
  if (name.empty()) Fail(GE_PARAM_INVALID, "a ", ir->type.view(), " node has an empty name");
  if (nodes_.size() >= NameIndex::kMostIds) Fail(GE_PARAM_INVALID, "graph '", name_, "' is full");

  InlineVec<int32_t, 2> in_counts, out_counts;
  size_t inputs = ir->inputs.size(), outputs = ir->outputs.size();
  if (ir->dynamic_inputs || parts.dyn_in_size)
    inputs = CountPorts(*ir, name, ir->inputs, parts.dyn_in, parts.dyn_in_size, &in_counts);
  if (ir->dynamic_outputs || parts.dyn_out_size)
    outputs = CountPorts(*ir, name, ir->outputs, parts.dyn_out, parts.dyn_out_size, &out_counts);

  // The slot counts as removed until nothing can fail any more.
  by_name_.Reserve();
  KnowType(ir->type);
  ReserveOneMore(nodes_);
  Node &node = memory_.Make();
  node.home_ = this;
  Place(&node);
  node.ir_ = ir;
  node.name_ = std::move(name);
  node.name_hash_ = parts.name_hash != 0 ? parts.name_hash : NameIndex::Hash(node.name_);
  if (!in_counts.empty() || !out_counts.empty()) {
    node.MakeRare().dyn_in = std::move(in_counts);
    node.rare_->dyn_out = std::move(out_counts);
  }
  node.inputs_.resize(inputs);
  node.outputs_.reserve(outputs);
  static const TensorDesc *const unknown = new TensorDesc(C_DT_FLOAT, Shape::UnknownRank());
  for (size_t i = 0; i < outputs; ++i)
    node.outputs_.emplace_back(parts.output_descs ? parts.output_descs[i] : *unknown);
  node.attrs_ = std::move(parts.attrs);
  node.origins_ = std::move(parts.origins);
  node.passes_ = std::move(parts.passes);

  // Edges may need room in the producers: what was linked is unlinked again when there is none.
  size_t linked = 0;
  try {
    for (; parts.inputs && linked < inputs; ++linked) {
      Endpoint e = parts.inputs[linked];
      if (!e) continue;
      CheckOutput(e);
      ReserveOneMore(e.node->outputs_[static_cast<size_t>(e.port)].uses);
      Link(e, &node, static_cast<int32_t>(linked), SIZE_MAX);
    }
    if (UndoLog *log = Log()) {
      log->Push([this, made = &node] {
        for (size_t i = made->inputs_.size(); i-- > 0;) {
          if (made->inputs_[i]) Unlink(made, static_cast<int32_t>(i));
        }
        MarkRemoved(made);
        Release(made);
      });
    }
  } catch (...) {
    while (linked-- > 0) {
      if (node.inputs_[linked]) Unlink(&node, static_cast<int32_t>(linked));
    }
    throw;
  }
  Restore(&node);
  return &node;
}

void Graph::RemoveNode(Node *node) {
  Own(node, "node");
  // A node that a rewrite leaves behind is read by nobody and has few inputs: it goes with one record, which keeps its
  // edges.
  constexpr uint32_t kFew = 3;
  UndoLog *const running = Log();
  if (running && node->inputs_.size() <= kFew && node->total_uses() == 0 && node->control_inputs().empty() &&
      node->control_outputs().empty() && node->listed_ == 0) {
    // Small: a rewrite touches what it records, and many records are many pages.
    struct BringBack {
      Node *node;
      Node *from[kFew] = {};  // by input; null: not connected
      int32_t from_port[kFew];
      bool has_content;  // to release, when the node cannot come back
      uint32_t at[kFew];
      void operator()() {
        Graph &graph = node->graph();
        if (has_content) graph.Log()->removed.pop_back();
        graph.Restore(node);
        for (size_t i = kFew; i-- > 0;)
          if (from[i]) Link({from[i], from_port[i]}, node, static_cast<int32_t>(i), at[i]);
      }
    };
    const bool has_content = !node->attrs_.empty() || node->rare().described || !node->subgraphs().empty();
    if (has_content) ReserveOneMore(running->removed);
    BringBack &undo = running->Push(BringBack{node, {}, {}, has_content, {}});
    for (size_t i = 0; i < node->inputs_.size(); ++i) {
      const Endpoint src = node->inputs_[i];
      if (!src) continue;
      undo.from[i] = src.node;
      undo.from_port[i] = src.port;
      undo.at[i] = static_cast<uint32_t>(Unlink(node, static_cast<int32_t>(i)));
    }
    if (has_content) running->removed.push_back(node);
    MarkRemoved(node);
    return;
  }
  Transaction all(*this);
  for (size_t i = 0; i < node->inputs_.size(); ++i) {
    if (node->inputs_[i]) Disconnect(node, static_cast<int32_t>(i));
  }
  for (size_t o = 0; o < node->outputs_.size(); ++o) {
    while (!node->uses(o).empty()) {
      Use use = node->uses(o).back();
      Disconnect(use.node, use.port);
    }
  }
  while (!node->control_inputs().empty()) RemoveControl(node->control_inputs().back(), node);
  while (!node->control_outputs().empty()) RemoveControl(node, node->control_outputs().back());
  for (size_t i = 0; node->listed_ != 0 && i < outputs_.size(); ++i) {
    if (outputs_[i].node == node) SetGraphOutput(i, Endpoint());
  }
  UndoLog *log = Log();
  ReserveOneMore(log->removed);
  log->Push([this, node, log] {
    log->removed.pop_back();
    Restore(node);
  });
  log->removed.push_back(node);
  MarkRemoved(node);
  all.Commit();
}

void Graph::RenameNode(Node *node, std::string name) {
  Own(node, "node");
  if (name.empty()) Fail(GE_PARAM_INVALID, node->Label(), ": the new name is empty");
  if (name == node->name_) return;
  auto rename = [this, node](std::string &other) noexcept {
    ReleaseName(node);
    node->name_.swap(other);
    node->name_hash_ = NameIndex::Hash(node->name_);
    TakeName(node);
  };
  by_name_.Reserve();
  if (UndoLog *log = Log()) log->Push([rename, old = std::make_shared<std::string>(node->name_)] { rename(*old); });
  rename(name);
}

namespace {
// Names change seldom, and are read from outside only where a thread is refused.
constinit std::mutex names_mutex;
}  // namespace

std::string Graph::NameFromOutside() const {
  std::lock_guard lock(names_mutex);
  return name_;
}

void Graph::set_name(std::string name) {
  if (name == name_) return;
  Graph &top = root();
  if (&top != this && (top.FindSubgraph(name) || top.name_ == name))
    Fail(GE_PARAM_INVALID, "graph name '", name, "' is taken in root graph '", top.name_, "'");
  // Collect the places first, so that the exchange itself cannot fail.
  auto places = std::make_shared<std::vector<std::string *>>();
  auto texts = std::make_shared<std::vector<std::string>>();
  auto collect = [&](Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (!node->rare_) continue;
      for (SubgraphRef &ref : node->rare_->subgraphs)
        if (ref.graph_name == name_) places->push_back(&ref.graph_name);
    }
  };
  if (&top != this) {
    collect(top);
    for (const GraphPtr &sub : top.subgraphs_) collect(*sub);
  }
  places->push_back(&name_);
  auto exchange = [places, texts]() noexcept {
    std::lock_guard lock(names_mutex);
    for (size_t i = 0; i < places->size(); ++i) (*places)[i]->swap((*texts)[i]);
  };
  texts->assign(places->size(), name);
  if (&top != this) top.Unindex(*this);
  if (UndoLog *log = Log()) log->Push(exchange);
  exchange();
}

}  // namespace gec
