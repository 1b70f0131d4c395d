// Attributes of nodes, graphs and ports.
#include "capi/src/handles.h"
#include "ge/graph.h"

using namespace gec;
using namespace gec::api;

namespace {

// Name and value of what a caller sets.
std::pair<Symbol, AttrValue> Given(const GeAttrData *value, const char *function) {
  if (!value) NullArgument(function, "value");
  if (!value->name || !*value->name) NullArgument(function, "value->name");
  try {
    return {Symbol(value->name), AttrValue::From(*value)};
  } catch (const Error &e) {
    Fail(e.code(), function, ": attribute '", value->name, "': ", e.what());
  }
}

GeAttrData ViewOf(Graph &graph, Symbol name, const AttrValue &value) {
  return graph.attr_views().View(name.c_str(), value);
}

const TensorDesc &PortDesc(const Node &node, int32_t port, bool input, const char *function) {
  size_t count = input ? node.input_count() : node.output_count();
  if (port < 0 || static_cast<size_t>(port) >= count)
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has ", count, input ? " inputs" : " outputs", ", port ",
         port, " is out of range");
  static const TensorDesc *none = new TensorDesc;
  if (!input) return node.output_desc(static_cast<size_t>(port));
  const TensorDesc *own = node.explicit_input_desc(static_cast<size_t>(port));
  return own ? *own : *none;
}

GeAttrData PortAttr(const Node &node, int32_t port, bool input, const char *name, const char *function) {
  const TensorDesc &desc = PortDesc(node, port, input, function);
  if (!name) NullArgument(function, "name");
  const Symbol symbol = Symbol::Lookup(name);
  const AttrValue *value = desc.attrs ? desc.attrs->Find(symbol) : nullptr;
  if (!value)
    Fail(GE_NOT_FOUND, node.Label(), ": ", input ? "input " : "output ", port, " has no attribute '", name, "'");
  return ViewOf(node.graph(), symbol, *value);
}

}  // namespace

extern "C" {

GeStatus GeNodeSetAttr(GeNode *node, const GeAttrData *value) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetAttr");
    auto [name, copy] = Given(value, "GeNodeSetAttr");
    n.graph().SetAttr(&n, name, std::move(copy));
  });
}

GeStatus GeGraphSetAttr(GeGraph *graph, const GeAttrData *value) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphSetAttr");
    auto [name, copy] = Given(value, "GeGraphSetAttr");
    g.SetGraphAttr(name, std::move(copy));
  });
}

GeStatus GeNodeSetInputAttr(GeNode *node, int32_t port, const GeAttrData *value) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetInputAttr");
    PortDesc(n, port, true, "GeNodeSetInputAttr");
    auto [name, copy] = Given(value, "GeNodeSetInputAttr");
    n.graph().SetInputAttr(&n, static_cast<size_t>(port), name, std::move(copy));
  });
}

GeStatus GeNodeSetOutputAttr(GeNode *node, int32_t port, const GeAttrData *value) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetOutputAttr");
    PortDesc(n, port, false, "GeNodeSetOutputAttr");
    auto [name, copy] = Given(value, "GeNodeSetOutputAttr");
    n.graph().SetOutputAttr(&n, static_cast<size_t>(port), name, std::move(copy));
  });
}

GeStatus GeNodeGetAttr(const GeNode *node, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetAttr, out);
    *out = GeAttrData{};
    Node &n = NodeOf(node, "GeNodeGetAttr");
    GE_CHECK_ARG(GeNodeGetAttr, name);
    const Symbol symbol = Symbol::Lookup(name);
    const AttrValue *value = n.attrs().Find(symbol);
    if (!value) {
      const IrAttr *ir = n.ir().FindAttr(symbol);
      Fail(GE_NOT_FOUND, n.Label(), " has no attribute '", name, "'",
           ir && !ir->required ? " set: its prototype's default holds" : "");
    }
    *out = ViewOf(n.graph(), symbol, *value);
  });
}

GeStatus GeGraphGetAttr(const GeGraph *graph, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphGetAttr, out);
    *out = GeAttrData{};
    Graph &g = GraphOf(graph, "GeGraphGetAttr");
    GE_CHECK_ARG(GeGraphGetAttr, name);
    const Symbol symbol = Symbol::Lookup(name);
    const AttrValue *value = g.attrs().Find(symbol);
    if (!value) Fail(GE_NOT_FOUND, "graph '", g.name(), "' has no attribute '", name, "'");
    *out = ViewOf(g, symbol, *value);
  });
}

GeStatus GeNodeGetInputAttr(const GeNode *node, int32_t port, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetInputAttr, out);
    *out = GeAttrData{};
    *out = PortAttr(NodeOf(node, "GeNodeGetInputAttr"), port, true, name, "GeNodeGetInputAttr");
  });
}

GeStatus GeNodeGetOutputAttr(const GeNode *node, int32_t port, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetOutputAttr, out);
    *out = GeAttrData{};
    *out = PortAttr(NodeOf(node, "GeNodeGetOutputAttr"), port, false, name, "GeNodeGetOutputAttr");
  });
}

size_t GeNodeAttrCount(const GeNode *node) {
  return ReadNode(node, "GeNodeAttrCount", size_t{0}, [](const Node &n) { return n.attrs().size(); });
}

GeStatus GeNodeGetAttrAt(const GeNode *node, size_t index, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetAttrAt, out);
    *out = GeAttrData{};
    Node &n = NodeOf(node, "GeNodeGetAttrAt");
    if (index >= n.attrs().size())
      Fail(GE_PARAM_INVALID, "GeNodeGetAttrAt: ", n.Label(), " has ", n.attrs().size(), " attributes, index ", index,
           " is out of range");
    const AttrMap::Entry &entry = *(n.attrs().begin() + static_cast<ptrdiff_t>(index));
    *out = ViewOf(n.graph(), entry.first, entry.second);
  });
}

GeStatus GeNodeRemoveAttr(GeNode *node, const char *name) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeRemoveAttr");
    GE_CHECK_ARG(GeNodeRemoveAttr, name);
    const Symbol symbol = Symbol::Lookup(name);
    if (!n.attrs().Find(symbol)) Fail(GE_NOT_FOUND, n.Label(), ": attribute '", name, "' is not set");
    n.graph().RemoveAttr(&n, symbol);
  });
}

GeStatus GeNodeSetAttrTensor(GeNode *node, const char *name, GeTensor *tensor) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetAttrTensor");
    GE_CHECK_ARG(GeNodeSetAttrTensor, name);
    TensorOf(tensor, "GeNodeSetAttrTensor");
    n.graph().SetAttr(&n, Symbol(name), AttrValue(TensorPtr(tensor->tensor)));
  });
}

GeStatus GeNodeRetainAttrTensor(const GeNode *node, const char *name, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeRetainAttrTensor, out);
    *out = nullptr;
    Node &n = NodeOf(node, "GeNodeRetainAttrTensor");
    GE_CHECK_ARG(GeNodeRetainAttrTensor, name);
    const AttrValue *value = n.attr(Symbol::Lookup(name));
    const TensorPtr *tensor = value ? value->get_if<TensorPtr>() : nullptr;
    if (!tensor || !*tensor) Fail(GE_NOT_FOUND, n.Label(), " has no tensor attribute '", name, "'");
    // The graph holds it too, so the handle cannot be used to change it.
    *out = NewHandle(std::const_pointer_cast<Tensor>(*tensor));
  });
}

}  // extern "C"
