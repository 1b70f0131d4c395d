// Inputs, constants and outputs of a graph.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

Shape DimsOf(const GeTensorData &tensor) {
  if (tensor.rank < 0) return Shape::Unknown();
  return tensor.rank ? Shape(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank)) : Shape();
}

/// A constant's value is an attribute; without one (a wildcard in a pattern) the output keeps its description.
void ConstRule(Context &c) {
  const GeAttrData *value = GeOpAttr(&c.op(), "value");
  auto is_default = [](const GeTensorData &t) { return !t.data && t.data_type == C_DT_FLOAT && DimsOf(t) == Shape{0}; };
  bool given = value && value->type == C_VT_TENSOR && value->tensor && !is_default(*value->tensor);
  if (given) return c.Out(0, value->tensor->data_type, DimsOf(*value->tensor));
  if (c.op().output_count) c.Out(0, c.op().outputs[0].data_type, DimsOf(c.op().outputs[0]));
}

void DataRule(Context &c) {
  if (c.Has(0)) return c.Out(0, c.Type(0), c.Dims(0));
  if (c.op().output_count) c.Out(0, c.op().outputs[0].data_type, DimsOf(c.op().outputs[0]));
}

void VariableRule(Context &c) {
  if (c.Has(0)) return c.Out(0, c.Type(0), c.Dims(0));
  ConstRule(c);
}

void NetOutputRule(Context &c) {
  for (size_t k = 0; k < c.Instances(0) && k < c.OutCount(); ++k) c.Out(k, c.Type(0, k), c.Dims(0, k));
}

/// Whichever branch ran: an extent is known when all agree on it.
void MergeRule(Context &c) {
  Shape y = c.Instances(0) ? c.Dims(0) : Shape::Unknown();
  for (size_t k = 1; k < c.Instances(0) && y.has_rank(); ++k) {
    Shape other = c.Dims(0, k);
    if (!other.has_rank() || other.rank() != y.rank()) y = Shape::Unknown();
    else
      for (int64_t i = 0; i < y.rank(); ++i)
        if (y[i] != other[i]) y[i] = -1;
  }
  c.Out(0, c.Type(0), y);
  c.Out(1, C_DT_INT32, Shape());
}

void NoOpRule(Context &) {}

constexpr Entry kGraphRules[] = {
    {"Const", Guarded<ConstRule>},  {"Constant", Guarded<ConstRule>},    {"Data", Guarded<DataRule>},
    {"RefData", Guarded<DataRule>}, {"Variable", Guarded<VariableRule>}, {"NetOutput", Guarded<NetOutputRule>},
    {"NoOp", Guarded<NoOpRule>},    {"Merge", Guarded<MergeRule>},       {"RefMerge", Guarded<MergeRule>},
};

}  // namespace

std::span<const Entry> GraphRules() { return kGraphRules; }

}  // namespace gec::infer
