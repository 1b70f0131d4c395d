// Convolutions with an epilogue or with channels last, and movements of data, of ONNX Runtime's own domain.
#include "parsers/onnx/contrib_parts.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/window.h"

namespace gec::onnx {
namespace {

Endpoint Activated(NodeContext &c, Endpoint x) {
  return NamedActivation(c, x, c.String("activation", ""), c.Floats("activation_params"));
}

void FusedConv(NodeContext &c) {
  Endpoint y = Convolution(c, c.In(0), c.In(1), c.OptIn(2));
  if (const Endpoint sum = c.OptIn(3)) y = c.Op("Add", {y, sum});
  c.Out(0, Activated(c, y));
}

// x with channels last; the weights are those of any convolution.
void NhwcConv(NodeContext &c) {
  const Endpoint x = c.In(0);
  const int64_t rank = c.NeedRank(x, "to move its channels");
  std::vector<int64_t> front, back;
  for (int64_t i = 0; i < rank; ++i) {
    front.push_back(i == 0 ? 0 : i == 1 ? rank - 1 : i - 1);
    back.push_back(i == 0 ? 0 : i == rank - 1 ? 1 : i + 1);
  }
  Endpoint y = c.Transpose(Convolution(c, c.Transpose(x, front), c.In(1), c.OptIn(2)), back);
  if (c.op() == "NhwcFusedConv") {
    if (const Endpoint sum = c.OptIn(3)) y = c.Op("Add", {y, sum});
    y = Activated(c, y);
  }
  c.Out(0, y);
}

void ExpandDims(NodeContext &c) {
  const Endpoint x = c.In(0);
  const int64_t axis = c.NeedInteger(1, "axis"), rank = c.Rank(x);
  if (rank >= 0 && (axis < -rank - 1 || axis > rank))
    c.Refuse(Reason::kInvalidModel, Str("axis is ", axis, " for rank ", rank));
  c.Out(0, c.Unsqueeze(x, {axis}));
}

// Values in the order in which they first come, where each element went, and how often each is there.
void MicrosoftUnique(NodeContext &c) {
  const Endpoint x = c.In(0);
  if (c.Rank(x) >= 0 && c.Rank(x) != 1)
    c.Refuse(Reason::kInvalidModel, Str("the input has rank ", c.Rank(x), ", expected 1"));
  Node *node = c.Add("UniqueWithCountsExt2", {x, c.ConstInts({}, "no_axis")},
                     {{"out_idx", DataTypeValue{C_DT_INT64}}, {"sorted", false}});
  const int32_t ports[] = {0, 3, 2};
  for (size_t i = 0; i < 3; ++i)
    if (c.WantsOutput(i)) c.Out(i, {node, ports[i]});
}

constexpr Handler kContribShapeHandlers[] = {
    {"com.microsoft", "ExpandDims", 1, ExpandDims},  {"com.microsoft", "FusedConv", 1, FusedConv},
    {"com.microsoft", "NhwcConv", 1, NhwcConv},      {"com.microsoft", "NhwcFusedConv", 1, NhwcConv},
    {"com.microsoft", "Unique", 1, MicrosoftUnique},
};

}  // namespace

HandlerTable ContribShapeHandlers() { return {std::begin(kContribShapeHandlers), std::end(kContribShapeHandlers)}; }

}  // namespace gec::onnx
