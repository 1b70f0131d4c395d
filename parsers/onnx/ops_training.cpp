// Steps of optimisers (ai.onnx.preview.training). Every tensor that is optimised has its own inputs and outputs, in
// groups.
#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"

namespace gec::onnx {
namespace {

/// The inputs R (rate), T (updates so far), then groups of tensors: those that are optimised, their gradients, their
/// states.
struct Step {
  Step(NodeContext &context, size_t group_count) : c(context), f(context), groups(group_count) {
    if (c.input_count() < 2 + groups || (c.input_count() - 2) % groups != 0)
      c.Refuse(Reason::kInvalidModel, Str("it has ", c.input_count(), " inputs, expected 2 and then ", groups,
                                          " for each tensor that is optimised"));
    count = (c.input_count() - 2) / groups;
    rate = f.Scalar(c.In(0), c.NeedType(c.In(0), "as the type of the rate"));
    updates = f.Scalar(c.In(1), C_DT_INT64);
  }
  Endpoint In(size_t group, size_t k) { return c.In(2 + group * count + k); }
  /// With the gradient of norm_coefficient / 2 * |x|^2.
  Endpoint Gradient(size_t k) {
    const Endpoint x = In(0, k), g = In(1, k);
    const float norm = c.Float("norm_coefficient", 0);
    return norm == 0 ? g : f.Add(f.Mul(x, c.NumberLike(norm, x, "norm")), g);
  }
  Endpoint Rate(Endpoint like) { return c.CastLike(rate, like); }
  void Out(size_t group, size_t k, Endpoint e) { c.Out(group * count + k, e); }
  Endpoint IsFirst() { return f.LessEqual(updates, f.Int(0)); }

  NodeContext &c;
  Formula f;
  size_t groups, count = 0;
  Endpoint rate, updates;
};

void Adagrad(NodeContext &c) {
  Step s(c, 3);
  const float decay = c.Float("decay_factor", 0), epsilon = c.Float("epsilon", 1e-6f);
  for (size_t k = 0; k < s.count; ++k) {
    const Endpoint x = s.In(0, k), g = s.Gradient(k), sum = s.f.Add(s.In(2, k), s.f.Mul(g, g));
    const Endpoint slowed =
        s.f.Add(s.f.Mul(s.f.Scalar(s.updates, c.NeedType(x, "to scale the rate")), c.NumberLike(decay, x, "decay")),
                c.NumberLike(1, x, "one"));
    const Endpoint root = s.f.Add(c.Op("Sqrt", {sum}), c.NumberLike(epsilon, x, "epsilon"));
    s.Out(0, k, s.f.Sub(x, s.f.Div(s.f.Mul(s.f.Div(s.Rate(x), slowed), g), root)));
    s.Out(1, k, sum);
  }
}

void Adam(NodeContext &c) {
  Step s(c, 4);
  Formula &f = s.f;
  const float alpha = c.Float("alpha", 0.9f), beta = c.Float("beta", 0.999f), epsilon = c.Float("epsilon", 1e-6f),
              post = c.Float("norm_coefficient_post", 0);
  for (size_t k = 0; k < s.count; ++k) {
    const Endpoint x = s.In(0, k), g = s.Gradient(k);
    const int32_t type = c.NeedType(x, "to average gradients");
    const auto real = [&](double v) { return f.Real(v, type); };
    const auto mixed = [&](Endpoint old, float keep, Endpoint fresh) {
      return f.Add(f.Mul(real(keep), old), f.Mul(real(1.0 - double{keep}), fresh));
    };
    const Endpoint mean = mixed(s.In(2, k), alpha, g), square = mixed(s.In(3, k), beta, f.Mul(g, g));
    // Means that started with 0 are too small at first.
    const Endpoint t = f.Scalar(s.updates, type), one = real(1);
    const auto left = [&](float base) { return f.Sub(one, c.Op("Pow", {real(base), t})); };
    const Endpoint corrected = f.Div(f.Mul(s.Rate(x), c.Op("Sqrt", {left(beta)})), left(alpha));
    const Endpoint rate = f.Where(s.IsFirst(), s.Rate(x), corrected);
    const Endpoint root = f.Add(c.Op("Sqrt", {square}), real(epsilon));
    const Endpoint moved = f.Sub(x, f.Mul(rate, f.Div(mean, root)));
    s.Out(0, k, post == 0 ? moved : f.Mul(real(1.0 - double{post}), moved));
    s.Out(1, k, mean);
    s.Out(2, k, square);
  }
}

void Momentum(NodeContext &c) {
  Step s(c, 3);
  Formula &f = s.f;
  const std::string mode = c.String("mode", "");
  if (mode != "standard" && mode != "nesterov")
    c.Refuse(Reason::kInvalidModel, "attribute 'mode' is '" + mode + "', expected standard or nesterov");
  const float alpha = c.Float("alpha", 0), beta = c.Float("beta", 0);
  for (size_t k = 0; k < s.count; ++k) {
    const Endpoint x = s.In(0, k), g = s.Gradient(k), keep = c.NumberLike(alpha, x, "alpha");
    const Endpoint part = f.Where(s.IsFirst(), c.NumberLike(1, x, "one"), c.NumberLike(beta, x, "beta"));
    const Endpoint moment = f.Add(f.Mul(keep, s.In(2, k)), f.Mul(part, g));
    const Endpoint step = mode == "standard" ? moment : f.Add(g, f.Mul(keep, moment));
    s.Out(0, k, f.Sub(x, f.Mul(s.Rate(x), step)));
    s.Out(1, k, moment);
  }
}

constexpr char kTrainingDomain[] = "ai.onnx.preview.training";
constexpr Handler kTrainingHandlers[] = {
    {kTrainingDomain, "Adagrad", 1, Adagrad},
    {kTrainingDomain, "Adam", 1, Adam},
    {kTrainingDomain, "Momentum", 1, Momentum},
};

}  // namespace

HandlerTable TrainingHandlers() { return {std::begin(kTrainingHandlers), std::end(kTrainingHandlers)}; }

}  // namespace gec::onnx
