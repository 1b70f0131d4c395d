#include "core/pattern/rewrite.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/quantization.h"
#include "core/ops/infer.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/recover_ir.h"
#include "core/ops/traits.h"
#include "core/pattern/pattern.h"
#include "core/support/error.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {

/// Nodes with different values of one of these may not become one; nodes without it join any.
const std::vector<Symbol> &SharedAttrs() {
  static const std::vector<Symbol> *names =
      new std::vector<Symbol>{"_user_stream_label", "_super_kernel_scope", "_super_kernel_options", "_op_aicore_num",
                              "_op_vectorcore_num", "_deterministic",      "_deterministic_level"};
  return *names;
}
/// Handed on besides those.
const std::vector<Symbol> &InheritedAttrs() {
  static const std::vector<Symbol> *names =
      new std::vector<Symbol>{"_op_compile_strategy", "_keep_dtype",     "_op_debug_config",
                              "_op_impl_mode_enum",   "_parallel_group", "_user_stream_priority"};
  return *names;
}

struct Counter {
  uint64_t next = 0;
};

/// "" or what is wrong with the values.
std::string AttrConflict(const std::vector<Node *> &nodes) {
  static const Symbol deterministic("_deterministic"), level("_deterministic_level");
  for (Symbol name : SharedAttrs()) {
    const Node *first = nullptr;
    for (const Node *node : nodes) {
      const AttrValue *value = node->attrs().Find(name);
      if (!value) continue;
      const int64_t most = name == deterministic ? 1 : name == level ? 3 : 0;
      if (const int64_t number = IntOf(value, 0); most && (number < 0 || number > most))
        return Str(node->Label(), ": attribute '", name.view(), "' is ", number, ", allowed: 0 to ", most);
      if (first && !(*first->attrs().Find(name) == *value))
        return Str("attribute '", name.view(), "' of ", first->Label(), " and of ", node->Label(), " differs");
      if (!first) first = node;
    }
  }
  return "";
}

void AddNames(AttrValue::ListString &list, const Node &node, Symbol attr, std::string own) {
  const AttrValue *recorded = node.attrs().Find(attr);
  const auto *names = recorded ? recorded->get_if<AttrValue::ListString>() : nullptr;
  auto add = [&](const std::string &name) { list.push_back(name); };
  if (names && !names->empty()) std::for_each(names->begin(), names->end(), add);
  else add(own);
}

/// Leaves out what is there before. A region may stand for thousands of nodes.
void KeepFirst(std::vector<SharedText> &list) {
  constexpr size_t kFew = 16;
  if (list.size() > kFew) {
    std::unordered_set<std::string_view> seen;
    std::erase_if(list, [&](const SharedText &text) { return !seen.insert(text.view()).second; });
    return;
  }
  auto end = list.begin();
  for (SharedText &text : list) {
    if (std::find(list.begin(), end, text) == end) std::swap(*end++, text);
  }
  list.erase(end, list.end());
}

}  // namespace

std::string WhyNotFuse(const std::vector<Node *> &nodes) {
  if (nodes.empty()) return "there are no nodes";
  for (const Node *node : nodes) {
    if (!node || node->removed()) return "one of the nodes was removed";
    if (&node->graph() != &nodes.front()->graph())
      return Str(nodes.front()->Label(), " is of graph '", nodes.front()->graph().name(), "', ", node->Label(),
                 " of graph '", node->graph().name(), "'");
  }
  if (std::string conflict = AttrConflict(nodes); !conflict.empty()) return conflict;
  if (WouldMakeCycle(nodes))
    return Str("one node for ", nodes.front()->Label(), " and the others would lie on a cycle");
  return "";
}

void InheritLineage(Node &made, const std::vector<Node *> &before, Symbol pass) {
  static const Symbol names_attr("_datadump_original_op_names"), types_attr("_datadump_original_op_types"),
      passes_attr("pass_name");
  Graph &graph = made.graph();
  AttrValue::ListString names, types, passes;
  std::vector<SharedText> origins;
  std::vector<Symbol> lineage = made.passes();
  auto add = [](auto &list, const auto &item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  for (auto *list : {&names, &types}) list->reserve(before.size());
  origins.reserve(before.size());
  for (const Node *node : before) {
    AddNames(names, *node, names_attr, node->name());
    AddNames(types, *node, types_attr, node->type().str());
    if (node->origins().empty()) origins.emplace_back(node->name());
    origins.insert(origins.end(), node->origins().begin(), node->origins().end());
    for (Symbol touched : node->passes()) add(lineage, touched);
  }
  KeepFirst(origins);
  if (!pass.empty()) add(lineage, pass);
  for (Symbol touched : lineage) passes.push_back(touched.str());
  graph.SetAttr(&made, names_attr, AttrValue(std::move(names)));
  graph.SetAttr(&made, types_attr, AttrValue(std::move(types)));
  if (!passes.empty()) graph.SetAttr(&made, passes_attr, AttrValue(std::move(passes)));
  graph.SetLineage(&made, std::move(origins), std::move(lineage));
}

void InheritFrom(Node &made, const std::vector<Node *> &before, Symbol pass) {
  InheritLineage(made, before, pass);
  Graph &graph = made.graph();
  for (const auto *list : {&SharedAttrs(), &InheritedAttrs()}) {
    for (Symbol name : *list) {
      if (made.attrs().Has(name)) continue;
      for (const Node *node : before) {
        const AttrValue *value = node->attrs().Find(name);
        if (!value) continue;
        graph.SetAttr(&made, name, *value);
        break;
      }
    }
  }
}

namespace {

class Splicer {
 public:
  /// Without a prefix the new nodes stand for the nodes that they replace, by name and lineage, as a rewrite does. With
  /// one they stay what they are, as the body of a call does.
  Splicer(Region region, const Graph &replacement, Symbol pass, std::optional<std::string> prefix = {})
      : region_(std::move(region)),
        target_(*region_.graph),
        from_(replacement),
        pass_(pass),
        prefix_(std::move(prefix)) {
    for (const Node *node : from_.Nodes()) has_effect_ |= Inner(*node) && HasEffect(*node);
  }

  std::vector<Node *> Run() {
    if (!prefix_) Check();
    Transaction all(target_);
    CopyNodes();
    if (prefix_ && has_effect_) KeepEffectsInOrder();
    // Before the new nodes read anything outside: what they read stays as it was.
    MoveReaders();
    WireInputs();
    CopyControl();
    RemoveOld();
    all.Commit();
    return made_;
  }

 private:
  static bool Inner(const Node &node) {
    static const Symbol net_output("NetOutput");
    return node.type() != net_output && !IsDataType(node.type());
  }

  void Check() {
    static const Symbol net_output("NetOutput");
    for (const Node *node : region_.nodes)
      if (node->type() == net_output) Fail(GE_GRAPH_INVALID, "the part to replace holds ", node->Label());
    const std::vector<Node *> inputs = from_.Inputs();
    if (inputs.size() != region_.producers.size())
      Fail(GE_GRAPH_INVALID, "replacement '", from_.name(), "' has ", inputs.size(),
           " inputs, the part that it replaces ", region_.producers.size());
    std::unordered_set<int64_t> seen;
    for (const Node *data : inputs) {
      const int64_t index = Index(*data);
      if (index < 0 || static_cast<size_t>(index) >= inputs.size() || !seen.insert(index).second)
        Fail(GE_GRAPH_INVALID, "replacement '", from_.name(), "': ", data->Label(), " has index ", index,
             ", expected each of 0 to ", inputs.size() - 1, " once");
    }
    const std::vector<Endpoint> outputs = from_.Outputs();
    if (outputs.size() != region_.outputs.size())
      Fail(GE_GRAPH_INVALID, "replacement '", from_.name(), "' has ", outputs.size(),
           " outputs, the part that it replaces ", region_.outputs.size());
    for (Endpoint e : outputs)
      if (!e) Fail(GE_GRAPH_INVALID, "replacement '", from_.name(), "': one of its outputs is not connected");
    (void)from_.TopologicalOrder();
    if (std::string conflict = AttrConflict(region_.nodes); !conflict.empty()) Fail(GE_GRAPH_INVALID, conflict);
  }

  static int64_t Index(const Node &data) {
    static const Symbol index("index");
    return data.Int(index, -1);
  }

  /// The tensor of the target that stands for a tensor of the replacement.
  Endpoint Here(Endpoint e) const {
    if (IsDataType(e.node->type())) return region_.producers[static_cast<size_t>(Index(*e.node))];
    return {copies_.at(e.node), e.port};
  }

  std::string NameOf(const Node &node) const {
    if (prefix_) return *prefix_ + node.name();
    std::string name = node.name();
    for (const Node *old : region_.nodes) name += "_" + old->name();
    return name + "_" + std::to_string(PerThread<Counter>::Get().next++);
  }

  void Inherit(Node &copy, const Node &node) {
    if (!prefix_) {
      target_.SetLineage(&copy, {}, node.passes());
      return InheritFrom(copy, region_.nodes, pass_);
    }
    target_.InheritOrigins(&copy, {&node}, pass_);
    for (const auto &[name, value] : region_.nodes[0]->attrs()) {
      if (ForBody(name) && !copy.attrs().Has(name)) target_.SetAttr(&copy, name, value);
    }
  }
  /// A program's words on where and how a call runs hold for the nodes that it calls.
  static bool ForBody(Symbol attr) {
    auto in = [&](const std::vector<Symbol> &names) {
      return std::find(names.begin(), names.end(), attr) != names.end();
    };
    return attr == EngineAttr() || attr == GeEngineAttr() || in(SharedAttrs()) || in(InheritedAttrs());
  }

  void CopyNodes() {
    for (Node *node : from_.TopologicalOrder()) {
      if (!Inner(*node)) continue;
      Node *copy = CopyNode(target_, *node, target_.UniqueName(NameOf(*node)));
      Inherit(*copy, *node);
      copies_[node] = copy;
      order_.push_back(node);
      made_.push_back(copy);
    }
    for (const Node *node : order_) CopySubgraphs(*node, copies_.at(node));
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
    const std::vector<Endpoint> results = from_.Outputs();
    std::vector<std::pair<Endpoint, Endpoint>> moves;
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
    for (const Node *node : order_)
      for (size_t i = 0; i < node->input_count(); ++i)
        if (const Endpoint e = node->input(i)) target_.Connect(Here(e), copies_.at(node), static_cast<int32_t>(i));
    for (const Node *node : order_)
      for (const Node *before : node->control_inputs())
        if (Inner(*before)) target_.AddControl(copies_.at(before), copies_.at(node));
  }

  /// A call runs when all of its arguments are there, and whoever reads a result of it runs after all of it. For what
  /// the body does besides computing that order stays, in control edges.
  void KeepEffectsInOrder() {
    std::vector<Node *> effects;
    for (const Node *node : order_)
      if (HasEffect(*node)) effects.push_back(copies_.at(node));
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
    if (!has_effect_ && SaysEffect(node)) return true;
    if (target_.NetOutput()) return false;
    const std::vector<Endpoint> listed = target_.Outputs();
    return std::any_of(listed.begin(), listed.end(), [&](Endpoint e) { return e.node == &node; });
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

  Region region_;
  Graph &target_;
  const Graph &from_;
  const Symbol pass_;
  const std::optional<std::string> prefix_;
  bool has_effect_ = false;  // of the replacement
  std::unordered_map<const Node *, Node *> copies_;
  std::vector<const Node *> order_;  // of the replacement, as they were copied
  std::vector<Node *> made_;
};

}  // namespace

std::vector<Node *> ReplaceRegion(const Boundary &boundary, const Graph &replacement, Symbol pass) {
  Region region = Enclose(boundary);
  // A program may have been generated from other versions of the prototypes.
  const GraphPtr recovered = RecoverIr(replacement);
  return Splicer(std::move(region), recovered ? *recovered : replacement, pass).Run();
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
  Splicer(std::move(region), callee, pass, std::string(prefix)).Run();
}

void InferReplacement(const Boundary &boundary, Graph &replacement) {
  static const Symbol index("index");
  // Shapes are worked out on a copy, in which constants outside stand beside the inputs that they feed.
  GraphPtr work = RecoverIr(replacement);
  if (!work) work = replacement.Clone();
  for (Node *data : work->Inputs()) {
    const AttrValue *number = data->attrs().Find(index);
    if (!number) Fail(GE_GRAPH_INVALID, "replacement '", replacement.name(), "': ", data->Label(), " has no index");
    auto input = boundary.inputs.find(IntOf(number, -1));
    if (input == boundary.inputs.end() || input->second.empty())
      Fail(GE_GRAPH_INVALID, "replacement '", replacement.name(), "': ", data->Label(), " has index ",
           IntOf(number, -1), ", the part that it replaces has no such input");
    const Use &port = input->second.front();
    if (!port.node || port.node->removed()) Fail(GE_GRAPH_INVALID, "a node of the part to replace was removed");
    const Endpoint source = port.node->input(static_cast<size_t>(port.port));
    if (!source) Fail(GE_GRAPH_INVALID, port.node->Label(), ": input port ", port.port, " is not connected");
    TensorDesc desc = source.node->output_desc(static_cast<size_t>(source.port));
    KeepOnlyQuantization(&desc);
    work->SetOutputDesc(data, 0, std::move(desc));
    if (TensorPtr value = ConstantOf(source); value && value->buffer)
      work->ReplaceUses({data, 0}, {MakeConst(*work, std::move(value), data->name() + "_value"), 0});
  }
  InferGraph(*work);
  TakeOutputDescs(*work, replacement);
}

}  // namespace gec
