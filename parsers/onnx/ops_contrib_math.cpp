// Products and activations as ONNX Runtime's optimiser fuses them.
#include <cmath>
#include <limits>

#include "parsers/onnx/contrib_parts.h"
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"

namespace gec::onnx {

Endpoint NamedActivation(NodeContext &c, Endpoint x, const std::string &name, const std::vector<float> &parameters) {
  const auto parameter = [&](size_t i, float fallback) { return i < parameters.size() ? parameters[i] : fallback; };
  if (name.empty()) return x;
  if (const Endpoint y = NamedUnary(c, x, name, parameters)) return y;
  if (name == "HardSwish") return c.Op("Mul", {x, c.Op("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}})});
  if (name == "Gelu") return c.Op("GeluV2", {x}, {{"approximate", "none"}});
  if (name == "Clip") {
    constexpr float kMost = std::numeric_limits<float>::max();
    const float low = parameter(0, -kMost), high = parameter(1, kMost);
    if (!(low <= high)) c.Refuse(Reason::kInvalidModel, Str("Clip from ", low, " to ", high));
    return c.Op("ClipByValue", {x, c.NumberLike(static_cast<double>(low), x, "low"),
                                c.NumberLike(static_cast<double>(high), x, "high")});
  }
  c.Refuse(Reason::kUnsupportedUse, Str("activation '", name, "' is not supported"));
}

namespace {

constexpr int64_t kUpToTheEnd = std::numeric_limits<int64_t>::max();

// [rows, batch…, inner] as [batch…, rows, inner].
Endpoint BatchForward(NodeContext &c, Endpoint x, const char *attr) {
  if (!c.Flag(attr, false)) return x;
  const int64_t rank = c.NeedRank(x, "to move its batch");
  if (rank < 3) c.Refuse(Reason::kInvalidModel, Str(attr, " needs rank 3 or more, the operand has ", rank));
  std::vector<int64_t> perm;
  for (int64_t i = 1; i + 1 < rank; ++i) perm.push_back(i);
  perm.push_back(0);
  perm.push_back(rank - 1);
  return c.Transpose(x, perm);
}

Endpoint FusedProduct(NodeContext &c) {
  Endpoint a = c.In(0), b = c.In(1);
  const int64_t rank_a = c.Rank(a), rank_b = c.Rank(b);
  // A vector is not transposed.
  const bool adj_a = c.Flag("transA", false) && rank_a != 1, adj_b = c.Flag("transB", false) && rank_b != 1;
  a = BatchForward(c, a, "transBatchA"), b = BatchForward(c, b, "transBatchB");
  if (rank_a == 1) a = c.Unsqueeze(a, {0});
  if (rank_b == 1) b = c.Unsqueeze(b, {1});
  Endpoint y = c.Op("BatchMatMulV2", {a, b}, {{"adj_x1", adj_a}, {"adj_x2", adj_b}});
  if (rank_a == 1 && rank_b == 1) y = c.Squeeze(y, {-2, -1});
  else if (rank_a == 1) y = c.Squeeze(y, {-2});
  else if (rank_b == 1) y = c.Squeeze(y, {-1});
  const float alpha = c.Float("alpha", 1.0f);
  return alpha == 1.0f ? y : c.Op("Mul", {y, c.NumberLike(static_cast<double>(alpha), y, "alpha")});
}

void FusedMatMul(NodeContext &c) { c.Out(0, FusedProduct(c)); }

void FusedMatMulActivation(NodeContext &c) {
  const Endpoint y = FusedProduct(c);
  const std::string name = c.String("activation", "");
  c.Ignore({"activation_gamma"});
  const float alpha = c.Float("activation_alpha", 0.0f), beta = c.Float("activation_beta", 0.0f);
  const int64_t axis = c.Int("activation_axis", -1);
  if (name == "Softmax") return c.Out(0, c.Op("SoftmaxV2", {y}, {{"axes", AttrValue::ListInt{axis}}}));
  std::vector<float> parameters;
  if (c.HasAttr("activation_alpha")) parameters = {alpha};
  if (c.HasAttr("activation_alpha") && c.HasAttr("activation_beta")) parameters.push_back(beta);
  c.Out(0, NamedActivation(c, y, name, parameters));
}

void GemmFastGelu(NodeContext &c) {
  Endpoint y = c.Op("BatchMatMulV2", {c.In(0), c.In(1)});
  if (const Endpoint bias = c.OptIn(2)) y = c.Op("Add", {y, bias});
  c.Out(0, c.Op("GeluV2", {y}, {{"approximate", "tanh"}}));
}

void FusedGemm(NodeContext &c) {
  const Endpoint y = GemmProduct(c);
  std::vector<float> parameters;
  if (c.HasAttr("activation_alpha")) parameters.push_back(c.Float("activation_alpha", 0));
  if (c.HasAttr("activation_alpha") && c.HasAttr("activation_beta"))
    parameters.push_back(c.Float("activation_beta", 0));
  c.Ignore({"activation_beta", "activation_gamma"});
  c.Out(0, NamedActivation(c, y, c.String("activation", ""), parameters));
}

void BiasGelu(NodeContext &c) {
  c.Out(0, c.Op("GeluV2", {c.Op("Add", {c.In(0), c.In(1)})}, {{"approximate", "none"}}));
}

void FastGelu(NodeContext &c) {
  Endpoint x = c.In(0);
  if (const Endpoint bias = c.OptIn(1)) x = c.Op("Add", {x, bias});
  c.Out(0, c.Op("GeluV2", {x}, {{"approximate", "tanh"}}));
}

void QuickGelu(NodeContext &c) {
  const Endpoint x = c.In(0);
  const float alpha = c.Float("alpha", 1.702f);
  const Endpoint scaled = alpha == 1.0f ? x : c.Op("Mul", {x, c.NumberLike(static_cast<double>(alpha), x, "alpha")});
  c.Out(0, c.Op("Mul", {x, c.Op("Sigmoid", {scaled})}));
}

// The left half of the features times gelu of the right half.
void BiasSplitGelu(NodeContext &c) {
  const Endpoint x = c.Op("Add", {c.In(0), c.In(1)});
  const int64_t features = c.NeedDim(x, -1, "to halve it"), half = features / 2;
  if (features % 2 != 0) c.Refuse(Reason::kInvalidModel, Str(features, " features cannot be halved"));
  const Endpoint left = c.Slice(x, {0}, {half}, {-1}), right = c.Slice(x, {half}, {kUpToTheEnd}, {-1});
  c.Out(0, c.Op("Mul", {left, c.Op("GeluV2", {right}, {{"approximate", "none"}})}));
}

void BiasAdd(NodeContext &c) { c.Out(0, c.Op("Add", {c.Op("Add", {c.In(0), c.In(1)}), c.In(2)})); }

void BiasDropout(NodeContext &c) {
  c.Ignore({"seed"});
  (void)c.OptIn(3);
  if (c.HasInput(4)) {
    const TensorPtr training = c.ConstIn(4);
    if (!training) c.Refuse(Reason::kNeedsStatic, "training_mode (input 4) must be constant");
    if (training->bytes() > 0 && *training->as<uint8_t>() != 0)
      c.Refuse(Reason::kUnsupportedUse, "training mode is not supported");
  }
  const Endpoint x = c.In(0);
  Endpoint y = c.Op("Add", {x, c.In(1)});
  if (const Endpoint residual = c.OptIn(2)) y = c.Op("Add", {y, residual});
  c.Out(0, y);
  if (c.WantsOutput(1)) c.Out(1, c.Op("Fill", {c.ShapeValue(x), c.ConstNumber(1, C_DT_BOOL, "kept")}));
}

// Over all axes from `axis` on, as one.
void BiasSoftmax(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.In(0);
  Endpoint bias = c.In(1);
  const int64_t rank = c.NeedRank(x, "to find the axis"), axis = c.NeedAxis(c.Int("axis", 1), x);
  const bool inner = c.Int("is_inner_broadcast", 1) != 0;
  if (!inner && c.NeedRank(bias, "to spread it") < rank) {  // spread in the middle: its axes in front stay in front
    std::vector<int64_t> ones;
    const int64_t own = c.Rank(bias), behind = rank - axis;
    for (int64_t i = own - behind; i < own - behind + rank - own; ++i) ones.push_back(i);
    bias = c.Unsqueeze(bias, ones);
  }
  const Endpoint sum = f.Add(x, bias);
  std::vector<int64_t> axes;
  if (axis == rank - 1) return c.Out(0, c.Op("SoftmaxV2", {sum}, {{"axes", AttrValue::ListInt{-1}}}));
  const Endpoint flat = c.Op("Flatten", {sum}, {{"axis", axis}});
  c.Out(0, f.Reshape(c.Op("SoftmaxV2", {flat}, {{"axes", AttrValue::ListInt{-1}}}), c.ShapeValue(x)));
}

// Distances between all rows of one and all rows of the other.
void CDist(NodeContext &c) {
  Formula f(c);
  const std::string metric = c.String("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    c.Refuse(Reason::kInvalidModel, "attribute 'metric' is '" + metric + "', expected euclidean or sqeuclidean");
  for (const Endpoint &e : {c.In(0), c.In(1)})
    if (c.NeedRank(e, "to tell rows") != 2)
      c.Refuse(Reason::kInvalidModel, Str("an operand has rank ", c.Rank(e), ", expected 2"));
  const Endpoint difference = f.Sub(c.Unsqueeze(c.In(0), {1}), c.Unsqueeze(c.In(1), {0}));
  const Endpoint sum = c.Reduce("ReduceSum", f.Mul(difference, difference), {2}, false);
  c.Out(0, metric == "euclidean" ? c.Op("Sqrt", {sum}) : sum);
}

void IsAllFinite(NodeContext &c) {
  Formula f(c);
  const bool only_nan = c.Flag("isnan_only", false), only_infinite = c.Flag("isinf_only", false);
  if (only_nan && only_infinite) c.Refuse(Reason::kInvalidModel, "isnan_only and isinf_only are both set");
  Endpoint all;
  for (const Endpoint &x : c.AllInputs()) {
    const Endpoint flat = f.Flat(x);
    const Endpoint bad = only_nan ? c.Op("IsNan", {flat}) : c.Op("IsInf", {flat});
    Endpoint good = c.Op("LogicalNot", {bad});
    if (!only_nan && !only_infinite) good = f.And(good, c.Op("LogicalNot", {c.Op("IsNan", {flat})}));
    const Endpoint one = c.Reduce("ReduceAll", good, {0}, false);
    all = all ? f.And(all, one) : one;
  }
  if (!all) c.Refuse(Reason::kInvalidModel, "there are no inputs");
  c.Out(0, all);
}

constexpr Handler kContribMathHandlers[] = {
    {"com.microsoft", "BiasAdd", 1, BiasAdd},
    {"com.microsoft", "BiasDropout", 1, BiasDropout},
    {"com.microsoft", "BiasGelu", 1, BiasGelu},
    {"com.microsoft", "BiasSoftmax", 1, BiasSoftmax},
    {"com.microsoft", "BiasSplitGelu", 1, BiasSplitGelu},
    {"com.microsoft", "CDist", 1, CDist},
    {"com.microsoft", "FastGelu", 1, FastGelu},
    {"com.microsoft", "FusedGemm", 1, FusedGemm},
    {"com.microsoft", "FusedMatMul", 1, FusedMatMul},
    {"com.microsoft", "FusedMatMulActivation", 1, FusedMatMulActivation},
    {"com.microsoft", "GemmFastGelu", 1, GemmFastGelu},
    {"com.microsoft", "IsAllFinite", 1, IsAllFinite},
    {"com.microsoft", "QuickGelu", 1, QuickGelu},
    {"com.microsoft", "TransposeMatMul", 1, FusedMatMul},
};

}  // namespace

HandlerTable ContribMathHandlers() { return {std::begin(kContribMathHandlers), std::end(kContribMathHandlers)}; }

}  // namespace gec::onnx
