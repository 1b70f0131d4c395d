#include "parsers/tensorflow/plugin_node.h"

#include <algorithm>
#include <functional>

#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "ge/parser_plugin.h"
#include "parsers/scope_fusion.h"

namespace gec::tensorflow {

AttrValue FrontValue(const AttrDef &attr, const std::string &what) {
  if (const auto *v = attr.get_if<int64_t>()) return *v;
  if (const auto *v = attr.get_if<float>()) return *v;
  if (const auto *v = attr.get_if<bool>()) return *v;
  if (const auto *v = attr.get_if<std::string_view>()) return std::string(*v);
  if (const auto *v = attr.get_if<TypeDef>()) return DataTypeValue{GeTypeOf(v->value)};
  if (const auto *v = attr.get_if<ShapeDef>()) return AttrValue::ListInt(v->dims);
  if (const auto *v = attr.get_if<TensorDef>()) return ReadTensor(*v, what);
  const auto *list = attr.get_if<ListDef>();
  if (!list || !list->funcs.empty()) return {};
  if (!list->floats.empty()) return AttrValue::ListFloat(list->floats);
  if (!list->texts.empty()) return AttrValue::ListString(list->texts.begin(), list->texts.end());
  if (!list->bools.empty()) return AttrValue::ListBool(list->bools);
  if (!list->types.empty()) {
    AttrValue::ListType types;
    for (int32_t type : list->types) types.push_back({GeTypeOf(type)});
    return types;
  }
  if (!list->shapes.empty()) {
    AttrValue::ListListInt shapes;
    for (const ShapeDef &shape : list->shapes) shapes.push_back(shape.dims);
    return shapes;
  }
  return AttrValue::ListInt(list->ints);
}

namespace {

/// How many outputs of the node are read: a graph does not say how many there are.
size_t OutputsRead(const NodeContext &c, const Scope &scope) {
  size_t count = 1;
  for (const NodeDef &node : *scope.nodes)
    for (std::string_view input : node.inputs) {
      const Reference r = ParseReference(input);
      if (!r.control && r.node == c.def().name) count = std::max(count, static_cast<size_t>(r.index) + 1);
    }
  return count;
}

FrontNode Describe(NodeContext &c) {
  FrontNode front;
  front.origin_type = std::string(c.op());
  front.name = c.name();
  for (std::string_view input : c.def().inputs)
    if (input.empty() || input[0] != '^') front.inputs.emplace_back(input);
  const size_t outputs = OutputsRead(c, c.scope());
  for (size_t i = 0; i < outputs; ++i) front.outputs.push_back(Str(c.def().name, ":", i));
  for (const auto &[name, attr] : c.Unread()) {
    AttrValue value = FrontValue(*attr, Str("attribute '", name, "'"));
    if (value.type() != C_VT_NONE) front.attrs.emplace_back(std::string(name), std::move(value));
  }
  for (const auto &[name, value] : front.attrs) c.Ignore({name});
  return front;
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

const IrDef &Registered(NodeContext &c, const Node &made) {
  const OpEntry *entry = OpRegistry::Instance().Find(made.type());
  if (!entry)
    c.Refuse(Reason::kNoPrototype, Str("E10501: its plug-in made ", made.Label(), ", which is no registered operator"),
             OpRegistry::Instance().Near(made.type().view()));
  if (!made.subgraphs().empty() || !made.ir().graphs.empty())
    c.Refuse(Reason::kPlugin, Str("its plug-in made ", made.Label(), ", which calls subgraphs: only ONNX's may"));
  return made.ir();
}

/// A node like `made`, fed by `inputs`.
Node *Place(NodeContext &c, const Node &made, const std::vector<Endpoint> &inputs) {
  const IrDef &ir = Registered(c, made);
  NewAttrs attrs;
  for (const auto &[name, value] : made.attrs()) attrs.emplace_back(name.str(), value);
  int32_t outputs = static_cast<int32_t>(made.output_count());
  for (const IrPort &port : ir.outputs) outputs -= port.kind != GE_IR_DYNAMIC;
  return c.Add(made.type().view(), inputs, std::move(attrs), outputs);
}

void PlaceGraph(NodeContext &c, const Graph &graph, const std::vector<Endpoint> &inputs) {
  static const Symbol net_output("NetOutput"), index("index");
  std::unordered_map<const Node *, Node *> copies;
  auto here = [&](Endpoint e) -> Endpoint {
    if (!e) return {};
    if (!IsDataType(e.node->type())) return {copies.at(e.node), e.port};
    const int64_t input = e.node->Int(index, -1);
    if (input < 0 || static_cast<size_t>(input) >= inputs.size())
      c.Refuse(Reason::kPlugin, Str("the graph that its plug-in made reads input ", input, " (", e.node->Label(),
                                    "), the node has ", inputs.size(), " inputs"));
    return inputs[static_cast<size_t>(input)];
  };
  for (const Node *node : graph.TopologicalOrder()) {
    if (IsDataType(node->type()) || node->type() == net_output) continue;
    std::vector<Endpoint> feeds;
    for (size_t i = 0; i < node->input_count(); ++i) feeds.push_back(here(node->input(i)));
    while (!feeds.empty() && !feeds.back()) feeds.pop_back();  // optional inputs that nothing feeds
    copies[node] = Place(c, *node, feeds);
  }
  const std::vector<Endpoint> results = graph.Outputs();
  for (size_t i = 0; i < results.size(); ++i) c.Out(i, here(results[i]));
}

}  // namespace

void TranslateByPlugin(NodeContext &c, const ParserPlugin &plugin) {
  const OpRegistry &registry = OpRegistry::Instance();
  if (!registry.Find(plugin.type))
    c.Refuse(Reason::kNoPrototype,
             Str("E10501: its plug-in translates it to '", plugin.type, "', which is no registered operator"),
             registry.Near(plugin.type));
  const std::vector<Endpoint> all = c.AllInputs();
  const FrontNode front = Describe(c);
  const GraphPtr own = Graph::Create("plugin");
  const Node &made = Query(c, [&]() -> std::reference_wrapper<Node> { return plugin.Parse(front, *own); });
  std::vector<Endpoint> inputs;
  for (size_t i : Query(c, [&] { return EditedInputs(plugin, front, made); })) inputs.push_back(all[i]);
  if (const GraphPtr graph = Query(c, [&] { return plugin.ToGraph(front, const_cast<Node &>(made)); }))
    PlaceGraph(c, *graph, inputs);
  else c.OutAll(Place(c, made, inputs));
}

void PlaceFused(NodeContext &c, const FusedNode &fused) {
  const OpRegistry &registry = OpRegistry::Instance();
  const std::vector<Endpoint> read = c.AllInputs();
  std::vector<Endpoint> inputs;
  for (size_t i = 0; i < read.size(); ++i) {
    inputs.resize(std::max(inputs.size(), fused.ports[i] + 1));
    inputs[fused.ports[i]] = read[i];
  }
  auto refuse = [&](Reason reason, const std::string &text, std::vector<std::string> nearest = {}) {
    c.Refuse(reason, Str("scope fusion pass '", fused.pass, "', scope '", fused.scope, "': ", text),
             std::move(nearest));
  };
  const GraphPtr own = Graph::Create("fusion");
  const Node *made = fused.made;
  if (!made) {
    const auto parser = ScopeFusionRegistry::Instance().FindParser(fused.type);
    const auto plugin = ParserPluginRegistry::Instance().Find(GE_FRAMEWORK_TENSORFLOW, fused.type);
    const std::string &type = parser ? parser->type : plugin ? plugin->type : fused.type;
    if (!registry.Find(type))
      refuse(Reason::kNoPrototype, Str("E10501: it makes '", type, "', which is no registered operator"),
             registry.Near(type));
    try {
      made = parser ? &parser->Parse(c.name(), fused.from, *own) : MakeNode(*own, type, c.name());
    } catch (const Error &e) {
      if (e.code() == GE_OUT_OF_MEMORY) throw;
      refuse(Reason::kPlugin, e.what());
    }
  }
  const IrDef &ir = Registered(c, *made);
  for (size_t i = 0; i < ir.inputs.size() && ir.inputs[i].kind != GE_IR_DYNAMIC; ++i)
    if (ir.inputs[i].kind == GE_IR_REQUIRED && (i >= inputs.size() || !inputs[i]))
      refuse(Reason::kPlugin,
             Str("nothing feeds input ", i, " ('", ir.inputs[i].name.view(), "') of ", made->type().view()));
  c.OutAll(Place(c, *made, inputs));
}

}  // namespace gec::tensorflow
