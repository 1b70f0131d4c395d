// Nodes: names, ports, neighbours, descriptions, subgraphs, lineage.
#include "capi/src/handles.h"
#include "core/ir/quantization.h"
#include "core/support/per_thread.h"
#include "ge/graph.h"

using namespace gec;
using namespace gec::api;

namespace {

/// The layout that was told last on this thread; valid until the next one is.
using LastLayout = PerThread<QuantizationView>;

size_t CheckPort(const Node &node, int32_t port, size_t count, const char *function, const char *side) {
  if (port < 0 || static_cast<size_t>(port) >= count)
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has ", count, " ", side, "s, ", side, " ", port,
         " is out of range");
  return static_cast<size_t>(port);
}
size_t InputPort(const Node &node, int32_t port, const char *function) {
  return CheckPort(node, port, node.input_count(), function, "input");
}
size_t OutputPort(const Node &node, int32_t port, const char *function) {
  return CheckPort(node, port, node.output_count(), function, "output");
}
template <class List>
auto At(const List &list, size_t index, const char *function) {
  if (index >= list.size())
    Fail(GE_PARAM_INVALID, function, ": index ", index, " is out of range, there are ", list.size());
  return list[index];
}

int32_t Instances(const Node &node, const char *name, bool input, const char *function) {
  const IrDef &ir = node.ir();
  const Symbol symbol = Symbol::Lookup(name);
  int at = input ? ir.FindInput(symbol) : ir.FindOutput(symbol);
  const auto &ports = input ? ir.inputs : ir.outputs;
  if (at < 0 || ports[static_cast<size_t>(at)].kind != GE_IR_DYNAMIC)
    Fail(GE_NOT_FOUND, function, ": ", node.Label(), " has no dynamic ", input ? "input" : "output", " '", name, "'");
  size_t ir_index = static_cast<size_t>(at);
  return input ? node.InputRange(ir_index).second : node.OutputRange(ir_index).second;
}

}  // namespace

extern "C" {

const char *GeNodeName(const GeNode *node) {
  return ReadNode(node, "GeNodeName", "", [](const Node &n) { return n.name().c_str(); });
}

const char *GeNodeType(const GeNode *node) {
  return ReadNode(node, "GeNodeType", "", [](const Node &n) { return n.type().c_str(); });
}

GeStatus GeNodeHandleRetain(GeNode *node) {
  return Guard([&] {
    if (!node) NullArgument("GeNodeHandleRetain", "node");
    if (!HoldNode(node)) BadNode("GeNodeHandleRetain", "node", Raw(node));
  });
}

void GeNodeHandleDestroy(GeNode *node) { DropNodeReference(node); }

GeStatus GeNodeRetainGraph(GeNode *node, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeRetainGraph, out);
    *out = nullptr;
    *out = NewHandle(NodeOf(node, "GeNodeRetainGraph").graph().shared_from_this());
  });
}

const GeOpSchema *GeNodeSchema(const GeNode *node) {
  return ReadNode<const GeOpSchema *>(node, "GeNodeSchema", nullptr, [](const Node &n) { return n.ir().schema; });
}

size_t GeNodeInputCount(const GeNode *node) {
  return ReadNode(node, "GeNodeInputCount", size_t{0}, [](const Node &n) { return n.input_count(); });
}

size_t GeNodeOutputCount(const GeNode *node) {
  return ReadNode(node, "GeNodeOutputCount", size_t{0}, [](const Node &n) { return n.output_count(); });
}

GeStatus GeNodeGetDynamicInputCount(const GeNode *node, const char *name, int32_t *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetDynamicInputCount, out);
    *out = 0;
    Node &n = NodeOf(node, "GeNodeGetDynamicInputCount");
    GE_CHECK_ARG(GeNodeGetDynamicInputCount, name);
    *out = Instances(n, name, true, "GeNodeGetDynamicInputCount");
  });
}

GeStatus GeNodeGetDynamicOutputCount(const GeNode *node, const char *name, int32_t *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetDynamicOutputCount, out);
    *out = 0;
    Node &n = NodeOf(node, "GeNodeGetDynamicOutputCount");
    GE_CHECK_ARG(GeNodeGetDynamicOutputCount, name);
    *out = Instances(n, name, false, "GeNodeGetDynamicOutputCount");
  });
}

GeStatus GeNodeGetInputSource(const GeNode *node, int32_t port, GeNode **src, int32_t *src_port) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetInputSource, src);
    *src = nullptr;
    GE_CHECK_ARG(GeNodeGetInputSource, src_port);
    *src_port = -1;
    Node &n = NodeOf(node, "GeNodeGetInputSource");
    Endpoint e = n.input(InputPort(n, port, "GeNodeGetInputSource"));
    *src = Handle(e.node);
    *src_port = e.port;
  });
}

size_t GeNodeConsumerCount(const GeNode *node, int32_t port) {
  return ReadNode(node, "GeNodeConsumerCount", size_t{0}, [port](const Node &n) {
    const bool there = port >= 0 && static_cast<size_t>(port) < n.output_count();
    return there ? n.uses(static_cast<size_t>(port)).size() : 0;
  });
}

GeStatus GeNodeGetConsumer(const GeNode *node, int32_t port, size_t index, GeNode **dst, int32_t *dst_port) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetConsumer, dst);
    *dst = nullptr;
    GE_CHECK_ARG(GeNodeGetConsumer, dst_port);
    *dst_port = -1;
    Node &n = NodeOf(node, "GeNodeGetConsumer");
    Use use = At(n.uses(OutputPort(n, port, "GeNodeGetConsumer")), index, "GeNodeGetConsumer");
    *dst = Handle(use.node);
    *dst_port = use.port;
  });
}

size_t GeNodeControlInputCount(const GeNode *node) {
  return ReadNode(node, "GeNodeControlInputCount", size_t{0}, [](const Node &n) { return n.control_inputs().size(); });
}

GeStatus GeNodeGetControlInput(const GeNode *node, size_t index, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetControlInput, out);
    *out = nullptr;
    *out = Handle(At(NodeOf(node, "GeNodeGetControlInput").control_inputs(), index, "GeNodeGetControlInput"));
  });
}

size_t GeNodeControlOutputCount(const GeNode *node) {
  return ReadNode(node, "GeNodeControlOutputCount", size_t{0},
                  [](const Node &n) { return n.control_outputs().size(); });
}

GeStatus GeNodeGetControlOutput(const GeNode *node, size_t index, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetControlOutput, out);
    *out = nullptr;
    *out = Handle(At(NodeOf(node, "GeNodeGetControlOutput").control_outputs(), index, "GeNodeGetControlOutput"));
  });
}

GeStatus GeNodeGetInputDesc(const GeNode *node, int32_t port, GeTensorData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetInputDesc, out);
    *out = GeTensorData{};
    Node &n = NodeOf(node, "GeNodeGetInputDesc");
    size_t i = InputPort(n, port, "GeNodeGetInputDesc");
    GeTensorData data = n.input_desc(i).View();
    if (TensorPtr constant = ConstantInput(n, i)) {  // lives in the constant's attribute
      data.data = const_cast<void *>(constant->data());
      data.size = constant->bytes();
      data.flags = GE_TENSOR_CONSTANT;
    }
    if (const TensorDesc *own = n.explicit_input_desc(i)) data.flags |= DetailsFlag(*own);
    if (QuantizationView &view = LastLayout::Get(); view.Reset(n.input_desc(i))) data.layout = view.get();
    *out = data;
  });
}

GeStatus GeNodeGetOutputDesc(const GeNode *node, int32_t port, GeTensorData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetOutputDesc, out);
    *out = GeTensorData{};
    Node &n = NodeOf(node, "GeNodeGetOutputDesc");
    const TensorDesc &desc = n.output_desc(OutputPort(n, port, "GeNodeGetOutputDesc"));
    *out = desc.View();
    out->flags |= DetailsFlag(desc);
    if (QuantizationView &view = LastLayout::Get(); view.Reset(desc)) out->layout = view.get();
  });
}

GeStatus GeNodeSetInputDesc(GeNode *node, int32_t port, const GeTensorData *desc) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetInputDesc");
    GE_CHECK_ARG(GeNodeSetInputDesc, desc);
    n.graph().SetInputDesc(&n, InputPort(n, port, "GeNodeSetInputDesc"), TensorDesc::From(*desc));
  });
}

GeStatus GeNodeSetOutputDesc(GeNode *node, int32_t port, const GeTensorData *desc) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetOutputDesc");
    GE_CHECK_ARG(GeNodeSetOutputDesc, desc);
    n.graph().SetOutputDesc(&n, OutputPort(n, port, "GeNodeSetOutputDesc"), TensorDesc::From(*desc));
  });
}

size_t GeNodeSubgraphCount(const GeNode *node) {
  return ReadNode(node, "GeNodeSubgraphCount", size_t{0}, [](const Node &n) { return n.subgraphs().size(); });
}

GeStatus GeNodeGetSubgraphName(const GeNode *node, size_t index, const char **ir_name, const char **graph_name) {
  return Guard([&] {
    GE_CHECK_ARG(GeNodeGetSubgraphName, ir_name);
    GE_CHECK_ARG(GeNodeGetSubgraphName, graph_name);
    *ir_name = *graph_name = nullptr;
    Node &n = NodeOf(node, "GeNodeGetSubgraphName");
    if (index >= n.subgraphs().size())
      Fail(GE_PARAM_INVALID, "GeNodeGetSubgraphName: ", n.Label(), " has ", n.subgraphs().size(), " subgraphs, index ",
           index, " is out of range");
    const SubgraphRef &ref = n.subgraphs()[index];
    *ir_name = ref.ir_name.c_str();
    *graph_name = ref.graph_name.c_str();
  });
}

GeStatus GeNodeSetSubgraph(GeNode *node, const char *ir_name, GeGraph *subgraph) {
  return Guard([&] {
    Node &n = NodeOf(node, "GeNodeSetSubgraph");
    GE_CHECK_ARG(GeNodeSetSubgraph, ir_name);
    GraphOf(subgraph, "GeNodeSetSubgraph", "subgraph");
    n.graph().AttachSubgraph(&n, Symbol(ir_name), subgraph->graph);
  });
}

size_t GeNodeOriginCount(const GeNode *node) {
  return ReadNode(node, "GeNodeOriginCount", size_t{0},
                  [](const Node &n) { return n.origins().empty() ? 1 : n.origins().size(); });
}

const char *GeNodeOrigin(const GeNode *node, size_t index) {
  return ReadNode<const char *>(node, "GeNodeOrigin", nullptr, [index](const Node &n) {
    if (n.origins().empty()) return index == 0 ? n.name().c_str() : nullptr;
    return index < n.origins().size() ? n.origins()[index].c_str() : nullptr;
  });
}

}  // extern "C"
