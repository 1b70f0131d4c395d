// Puts a copy of a graph in the place of a region.
#include "core/pattern/splice.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/type_index.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/recover_ir.h"
#include "core/ops/registry.h"
#include "core/ops/traits.h"
#include "core/pattern/lineage.h"
#include "core/pattern/rewrite.h"
#include "core/support/error.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {

constexpr size_t kLongestNames = 200;  // of replaced nodes, together, in the name of a new one

struct Counter {
  uint64_t next = 0;
};

bool Inner(const Node &node) {
  static const Symbol net_output("NetOutput");
  return node.type() != net_output && !IsDataType(node.type());
}

}  // namespace

namespace {

/// Both describe the same ports, attributes and subgraphs, so that a node may change over to the other as it is.
bool SameParts(const IrDef &a, const IrDef &b) {
  auto ports = [](const std::vector<IrPort> &x, const std::vector<IrPort> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const IrPort &p, const IrPort &q) { return p.name == q.name && p.kind == q.kind; });
  };
  auto attrs = [](const IrAttr &p, const IrAttr &q) {
    return p.name == q.name && p.type == q.type && p.required == q.required && p.fallback == q.fallback;
  };
  return ports(a.inputs, b.inputs) && ports(a.outputs, b.outputs) && a.graphs.empty() && b.graphs.empty() &&
         std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(), attrs);
}

}  // namespace

void Replacement::Renew(GraphPtr given, bool as_it_is) {
  recovered_.reset();
  graph_ = std::move(given);
  changes_ = graph_->changes();
  Describe();
  if (as_it_is || TakeIrs()) return;
  // A program may have been generated from other versions of the prototypes.
  irs.clear();
  recovered_ = RecoverIr(*graph_);
  if (recovered_) Describe();
  for (const Node *node : order) irs.push_back(&node->ir());
}

/// False where nodes have to be made anew to follow the prototypes registered here.
bool Replacement::TakeIrs() {
  irs.clear();
  irs.reserve(order.size());
  for (const Node *node : order) {
    const OpEntry *installed = OpRegistry::Instance().Find(node->type());
    const IrDef *ir = installed ? installed->ir : &node->ir();
    if (ir != &node->ir() && !SameParts(*ir, node->ir())) {
      irs.clear();
      return false;
    }
    irs.push_back(ir);
  }
  return !has_subgraphs;
}

void Replacement::Describe() {
  const Graph &from = graph();
  static const Symbol index("index");
  input_of.assign(from.id_limit(), -1);
  order.clear();
  fault.clear();
  has_effect = has_control = has_subgraphs = false;
  const std::vector<Node *> data = from.Inputs();
  inputs = data.size();
  // In the order of their numbers, which are 0, 1 and so on where nothing is wrong.
  int64_t last = -1;
  for (const Node *node : data) {
    const int64_t number = node->Int(index, -1);
    if ((number == last || number < 0 || static_cast<size_t>(number) >= inputs) && fault.empty())
      fault = Str(node->Label(), " has index ", number, ", expected each of 0 to ", inputs - 1, " once");
    last = number;
    input_of[node->id()] = static_cast<int32_t>(number);
  }
  if (const Node *net = from.NetOutput()) {
    outputs.clear();
    for (size_t i = 0; i < net->input_count(); ++i) outputs.push_back(net->input(i));
  } else {
    outputs = from.Outputs();
  }
  for (Endpoint e : outputs)
    if (!e && fault.empty()) fault = "one of its outputs is not connected";
  for (Node *node : from.TopologicalOrder()) {
    if (!Inner(*node)) continue;
    order.push_back(node);
    has_effect |= HasEffect(*node);
    has_control |= !node->control_inputs().empty();
    has_subgraphs |= !node->subgraphs().empty();
  }
}

namespace {

class Splicer {
 public:
  /// Without a prefix the new nodes stand for the nodes that they replace, by name and lineage, as a rewrite does. With
  /// one they stay what they are, as the body of a call does.
  Splicer(const Region &region, const Replacement &from, Symbol pass, SpliceRoom *room,
          std::optional<std::string> prefix = {})
      : region_(region),
        target_(*region_.graph),
        from_(from),
        pass_(pass),
        prefix_(std::move(prefix)),
        copies_(room->copies),
        made_(room->made) {}

  void Run() {
    if (!prefix_) Check();
    TypeIndex *index = TypeIndex::Current(target_);
    const uint32_t first = target_.id_limit();
    int64_t base = INT64_MAX;
    for (Endpoint e : region_.outputs)
      if (index) base = std::min(base, index->PositionOf(*e.node));
    Transaction all(target_);
    // New nodes may read at once what they will read, unless that is about to be replaced.
    wired_ = !prefix_ && std::none_of(region_.producers.begin(), region_.producers.end(), [&](Endpoint e) {
      return std::find(region_.outputs.begin(), region_.outputs.end(), e) != region_.outputs.end();
    });
    CopyNodes();
    if (prefix_ && from_.has_effect) KeepEffectsInOrder();
    // Before the new nodes read anything outside: what they read stays as it was.
    MoveReaders();
    WireInputs();
    if (!prefix_) CheckResults();
    CopyControl();
    RemoveOld();
    if (index) index->Rewritten(first, base);
    all.Commit();
  }

 private:
  void Check() {
    static const Symbol net_output("NetOutput");
    const std::string &name = from_.graph().name();
    if (&from_.graph() == &target_)
      Fail(GE_GRAPH_INVALID, "replacement '", name, "' is the graph in which it would replace a part");
    for (const Node *node : region_.nodes)
      if (node->type() == net_output) Fail(GE_GRAPH_INVALID, "the part to replace holds ", node->Label());
    if (from_.inputs != region_.producers.size())
      Fail(GE_GRAPH_INVALID, "replacement '", name, "' has ", from_.inputs, " inputs, the part that it replaces ",
           region_.producers.size());
    if (from_.outputs.size() != region_.outputs.size())
      Fail(GE_GRAPH_INVALID, "replacement '", name, "' has ", from_.outputs.size(),
           " outputs, the part that it replaces ", region_.outputs.size());
    if (!from_.fault.empty()) Fail(GE_GRAPH_INVALID, "replacement '", name, "': ", from_.fault);
    if (std::string conflict = AttrConflict(region_.nodes); !conflict.empty()) Fail(GE_GRAPH_INVALID, conflict);
  }

  /// Where the tensors that are replaced are known, those in their place are worked out and have to be the same.
  void CheckResults() {
    const auto known = [](const TensorDesc &desc) { return desc.shape.has_rank(); };
    const auto desc_of = [](Endpoint e) -> const TensorDesc & {
      return e.node->output_desc(static_cast<size_t>(e.port));
    };
    if (std::none_of(region_.outputs.begin(), region_.outputs.end(), [&](Endpoint e) { return known(desc_of(e)); }))
      return;
    for (Node *node : made_)
      if (node->output_count() != 0 && !known(node->output_desc(0))) (void)TryInferNode(*node);
    for (size_t i = 0; i < region_.outputs.size(); ++i) {
      const Endpoint old = region_.outputs[i];
      const TensorDesc &want = desc_of(old), &got = desc_of(Here(from_.outputs[i]));
      if (!known(want) || !known(got) || want.format != got.format) continue;
      bool is_same = want.dtype == got.dtype && want.shape.rank() == got.shape.rank();
      for (int d = 0; is_same && d < want.shape.rank(); ++d)
        is_same = want.shape[d] == got.shape[d] || want.shape[d] < 0 || got.shape[d] < 0;
      if (!is_same)
        Fail(GE_GRAPH_INVALID, "replacement '", from_.graph().name(), "': output ", i, " is ",
             GeDataTypeName(got.dtype), " ", got.shape.str(), ", the tensor in whose place it comes, of ",
             old.node->Label(), ", is ", GeDataTypeName(want.dtype), " ", want.shape.str());
    }
  }

  Node *&CopyOf(const Node *node) { return copies_[node->id()]; }
  /// The tensor of the target that stands for a tensor of the replacement.
  Endpoint Here(Endpoint e) {
    if (IsDataType(e.node->type())) return region_.producers[static_cast<size_t>(from_.input_of[e.node->id()])];
    return {CopyOf(e.node), e.port};
  }

  std::string NameOf(const Node &node) const {
    if (prefix_) return *prefix_ + node.name();
    char digits[24];
    const char *const end = std::to_chars(digits, digits + sizeof digits, PerThread<Counter>::Get().next++).ptr;
    const std::string_view number(digits, static_cast<size_t>(end - digits));
    size_t olds = 0;
    for (const Node *old : region_.nodes) olds += 1 + old->name().size();
    // A rule that matches what it made would make its names longer each time.
    const bool told = olds <= kLongestNames;
    std::string name;
    name.reserve(node.name().size() + (told ? olds : 0) + 1 + number.size());
    name = node.name();
    if (told)
      for (const Node *old : region_.nodes) (name += '_') += old->name();
    (name += '_') += number;
    return name;
  }

  /// A program's words on where and how a call runs hold for the nodes that it calls.
  static bool ForBody(Symbol attr) { return attr == EngineAttr() || attr == GeEngineAttr() || IsInheritedAttr(attr); }
  void InheritFromCall(Node &copy, const Node &node) {
    target_.InheritOrigins(&copy, {&node}, pass_);
    for (const auto &[name, value] : region_.nodes[0]->attrs()) {
      if (ForBody(name) && !copy.attrs().Has(name)) target_.SetAttr(&copy, name, value);
    }
  }

  void CopyNodes() {
    copies_.assign(from_.graph().id_limit(), nullptr);
    made_.clear();
    made_.reserve(from_.order.size());
    std::optional<Lineage> lineage;
    if (!prefix_) lineage.emplace(region_.nodes, true);
    for (size_t k = 0; k < from_.order.size(); ++k) {
      Node *node = from_.order[k];
      Node *copy = prefix_ ? CopyNode(target_, *node, target_.UniqueName(NameOf(*node)))
                           : Stand(*node, from_.irs[k], *lineage, k + 1 == from_.order.size());
      if (prefix_) InheritFromCall(*copy, *node);
      CopyOf(node) = copy;
      made_.push_back(copy);
    }
    for (const Node *node : from_.order)
      if (from_.has_subgraphs) CopySubgraphs(*node, CopyOf(node));
  }
  /// A copy in the place of the region, complete from the start.
  Node *Stand(const Node &node, const IrDef *ir, Lineage &lineage, bool is_last) {
    std::string name = NameOf(node);
    NodeParts parts = PartsOf(node);
    parts.name_hash = target_.FetchName(name);
    lineage.AddTo(parts, node.passes(), pass_, is_last);
    InlineVec<Endpoint, 4> inputs;
    bool described = false;
    for (size_t i = 0; i < node.input_count(); ++i) {
      described |= node.explicit_input_desc(i) != nullptr;
      const Endpoint e = node.input(i);
      inputs.push_back(e && wired_ ? Here(e) : Endpoint());
    }
    parts.inputs = inputs.data();
    const auto own = [](TensorDesc desc) {
      if (desc.attrs) desc.attrs = std::make_shared<AttrMap>(*desc.attrs);
      return desc;
    };
    InlineVec<TensorDesc, 2> outputs;
    if (node.output_count() == 1 && !node.output_desc(0).attrs) {
      parts.output_descs = &node.output_desc(0);
    } else {
      for (size_t i = 0; i < node.output_count(); ++i) outputs.push_back(own(node.output_desc(i)));
      parts.output_descs = outputs.data();
    }
    if (target_.Find(name, parts.name_hash)) {
      name = target_.UniqueName(std::move(name));
      parts.name_hash = 0;
    }
    Node *copy = target_.AddNode(ir, std::move(name), std::move(parts));
    for (size_t i = 0; described && i < node.input_count(); ++i)
      if (const TensorDesc *desc = node.explicit_input_desc(i)) target_.SetInputDesc(copy, i, own(*desc));
    return copy;
  }
  void CopySubgraphs(const Node &node, Node *copy) {
    for (size_t i = 0; i < node.subgraphs().size(); ++i) {
      Graph *subgraph = node.subgraph(i);
      if (!subgraph) continue;
      // A call that stays one: what it calls may be called from many places.
      if (prefix_ && ControlFlowOf(node) == GE_CONTROL_FLOW_CALL) {
        target_.AttachSubgraph(copy, node.subgraphs()[i].ir_name, subgraph->shared_from_this());
        continue;
      }
      GraphPtr clone = subgraph->Clone();
      Graph &root = target_.root();
      // Graphs that the subgraph calls come with it; all names are made free in the target's root. A body may be copied
      // thousands of times, so its graphs are numbered on.
      auto free_name = [&](const std::string &name) {
        std::string text = name;
        for (uint64_t k = prefix_ ? PerThread<Counter>::Get().next++ : 0;
             root.FindSubgraph(text) || text == root.name() || clone->FindSubgraph(text); ++k)
          text = name + "_" + std::to_string(k);
        return text;
      };
      const std::vector<GraphPtr> nested = clone->subgraphs();
      for (const GraphPtr &inner : nested)
        if (root.FindSubgraph(inner->name()) || inner->name() == root.name()) inner->set_name(free_name(inner->name()));
      clone->set_name(free_name(clone->name()));
      target_.AttachSubgraph(copy, node.subgraphs()[i].ir_name, std::move(clone));
    }
  }

  void MoveReaders() {
    const std::vector<Endpoint> &results = from_.outputs;
    InlineVec<std::pair<Endpoint, Endpoint>, 4> moves;
    for (size_t i = 0; i < results.size(); ++i) moves.emplace_back(region_.outputs[i], Here(results[i]));
    // An output that is handed through may itself be one that is replaced: then who reads what is settled first.
    const bool tangled = std::any_of(moves.begin(), moves.end(), [&](const auto &move) {
      return std::find(region_.outputs.begin(), region_.outputs.end(), move.second) != region_.outputs.end();
    });
    if (!tangled) {
      for (const auto &[old, fresh] : moves) target_.ReplaceUses(old, fresh);
      return;
    }
    std::vector<std::pair<Use, Endpoint>> uses;
    for (const auto &[old, fresh] : moves)
      for (const Use &use : old.node->uses(static_cast<size_t>(old.port))) uses.emplace_back(use, fresh);
    std::vector<Endpoint> listed;
    if (!target_.NetOutput()) listed = target_.Outputs();
    bool relist = false;
    for (Endpoint &e : listed) {
      auto move = std::find_if(moves.begin(), moves.end(), [&](const auto &m) { return m.first == e; });
      if (move == moves.end()) continue;
      e = move->second;
      relist = true;
    }
    for (const auto &[use, fresh] : uses) target_.Reconnect(fresh, use.node, use.port);
    if (relist) target_.SetOutputs(std::move(listed));
  }

  void WireInputs() {
    for (const Node *node : from_.order)
      for (size_t i = 0; !wired_ && i < node->input_count(); ++i)
        if (const Endpoint e = node->input(i)) target_.Connect(Here(e), CopyOf(node), static_cast<int32_t>(i));
    if (!from_.has_control) return;
    for (const Node *node : from_.order)
      for (const Node *before : node->control_inputs())
        if (Inner(*before)) target_.AddControl(CopyOf(before), CopyOf(node));
  }

  /// A call runs when all of its arguments are there, and whoever reads a result of it runs after all of it. For what
  /// the body does besides computing that order stays, in control edges.
  void KeepEffectsInOrder() {
    std::vector<Node *> effects;
    for (const Node *node : from_.order)
      if (HasEffect(*node)) effects.push_back(CopyOf(node));
    Node *before = MakeNode(target_, "NoOp", *prefix_ + "arguments");
    Node *after = MakeNode(target_, "NoOp", *prefix_ + "effects");
    std::unordered_set<Node *> done;
    for (Endpoint e : region_.producers)
      if (e && done.insert(e.node).second && !IsDataType(e.node->type()) && !IsConstType(e.node->type()))
        target_.AddControl(e.node, before);
    for (Node *node : effects) {
      target_.AddControl(before, node);
      target_.AddControl(node, after);
    }
    done.clear();
    for (Endpoint e : region_.outputs)
      for (const Use &use : e.node->uses(static_cast<size_t>(e.port)))
        if (done.insert(use.node).second) target_.AddControl(after, use.node);
  }

  void CopyControl() {
    if (made_.empty()) return;  // removing hands control edges on
    if (std::all_of(region_.nodes.begin(), region_.nodes.end(),
                    [](const Node *node) { return node->control_inputs().empty() && node->control_outputs().empty(); }))
      return;
    const std::unordered_set<const Node *> old(region_.nodes.begin(), region_.nodes.end());
    std::vector<Node *> before, after;
    for (const Node *node : region_.nodes) {
      for (Node *other : node->control_inputs())
        if (!old.count(other)) before.push_back(other);
      for (Node *other : node->control_outputs())
        if (!old.count(other)) after.push_back(other);
    }
    if (!before.empty()) {
      Node *gate = MakeNode(target_, "NoOp", "noop_in_" + made_.front()->name());
      for (Node *other : before) target_.AddControl(other, gate);
      for (Node *node : made_) target_.AddControl(gate, node);
    }
    if (!after.empty()) {
      Node *gate = MakeNode(target_, "NoOp", "noop_out_" + made_.back()->name());
      for (Node *node : made_) target_.AddControl(node, gate);
      for (Node *other : after) target_.AddControl(gate, other);
    }
  }

  bool Needed(const Node &node) const {
    if (node.total_uses() != 0 || IsDataType(node.type()) || IsVariableType(node.type())) return true;
    // A replacement without effects does not stand for those of the nodes that it replaces.
    return (!from_.has_effect && SaysEffect(node)) || node.IsGraphOutput();
  }

  void RemoveOld() {
    for (bool removed = true; removed;) {
      removed = false;
      for (Node *node : region_.nodes) {
        if (node->removed() || Needed(*node)) continue;
        KeepOrder(*node);
        target_.RemoveNode(node);
        removed = true;
      }
    }
  }
  /// Nodes that had to wait for the removed node wait for its own predecessors.
  void KeepOrder(Node &node) {
    const std::vector<Node *> after = node.control_outputs();
    if (after.empty()) return;
    std::vector<Node *> before = node.control_inputs();
    for (size_t i = 0; i < node.input_count(); ++i)
      if (const Endpoint e = node.input(i)) before.push_back(e.node);
    for (Node *earlier : before)
      for (Node *later : after)
        if (earlier != later) target_.AddControl(earlier, later);
  }

  const Region &region_;
  Graph &target_;
  const Replacement &from_;
  const Symbol pass_;
  const std::optional<std::string> prefix_;
  bool wired_ = false;  // new nodes read from the start what they shall read
  std::vector<Node *> &copies_, &made_;
};

}  // namespace

void ReplaceRegion(const Region &region, const Replacement &replacement, Symbol pass, SpliceRoom *room) {
  Splicer(region, replacement, pass, room).Run();
}

std::vector<Node *> ReplaceRegion(const Boundary &boundary, const Graph &replacement, Symbol pass) {
  SpliceRoom room;
  ReplaceRegion(Enclose(boundary), Replacement(const_cast<Graph &>(replacement).shared_from_this()), pass, &room);
  return std::move(room.made);
}

std::string WhyNotInline(const Node &call, const Graph &callee) {
  static const Symbol index("index");
  const size_t first = FirstArgument(call);
  for (const Node *data : callee.Inputs()) {
    const int64_t k = data->Int(index, -1);
    if (k < 0 || first + static_cast<size_t>(k) >= call.input_count() || !call.input(first + static_cast<size_t>(k)))
      return Str("reads argument ", k, ", which the node does not pass");
  }
  const std::vector<Endpoint> outputs = callee.Outputs();
  if (outputs.size() != call.output_count())
    return Str("has ", outputs.size(), " outputs, the node has ", call.output_count());
  return "";
}

void InlineCall(Node &call, const Graph &callee, std::string_view prefix, Symbol pass) {
  Region region{&call.graph(), {&call}, {}, {}};
  for (size_t i = FirstArgument(call); i < call.input_count(); ++i) region.producers.push_back(call.input(i));
  for (size_t o = 0; o < call.output_count(); ++o) region.outputs.push_back({&call, static_cast<int32_t>(o)});
  const Replacement body(const_cast<Graph &>(callee).shared_from_this(), true);
  SpliceRoom room;
  Splicer(region, body, pass, &room, std::string(prefix)).Run();
}

}  // namespace gec
