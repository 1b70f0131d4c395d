// Normalisations.
#include <algorithm>

#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

struct Centred {
  Endpoint x, mean;  // x - mean, and the mean with the reduced dimensions as 1
};

// The rounded mean is off by up to its own last digits, which is much where x hardly varies. The mean of what is left
// tells by how much.
Centred Centre(NodeContext &c, Endpoint x, const std::vector<int64_t> &axes) {
  Endpoint mean = c.Reduce("ReduceMean", x, axes, true);
  Endpoint centred = c.Op("Sub", {x, mean});
  Endpoint rest = c.Reduce("ReduceMean", centred, axes, true);
  return {c.Op("Sub", {centred, rest}), c.Op("Add", {mean, rest})};
}

// (x - mean) / sqrt(variance + epsilon) over the last `count` dimensions, in one kernel that does not lose digits.
Node *NormalizeLast(NodeContext &c, Endpoint x, int64_t count, double epsilon, Endpoint gamma = {},
                    Endpoint beta = {}) {
  const Shape shape = c.ShapeOf(x);
  std::vector<int64_t> last;
  for (int64_t i = shape.rank() - count; shape.has_rank() && i < shape.rank(); ++i)
    last.push_back(shape[static_cast<size_t>(i)]);
  const bool known = shape.has_rank() && std::all_of(last.begin(), last.end(), [](int64_t d) { return d >= 0; });
  Endpoint extents =
      known ? c.ConstInts(last, "normalized_shape") : c.Slice(c.ShapeValue(x), {-count}, {INT64_MAX}, {0});
  return c.Add("LayerNormV4", {x, extents, gamma, beta}, {{"epsilon", static_cast<float>(epsilon)}});
}

// Whether `parameter` is certain to have the shape of the last `count` dimensions of x.
bool HasShapeOfLast(NodeContext &c, Endpoint parameter, Endpoint x, int64_t count) {
  const Shape have = c.ShapeOf(parameter), all = c.ShapeOf(x);
  if (have.rank() != count) return false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t d = have[static_cast<size_t>(i)];
    const int64_t wanted = all.has_rank() ? all[static_cast<size_t>(all.rank() - count + i)] : -1;
    // More than one value cannot be spread over another extent.
    if (d < 0 || (wanted < 0 ? d == 1 : d != wanted)) return false;
  }
  return true;
}

void BatchNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.In(2), mean = c.In(3), var = c.In(4);
  float epsilon = c.Float("epsilon", 1e-5f);
  float momentum = c.Float("momentum", 0.9f);
  c.Ignore({"consumed_inputs", "is_test"});
  if (c.opset() < 9 && !c.Flag("spatial", true)) c.Refuse(Reason::kUnsupportedUse, "spatial = 0 is not supported");
  if (c.opset() >= 14 && c.Flag("training_mode", false)) {
    // Statistics of this batch normalise it and move the running ones.
    Formula f(c);
    int64_t rank = c.NeedRank(x, "to normalise over its positions");
    std::vector<int64_t> axes = {0};
    for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
    const Centred own = Centre(c, x, axes);
    Endpoint var_beside = c.Reduce("ReduceMean", f.Mul(own.x, own.x), axes, true);
    Endpoint own_mean = f.Flat(own.mean), own_var = f.Flat(var_beside);
    auto moved = [&](Endpoint running, Endpoint own) {
      int32_t type = c.NeedType(running, "to move it");
      Endpoint kept = f.Mul(running, f.Real(momentum, type));
      return f.Add(kept, f.Mul(c.CastTo(own, type), f.Real(1.0 - static_cast<double>(momentum), type)));
    };
    const int32_t type = c.NeedType(x, "to normalise it");
    Endpoint deviation = c.Op("Sqrt", {f.Add(var_beside, f.Real(epsilon, type))});
    Endpoint y = f.Mul(f.Div(own.x, deviation), f.Along(c.CastTo(scale, type), 1, rank));
    c.Out(0, f.Add(y, f.Along(c.CastTo(bias, type), 1, rank)));
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

void InstanceNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.In(2);
  float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"consumed_inputs"});
  const int64_t rank = c.Rank(x);
  if (rank < 0) {
    Endpoint y = c.Op("Reshape", {x, c.ConstInts({0, 0, -1}, "positions")});
    y = c.Op("Mul", {{NormalizeLast(c, y, 1, epsilon), 0}, PerChannel(c, scale, 3)});
    y = c.Op("Add", {y, PerChannel(c, bias, 3)});
    return c.Out(0, c.Op("Reshape", {y, c.ShapeValue(x)}));
  }
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 3 is needed"));
  Endpoint y = {NormalizeLast(c, x, rank - 2, epsilon), 0};
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
  Endpoint y = {NormalizeLast(c, grouped, 1, epsilon), 0};
  if (c.opset() < 21) {  // one factor per group then
    y = c.Op("Add", {c.Op("Mul", {y, PerChannel(c, scale, 3)}), PerChannel(c, bias, 3)});
    c.Out(0, c.Op("Reshape", {y, shape}));
    return;
  }
  y = c.Op("Reshape", {y, shape});
  y = c.Op("Mul", {y, PerChannel(c, scale, rank)});
  c.Out(0, c.Op("Add", {y, PerChannel(c, bias, rank)}));
}

// How many of the last dimensions are normalised. From the end they can be counted without a rank.
int64_t NormalizedCount(NodeContext &c, Endpoint x) {
  const int64_t axis = c.Int("axis", -1);
  if (axis < 0 && c.Rank(x) < 0) return -axis;
  return c.NeedRank(x, "to find the normalised dimensions") - c.NeedAxis(axis, x);
}

// The same from a given axis on of a value whose rank is not known: as a matrix, which is given its shape back.
void LayerNormalizationOfRows(NodeContext &c, Endpoint x, Endpoint scale, Endpoint bias, int64_t axis, float epsilon,
                              int32_t stash) {
  Formula f(c);
  Node *node = NormalizeLast(c, c.Op("Flatten", {x}, {{"axis", axis}}), 1, epsilon);
  Endpoint y = f.Mul(f.Reshape({node, 0}, c.ShapeValue(x)), scale);
  c.Out(0, bias ? f.Add(y, bias) : y);
  Endpoint ones = f.Fill(f.Vector({f.Sub(f.Rank(x), f.Int(axis))}), f.Int(1));
  Endpoint beside = f.Concat({f.Dims(x, 0, axis), ones}, 0);
  for (int32_t i = 1; i < 3; ++i)
    if (c.WantsOutput(static_cast<size_t>(i)))
      c.Out(static_cast<size_t>(i), c.CastTo(f.Reshape({node, i}, beside), stash));
}

void LayerNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1), bias = c.OptIn(2);
  float epsilon = c.Float("epsilon", 1e-5f);
  // Mean and inverse deviation leave in the type they are computed in: float, whatever x is.
  const int64_t stash_type = c.Int("stash_type", 1);
  const bool real = stash_type == 1 || stash_type == 10 || stash_type == 11 || stash_type == 16;
  if (!real)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'stash_type' is ", stash_type, ", no type of real numbers"));
  const int32_t stash = stash_type == 16 ? C_DT_BF16 : C_DT_FLOAT;
  const int64_t axis = c.Int("axis", -1);
  if (axis >= 0 && c.Rank(x) < 0) return LayerNormalizationOfRows(c, x, scale, bias, axis, epsilon, stash);
  const int64_t count = NormalizedCount(c, x);
  const bool inside = HasShapeOfLast(c, scale, x, count) && (!bias || HasShapeOfLast(c, bias, x, count));
  Node *node = NormalizeLast(c, x, count, epsilon, inside ? scale : Endpoint(), inside ? bias : Endpoint());
  Endpoint y = {node, 0};
  if (!inside) {  // spread over x as any operand
    y = c.Op("Mul", {y, scale});
    if (bias) y = c.Op("Add", {y, bias});
  }
  c.Out(0, y);
  for (int32_t i = 1; i < 3; ++i)
    if (c.WantsOutput(static_cast<size_t>(i))) c.Out(static_cast<size_t>(i), c.CastTo({node, i}, stash));
}

void RMSNormalization(NodeContext &c) {
  Endpoint x = c.In(0), scale = c.In(1);
  float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"stash_type"});
  const int64_t count = NormalizedCount(c, x);
  const int32_t type = c.NeedType(x, "to normalise it");
  if (type != C_DT_DOUBLE && HasShapeOfLast(c, scale, x, count))
    return c.Out(0, c.Op("RmsNorm", {x, scale}, {{"epsilon", epsilon}}));
  std::vector<int64_t> axes;
  for (int64_t i = -count; i < 0; ++i) axes.push_back(i);
  // Squares leave the range of short types early.
  Endpoint wide = type == C_DT_DOUBLE ? x : c.CastTo(x, C_DT_FLOAT);
  Endpoint square = c.Reduce("ReduceMean", c.Op("Mul", {wide, wide}), axes, true);
  square = c.Op("Add", {square, c.NumberLike(epsilon, wide, "epsilon")});
  Endpoint inverse = c.Op("Reciprocal", {c.Op("Sqrt", {square})});
  c.Out(0, c.Op("Mul", {c.CastTo(c.Op("Mul", {wide, inverse}), type), scale}));
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
  Endpoint given = c.In(0), x = c.Widened(given);
  int64_t p = c.Int("p", 2), axis = c.Axis(c.Int("axis", -1), x);
  if (p != 1 && p != 2) c.Refuse(Reason::kInvalidModel, Str("attribute 'p' is ", p, ", expected 1 or 2"));
  Endpoint norm;
  if (p == 1) norm = c.Reduce("ReduceSum", c.Op("Abs", {x}), {axis}, true);
  else norm = c.Op("Sqrt", {c.Reduce("ReduceSum", c.Op("Mul", {x, x}), {axis}, true)});
  // A line of zeros stays one.
  Endpoint none = c.Op("Equal", {norm, c.NumberLike(0, x, "zero")});
  norm = c.Op("SelectV2", {none, c.NumberLike(1, x, "one"), norm});
  c.Out(0, c.CastLike(c.Op("RealDiv", {x, norm}), given));
}

void MeanVarianceNormalization(NodeContext &c) {
  Endpoint x = c.In(0);
  std::vector<int64_t> axes = c.Ints("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (int64_t &a : axes) a = c.Axis(a, x);
  Endpoint centred = Centre(c, x, axes).x;
  Endpoint var = c.Reduce("ReduceMean", c.Op("Mul", {centred, centred}), axes, true);
  Endpoint deviation = c.Op("Add", {c.Op("Sqrt", {var}), c.NumberLike(1e-9, x, "epsilon")});
  c.Out(0, c.Op("RealDiv", {centred, deviation}));
}

constexpr Handler kNormalizationHandlers[] = {
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

HandlerTable NormalizationHandlers() { return {std::begin(kNormalizationHandlers), std::end(kNormalizationHandlers)}; }

}  // namespace gec::onnx
