// Variables become values: each assignment makes a new value, and what is newest at the end of a run is a hidden
// output, so that nodes have no memory. The idea, step by step: docs/algorithms.md, "Variables as values".
#include "core/variables/variables.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/ops/infer.h"
#include "core/ops/make_node.h"
#include "core/ops/traits.h"
#include "core/placement/kernels.h"
#include "core/support/error.h"
#include "core/support/log.h"
#include "core/variables/updates.h"
#include "core/variables/variable_races.h"

namespace gec {
namespace {

// Attributes that VariablesOf reads later. On hidden inputs:
const Symbol &NameAttr() {
  static const Symbol name("_variable");
  return name;
}
const Symbol &FlagAttr() {
  static const Symbol name("_variable_is_set");
  return name;
}
const Symbol &ValueAttr() {
  static const Symbol name("value");
  return name;
}
// On the graph, one entry for each hidden output:
const Symbol &OutputsAttr() {
  static const Symbol name("_variable_outputs");
  return name;
}
const Symbol &WritersAttr() {
  static const Symbol name("_variable_writers");
  return name;
}
const Symbol &RefsAttr() {
  static const Symbol name("_variable_inputs");
  return name;
}

bool IsHandle(Symbol type) {
  static const Symbol handle("VarHandleOp");
  return type == handle;
}
/// Graphs without variables are looked through by their types only.
bool Concerned(const Graph &root) {
  static const std::unordered_set<Symbol> *updates = [] {
    const std::vector<Symbol> types = UpdateTypes();
    return new std::unordered_set<Symbol>(types.begin(), types.end());
  }();
  static const Symbol ref_data("RefData");
  auto any = [&](const Graph &graph) {
    const std::vector<Symbol> there = graph.Types();
    return std::any_of(there.begin(), there.end(), [&](Symbol type) {
      return type == ref_data || IsVariableType(type) || updates->count(type) != 0;
    });
  };
  return any(root) ||
         std::any_of(root.subgraphs().begin(), root.subgraphs().end(), [&](const GraphPtr &sub) { return any(*sub); });
}

struct Var {
  std::string name;
  std::string label;  // the first node of it
  TensorDesc desc;
  TensorPtr initial;
  bool described = false;  // by this graph or another of the session; else its first assignment does
  Node *ref = nullptr;     // a RefData of the root
  std::string writer;
};

/// An input port that a node changes in place; output: the port of the new value, or -1.
struct Change {
  int32_t input, output;
  int var;  // -1: no variable is there
};

/// The accesses of a node to variables, found before anything is changed.
struct Role {
  std::vector<Change> changes;
  std::vector<std::pair<int32_t, int>> reads;  // port, variable
};

class Lowering {
 public:
  Lowering(Graph &root, const VariableLookup &known) : root_(root), known_(known) {}

  void Run() {
    root_inputs_ = static_cast<int64_t>(root_.Inputs().size());
    Survey(root_);
    Describe();
    FindReads(root_);
    for (const auto &[graph, use] : uses_) WarnOfRaces(*graph, use);
    State state;
    Transform(root_, state);
    FinishRoot(state);
  }

 private:
  using State = std::map<int, Endpoint>;  // present value by variable
  struct Use {
    std::set<int> touched, written;
    void Add(const Use &other) {
      touched.insert(other.touched.begin(), other.touched.end());
      written.insert(other.written.begin(), other.written.end());
    }
  };

  // ---- survey: which variables there are, and which nodes change them ----

  static std::string NameOf(const Node &node) {
    static const Symbol variable("Variable"), shared("shared_name"), container("container");
    if (node.type() == variable) return node.name();
    std::string name = node.String(shared), in = node.String(container);
    if (name.empty()) name = node.name();
    return in.empty() ? name : in + "/" + name;
  }

  int VarOf(const Node &node) {
    const std::string name = NameOf(node);
    auto [at, fresh] = by_name_.emplace(name, static_cast<int>(vars_.size()));
    if (fresh) {
      vars_.emplace_back();
      vars_.back().name = name;
    }
    if (nodes_.emplace(&node, at->second).second) TakeDesc(vars_[static_cast<size_t>(at->second)], node);
    return at->second;
  }

  /// Reads the node's description of its variable. A node without a value whose output was never described says
  /// nothing.
  void TakeDesc(Var &var, const Node &node) {
    static const Symbol init("init"), dtype("dtype"), shape("shape");
    TensorDesc desc = node.output_count() ? node.output_desc(0) : TensorDesc();
    TensorPtr initial;
    bool described = false;
    if (IsHandle(node.type())) {
      const std::vector<int64_t> dims = node.Ints(shape);
      const bool known = std::all_of(dims.begin(), dims.end(), [](int64_t d) { return d >= 0; });
      described = known && node.attrs().Has(shape);
      desc = TensorDesc(static_cast<int32_t>(node.Int(dtype)),
                        described ? Shape(dims.data(), dims.size()) : Shape::UnknownRank());
    } else {
      for (Symbol name : {ValueAttr(), init}) {
        if (!initial) initial = node.attrs().GetTensor(name);
        if (initial && !initial->buffer) initial = nullptr;  // the prototype's empty tensor
      }
      if (node.input_count() && node.input(0)) {
        if (!initial) initial = ConstantOf(node.input(0));
        if (!initial) {
          Fail(GE_UNSUPPORTED, node.Label(), ": its input is not a constant; assign the value that ",
               node.input(0).node->Label(), " computes with Assign");
        }
      }
      const TensorDesc none{};
      described = initial ||
                  (desc.known() && (desc.shape.rank() != 0 || desc.dtype != none.dtype || desc.format != none.format));
      if (initial) {
        const int32_t format = desc.format;
        desc = initial->desc;
        if (desc.format == C_FORMAT_ND) desc.format = desc.origin_format = format;
        if (initial->bytes() != desc.bytes()) {
          Fail(GE_GRAPH_INVALID, node.Label(), ": its initial value has ", initial->bytes(), " bytes, shape ",
               desc.shape.str(), " of ", GeDataTypeName(desc.dtype), " needs ", desc.bytes());
        }
      }
    }
    desc.attrs = nullptr;
    if (described && var.described && !Same(var.desc, desc)) {
      Fail(GE_GRAPH_INVALID, "variable '", var.name, "' is ", Text(desc), " at ", node.Label(), " in graph '",
           node.graph().name(), "', ", var.label, " has it as ", Text(var.desc));
    }
    if (var.label.empty() || (described && !var.described)) {
      var.label = node.Label();
      var.desc = desc;
    }
    var.described |= described;
    if (!var.initial) var.initial = std::move(initial);
  }

  static bool Same(const TensorDesc &a, const TensorDesc &b) { return a.dtype == b.dtype && a.shape == b.shape; }
  static std::string Text(const TensorDesc &desc) { return Str(GeDataTypeName(desc.dtype), " ", desc.shape.str()); }

  /// The variable that an endpoint stands for, or -1: a variable itself, what an assignment to it returns, a RefData,
  /// an argument of a subgraph that is fed with one, a copy of a handle.
  int RefOf(Endpoint e) {
    static const Symbol identity("Identity"), ref_data("RefData");
    if (!e) return -1;
    const Node &node = *e.node;
    if (IsVariableType(node.type())) return VarOf(node);
    if (IsDataType(node.type())) {
      auto argument = arguments_.find(&node);
      if (argument != arguments_.end()) return argument->second;
      if (node.type() != ref_data || node.graph().parent()) return -1;
      auto at = nodes_.find(&node);
      if (at != nodes_.end()) return at->second;
      Var var;
      var.name = node.name();
      var.label = node.Label();
      var.desc = node.output_desc(0);
      var.ref = e.node;
      vars_.push_back(std::move(var));
      return nodes_[&node] = static_cast<int>(vars_.size()) - 1;
    }
    if (node.type() == identity) return HandleOf(node.input(0));
    for (const Change &change : ChangesOf(node)) {
      if (change.output == e.port) return RefOf(node.input(static_cast<size_t>(change.input)));
    }
    return -1;
  }
  /// The variable of a resource handle, or -1.
  int HandleOf(Endpoint e) {
    static const Symbol identity("Identity");
    for (; e && e.node->type() == identity; e = e.node->input(0)) {
    }
    if (!e || !(IsHandle(e.node->type()) || handle_arguments_.count(e.node))) return -1;
    return RefOf(e);
  }

  static std::vector<Change> ChangesOf(const Node &node) {
    std::vector<Change> changes;
    const IrDef &ir = node.ir();
    if (ir.dynamic_inputs || ir.dynamic_outputs || !ir.graphs.empty()) return changes;
    for (size_t o = 0; o < ir.outputs.size(); ++o) {
      const int in = ir.FindInput(ir.outputs[o].name);
      if (in >= 0 && node.input(static_cast<size_t>(in))) changes.push_back({in, static_cast<int32_t>(o), -1});
    }
    for (const char *name : UpdatedInputs(node.type())) {
      const int in = ir.FindInput(Symbol(name));
      const bool there =
          std::any_of(changes.begin(), changes.end(), [&](const Change &change) { return change.input == in; });
      if (in >= 0 && !there && node.input(static_cast<size_t>(in))) changes.push_back({in, -1, -1});
    }
    return changes;
  }

  static size_t FirstArgument(const Node &caller) {
    const IrDef &ir = caller.ir();
    if (ir.inputs.empty() || ir.inputs.back().kind != GE_IR_DYNAMIC || ir.outputs.size() != 1 ||
        ir.outputs[0].kind != GE_IR_DYNAMIC || caller.dynamic_input_counts().size() != 1)
      Fail(GE_UNSUPPORTED, caller.Label(), " calls subgraphs that use variables, and cannot pass them on");
    return static_cast<size_t>(caller.InputRange(ir.inputs.size() - 1).first);
  }
  static bool Calls(const Node &node) { return IsControlFlow(node) && !node.subgraphs().empty(); }

  const Use &Survey(Graph &graph) {
    static const Symbol index("index");
    auto [at, fresh] = uses_.emplace(&graph, Use());
    Use &use = at->second;
    if (!fresh) return use;
    for (Node *node : graph.TopologicalOrder()) {
      if (IsVariableType(node->type())) use.touched.insert(VarOf(*node));
      if (Calls(*node)) {
        const bool counter = ControlFlowOf(*node) == GE_CONTROL_FLOW_FOR && TakesCounter(*node);
        for (size_t i = 0; i < node->subgraphs().size(); ++i) {
          Graph *sub = node->subgraph(i);
          if (!sub) continue;
          Node *&caller = callers_[sub];
          const bool again = caller != nullptr;
          caller = node;
          for (Node *data : sub->Inputs()) {
            const int64_t k = data->Int(index) - (counter ? 1 : 0);
            const size_t port = static_cast<size_t>(k) + (k < 0 ? 0 : ArgumentsBegin(*node));
            const int var = k < 0 || port >= node->input_count() ? -1 : RefOf(node->input(port));
            if (var < 0) continue;
            arguments_.emplace(data, var);
            if (HandleOf(node->input(port)) >= 0) handle_arguments_.insert(data);
          }
          const Use &inside = Survey(*sub);
          if (again && !inside.touched.empty()) {
            Fail(GE_UNSUPPORTED, "subgraph '", sub->name(), "' uses variable '",
                 vars_[static_cast<size_t>(*inside.touched.begin())].name, "' and is called more than once");
          }
          use.Add(inside);
        }
        continue;
      }
      std::vector<Change> changes = ChangesOf(*node);
      for (Change &change : changes) {
        change.var = RefOf(node->input(static_cast<size_t>(change.input)));
        if (change.var < 0) continue;
        use.touched.insert(change.var);
        use.written.insert(change.var);
      }
      if (!changes.empty()) roles_[node].changes = std::move(changes);
      for (size_t i = 0; i < node->input_count(); ++i) {
        if (const int var = HandleOf(node->input(i)); var >= 0) use.touched.insert(var);
      }
    }
    return use;
  }
  static size_t ArgumentsBegin(const Node &caller) {
    size_t fixed = 0;
    for (const IrPort &port : caller.ir().inputs) fixed += port.kind != GE_IR_DYNAMIC;
    return fixed;
  }

  /// Takes descriptions from other graphs and checks that they agree.
  void Describe() {
    for (Var &var : vars_) {
      KnownVariable known;
      if (var.ref || !known_ || !known_(var.name, &known)) continue;
      if (!var.described) var.desc = known.desc;
      var.described = true;
      if (known.value) var.initial = known.value;
    }
  }

  /// Ports that read a variable. Only now are all known that nodes change.
  void FindReads(Graph &graph) {
    static const Symbol read("ReadVariableOp"), is_set("VarIsInitializedOp"), identity("Identity");
    const Use &use = uses_.at(&graph);
    for (Node *node : graph.TopologicalOrder()) {
      if (IsVariableType(node->type())) continue;
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Endpoint e = node->input(i);
        const int var = e ? ReadOf(e, use) : -1;
        if (var < 0) continue;
        roles_[node].reads.emplace_back(static_cast<int32_t>(i), var);
        const bool handle = HandleOf(e) >= 0;
        const auto &changes = roles_[node].changes;
        const bool changed = std::any_of(changes.begin(), changes.end(), [&](const Change &change) {
          return change.input == static_cast<int32_t>(i) && change.var >= 0;
        });
        if (handle && !changed && !Calls(*node) && node->type() != read && node->type() != is_set &&
            node->type() != identity && node != graph.NetOutput()) {
          Fail(GE_UNSUPPORTED, node->Label(), " reads the handle of variable '", vars_[static_cast<size_t>(var)].name,
               "'; ReadVariableOp, AssignVariableOp, VarIsInitializedOp and nodes that call subgraphs do");
        }
      }
      if (!Calls(*node)) continue;
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        if (Graph *sub = node->subgraph(i)) FindReads(*sub);
      }
    }
  }
  /// The variable whose present value a reader of this endpoint gets, or -1: what it reads stays as it is.
  int ReadOf(Endpoint e, const Use &use) {
    const int handle = HandleOf(e);
    if (handle >= 0) return handle;
    if (IsVariableType(e.node->type())) return VarOf(*e.node);
    if (!IsDataType(e.node->type())) return -1;
    auto argument = arguments_.find(e.node);
    if (argument != arguments_.end()) return use.touched.count(argument->second) ? argument->second : -1;
    auto at = nodes_.find(e.node);
    return at == nodes_.end() ? -1 : at->second;
  }

  void WarnOfRaces(const Graph &graph, const Use &use) {
    static const Symbol identity("Identity");
    if (use.written.empty() || !LogEnabled(GE_LOG_WARNING)) return;
    std::vector<VariableAccess> accesses;
    for (const Node *node : graph.TopologicalOrder()) {
      std::map<int, bool> here;  // variable, whether it is written
      auto role = roles_.find(node);
      if (role != roles_.end() && node->type() != identity) {
        for (auto [port, var] : role->second.reads) here.emplace(var, false);
        for (const Change &change : role->second.changes)
          if (change.var >= 0) here[change.var] = true;
      } else if (role != roles_.end() && HandleOf(node->input(0)) < 0) {
        for (auto [port, var] : role->second.reads) here.emplace(var, false);
      }
      for (size_t i = 0; Calls(*node) && i < node->subgraphs().size(); ++i) {
        auto inside = node->subgraph(i) ? uses_.find(node->subgraph(i)) : uses_.end();
        if (inside == uses_.end()) continue;
        for (int var : inside->second.touched) here[var] |= inside->second.written.count(var) != 0;
      }
      if (node == graph.NetOutput()) continue;  // what flows out is read last
      for (auto [var, writes] : here)
        if (use.written.count(var)) accesses.push_back({node, &vars_[static_cast<size_t>(var)].name, writes});
    }
    LogRaces(graph, accesses);
  }

  // ---- transformation ----

  const TensorDesc &DescOf(int var) const { return vars_[static_cast<size_t>(var)].desc; }

  Endpoint Current(Graph &graph, State &state, int var) {
    auto at = state.find(var);
    if (at != state.end()) return at->second;
    if (graph.parent()) Fail(GE_FAILED, "variable '", vars_[static_cast<size_t>(var)].name, "' was not passed on");
    const Var &v = vars_[static_cast<size_t>(var)];
    if (!v.ref && !v.desc.known()) {
      Fail(GE_GRAPH_INVALID, v.label, " is read and has shape ", v.desc.shape.str(), " in graph '", graph.name(),
           "': it needs a whole shape or a value, or another graph of the session has to assign it first");
    }
    const Endpoint value = v.ref ? Endpoint{v.ref, 0} : Hidden(v.name, v.desc);
    if (!v.ref) {
      hidden_[var] = value.node;
      if (v.initial) graph.SetAttr(value.node, ValueAttr(), AttrValue(v.initial));
    }
    return state[var] = value;
  }
  Endpoint Hidden(const std::string &name, const TensorDesc &desc) {
    static const Symbol index("index");
    Node *data = MakeNode(root_, "Data", name);
    root_.SetOutputDesc(data, 0, desc);
    root_.SetAttr(data, index, AttrValue(root_inputs_ + hidden_count_++));
    root_.SetAttr(data, NameAttr(), AttrValue(name));
    return {data, 0};
  }

  void Transform(Graph &graph, State &state) {
    const std::vector<Node *> order = graph.TopologicalOrder();
    std::vector<Node *> gone;
    for (Node *node : order) {
      if (IsVariableType(node->type())) {
        gone.push_back(node);
      } else if (Calls(*node)) {
        Use inside;
        for (size_t i = 0; i < node->subgraphs().size(); ++i) {
          if (Graph *sub = node->subgraph(i)) inside.Add(uses_.at(sub));
        }
        if (inside.touched.empty()) Redirect(graph, *node, state);
        else Expand(graph, node, inside, state);
      } else if (!IsDataType(node->type()) && node != graph.NetOutput()) {
        Lower(graph, node, state);
      }
    }
    // The graph's outputs are read last.
    std::vector<Endpoint> outputs = graph.Outputs();
    bool changed = false;
    for (Endpoint &e : outputs) {
      const int var = e ? ReadOf(e, uses_.at(&graph)) : -1;
      if (var < 0) continue;
      e = Current(graph, state, var);
      changed = true;
    }
    if (changed) graph.SetOutputs(std::move(outputs));
    for (Node *node : gone) graph.RemoveNode(node);
  }

  void Redirect(Graph &graph, Node &node, State &state) {
    auto role = roles_.find(&node);
    if (role == roles_.end()) return;
    for (auto [port, var] : role->second.reads) graph.Reconnect(Current(graph, state, var), &node, port);
  }

  void Lower(Graph &graph, Node *node, State &state) {
    static const Symbol read("ReadVariableOp"), is_set("VarIsInitializedOp"), identity("Identity");
    auto at = roles_.find(node);
    const Role none{}, &role = at == roles_.end() ? none : at->second;
    const int reads = role.reads.empty() ? -1 : role.reads[0].second;
    if (node->type() == is_set) return Replace(graph, node, IsSet(graph, reads, *node, state));
    if (node->type() == read) {
      // A value that is not a variable is read as it is.
      return Replace(graph, node, reads >= 0 ? Current(graph, state, reads) : node->input(0));
    }
    if (node->type() == identity && reads >= 0 && HandleOf(node->input(0)) >= 0)
      return Replace(graph, node, Current(graph, state, reads));
    const std::span<const char *const> updated = UpdatedInputs(node->type());
    std::vector<Endpoint> made;
    if (!updated.empty()) {
      made = BuildUpdate(*node, [&](int32_t port) {
        for (const Change &change : role.changes) {
          if (change.input == port && change.var >= 0) return Current(graph, state, change.var);
        }
        for (auto [p, var] : role.reads) {
          if (p == port) return Current(graph, state, var);
        }
        return node->input(static_cast<size_t>(port));
      });
    }
    if (made.empty()) {  // the node stays, reads what is there and its outputs are the new values
      Redirect(graph, *node, state);
      for (const Change &change : role.changes) {
        if (change.var < 0) continue;
        if (change.output < 0) {
          Fail(GE_UNSUPPORTED, node->Label(), " changes variable '", vars_[static_cast<size_t>(change.var)].name,
               "' of type ", GeDataTypeName(DescOf(change.var).dtype), ", which this operator is not supported for");
        }
        graph.Reconnect(Current(graph, state, change.var), node, change.input);
        Write(state, change.var, {node, change.output}, *node);
      }
      return;
    }
    const std::string label = node->Label();
    for (size_t i = 0; i < made.size(); ++i) {
      const int32_t port = node->ir().FindInput(Symbol(updated[i]));
      for (const Change &change : role.changes) {
        if (change.input != port) continue;
        if (change.var >= 0) Write(state, change.var, made[i], *node);
        if (change.output >= 0) graph.ReplaceUses({node, change.output}, made[i]);
      }
    }
    graph.RemoveNode(node);
  }

  void Write(State &state, int var, Endpoint value, const Node &by) {
    state[var] = value;
    vars_[static_cast<size_t>(var)].writer = by.Label();
  }
  static void Replace(Graph &graph, Node *node, Endpoint value) {
    graph.ReplaceUses({node, 0}, value);
    graph.RemoveNode(node);
  }

  Endpoint IsSet(Graph &graph, int var, const Node &node, const State &state) {
    if (var < 0) Fail(GE_GRAPH_INVALID, node.Label(), ": its input is not a variable");
    if (graph.parent())
      Fail(GE_UNSUPPORTED, node.Label(), " stands in subgraph '", graph.name(), "'; it is for the outermost graph");
    const Var &v = vars_[static_cast<size_t>(var)];
    auto now = state.find(var);
    auto hidden = hidden_.find(var);
    const bool assigned = now != state.end() && (hidden == hidden_.end() || now->second.node != hidden->second);
    if (v.ref || v.initial || assigned) {
      const auto yes = Tensor::Of<uint8_t>(C_DT_BOOL, Shape(), {1});
      return {MakeConst(graph, yes, node.name()), 0};
    }
    Endpoint &flag = flags_[var];
    if (!flag) {
      flag = Hidden(v.name, TensorDesc(C_DT_BOOL, Shape()));
      graph.SetAttr(flag.node, FlagAttr(), AttrValue(true));
    }
    return flag;
  }

  /// Gives a node that calls subgraphs the variables they use as inputs, and those they change as outputs. Of a loop
  /// every variable is both.
  void Expand(Graph &graph, Node *node, const Use &inside, State &state) {
    static const Symbol cond("cond"), index("index");
    const GeControlFlow flow = ControlFlowOf(*node);
    const bool loop = flow == GE_CONTROL_FLOW_WHILE || flow == GE_CONTROL_FLOW_FOR;
    const std::vector<int> in(inside.touched.begin(), inside.touched.end());
    const std::set<int> &leaving = loop ? inside.touched : inside.written;
    const std::vector<int> out(leaving.begin(), leaving.end());
    FirstArgument(*node);
    const bool counter = flow == GE_CONTROL_FLOW_FOR && TakesCounter(*node);
    Redirect(graph, *node, state);

    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < node->input_count(); ++i) inputs.push_back(node->input(i));
    for (int var : in) inputs.push_back(Current(graph, state, var));
    const int32_t had_in = node->dynamic_input_counts()[0], had_out = node->dynamic_output_counts()[0];
    const int32_t now_in = had_in + static_cast<int32_t>(in.size()),
                  now_out = had_out + static_cast<int32_t>(out.size());
    NodeParts parts;
    parts.dyn_in = &now_in;
    parts.dyn_out = &now_out;
    parts.dyn_in_size = parts.dyn_out_size = 1;
    parts.inputs = inputs.data();
    parts.attrs = node->attrs();
    Node *made = graph.AddNode(&node->ir(), node->name(), std::move(parts));
    for (size_t o = 0; o < node->output_count(); ++o) {
      graph.SetOutputDesc(made, o, node->output_desc(o));
      graph.ReplaceUses({node, static_cast<int32_t>(o)}, {made, static_cast<int32_t>(o)});
    }
    for (Node *before : node->control_inputs()) graph.AddControl(before, made);
    for (Node *after : node->control_outputs()) graph.AddControl(made, after);
    graph.SetLineage(made, node->origins(), node->passes());

    for (const SubgraphRef &ref : node->subgraphs()) {
      Graph *sub = graph.FindSubgraph(ref.graph_name);
      if (!sub) continue;
      State values;
      int64_t k = had_in + (counter ? 1 : 0);
      for (int var : in) {
        Node *data = MakeNode(*sub, "Data", vars_[static_cast<size_t>(var)].name);
        sub->SetOutputDesc(data, 0, DescOf(var));
        sub->SetAttr(data, index, AttrValue(k++));
        values[var] = {data, 0};
      }
      Transform(*sub, values);
      if (!(loop && ref.ir_name == cond)) {
        std::vector<Endpoint> outputs = sub->Outputs();
        for (int var : out) outputs.push_back(values.at(var));
        sub->SetOutputs(std::move(outputs));
      }
      graph.AttachSubgraph(made, ref.ir_name, sub->shared_from_this());
    }
    for (size_t i = 0; i < out.size(); ++i) {
      const Endpoint value{made, had_out + static_cast<int32_t>(i)};
      graph.SetOutputDesc(made, static_cast<size_t>(value.port), DescOf(out[i]));
      if (inside.written.count(out[i])) state[out[i]] = value;
    }
    graph.RemoveNode(node);
  }

  /// Hidden inputs for the variables that are described, hidden outputs for those that changed.
  void FinishRoot(State &state) {
    static const Symbol index("index");
    std::vector<Endpoint> outputs = root_.Outputs();
    AttrValue::ListString names, writers;
    AttrValue::ListInt inputs;
    const std::set<int> &written = uses_.at(&root_).written;
    for (size_t i = 0; i < vars_.size(); ++i) {
      const int var = static_cast<int>(i);
      const Var &v = vars_[i];
      if (written.count(var)) {
        outputs.push_back(Current(root_, state, var));
        names.push_back(v.name);
        writers.push_back(v.writer);
        inputs.push_back(v.ref ? v.ref->Int(index) : -1);
      }
      State fresh;  // also for a variable that is only assigned: its description is compared with other graphs'
      if (!v.ref && v.described && !hidden_.count(var)) Current(root_, fresh, var);
    }
    for (auto [var, node] : hidden_) root_.RenameNode(node, vars_[static_cast<size_t>(var)].name);
    if (names.empty()) return;
    root_.SetOutputs(std::move(outputs));
    root_.SetGraphAttr(OutputsAttr(), AttrValue(std::move(names)));
    root_.SetGraphAttr(WritersAttr(), AttrValue(std::move(writers)));
    root_.SetGraphAttr(RefsAttr(), AttrValue(std::move(inputs)));
  }

  Graph &root_;
  const VariableLookup &known_;
  std::vector<Var> vars_;
  std::map<std::string, int> by_name_;
  std::unordered_map<const Node *, int> nodes_;      // variables, and RefData that is changed
  std::unordered_map<const Node *, int> arguments_;  // Data of subgraphs that are fed with a variable
  std::set<const Node *> handle_arguments_;          // with its handle
  std::unordered_map<const Graph *, Node *> callers_;
  std::unordered_map<const Graph *, Use> uses_;
  std::unordered_map<const Node *, Role> roles_;
  std::map<int, Node *> hidden_;
  std::map<int, Endpoint> flags_;
  int64_t root_inputs_ = 0, hidden_count_ = 0;
};

}  // namespace

void LowerVariables(Graph &graph, const VariableLookup &known) {
  if (!Concerned(graph)) return;
  Lowering(graph, known).Run();
  graph.Verify();
}

bool IsVariableInput(const Node &node) { return !node.attrs().empty() && node.attrs().Has(NameAttr()); }

GraphVariables VariablesOf(const Graph &graph) {
  GraphVariables result;
  for (Node *node : graph.Inputs()) {
    if (!IsVariableInput(*node)) continue;
    result.inputs.push_back(
        {node, node->String(NameAttr()), node->attrs().GetTensor(ValueAttr()), node->Bool(FlagAttr())});
  }
  const AttrValue *outputs = graph.attrs().Find(OutputsAttr());
  const auto *names = outputs ? outputs->get_if<AttrValue::ListString>() : nullptr;
  if (!names) return result;
  const AttrValue *writers = graph.attrs().Find(WritersAttr());
  const auto *labels = writers ? writers->get_if<AttrValue::ListString>() : nullptr;
  const std::vector<int64_t> refs = graph.attrs().Ints(RefsAttr());
  if (!labels || labels->size() != names->size() || refs.size() != names->size() ||
      graph.Outputs().size() < names->size())
    Fail(GE_GRAPH_INVALID, "graph '", graph.name(), "' has marks of variables that do not fit its outputs");
  for (size_t i = 0; i < names->size(); ++i) result.outputs.push_back({(*names)[i], (*labels)[i], refs[i]});
  return result;
}

}  // namespace gec
