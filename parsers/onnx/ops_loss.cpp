// Losses, as sums over what is gathered at the targets.
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"

namespace gec::onnx {
namespace {

// input: log-probabilities [N, C, …]; target: classes [N, …].
Endpoint NegativeLogLikelihood(NodeContext &c, Endpoint input, Endpoint target, Endpoint weight) {
  Formula f(c);
  int32_t type = c.NeedType(input, "as the type of the loss");
  target = c.CastTo(target, C_DT_INT64);
  Endpoint counts;  // weight of each target
  if (c.HasAttr("ignore_index")) {
    Endpoint ignored = f.Equal(target, f.Int(c.Int("ignore_index", 0)));
    target = f.Where(ignored, f.Int(0), target);
    counts = weight ? f.Gather(weight, target, 0) : f.Fill(c.ShapeValue(target), f.Real(1, type));
    counts = f.Where(ignored, f.Real(0, type), counts);
  } else if (weight) {
    counts = f.Gather(weight, target, 0);
  }
  Endpoint picked = c.Op("GatherElements", {input, c.Unsqueeze(target, {1})}, {{"dim", int64_t{1}}});
  Endpoint loss = f.Neg(c.Squeeze(picked, {1}));
  if (counts) loss = f.Mul(loss, counts);
  std::string reduction = c.String("reduction", "mean");
  if (reduction == "none") return loss;
  if (reduction != "mean" && reduction != "sum")
    c.Refuse(Reason::kInvalidModel, "attribute 'reduction' is '" + reduction + "', expected none, sum or mean");
  auto all = [&](const char *op, Endpoint e) { return c.Reduce(op, f.Flat(e), {0}, false); };
  if (reduction == "sum") return all("ReduceSum", loss);
  return counts ? f.Div(all("ReduceSum", loss), all("ReduceSum", counts)) : all("ReduceMean", loss);
}

void NegativeLogLikelihoodLoss(NodeContext &c) { c.Out(0, NegativeLogLikelihood(c, c.In(0), c.In(1), c.OptIn(2))); }

void SoftmaxCrossEntropyLoss(NodeContext &c) {
  Endpoint scores = c.In(0);
  Endpoint logs = c.Op("LogSoftmaxV2", {scores}, {{"axes", AttrValue::ListInt{1}}});
  c.Out(0, NegativeLogLikelihood(c, logs, c.In(1), c.OptIn(2)));
  if (c.WantsOutput(1)) c.Out(1, logs);
}

constexpr Handler kLossHandlers[] = {
    {"", "NegativeLogLikelihoodLoss", 12, NegativeLogLikelihoodLoss},
    {"", "SoftmaxCrossEntropyLoss", 12, SoftmaxCrossEntropyLoss},
};

}  // namespace

HandlerTable LossHandlers() { return {std::begin(kLossHandlers), std::end(kLossHandlers)}; }

}  // namespace gec::onnx
