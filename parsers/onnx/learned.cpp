#include "parsers/onnx/learned.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gec::onnx {

ClassLabels ClassLabels::Of(NodeContext &c, const char *numbers, const char *texts) {
  ClassLabels labels{c.Ints(numbers), c.Strings(texts)};
  if (labels.numbers.empty() == labels.texts.empty())
    c.Refuse(Reason::kInvalidModel, Str("one of the attributes '", numbers, "' and '", texts, "' is needed, there ",
                                        labels.texts.empty() ? "is none" : "are both"));
  return labels;
}

Value ClassLabels::At(NodeContext &c, Endpoint classes) const {
  if (!texts.empty()) {
    const Value all = c.ConstTexts(texts, Shape{static_cast<int64_t>(texts.size())}, "labels");
    return Value::Text(Formula(c).Gather(all.parts[0], classes, 0), all.parts[1]);
  }
  return Formula(c).Gather(c.ConstInts(numbers, "labels"), classes, 0);
}

Endpoint Floats(NodeContext &c, const std::vector<float> &values, std::vector<int64_t> shape, const char *role) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  return c.Const(Tensor::Of<float>(C_DT_FLOAT, Shape(shape.data(), shape.size()), values), role);
}

void NeedCount(NodeContext &c, const char *name, size_t count, size_t wanted) {
  if (count != wanted)
    c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' has ", count, " values, expected ", wanted));
}

Endpoint Rows(NodeContext &c) { return RowsOf(c, c.CastTo(c.In(0), C_DT_FLOAT)); }

Endpoint RowsOf(NodeContext &c, Endpoint x) {
  const int64_t rank = c.NeedRank(x, "to tell rows from features");
  if (rank != 1 && rank != 2) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", expected 1 or 2"));
  return rank == 1 ? c.Unsqueeze(x, {0}) : x;
}

namespace {

Endpoint SoftmaxZero(NodeContext &c, Endpoint x) {
  Formula f(c);
  const auto real = [&](double v) { return f.Real(v, C_DT_FLOAT); };
  const Endpoint most = c.Reduce("ReduceMax", x, {-1}, true);
  const Endpoint zero = f.LessEqual(c.Op("Abs", {x}), real(1e-7));
  const Endpoint e = f.Where(zero, f.Mul(x, c.Op("Exp", {f.Neg(most)})), c.Op("Exp", {f.Sub(x, most)}));
  const Endpoint sum = c.Reduce("ReduceSum", e, {-1}, true);
  return f.Where(f.Equal(sum, real(0)), real(0.5), f.Div(e, sum));
}

/// The usual approximation of the inverse of the normal distribution's integral.
Endpoint Probit(NodeContext &c, Endpoint p) {
  Formula f(c);
  const auto real = [&](double v) { return f.Real(v, C_DT_FLOAT); };
  constexpr double kA = 0.147;
  const Endpoint x = f.Sub(f.Mul(p, real(2)), real(1)), y = f.Mul(f.Sub(real(1), x), f.Add(real(1), x));
  const Endpoint log = c.Op("Log", {y}), v = f.Add(f.Mul(log, real(0.5)), real(2 / (M_PI * kA)));
  const Endpoint root = c.Op("Sqrt", {f.Sub(c.Op("Sqrt", {f.Sub(f.Mul(v, v), f.Div(log, real(kA)))}), v)});
  const Endpoint result = f.Mul(f.Mul(c.Op("Sign", {x}), root), real(std::sqrt(2.0)));
  // At 0 and 1, where the logarithm is infinite, as in ONNX Runtime; ONNX's reference evaluator has 0 there.
  return f.Where(f.Equal(y, real(0)), f.Mul(x, real(INFINITY)), result);
}

void NeedTransform(NodeContext &c, const std::string &transform) {
  if (std::find(std::begin(kTransforms), std::end(kTransforms), transform) == std::end(kTransforms))
    c.Refuse(Reason::kInvalidModel, "attribute 'post_transform' is '" + transform +
                                        "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
}

}  // namespace

Endpoint PostTransformed(NodeContext &c, Endpoint scores, const std::string &transform) {
  NeedTransform(c, transform);
  if (transform == "NONE") return scores;
  if (transform == "LOGISTIC") return c.Op("Sigmoid", {scores});
  if (transform == "SOFTMAX") return c.Op("SoftmaxV2", {scores}, {{"axes", AttrValue::ListInt{-1}}});
  if (transform == "SOFTMAX_ZERO") return SoftmaxZero(c, scores);
  return Probit(c, scores);
}

Endpoint BothClasses(NodeContext &c, Endpoint score, const std::string &transform, bool from_zero) {
  NeedTransform(c, transform);
  Formula f(c);
  const Endpoint shares = f.Concat({f.Sub(f.Real(1, C_DT_FLOAT), score), score}, 1);
  if (transform == "PROBIT") return PostTransformed(c, shares, transform);  // that of probabilities
  if (!from_zero) return shares;
  const Endpoint both = f.Concat({f.Neg(score), score}, 1);
  // One score is no distribution: of the transforms ONNX Runtime knows this one only for it.
  return transform == "LOGISTIC" ? PostTransformed(c, both, transform) : both;
}

}  // namespace gec::onnx
