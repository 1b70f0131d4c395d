#include "parsers/onnx/plugin_node.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "core/ops/infer_subgraphs.h"
#include "core/ops/registry.h"
#include "core/support/error.h"
#include "ge/parser_plugin.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/node_message.h"
#include "parsers/onnx/plugin_body.h"

namespace gec::onnx {
namespace {

int64_t IndexOf(const Node &data) {
  static const Symbol index("index");
  return data.Int(index, -1);
}

/// An exception of a plug-in becomes a problem of the node.
template <class Call>
auto Query(NodeContext &c, Call call) {
  try {
    return call();
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    c.Refuse(Reason::kPlugin, e.what());
  }
}

FrontNode Describe(NodeContext &c, const std::string &origin_type) {
  FrontNode front;
  front.origin_type = origin_type;
  front.name = c.name();
  const Onnx__NodeProto &node = *c.proto();
  for (size_t i = 0; i < node.n_input; ++i) front.inputs.emplace_back(node.input[i] ? node.input[i] : "");
  for (size_t i = 0; i < node.n_output; ++i) front.outputs.emplace_back(node.output[i] ? node.output[i] : "");
  front.message = EncodeNode(c.importer(), c.scope(), node, origin_type);
  front.attrs = AttrsOf(front.message, c.importer().external());
  return front;
}

/// The node's inputs in the order in which the operator takes them.
std::vector<Endpoint> Inputs(NodeContext &c, const ParserPlugin &plugin, const FrontNode &front, const Node &made) {
  std::vector<Endpoint> all(front.inputs.size()), inputs;
  for (size_t i = 0; i < all.size(); ++i) all[i] = c.OptIn(i);
  for (size_t i : Query(c, [&] { return EditedInputs(plugin, front, made); })) inputs.push_back(all[i]);
  return inputs;
}

/// Instances of each dynamic port. Where exactly one is left at 0, it takes what `wanted` has beyond the others.
std::vector<int32_t> Counts(const std::vector<IrPort> &ports, const InlineVec<int32_t, 2> &given, size_t wanted) {
  std::vector<int32_t> counts(given.begin(), given.end());
  size_t others = 0, open = 0, number_open = 0, k = 0;
  for (const IrPort &port : ports) {
    if (port.kind != GE_IR_DYNAMIC) {
      ++others;
      continue;
    }
    if (counts[k] == 0) {
      open = k;
      ++number_open;
    }
    others += static_cast<size_t>(counts[k++]);
  }
  if (number_open == 1 && wanted > others) counts[open] = static_cast<int32_t>(wanted - others);
  return counts;
}

TensorDesc OwnCopy(TensorDesc desc) {
  if (desc.attrs) desc.attrs = std::make_shared<AttrMap>(*desc.attrs);
  return desc;
}

void CopySubgraphs(NodeContext &c, const Node &from, Node *copy) {
  Graph &target = *c.scope().graph;
  for (size_t i = 0; i < from.subgraphs().size(); ++i) {
    const Graph *subgraph = from.subgraph(i);
    if (!subgraph) continue;
    GraphPtr clone = subgraph->Clone();
    const std::vector<GraphPtr> nested = clone->subgraphs();
    for (const GraphPtr &inner : nested) inner->set_name(c.importer().SubgraphName(c.name() + "/" + inner->name()));
    clone->set_name(c.importer().SubgraphName(c.name() + "/" + clone->name()));
    target.AttachSubgraph(copy, from.subgraphs()[i].ir_name, std::move(clone));
  }
}

void Infer(NodeContext &c, Node &node) {
  if (const auto failure = TryInferNode(node); failure && !node.graph().parent())
    c.Refuse(Reason::kInference, failure->what());
}

/// A node like `from` in the importer's graph, fed by `inputs`.
Node &Place(NodeContext &c, const Node &from, const std::vector<Endpoint> &inputs, std::vector<int32_t> dyn_in,
            std::vector<int32_t> dyn_out) {
  Graph &target = *c.scope().graph;
  Node &copy = c.AddCopy(from, dyn_in, dyn_out);
  for (const auto &[name, value] : from.attrs()) target.SetAttr(&copy, name, value);
  // Ports that were added lie between those that are described.
  if (copy.output_count() == from.output_count())
    for (size_t i = 0; i < from.output_count(); ++i) target.SetOutputDesc(&copy, i, OwnCopy(from.output_desc(i)));
  if (copy.input_count() == from.input_count())
    for (size_t i = 0; i < from.input_count(); ++i)
      if (const TensorDesc *desc = from.explicit_input_desc(i)) target.SetInputDesc(&copy, i, OwnCopy(*desc));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]) target.Connect(inputs[i], &copy, static_cast<int32_t>(i));
  return copy;
}

/// Checks now what the graph's verification would find at the end without knowing the cause.
void CheckAttrs(NodeContext &c, const Node &made) {
  for (const IrAttr &attr : made.ir().attrs) {
    const AttrValue *value = made.attrs().Find(attr.name);
    if (!value && attr.required)
      c.Refuse(Reason::kPlugin,
               Str("its plug-in left required attribute '", attr.name.view(), "' of '", made.type().view(), "' unset"));
    if (value && attr.type != C_VT_NONE && value->type() != C_VT_NONE && value->type() != attr.type)
      c.Refuse(Reason::kPlugin, Str("its plug-in gave attribute '", attr.name.view(), "' of '", made.type().view(),
                                    "' type ", value->type(), ", its prototype says ", attr.type));
  }
}

void CheckArity(NodeContext &c, const Node &made, const std::vector<Endpoint> &inputs, size_t ports,
                const std::vector<int32_t> &dyn_in) {
  if (inputs.size() > ports)
    c.Refuse(Reason::kPlugin, Str("the node has ", inputs.size(), " inputs, '", made.type().view(),
                                  "' as its plug-in made it takes ", ports));
  size_t port = 0, dynamic = 0;
  for (const IrPort &input : made.ir().inputs) {
    if (input.kind == GE_IR_DYNAMIC) {
      port += static_cast<size_t>(dyn_in[dynamic++]);
      continue;
    }
    if (input.kind == GE_IR_REQUIRED && (port >= inputs.size() || !inputs[port]))
      c.Refuse(Reason::kPlugin, Str("nothing feeds input '", input.name.view(), "' of '", made.type().view(), "'"));
    ++port;
  }
}

void PlaceOperator(NodeContext &c, const ParserPlugin &plugin, Node &made, std::vector<Endpoint> inputs) {
  PluginBodies bodies(c, plugin, made);
  bodies.Import(inputs);
  std::vector<int32_t> dyn_in = Counts(made.ir().inputs, made.dynamic_input_counts(), inputs.size());
  // The plug-in could not know of values that subgraphs read from outside.
  if (bodies.captured() != 0 && dyn_in.size() == 1 && made.dynamic_input_counts()[0] != 0)
    dyn_in[0] += static_cast<int32_t>(bodies.captured());
  const std::vector<int32_t> dyn_out = Counts(made.ir().outputs, made.dynamic_output_counts(), c.output_count());
  size_t ports = 0, k = 0;
  for (const IrPort &port : made.ir().inputs)
    ports += port.kind == GE_IR_DYNAMIC ? static_cast<size_t>(dyn_in[k++]) : 1;
  while (inputs.size() > ports && !inputs.back()) inputs.pop_back();
  CheckArity(c, made, inputs, ports, dyn_in);
  CheckAttrs(c, made);
  Node &node = Place(c, made, inputs, dyn_in, dyn_out);
  CopySubgraphs(c, made, &node);
  bodies.Attach(node);
  Infer(c, node);
  for (size_t i = 0; i < c.output_count(); ++i) {
    if (i < node.output_count()) c.Out(i, {&node, static_cast<int32_t>(i)});
    else if (c.WantsOutput(i))
      c.Refuse(Reason::kPlugin, Str("the node has ", c.output_count(), " outputs, '", made.type().view(),
                                    "' as its plug-in made it has ", node.output_count()));
  }
}

void PlaceGraph(NodeContext &c, const Graph &graph, const std::vector<Endpoint> &inputs) {
  std::vector<bool> seen(inputs.size());
  for (const Node *data : graph.Inputs()) {
    const int64_t index = IndexOf(*data);
    if (index < 0 || static_cast<size_t>(index) >= inputs.size())
      c.Refuse(Reason::kPlugin, Str("the graph that its plug-in made reads input ", index, " (", data->Label(),
                                    "), the node has ", inputs.size(), " inputs"));
    if (seen[static_cast<size_t>(index)])
      c.Refuse(Reason::kPlugin,
               Str("the graph that its plug-in made has several Data nodes with index ", index, ": give each its own"));
    if (data->total_uses() != 0 && !inputs[static_cast<size_t>(index)])
      c.Refuse(Reason::kPlugin,
               Str("the graph that its plug-in made reads input ", index, ", which the node leaves out"));
    seen[static_cast<size_t>(index)] = true;
  }
  const std::vector<Endpoint> results = graph.Outputs();
  for (size_t i = 0; i < c.output_count(); ++i)
    if (c.WantsOutput(i) && (i >= results.size() || !results[i]))
      c.Refuse(Reason::kPlugin, Str("the graph that its plug-in made has ", results.size(), " outputs, the node has ",
                                    c.output_count()));
  static const Symbol net_output("NetOutput");
  std::unordered_map<const Node *, Node *> copies;
  auto here = [&](Endpoint e) -> Endpoint {
    if (!e) return {};
    if (IsDataType(e.node->type())) return inputs[static_cast<size_t>(IndexOf(*e.node))];
    return {copies.at(e.node), e.port};
  };
  for (Node *node : graph.TopologicalOrder()) {
    if (IsDataType(node->type()) || node->type() == net_output) continue;
    if (!OpRegistry::Instance().Find(node->type()))
      c.Refuse(
          Reason::kNoPrototype,
          Str("E10501: the graph that its plug-in made holds ", node->Label(), ", which is no registered operator"),
          OpRegistry::Instance().Near(node->type().view()));
    std::vector<Endpoint> feeds;
    for (size_t i = 0; i < node->input_count(); ++i) feeds.push_back(here(node->input(i)));
    Node &copy = Place(c, *node, feeds, {node->dynamic_input_counts().begin(), node->dynamic_input_counts().end()},
                       {node->dynamic_output_counts().begin(), node->dynamic_output_counts().end()});
    CopySubgraphs(c, *node, &copy);
    copies[node] = &copy;
    for (const Node *before : node->control_inputs())
      if (auto found = copies.find(before); found != copies.end()) c.scope().graph->AddControl(found->second, &copy);
    Infer(c, copy);
  }
  for (size_t i = 0; i < c.output_count(); ++i)
    if (i < results.size() && results[i]) c.Out(i, here(results[i]));
}

}  // namespace

std::string OriginType(const std::string &domain, int64_t opset, const char *type) {
  return Str(domain.empty() ? "ai.onnx" : domain, "::", opset, "::", type);
}

void TranslateByPlugin(NodeContext &c, const ParserPlugin &plugin, const std::string &origin_type) {
  const OpRegistry &registry = OpRegistry::Instance();
  if (!registry.Find(plugin.type))
    c.Refuse(Reason::kNoPrototype,
             Str("E10501: its plug-in translates it to '", plugin.type, "', which is no registered operator"),
             registry.Near(plugin.type));
  c.TakeAllAttrs();
  const FrontNode front = Describe(c, origin_type);
  const GraphPtr own = Graph::Create("plugin");
  Node &made = Query(c, [&]() -> std::reference_wrapper<Node> { return plugin.Parse(front, *own); });
  if (!registry.Find(made.type()))
    c.Refuse(Reason::kNoPrototype,
             Str("E10501: its plug-in made it ", made.Label(), ", which is no registered operator"),
             registry.Near(made.type().view()));
  const std::vector<Endpoint> inputs = Inputs(c, plugin, front, made);
  if (const GraphPtr graph = Query(c, [&] { return plugin.ToGraph(front, made); })) PlaceGraph(c, *graph, inputs);
  else PlaceOperator(c, plugin, made, inputs);
}

}  // namespace gec::onnx
