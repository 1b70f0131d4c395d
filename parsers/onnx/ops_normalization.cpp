// Normalisations.
#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

void BatchNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.In(2), mean = c.In(3), var = c.In(4);
  float epsilon = c.Float("epsilon", 1e-5f);
  float momentum = c.Float("momentum", 0.9f);
  c.Ignore({"consumed_inputs", "is_test"});
  if (c.opset() < 9 && c.Int("spatial", 1) == 0) c.Refuse(Reason::kUnsupportedUse, "spatial = 0 is not supported");
  if (c.opset() >= 14 && c.Int("training_mode", 0) != 0) {
    // Statistics of this batch normalise it and move the running ones.
    Formula f(c);
    int64_t rank = c.NeedRank(x, "to normalise over its positions");
    std::vector<int64_t> axes = {0};
    for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
    Endpoint own_mean = c.Reduce("ReduceMean", x, axes, false), centred = f.Sub(x, f.Along(own_mean, 1, rank));
    Endpoint own_var = c.Reduce("ReduceMean", f.Mul(centred, centred), axes, false);
    auto moved = [&](Endpoint running, Endpoint own) {
      int32_t type = c.NeedType(running, "to move it");
      Endpoint kept = f.Mul(running, f.Real(momentum, type));
      return f.Add(kept, f.Mul(c.CastTo(own, type), f.Real(1.0 - static_cast<double>(momentum), type)));
    };
    c.Out(0, c.Op("BNInfer", {x, scale, bias, own_mean, own_var}, {{"epsilon", epsilon}}));
    if (c.WantsOutput(1)) c.Out(1, moved(mean, own_mean));
    if (c.WantsOutput(2)) c.Out(2, moved(var, own_var));
    return;
  }
  c.Out(0, c.Op("BNInfer", {x, scale, bias, mean, var}, {{"epsilon", epsilon}}));
}

// [C] as [C, 1, 1 …] for an input of the given rank.
Endpoint PerChannel(NodeContext &c, Endpoint v, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
  if (axes.empty()) return v;
  Shape s = c.ShapeOf(v);
  if (ConstantOf(v) && s.rank() == 1 && s.known()) {
    std::vector<int64_t> shape(static_cast<size_t>(rank - 1), 1);
    shape[0] = s[0];
    return c.ReshapeTo(v, shape);
  }
  return c.Unsqueeze(v, axes);
}

// (x - mean) / sqrt(var + epsilon) over `axes`.
Endpoint Normalize(NodeContext &c, Endpoint x, const std::vector<int64_t> &axes, double epsilon) {
  Endpoint centred = c.Op("Sub", {x, c.Reduce("ReduceMean", x, axes, true)});
  Endpoint var = c.Reduce("ReduceMean", c.Op("Mul", {centred, centred}), axes, true);
  Endpoint deviation = c.Op("Sqrt", {c.Op("Add", {var, c.NumberLike(epsilon, x, "epsilon")})});
  return c.Op("RealDiv", {centred, deviation});
}

void InstanceNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.In(2);
  float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"consumed_inputs"});
  int64_t rank = c.NeedRank(x, "to normalise over its positions");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  Endpoint y = Normalize(c, x, axes, epsilon);
  y = c.Op("Mul", {y, PerChannel(c, scale, rank)});
  c.Out(0, c.Op("Add", {y, PerChannel(c, bias, rank)}));
}

void GroupNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.In(2);
  float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"stash_type"});
  int64_t groups = c.NeedInt("num_groups");
  int64_t rank = c.NeedRank(x, "to normalise over its groups");
  if (groups <= 0 || rank < 3)
    c.Refuse(Reason::kInvalidModel, Str("num_groups is ", groups, ", the input has rank ", rank));
  Endpoint shape = c.ShapeValue(x);
  Endpoint grouped = c.Op("Reshape", {x, c.ConstInts({0, groups, -1}, "groups")});
  Endpoint y = Normalize(c, grouped, {2}, epsilon);
  if (c.opset() < 21) {  // one factor per group then
    y = c.Op("Add", {c.Op("Mul", {y, PerChannel(c, scale, 3)}), PerChannel(c, bias, 3)});
    c.Out(0, c.Op("Reshape", {y, shape}));
    return;
  }
  y = c.Op("Reshape", {y, shape});
  y = c.Op("Mul", {y, PerChannel(c, scale, rank)});
  c.Out(0, c.Op("Add", {y, PerChannel(c, bias, rank)}));
}

void LayerNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.OptIn(2);
  float epsilon = c.Float("epsilon", 1e-5f);
  // Mean and inverse deviation leave in the type they are computed in: float, whatever x is.
  const int32_t stash = c.Int("stash_type", 1) == 16 ? C_DT_BF16 : C_DT_FLOAT;
  int64_t rank = c.NeedRank(x, "to find the normalised dimensions");
  int64_t axis = c.NeedAxis(c.Int("axis", -1), x);
  Shape xs = c.ShapeOf(x), ss = c.ShapeOf(scale);
  std::vector<int64_t> dims, axes;
  bool known = true, plain = ss.rank() == rank - axis && (!bias || c.Rank(bias) == rank - axis);
  for (int64_t i = axis; i < rank; ++i) {
    int64_t d = xs[static_cast<size_t>(i)];
    if (plain) {
      int64_t s = ss[static_cast<size_t>(i - axis)];
      if (d < 0) d = s;
      plain = plain && (s < 0 || s == d);
    }
    known = known && d >= 0;
    dims.push_back(d);
    axes.push_back(i);
  }
  if (known && plain) {
    Node *node = c.Add("LayerNormV4", {x, c.ConstInts(dims, "normalized_shape"), scale, bias}, {{"epsilon", epsilon}});
    c.Out(0, {node, 0});
    for (int32_t i = 1; i < 3; ++i)
      if (c.WantsOutput(static_cast<size_t>(i))) c.Out(static_cast<size_t>(i), c.CastTo({node, i}, stash));
    return;
  }
  Endpoint mean = c.Reduce("ReduceMean", x, axes, true);
  Endpoint centred = c.Op("Sub", {x, mean});
  Endpoint var = c.Reduce("ReduceMean", c.Op("Mul", {centred, centred}), axes, true);
  Endpoint inverse = c.Op("Reciprocal", {c.Op("Sqrt", {c.Op("Add", {var, c.NumberLike(epsilon, x, "epsilon")})})});
  Endpoint y = c.Op("Mul", {c.Op("Mul", {centred, inverse}), scale});
  c.Out(0, bias ? c.Op("Add", {y, bias}) : y);
  if (c.WantsOutput(1)) c.Out(1, c.CastTo(mean, stash));
  if (c.WantsOutput(2)) c.Out(2, c.CastTo(inverse, stash));
}

void RMSNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1);
  float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"stash_type"});
  int64_t rank = c.NeedRank(x, "to find the normalised dimensions");
  std::vector<int64_t> axes;
  for (int64_t i = c.NeedAxis(c.Int("axis", -1), x); i < rank; ++i) axes.push_back(i);
  Endpoint square = c.Reduce("ReduceMean", c.Op("Mul", {x, x}), axes, true);
  Endpoint inverse = c.Op("Reciprocal", {c.Op("Sqrt", {c.Op("Add", {square, c.NumberLike(epsilon, x, "epsilon")})})});
  c.Out(0, c.Op("Mul", {c.Op("Mul", {x, inverse}), scale}));
}

void LRN(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t size = c.NeedInt("size");
  float alpha = c.Float("alpha", 1e-4f), beta = c.Float("beta", 0.75f), bias = c.Float("bias", 1.0f);
  if (size <= 0 || size > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("size is ", size));
  int64_t rank = c.NeedRank(x, "to sum over channels");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  // The sum over neighbouring channels is an average pool over [N, 1, C, positions], zeros around it counted in.
  Endpoint shape = c.ShapeValue(x);
  Endpoint square = c.Op("Reshape", {c.Op("Mul", {x, x}), c.ConstInts({0, 0, -1}, "positions")});
  square = c.Unsqueeze(square, {1});
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  Endpoint mean = c.Op("AvgPoolV2", {square},
                       {{"ksize", AttrValue::ListInt{1, 1, size, 1}},
                        {"strides", AttrValue::ListInt{1, 1, 1, 1}},
                        {"padding_mode", "CALCULATED"},
                        {"pads", AttrValue::ListInt{before, after, 0, 0}},
                        {"data_format", "NCHW"},
                        {"exclusive", false}});
  mean = c.Op("Reshape", {mean, shape});
  Endpoint base = c.Op("Add", {c.Op("Mul", {mean, c.NumberLike(alpha, x, "alpha")}), c.NumberLike(bias, x, "bias")});
  c.Out(0, c.Op("RealDiv", {x, c.Op("Pow", {base, c.NumberLike(beta, x, "beta")})}));
}

void LpNormalization(NodeContext &c) {
  Endpoint x = c.In(0);
  int64_t p = c.Int("p", 2), axis = c.Axis(c.Int("axis", -1), x);
  if (p != 1 && p != 2) c.Refuse(Reason::kInvalidModel, Str("attribute 'p' is ", p, ", expected 1 or 2"));
  Endpoint norm;
  if (p == 1) norm = c.Reduce("ReduceSum", c.Op("Abs", {x}), {axis}, true);
  else norm = c.Op("Sqrt", {c.Reduce("ReduceSum", c.Op("Mul", {x, x}), {axis}, true)});
  // A line of zeros stays one.
  Endpoint none = c.Op("Equal", {norm, c.NumberLike(0, x, "zero")});
  norm = c.Op("SelectV2", {none, c.NumberLike(1, x, "one"), norm});
  c.Out(0, c.Op("RealDiv", {x, norm}));
}

void MeanVarianceNormalization(NodeContext &c) {
  Endpoint x = c.In(0);
  std::vector<int64_t> axes = c.Ints("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (int64_t &a : axes) a = c.Axis(a, x);
  Endpoint centred = c.Op("Sub", {x, c.Reduce("ReduceMean", x, axes, true)});
  Endpoint var = c.Reduce("ReduceMean", c.Op("Mul", {centred, centred}), axes, true);
  Endpoint deviation = c.Op("Add", {c.Op("Sqrt", {var}), c.NumberLike(1e-9, x, "epsilon")});
  c.Out(0, c.Op("RealDiv", {centred, deviation}));
}

constexpr Handler kHandlers[] = {
    {"", "BatchNormalization", 1, BatchNormalization},
    {"", "InstanceNormalization", 1, InstanceNormalization},
    {"", "GroupNormalization", 18, GroupNormalization},
    {"", "LayerNormalization", 1, LayerNormalization},  // exporters wrote it before it was standard
    {"", "RMSNormalization", 23, RMSNormalization},
    {"", "LRN", 1, LRN},
    {"", "LpNormalization", 1, LpNormalization},
    {"", "MeanVarianceNormalization", 9, MeanVarianceNormalization},
};

}  // namespace

HandlerTable NormalizationHandlers() { return {std::begin(kHandlers), std::end(kHandlers)}; }

}  // namespace gec::onnx
