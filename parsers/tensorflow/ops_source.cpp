// Inputs, constants, and nodes that hand on what they are given.
#include "core/ops/make_node.h"
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/importer_internal.h"
#include "parsers/tensorflow/limits.h"

namespace gec::tensorflow {
namespace {

Shape CheckedShape(NodeContext &c, const ShapeDef &shape) {
  if (!shape.known_rank) return Shape::UnknownRank();
  if (shape.dims.size() > GE_MAX_RANK)
    c.Refuse(Reason::kLimit, Str("the shape has rank ", shape.dims.size(), ", the limit is ", GE_MAX_RANK));
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (shape.dims[i] < -1 || shape.dims[i] > kMaxDim)
      c.Refuse(Reason::kInvalidModel,
               Str("dimension ", i, " is ", shape.dims[i], ", allowed are 0 to ", kMaxDim, ", and -1 for any"));
  }
  return Shape(shape.dims.data(), shape.dims.size());
}

void AddInput(NodeContext &c) {
  TensorDesc desc(c.Type("dtype", C_DT_UNDEFINED), Shape::UnknownRank());
  if (desc.dtype == C_DT_UNDEFINED) c.Refuse(Reason::kInvalidModel, "the input has no type");
  if (desc.dtype == C_DT_STRING || desc.dtype == C_DT_RESOURCE || desc.dtype == C_DT_VARIANT)
    c.Refuse(Reason::kUnsupportedType, "inputs of this type cannot be computed with");
  if (const AttrDef *attr = c.Attr("shape")) {
    if (const auto *shape = attr->get_if<ShapeDef>()) desc.SetShape(CheckedShape(c, *shape));
  }
  if (const Shape *given = c.importer().ShapeFor(c.name())) desc.SetShape(*given);
  if (desc.shape.rank() == 4 && c.importer().ImagesHaveChannelsLast()) desc.format = desc.origin_format = C_FORMAT_NHWC;
  try {
    if (desc.shape.known()) ByteSize(desc.dtype, desc.shape.elements());
  } catch (const Error &e) {
    c.Refuse(Reason::kLimit, e.what());
  }
  Graph &graph = *c.scope().graph;
  Node *data = MakeNode(graph, "Data", c.name());
  graph.SetAttr(data, "index", c.importer().NextInput());
  graph.SetOrigins(data, {c.name()});
  graph.SetOutputDesc(data, 0, std::move(desc));
  c.SetMain(data);
  c.Out(0, {data, 0});
}

void Placeholder(NodeContext &c) {
  if (c.scope().function) c.Refuse(Reason::kInvalidModel, "a function has arguments, no placeholders");
  AddInput(c);
}

// The default, unless an option speaks of the node as an input.
void PlaceholderWithDefault(NodeContext &c) {
  c.Ignore({"shape", "dtype"});
  const Endpoint fallback = c.In(0);
  if (!c.scope().function && c.importer().NamedAsInput(c.name())) return AddInput(c);
  c.Out(0, ConstantOf(fallback) ? fallback : c.Op("Identity", {fallback}));
}

void Const(NodeContext &c) {
  const AttrDef *attr = c.Attr("value");
  const auto *tensor = attr ? attr->get_if<TensorDef>() : nullptr;
  if (!tensor) c.Refuse(Reason::kInvalidModel, "attribute 'value' holds no tensor");
  Endpoint e = c.Const(ReadTensor(*tensor, "attribute 'value'"), "value");
  if (c.TypeOf(e) != c.Type("dtype", c.TypeOf(e)))
    c.Refuse(Reason::kInvalidModel, "attribute 'dtype' is not the type of the value");
  c.Out(0, e);
}

// Operators that hand a value on. A constant stays one, so that what reads it sees it.
void Pass(NodeContext &c) {
  c.Ignore({"message", "shape"});
  Endpoint x = c.In(0);
  c.Out(0, ConstantOf(x) ? x : c.Op("Identity", {x}));
}

void IdentityN(NodeContext &c) {
  std::vector<Endpoint> all = c.AllInputs();
  for (size_t i = 0; i < all.size(); ++i) c.Out(i, ConstantOf(all[i]) ? all[i] : c.Op("Identity", {all[i]}));
}

void Nothing(NodeContext &c) { c.AllInputs(); }

constexpr Handler kSourceHandlers[] = {
    {"Placeholder", Placeholder},
    {"PlaceholderV2", Placeholder},
    {"PlaceholderWithDefault", PlaceholderWithDefault},
    {"Const", Const},
    {"HostConst", Const},
    {"Identity", Pass},
    {"StopGradient", Pass},
    {"PreventGradient", Pass},
    {"Snapshot", Pass},
    {"CheckNumerics", Pass},
    {"GuaranteeConst", Pass},
    {"EnsureShape", Pass},
    {"IdentityN", IdentityN},
    {"NoOp", Nothing},
};

}  // namespace

HandlerTable SourceHandlers() { return {std::begin(kSourceHandlers), std::end(kSourceHandlers)}; }

}  // namespace gec::tensorflow
