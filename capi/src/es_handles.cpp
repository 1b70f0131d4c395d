// Bridges between ES handles and the rest of the C ABI.
#include <cstring>
#include <new>

#include "capi/src/es_builder.h"
#include "capi/src/es_handed_over.h"

using namespace gec;
using namespace gec::api;

namespace {

// The builder destroys what was handed over to it.
bool RefusedToDestroy(const void *box, const char *what) noexcept {
  if (!HandedOver(box)) return false;
  EsGuard([&] { Fail(GE_BAD_STATE, "this ", what, " was handed over to a builder, which destroys it"); });
  return true;
}

void CheckRoom(const char *function, size_t given, size_t needed) {
  if (given < needed) Fail(GE_ABI_MISMATCH, function, ": memory has ", given, " bytes, this library needs ", needed);
}

Node &ProducerFor(const EsBuilder &b, GeNode *node, int32_t output_index, const char *function) {
  Node &n = NodeOf(node, function);
  if (&n.graph() != b.graph.get())
    Fail(GE_PARAM_INVALID, function, ": ", n.Label(), " is not in the builder's graph '", b.graph->name(), "'");
  if (output_index < -1 || output_index >= static_cast<int32_t>(n.output_count()))
    Fail(GE_PARAM_INVALID, function, ": ", n.Label(), " has ", n.output_count(), " outputs, output ", output_index,
         " is out of range");
  return n;
}

}  // namespace

extern "C" {

GeStatus GeEsGraphRetainGraph(EsCGraph *es_graph, GeGraph **out) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GeEsGraphRetainGraph, out);
    *out = nullptr;
    GE_CHECK_ARG(GeEsGraphRetainGraph, es_graph);
    ValidOf(es_graph->graph, "GeEsGraphRetainGraph", "es_graph");
    return GeGraphRetain(es_graph->graph, out);
  });
}

GeStatus GeEsGraphCreate(GeGraph *graph, EsCGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsGraphCreate, out);
    *out = nullptr;
    ValidOf(graph, "GeEsGraphCreate", "graph");
    *out = NewBox(graph);
    graph->refs.fetch_add(1, std::memory_order_relaxed);
  });
}

void GeEsGraphDestroy(EsCGraph *es_graph) {
  if (!es_graph || (es_graph->graph && !IsValid(es_graph->graph))) return;
  if (RefusedToDestroy(es_graph, "graph")) return;
  Drop(es_graph->graph);
  delete es_graph;
}

GeStatus GeEsTensorRetainTensor(EsCTensor *es_tensor, GeTensor **out) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GeEsTensorRetainTensor, out);
    *out = nullptr;
    GE_CHECK_ARG(GeEsTensorRetainTensor, es_tensor);
    ValidOf(es_tensor->tensor, "GeEsTensorRetainTensor", "es_tensor");
    return GeTensorRetain(es_tensor->tensor, out);
  });
}

GeStatus GeEsTensorCreate(GeTensor *tensor, EsCTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsTensorCreate, out);
    *out = nullptr;
    TensorOf(tensor, "GeEsTensorCreate");
    *out = NewBox(tensor);
    tensor->refs.fetch_add(1, std::memory_order_relaxed);
  });
}

void GeEsTensorDestroy(EsCTensor *es_tensor) {
  if (!es_tensor || (es_tensor->tensor && !IsValid(es_tensor->tensor))) return;
  if (RefusedToDestroy(es_tensor, "tensor")) return;
  Drop(es_tensor->tensor);
  delete es_tensor;
}

GeStatus GeEsNodeGet(EsCNode *es_node, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsNodeGet, out);
    *out = nullptr;
    GE_CHECK_ARG(GeEsNodeGet, es_node);
    NodeOf(es_node->node, "GeEsNodeGet", "es_node");
    *out = es_node->node;
  });
}

int32_t GeEsHolderIndex(const EsCTensorHolder *holder) { return IsValid(holder) ? holder->index : 0; }

GeStatus GeEsBuilderRetainGraph(EsCGraphBuilder *builder, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsBuilderRetainGraph, out);
    *out = nullptr;
    EsBuilder &b = OpenBuilder(builder, "GeEsBuilderRetainGraph", "builder");
    *out = NewHandle(b.graph);
  });
}

GeStatus GeEsHolderFromNode(EsCGraphBuilder *builder, GeNode *node, int32_t output_index, EsCTensorHolder **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsHolderFromNode, out);
    *out = nullptr;
    EsBuilder &b = BuilderOf(builder, "GeEsHolderFromNode", "builder");
    *out = NewHolder(b, &ProducerFor(b, node, output_index, "GeEsHolderFromNode"), output_index);
  });
}

GeStatus GeEsHolderInit(EsCTensorHolder *memory, size_t size, EsCGraphBuilder *builder, GeNode *node,
                        int32_t output_index) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsHolderInit, memory);
    CheckRoom("GeEsHolderInit", size, sizeof *memory);
    *memory = EsCTensorHolder();
    EsBuilder &b = BuilderOf(builder, "GeEsHolderInit", "builder");
    ProducerFor(b, node, output_index, "GeEsHolderInit").home().HoldNodes();
    *memory = EsCTensorHolder{{node}, output_index, 1, &b};
  });
}

void GeEsHolderDestroy(EsCTensorHolder *memory) {
  if (memory == nullptr) return;
  if (memory->retained) DropNodeReference(memory->producer.node);
  *memory = EsCTensorHolder();
}

GeStatus GeEsBuilderInit(EsCGraphBuilder *memory, size_t size, const char *name) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsBuilderInit, memory);
    CheckRoom("GeEsBuilderInit", size, sizeof *memory);
    std::memset(static_cast<void *>(memory), 0, sizeof *memory);
    ::new (static_cast<void *>(memory)) EsCGraphBuilder(name);
  });
}

void GeEsBuilderMove(EsCGraphBuilder *from, EsCGraphBuilder *to) {
  if (to == nullptr) return;
  if (!IsValid(from)) {
    std::memset(static_cast<void *>(to), 0, sizeof *to);
    return;
  }
  to->magic = from->magic;
  to->body = from->body;
  to->body->box = to;
  std::memset(static_cast<void *>(from), 0, sizeof *from);
}

void GeEsBuilderDestroy(EsCGraphBuilder *memory) {
  if (!IsValid(memory)) return;
  EsGuard([&] {
    EnterHandle(memory->body, "GeEsBuilderDestroy");
    memory->~EsCGraphBuilder();
  });
}

GeStatus GeEsBuilderAddResource(EsCGraphBuilder *builder, void *object, void (*deleter)(void *object)) {
  return Guard([&] {
    EsBuilder &b = BuilderOf(builder, "GeEsBuilderAddResource", "builder");
    GE_CHECK_ARG(GeEsBuilderAddResource, object);
    GE_CHECK_ARG(GeEsBuilderAddResource, deleter);
    b.resources.push_back({object, deleter});
  });
}

GeStatus GeEsBuilderNextName(EsCGraphBuilder *builder, const char *type, char *name, size_t capacity) {
  return Guard([&] {
    GE_CHECK_ARG(GeEsBuilderNextName, name);
    if (capacity) name[0] = 0;
    GE_CHECK_ARG(GeEsBuilderNextName, type);
    EsBuilder &b = OpenBuilder(builder, "GeEsBuilderNextName", "builder");
    std::string next = NextName(b, type);
    if (next.size() + 1 > capacity)
      Fail(GE_PARAM_INVALID, "GeEsBuilderNextName: '", next, "' needs ", next.size() + 1, " bytes, name has ",
           capacity);
    next.copy(name, next.size());
    name[next.size()] = 0;
  });
}

int64_t GeEsBuilderInputCount(const EsCGraphBuilder *builder) {
  if (!IsValid(builder)) return 0;
  return GuardValue<int64_t>(
      0, [&] { return static_cast<int64_t>(Enter(*builder->body, "GeEsBuilderInputCount").inputs.size()); });
}

}  // extern "C"
