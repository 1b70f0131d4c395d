// Attributes set through ES: of the graph, of an output tensor, of its producer.
#include "capi/src/es_builder.h"

using namespace gec;
using namespace gec::api;

namespace {

AttrValue Text(const char *value, const char *function) {
  if (!value) NullArgument(function, "value");
  return AttrValue(value);
}

template <class MakeValue>
uint32_t ForGraph(EsCGraphBuilder *graph, const char *attr_name, const char *function, MakeValue &&value) {
  return EsStatus([&] {
    EsBuilder &b = OpenBuilder(graph, function, "graph");
    if (!attr_name) NullArgument(function, "attr_name");
    b.graph->SetGraphAttr(Symbol(attr_name), value());
  });
}

template <class MakeValue>
uint32_t ForTensor(EsCTensorHolder *tensor, const char *attr_name, const char *function, MakeValue &&value) {
  return EsStatus([&] {
    EsCTensorHolder &holder = HolderOf(tensor, function);
    if (!attr_name) NullArgument(function, "attr_name");
    Node &node = ProducerOf(holder, function);
    if (holder.index < 0) Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has no outputs");
    node.graph().SetOutputAttr(&node, static_cast<size_t>(holder.index), Symbol(attr_name), value());
  });
}

template <class MakeValue>
uint32_t ForNode(EsCTensorHolder *tensor, const char *attr_name, const char *function, MakeValue &&value) {
  return EsStatus([&] {
    EsCTensorHolder &holder = HolderOf(tensor, function);
    if (!attr_name) NullArgument(function, "attr_name");
    Node &node = ProducerOf(holder, function);
    node.graph().SetAttr(&node, Symbol(attr_name), value());
  });
}

}  // namespace

extern "C" {

#define GE_ATTRIBUTES(Target, Handle)                                                                     \
  uint32_t EsSetInt64AttrFor##Target(Handle, const char *attr_name, int64_t value) {                      \
    return For##Target(target, attr_name, "EsSetInt64AttrFor" #Target, [&] { return AttrValue(value); }); \
  }                                                                                                       \
  uint32_t EsSetStringAttrFor##Target(Handle, const char *attr_name, const char *value) {                 \
    return For##Target(target, attr_name, "EsSetStringAttrFor" #Target,                                   \
                       [&] { return Text(value, "EsSetStringAttrFor" #Target); });                        \
  }                                                                                                       \
  uint32_t EsSetBoolAttrFor##Target(Handle, const char *attr_name, bool value) {                          \
    return For##Target(target, attr_name, "EsSetBoolAttrFor" #Target, [&] { return AttrValue(value); });  \
  }
GE_ATTRIBUTES(Graph, EsCGraphBuilder *target)
GE_ATTRIBUTES(Tensor, EsCTensorHolder *target)
GE_ATTRIBUTES(Node, EsCTensorHolder *target)
#undef GE_ATTRIBUTES

}  // extern "C"
