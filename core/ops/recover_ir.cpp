#include "core/ops/recover_ir.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/registry.h"
#include "core/support/error.h"

namespace gec {
namespace {

const char *KindText(int32_t kind) {
  return kind == GE_IR_OPTIONAL ? " (optional)" : kind == GE_IR_DYNAMIC ? " (dynamic)" : "";
}
std::string AttrTypeText(int32_t type) {
  switch (type) {
    case C_VT_STRING:
      return "String";
    case C_VT_FLOAT:
      return "Float";
    case C_VT_BOOL:
      return "Bool";
    case C_VT_INT:
      return "Int";
    case C_VT_TENSOR:
      return "Tensor";
    case C_VT_BYTES:
      return "Bytes";
    case C_VT_LIST_LIST_INT:
      return "ListListInt";
    case C_VT_DATA_TYPE:
      return "Type";
    case C_VT_LIST_STRING:
      return "ListString";
    case C_VT_LIST_FLOAT:
      return "ListFloat";
    case C_VT_LIST_BOOL:
      return "ListBool";
    case C_VT_LIST_INT:
      return "ListInt";
    case C_VT_LIST_TENSOR:
      return "ListTensor";
    case C_VT_LIST_DATA_TYPE:
      return "ListType";
    default:
      return Str("number ", type);
  }
}
std::string ListText(const std::vector<IrPort> &ports) {
  std::string text;
  for (const IrPort &p : ports) text += Str(text.empty() ? "" : ", ", p.name.view(), KindText(p.kind));
  return text.empty() ? "none" : text;
}
std::string ListText(const std::vector<IrAttr> &attrs) {
  std::string text;
  for (const IrAttr &a : attrs) text += Str(text.empty() ? "" : ", ", a.name.view(), a.required ? " (required)" : "");
  return text.empty() ? "none" : text;
}
std::string ListText(const std::vector<IrGraph> &graphs) {
  std::string text;
  for (const IrGraph &g : graphs) text += Str(text.empty() ? "" : ", ", g.name.view(), KindText(g.kind));
  return text.empty() ? "none" : text;
}

class Reconciler {
 public:
  Reconciler(const Node &node, const IrDef &installed) : node_(node), mine_(node.ir()), theirs_(installed) {}

  /// The part that depends on the two prototypes alone.
  void Compare() const {
    const ptrdiff_t attrs = Surplus(mine_.attrs, theirs_.attrs), inputs = Surplus(mine_.inputs, theirs_.inputs);
    if ((attrs > 0 && inputs < 0) || (attrs < 0 && inputs > 0))
      Fail(GE_FAILED, node_.Label(), ": Compatibility strategy derivation failed: the program's version has ",
           mine_.attrs.size(), " attributes and ", mine_.inputs.size(), " inputs, the installed one ",
           theirs_.attrs.size(), " and ", theirs_.inputs.size(), ": one of them grew while the other shrank");
    Attributes();
    Inputs();
    Outputs();
    Graphs();
  }

  /// The part that depends on how the node uses them.
  void CheckUse() const {
    for (size_t i = theirs_.attrs.size(); i < mine_.attrs.size(); ++i) {
      const IrAttr &attr = mine_.attrs[i];
      if (const AttrValue *value = node_.attrs().Find(attr.name); value && !(*value == attr.fallback))
        Forward(kAttr, mine_.attrs, theirs_.attrs, "the optional attribute '", attr.name.view(),
                "' is set, but the installed version does not have it");
    }
    for (size_t i = theirs_.inputs.size(); i < mine_.inputs.size(); ++i) {
      const IrPort &port = mine_.inputs[i];
      if (node_.input(static_cast<size_t>(node_.InputRange(i).first)))
        Forward(kPort, mine_.inputs, theirs_.inputs, "the optional input '", port.name.view(),
                "' is connected, but the installed version does not have it");
    }
  }

 private:
  static constexpr const char *kAttr = "recover ir attr names failed.";
  static constexpr const char *kPort = "recover ir input and output failed.";

  template <class List>
  static ptrdiff_t Surplus(const List &mine, const List &theirs) {
    return static_cast<ptrdiff_t>(mine.size()) - static_cast<ptrdiff_t>(theirs.size());
  }
  template <class List, class... Args>
  [[noreturn]] void Refuse(const char *step, const char *rule, const List &mine, const List &theirs,
                           const Args &...what) const {
    Fail(GE_FAILED, node_.Label(), ": ", step, " ", rule, ": ", what..., " (the program's version: ", ListText(mine),
         "; the installed version: ", ListText(theirs), ")");
  }
  template <class List, class... Args>
  [[noreturn]] void Forward(const char *step, const List &mine, const List &theirs, const Args &...what) const {
    Refuse(step, "Forward compatibility failed", mine, theirs, what...);
  }
  template <class List, class... Args>
  [[noreturn]] void Differs(const char *step, const List &mine, const List &theirs, const Args &...what) const {
    Refuse(step, "Compatibility failed", mine, theirs, what...);
  }

  void Attributes() const {
    for (size_t i = 0; i < std::min(mine_.attrs.size(), theirs_.attrs.size()); ++i) {
      const IrAttr &a = mine_.attrs[i], &b = theirs_.attrs[i];
      if (a.name != b.name)
        Differs(kAttr, mine_.attrs, theirs_.attrs, "attribute ", i, " is '", a.name.view(), "' and '", b.name.view(),
                "'");
      if (a.type != b.type && a.type != C_VT_NONE && b.type != C_VT_NONE)
        Differs(kAttr, mine_.attrs, theirs_.attrs, "attribute '", a.name.view(), "' has type ", AttrTypeText(a.type),
                " in the program's version and ", AttrTypeText(b.type), " in the installed one");
    }
    for (size_t i = theirs_.attrs.size(); i < mine_.attrs.size(); ++i) {
      if (mine_.attrs[i].required)
        Forward(kAttr, mine_.attrs, theirs_.attrs, "the installed version does not have the required attribute '",
                mine_.attrs[i].name.view(), "'");
    }
  }

  void Ports(const char *what, const std::vector<IrPort> &mine, const std::vector<IrPort> &theirs) const {
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
      const IrPort &a = mine[i], &b = theirs[i];
      if (a.name != b.name || a.kind != b.kind)
        Differs(kPort, mine, theirs, what, " ", i, " is '", a.name.view(), "'", KindText(a.kind), " and '",
                b.name.view(), "'", KindText(b.kind));
    }
  }

  void Inputs() const {
    Ports("input", mine_.inputs, theirs_.inputs);
    for (size_t i = theirs_.inputs.size(); i < mine_.inputs.size(); ++i) {
      const IrPort &port = mine_.inputs[i];
      if (port.kind != GE_IR_OPTIONAL)
        Forward(kPort, mine_.inputs, theirs_.inputs, "the installed version does not have the ",
                port.kind == GE_IR_DYNAMIC ? "dynamic" : "required", " input '", port.name.view(), "'");
    }
  }

  void Outputs() const {
    Ports("output", mine_.outputs, theirs_.outputs);
    if (mine_.outputs.size() > theirs_.outputs.size())
      Differs(kPort, mine_.outputs, theirs_.outputs, "the installed version does not have the output '",
              mine_.outputs[theirs_.outputs.size()].name.view(), "'");
  }

  void Graphs() const {
    for (size_t i = 0; i < mine_.graphs.size(); ++i) {
      bool same = i < theirs_.graphs.size() && mine_.graphs[i].name == theirs_.graphs[i].name &&
                  mine_.graphs[i].kind == theirs_.graphs[i].kind;
      if (!same)
        Differs(kPort, mine_.graphs, theirs_.graphs, "the installed version does not have the subgraph '",
                mine_.graphs[i].name.view(), "' in this place");
    }
  }

  const Node &node_;
  const IrDef &mine_, &theirs_;
};

bool Skipped(Symbol type) {
  static const Symbol net_output("NetOutput");
  return type == net_output || IsDataType(type);
}

/// The installed prototype for each one met in the graph; null where nothing changes.
using Plans = std::unordered_map<const IrDef *, const IrDef *>;

bool PlanGraph(const Graph &graph, Plans &plans) {
  bool any = false;
  for (const Node *node : graph.Nodes()) {
    auto [it, fresh] = plans.try_emplace(&node->ir(), nullptr);
    if (fresh && !Skipped(node->type())) {
      const OpEntry *entry = OpRegistry::Instance().Find(node->type());
      if (entry && entry->ir != &node->ir()) {
        Reconciler(*node, *entry->ir).Compare();
        it->second = entry->ir;
      }
    }
    if (!it->second) continue;
    Reconciler(*node, *it->second).CheckUse();
    any = true;
  }
  return any;
}

Node *CopyNode(const Node &node, const IrDef &ir, Graph &target) {
  const IrDef &before = node.ir();
  // Items are only added or dropped behind the common ones: ports and instances in front keep their places.
  auto counts = [](const InlineVec<int32_t, 2> &have, const std::vector<IrPort> &ports) {
    std::vector<int32_t> list;
    for (const IrPort &p : ports) {
      if (p.kind == GE_IR_DYNAMIC) list.push_back(list.size() < have.size() ? have[list.size()] : 0);
    }
    return list;
  };
  std::vector<int32_t> in = counts(node.dynamic_input_counts(), ir.inputs),
                       out = counts(node.dynamic_output_counts(), ir.outputs);
  Node *copy = target.AddNode(&ir, node.name(), in.data(), in.size(), out.data(), out.size());
  for (const auto &[name, value] : node.attrs()) {
    if (before.FindAttr(name) && !ir.FindAttr(name)) continue;  // at its default, as was checked
    target.SetAttr(copy, name, value);
  }
  for (const IrAttr &attr : ir.attrs) {
    // Optional in the program's version, required here: the program meant its default.
    const IrAttr *mine = attr.required ? before.FindAttr(attr.name) : nullptr;
    if (mine && !mine->required && !node.attrs().Has(attr.name)) target.SetAttr(copy, attr.name, mine->fallback);
  }
  for (size_t o = 0; o < node.output_count(); ++o) {
    TensorDesc desc = node.output_desc(o);
    if (desc.attrs) desc.attrs = std::make_shared<AttrMap>(*desc.attrs);
    target.SetOutputDesc(copy, o, std::move(desc));
  }
  for (size_t i = 0; i < std::min(node.input_count(), copy->input_count()); ++i) {
    const TensorDesc *own = node.explicit_input_desc(i);
    if (!own) continue;
    TensorDesc desc = *own;
    if (desc.attrs) desc.attrs = std::make_shared<AttrMap>(*desc.attrs);
    target.SetInputDesc(copy, i, std::move(desc));
  }
  target.SetLineage(copy, node.origins(), node.passes());
  return copy;
}

void CopyGraph(const Graph &graph, const Plans &plans, Graph &target,
               std::vector<std::pair<Node *, SubgraphRef>> &calls) {
  std::unordered_map<const Node *, Node *> made;
  const std::vector<Node *> nodes = graph.Nodes();
  for (const Node *node : nodes) {
    const IrDef *to = plans.at(&node->ir());
    Node *copy = made[node] = CopyNode(*node, to ? *to : node->ir(), target);
    for (const SubgraphRef &ref : node->subgraphs()) calls.emplace_back(copy, ref);
  }
  for (const Node *node : nodes) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      Endpoint e = node->input(i);
      if (e) target.Connect({made.at(e.node), e.port}, made.at(node), static_cast<int32_t>(i));
    }
    for (const Node *c : node->control_inputs()) target.AddControl(made.at(c), made.at(node));
  }
  if (!graph.NetOutput()) {
    std::vector<Endpoint> outputs;
    for (Endpoint e : graph.Outputs()) outputs.push_back({made.at(e.node), e.port});
    target.SetOutputs(std::move(outputs));
  }
  for (const auto &[name, value] : graph.attrs()) target.SetGraphAttr(name, value);
}

}  // namespace

GraphPtr RecoverIr(const Graph &graph) {
  std::vector<const Graph *> graphs = {&graph};
  if (!graph.parent()) {
    for (const GraphPtr &sub : graph.subgraphs()) graphs.push_back(sub.get());
  } else {
    for (size_t i = 0; i < graphs.size(); ++i) {
      for (const Node *node : graphs[i]->Nodes()) {
        for (size_t k = 0; k < node->subgraphs().size(); ++k) {
          const Graph *sub = node->subgraph(k);
          if (sub && std::find(graphs.begin(), graphs.end(), sub) == graphs.end()) graphs.push_back(sub);
        }
      }
    }
  }
  Plans plans;
  bool any = false;
  for (const Graph *g : graphs) any |= PlanGraph(*g, plans);
  if (!any) return nullptr;

  GraphPtr root = Graph::Create(graph.name());
  std::vector<std::pair<Node *, SubgraphRef>> calls;
  CopyGraph(graph, plans, *root, calls);
  for (size_t i = 1; i < graphs.size(); ++i) {
    GraphPtr sub = Graph::Create(graphs[i]->name());
    CopyGraph(*graphs[i], plans, *sub, calls);
    root->AddSubgraph(std::move(sub));
  }
  for (const auto &[node, ref] : calls) {
    if (Graph *sub = root->FindSubgraph(ref.graph_name))
      node->graph().AttachSubgraph(node, ref.ir_name, sub->shared_from_this());
  }
  return root;
}

namespace {

// The copy has the nodes in the same order, but for those added meanwhile; a name may occur several times.
void TakeFrom(const Graph &from, Graph &to) {
  const std::vector<Node *> others = from.Nodes();
  size_t next = 0;
  for (Node *node : to.Nodes()) {
    const Node *other = next < others.size() ? others[next++] : nullptr;
    if (!other || other->name() != node->name()) other = from.Find(node->name());
    if (!other) continue;
    for (size_t o = 0; o < std::min(node->output_count(), other->output_count()); ++o)
      to.SetOutputDesc(node, o, other->output_desc(o));
    for (size_t i = 0; i < std::min(node->input_count(), other->input_count()); ++i) {
      const TensorDesc *own = other->explicit_input_desc(i);
      if (own && node->explicit_input_desc(i)) to.SetInputDesc(node, i, *own);
    }
  }
}

}  // namespace

void TakeOutputDescs(const Graph &recovered, Graph &graph) {
  TakeFrom(recovered, graph);
  for (const GraphPtr &sub : recovered.subgraphs()) {
    if (Graph *mine = graph.FindSubgraph(sub->name())) TakeFrom(*sub, *mine);
  }
}

}  // namespace gec
