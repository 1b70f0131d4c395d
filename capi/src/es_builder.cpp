#include "capi/src/es_builder.h"

#include <charconv>

#include "core/support/log.h"

namespace gec::api {

EsBuilder::~EsBuilder() {
  for (size_t i = resources.size(); i-- > 0;) resources[i].deleter(resources[i].object);
  for (size_t i = 0; i < holders.size(); ++i) {
    if (holders[i].retained) DropNodeReference(holders[i].producer.node);
  }
  *static_cast<volatile uint64_t *>(&magic) = 0;
}

GeStatus LogFailure(GeStatus status) noexcept {
  LogText(GE_LOG_ERROR, GeLastErrorMessage());
  return status;
}

EsBuilder &Enter(EsBuilder &builder, const char *function) {
  EnterHandle(&builder, function);
  Enter(*builder.graph, function);
  return builder;
}

EsBuilder &BuilderOf(EsCGraphBuilder *builder, const char *function, const char *argument) {
  return Enter(*ValidOf(builder, function, argument).body, function);
}

namespace {
EsBuilder &RefuseBuilt(EsBuilder &b, const char *function) {
  if (b.built) Fail(GE_BAD_STATE, function, ": graph '", b.graph->name(), "' is built already");
  return b;
}
}  // namespace

EsBuilder &StillOpen(EsBuilder &b, const char *function) { return RefuseBuilt(Enter(b, function), function); }

EsBuilder &OpenBuilder(EsCGraphBuilder *builder, const char *function, const char *argument) {
  return RefuseBuilt(BuilderOf(builder, function, argument), function);
}

EsCTensorHolder &HolderOf(EsCTensorHolder *holder, const char *function, const char *argument) {
  if (!holder) NullArgument(function, argument);
  if (!IsValid(holder)) BadHandle(function, argument, holder);
  return *holder;
}

Node &ProducerOf(const EsCTensorHolder &holder, const char *function) {
  return NodeOf(holder.producer.node, function, "tensor's node");
}

// A node that the user named may have the same name: numbers depend on nothing but the nodes made before.
std::string NextName(EsBuilder &builder, std::string_view type) {
  char digits[24];
  char *end = std::to_chars(digits, digits + sizeof digits, builder.next_name++).ptr;
  std::string name;
  name.reserve(type.size() + 1 + static_cast<size_t>(end - digits));
  name.append(type).append(1, '_').append(digits, end);
  return name;
}

EsCTensorHolder *NewHolder(EsBuilder &builder, Node *node, int32_t index) {
  return builder.holders.Add(EsCTensorHolder{{Handle(node)}, index, 0, &builder});
}

EsCTensorHolder *AddConstNode(EsBuilder &builder, TensorPtr value) {
  static const Symbol value_name("value");
  EsCTensorHolder *holder = NewHolder(builder, nullptr, 0);
  NodeParts parts;
  TensorDesc desc = value->desc;
  parts.attrs.Set(value_name, AttrValue(std::move(value)));
  Node *node = builder.graph->AddNode(BaseIr("Const"), NextName(builder, "Const"), std::move(parts));
  builder.graph->SetOutputDesc(node, 0, std::move(desc));
  holder->producer.node = Handle(node);
  return holder;
}

Shape EsShape(const int64_t *dims, int64_t dim_num, const char *function) {
  if (Shape::SaysUnknownRank(dims, dim_num)) return Shape::UnknownRank();
  if (!dims || dim_num <= 0) return Shape();
  if (dim_num > GE_MAX_RANK) Fail(GE_PARAM_INVALID, function, ": rank is ", dim_num, ", at most ", GE_MAX_RANK);
  for (int64_t i = 0; i < dim_num; ++i) {
    if (dims[i] < GE_UNKNOWN_DIM)
      Fail(GE_PARAM_INVALID, function, ": dimension ", i, " is ", dims[i],
           ", expected -1 or more (-2 alone: any rank)");
  }
  return Shape(dims, static_cast<size_t>(dim_num));
}

EsCTensor *NewBox(GeTensor *tensor) { return new EsCTensor{tensor}; }
EsCGraph *NewBox(GeGraph *graph) { return new EsCGraph{graph}; }

}  // namespace gec::api
