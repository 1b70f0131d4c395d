// Builder, inputs, outputs and the build itself.
#include <charconv>
#include <cstring>

#include "capi/src/es_builder.h"

using namespace gec;
using namespace gec::api;

namespace {

constexpr const char *kInputTypes[] = {"Data", "RefData", "AippData", "AnyData"};

const Symbol &IndexName() {
  static const Symbol name("index");
  return name;
}

std::string DefaultInputName(int64_t index) {
  char text[32] = "input_";
  char *const digits = text + std::strlen(text);
  return std::string(text, std::to_chars(digits, text + sizeof text, index).ptr);
}

EsCTensorHolder *AddInput(EsCGraphBuilder *graph, int64_t index, const char *name, const char *type, int32_t data_type,
                          int32_t format, const int64_t *dims, int64_t dim_num) {
  constexpr const char *kFunction = "EsCreateGraphInputWithDetails";
  EsBuilder &b = OpenBuilder(graph, kFunction, "graph");
  if (index < 0 || index > INT32_MAX)
    Fail(GE_PARAM_INVALID, kFunction, ": index is ", index, ", expected 0 to ", INT32_MAX);
  if (b.inputs.count(index)) Fail(GE_PARAM_INVALID, kFunction, ": input ", index, " exists already");
  bool known = !type;
  if (!type) type = "Data";
  for (const char *t : kInputTypes) known = known || std::strcmp(t, type) == 0;
  if (!known) Fail(GE_PARAM_INVALID, kFunction, ": type is '", type, "', expected Data, RefData, AippData or AnyData");
  // The checks of plain tensor data apply: type, format and dimensions.
  GeTensorData check{};
  check.data_type = data_type;
  check.format = check.origin_format = format;
  TensorDesc desc = TensorDesc::From(check);
  desc.SetShape(EsShape(dims, dim_num, kFunction));

  auto slot = b.inputs.emplace(index, nullptr).first;
  try {
    EsCTensorHolder *holder = NewHolder(b, nullptr, 0);
    NodeParts parts;
    parts.attrs.Set(IndexName(), AttrValue(index));
    const IrDef *ir = BaseIr(type);
    parts.output_descs = &desc;  // of the one output that they all have
    Node *node = b.graph->AddNode(ir, name && *name ? std::string(name) : DefaultInputName(index), std::move(parts));
    slot->second = node;
    holder->producer.node = Handle(node);
    return holder;
  } catch (...) {
    b.inputs.erase(slot);
    throw;
  }
}

// Indexes of a map, which is sorted, must be 0..n-1.
template <class Map>
void CheckDense(const Map &map, const char *what, const std::string &graph) {
  int64_t expected = 0;
  for (const auto &[index, unused] : map) {
    if (index != expected)
      Fail(GE_PARAM_INVALID, "EsBuildGraphAndReset: graph '", graph, "': ", what, " ", expected,
           " is missing, the next is ", index);
    ++expected;
  }
}

}  // namespace

extern "C" {

EsCGraphBuilder *EsCreateGraphBuilder(const char *name) {
  return EsGuardPointer<EsCGraphBuilder>([&] { return new EsCGraphBuilder(name); });
}

void EsDestroyGraphBuilder(EsCGraphBuilder *graph) {
  if (!IsValid(graph)) return;
  EsGuard([&] {
    EnterHandle(graph->body, "EsDestroyGraphBuilder");
    delete graph;
  });
}

EsCTensorHolder *EsCreateGraphInputWithDetails(EsCGraphBuilder *graph, int64_t index, const char *name,
                                               const char *type, C_DataType data_type, C_Format format,
                                               const int64_t *shape, int64_t dim_num) {
  return EsGuardPointer<EsCTensorHolder>(
      [&] { return AddInput(graph, index, name, type, Number(data_type), Number(format), shape, dim_num); });
}

EsCTensorHolder *EsCreateGraphInput(EsCGraphBuilder *graph, int64_t index) {
  return EsGuardPointer<EsCTensorHolder>(
      [&] { return AddInput(graph, index, nullptr, nullptr, C_DT_FLOAT, C_FORMAT_ND, nullptr, 0); });
}

EsCTensorHolder *EsCreateVariable(EsCGraphBuilder *graph, int32_t index, const char *name) {
  return EsGuardPointer<EsCTensorHolder>([&] {
    EsBuilder &b = OpenBuilder(graph, "EsCreateVariable", "graph");
    GE_CHECK_ARG(EsCreateVariable, name);
    EsCTensorHolder *holder = NewHolder(b, nullptr, 0);
    NodeParts parts;
    parts.attrs.Set(IndexName(), AttrValue(int64_t{index}));
    holder->producer.node = Handle(b.graph->AddNode(BaseIr("Variable"), name, std::move(parts)));
    return holder;
  });
}

uint32_t EsSetGraphOutput(EsCTensorHolder *tensor, int64_t output_index) {
  return EsStatus([&] {
    EsCTensorHolder &holder = HolderOf(tensor, "EsSetGraphOutput");
    EsBuilder &b = StillOpen(*holder.builder, "EsSetGraphOutput");
    if (output_index < 0 || output_index > INT32_MAX)
      Fail(GE_PARAM_INVALID, "EsSetGraphOutput: output index is ", output_index, ", expected 0 to ", INT32_MAX);
    Node &node = ProducerOf(holder, "EsSetGraphOutput");
    if (holder.index < 0) Fail(GE_PARAM_INVALID, "EsSetGraphOutput: ", node.Label(), " has no outputs");
    if (!b.outputs.emplace(output_index, Endpoint{&node, holder.index}).second)
      Fail(GE_PARAM_INVALID, "EsSetGraphOutput: output ", output_index, " is set already");
  });
}

EsCGraph *EsBuildGraphAndReset(EsCGraphBuilder *graph) {
  return EsGuardPointer<EsCGraph>([&]() -> EsCGraph * {
    EsBuilder &b = OpenBuilder(graph, "EsBuildGraphAndReset", "graph");
    Graph &g = *b.graph;
    CheckDense(b.inputs, "input", g.name());
    CheckDense(b.outputs, "output", g.name());
    if (!b.clash.empty()) Fail(GE_GRAPH_INVALID, "E18888: EsBuildGraphAndReset: graph '", g.name(), "': ", b.clash);
    Transaction all(g);
    std::vector<Endpoint> outputs;
    outputs.reserve(b.outputs.size());
    for (const auto &[index, output] : b.outputs) {
      if (output.node->removed())
        Fail(GE_BAD_STATE, "EsBuildGraphAndReset: output ", index, " is ", output.node->Label(), ", which was removed");
      outputs.push_back(output);
    }
    int32_t count = static_cast<int32_t>(outputs.size());
    NodeParts parts;
    parts.dyn_in = &count;
    parts.dyn_in_size = 1;
    parts.inputs = outputs.data();
    if (!g.NetOutput()) g.AddNode(NetOutputIr(), "NetOutput_" + g.name(), std::move(parts));
    else if (count > 0) g.SetOutputs(std::move(outputs));
    for (Node *node : g.Inputs()) {
      if (node->input_count() > 0 && node->output_count() > 0) g.SetInputDesc(node, 0, node->output_desc(0));
    }
    // Nested subgraphs moved up to this root when they were attached.
    GeGraph *handle = NewHandle(b.graph);
    EsCGraph *box;
    try {
      box = NewBox(handle);
      all.Commit();
    } catch (...) {
      Drop(handle);
      throw;
    }
    b.built = true;
    return box;
  });
}

EsCGraphBuilder *EsGetOwnerBuilder(EsCTensorHolder *tensor) { return IsValid(tensor) ? tensor->builder->box : nullptr; }

EsCNode *EsGetProducer(EsCTensorHolder *tensor) {
  if (!IsValid(tensor)) return nullptr;
  return EsGuardPointer<EsCNode>([&] {
    Enter(*tensor->builder, "EsGetProducer");
    // From here on a C++ program has it as a ge::GNode.
    if (!tensor->retained && HoldNode(tensor->producer.node)) tensor->retained = 1;
    return &tensor->producer;
  });
}

uint32_t EsAddControlEdge(EsCTensorHolder *dest_ctrl_tensor, EsCTensorHolder **src_ctrl_tensors,
                          int64_t ctrl_tensors_num) {
  return EsStatus([&] {
    GE_CHECK_ARG(EsAddControlEdge, dest_ctrl_tensor);
    GE_CHECK_ARG(EsAddControlEdge, src_ctrl_tensors);
    if (ctrl_tensors_num < 0) Fail(GE_PARAM_INVALID, "EsAddControlEdge: ctrl_tensors_num is ", ctrl_tensors_num);
    EsCTensorHolder &to = HolderOf(dest_ctrl_tensor, "EsAddControlEdge", "dest_ctrl_tensor");
    Node &dst = ProducerOf(to, "EsAddControlEdge");
    Transaction all(dst.graph());
    for (int64_t i = 0; i < ctrl_tensors_num; ++i) {
      EsCTensorHolder &from =
          HolderOf(src_ctrl_tensors[i], "EsAddControlEdge", Str("src_ctrl_tensors[", i, "]").c_str());
      if (from.builder != to.builder)
        Fail(GE_PARAM_INVALID, "EsAddControlEdge: source ", i, " belongs to another graph builder");
      dst.graph().AddControl(&ProducerOf(from, "EsAddControlEdge"), &dst);
    }
    all.Commit();
  });
}

}  // extern "C"
