// Linear models and support vector machines (ai.onnx.ml), as products of matrices.
#include <algorithm>

#include "core/ir/types.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/learned.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

/// rows @ weights^T + offsets; `weights` has a row for each output.
Endpoint Linear(NodeContext &c, Endpoint rows, const std::vector<float> &weights, size_t outputs,
                const std::vector<float> &offsets, const char *name) {
  const int64_t features = c.ShapeOf(rows)[1];
  if (outputs == 0 || weights.size() % outputs != 0 ||
      (features >= 0 && weights.size() != outputs * static_cast<size_t>(features)))
    c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' has ", weights.size(), " values for ", outputs,
                                        " outputs of ", features, " features"));
  const int64_t n = static_cast<int64_t>(outputs), width = static_cast<int64_t>(weights.size() / outputs);
  const Endpoint y = c.Op("BatchMatMulV2", {rows, Floats(c, weights, {n, width}, name)}, {{"adj_x2", true}});
  if (offsets.empty()) return y;
  NeedCount(c, "intercepts", offsets.size(), outputs);
  return Formula(c).Add(y, Floats(c, offsets, {}, "intercepts"));
}

void LinearRegressor(NodeContext &c) {
  const int64_t targets = c.Int("targets", 1);
  if (targets < 1 || targets > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute 'targets' is ", targets));
  const Endpoint y = Linear(c, Rows(c), c.Floats("coefficients"), static_cast<size_t>(targets), c.Floats("intercepts"),
                            "coefficients");
  c.Out(0, PostTransformed(c, y, c.String("post_transform", "NONE")));
}

Endpoint Largest(NodeContext &c, Endpoint scores) {
  return c.Op("ArgMaxV2", {scores, c.ConstInt(1, "axis")}, {{"dtype", DataTypeValue{C_DT_INT64}}});
}

/// 1 where the only column is greater than `limit`, else 0.
Endpoint Above(NodeContext &c, Endpoint score, double limit) {
  return c.CastTo(c.Squeeze(c.Op("Greater", {score, c.NumberLike(limit, score, "limit")}), {1}), C_DT_INT64);
}

void LinearClassifier(NodeContext &c) {
  const ClassLabels labels = ClassLabels::Of(c, "classlabels_ints", "classlabels_strings");
  const std::vector<float> weights = c.Floats("coefficients"), offsets = c.Floats("intercepts");
  const std::string transform = c.String("post_transform", "NONE");
  c.Ignore({"multi_class"});
  const Endpoint rows = Rows(c);
  const int64_t features = c.NeedDim(rows, 1, "to tell how many classes the coefficients are for");
  const size_t outputs = features > 0 ? weights.size() / static_cast<size_t>(features) : 0;
  Endpoint scores = Linear(c, rows, weights, outputs, offsets, "coefficients");
  if (outputs == 1 && labels.size() == 2) {
    c.Out(0, labels.At(c, Above(c, scores, 0)));
    // As ONNX Runtime has it: a softmax of one score is none.
    if (transform == "LOGISTIC") scores = PostTransformed(c, scores, transform);
    c.Out(1, BothClasses(c, scores, transform, false));
    return;
  }
  if (outputs != labels.size())
    c.Refuse(Reason::kInvalidModel, Str("there are ", labels.size(), " labels for ", outputs, " classes"));
  c.Out(0, labels.At(c, Largest(c, scores)));
  c.Out(1, PostTransformed(c, scores, transform));
}

// ---- support vector machines ----

struct Svm {
  explicit Svm(NodeContext &context) : c(context), f(context) {
    kernel = c.String("kernel_type", "LINEAR");
    const std::vector<float> parameters = c.Floats("kernel_params");
    if (!parameters.empty()) {
      NeedCount(c, "kernel_params", parameters.size(), 3);
      gamma = parameters[0];
      offset = parameters[1];
      degree = parameters[2];
    }
    coefficients = c.Floats("coefficients");
    rho = c.Floats("rho");
    vectors = c.Floats("support_vectors");
  }

  /// How alike each row is to each of `count` support vectors.
  Endpoint Kernel(Endpoint rows, size_t count) {
    const Endpoint dots = Linear(c, rows, vectors, count, {}, "support_vectors");
    const auto real = [&](double v) { return f.Real(v, C_DT_FLOAT); };
    const auto scaled = [&] { return f.Add(f.Mul(dots, real(gamma)), real(offset)); };
    if (kernel == "LINEAR") return dots;
    if (kernel == "POLY") return c.Op("Pow", {scaled(), real(degree)});
    if (kernel == "SIGMOID") return c.Op("Tanh", {scaled()});
    if (kernel != "RBF")
      c.Refuse(Reason::kInvalidModel,
               "attribute 'kernel_type' is '" + kernel + "', expected LINEAR, POLY, RBF or SIGMOID");
    std::vector<float> squares(count, 0.0f);
    const size_t width = vectors.size() / count;
    for (size_t i = 0; i < vectors.size(); ++i) squares[i / width] += vectors[i] * vectors[i];
    const Endpoint own = c.Reduce("ReduceSum", f.Mul(rows, rows), {1}, true);
    const Endpoint far = f.Sub(f.Add(own, Floats(c, squares, {}, "squares")), f.Mul(dots, real(2)));
    return c.Op("Exp", {f.Mul(f.Max(far, real(0)), real(-gamma))});
  }

  NodeContext &c;
  Formula f;
  std::string kernel;
  double gamma = 0, offset = 0, degree = 0;
  std::vector<float> coefficients, rho, vectors;
};

void SVMRegressor(NodeContext &c) {
  Svm svm(c);
  const int64_t supports = c.Int("n_supports", 0);
  const bool one_class = c.Flag("one_class", false);
  c.Ignore({"n_targets"});
  NeedCount(c, "rho", svm.rho.size(), 1);
  const Endpoint rows = Rows(c);
  Endpoint y;
  if (supports > 0) {
    NeedCount(c, "coefficients", svm.coefficients.size(), static_cast<size_t>(supports));
    y = Linear(c, svm.Kernel(rows, static_cast<size_t>(supports)), svm.coefficients, 1, svm.rho, "coefficients");
  } else {
    y = Linear(c, rows, svm.coefficients, 1, svm.rho, "coefficients");
  }
  if (one_class) {
    Formula &f = svm.f;
    y = f.Where(c.Op("Greater", {y, f.Real(0, C_DT_FLOAT)}), f.Real(1, C_DT_FLOAT), f.Real(-1, C_DT_FLOAT));
  }
  c.Out(0, PostTransformed(c, y, c.String("post_transform", "NONE")));
}

/// Scores of each pair of classes and how often each class wins.
struct Pairs {
  Endpoint scores, votes;
};

Pairs PairsOf(NodeContext &c, Svm &svm, Endpoint rows, const std::vector<int64_t> &per_class, size_t vectors) {
  Formula &f = svm.f;
  const size_t classes = per_class.size(), pairs = classes * (classes - 1) / 2;
  NeedCount(c, "coefficients", svm.coefficients.size(), vectors * (classes - 1));
  NeedCount(c, "rho", svm.rho.size(), pairs);
  // Row j - 1 of the coefficients has what vectors of class i < j count for the pair (i, j), row i what those of j do.
  // So each class's vectors are multiplied with all rows of theirs, and a pair is a sum of two of the results.
  const size_t rows_of_each = classes - 1;
  const Endpoint alike = svm.Kernel(rows, vectors);
  std::vector<Endpoint> sums;
  for (size_t i = 0, start = 0; i < classes; start += static_cast<size_t>(per_class[i++])) {
    const size_t n = static_cast<size_t>(per_class[i]), used = std::max<size_t>(n, 1),
                 from = std::min(start, vectors - 1);
    std::vector<float> own(rows_of_each * used, 0.0f);  // of a class without vectors one of another's, which counts 0
    for (size_t r = 0; n > 0 && r < rows_of_each; ++r)
      std::copy_n(svm.coefficients.begin() + static_cast<std::ptrdiff_t>(r * vectors + start), n,
                  own.begin() + static_cast<std::ptrdiff_t>(r * used));
    const Endpoint part = c.Slice(alike, {static_cast<int64_t>(from)}, {static_cast<int64_t>(from + used)}, {1});
    sums.push_back(Linear(c, part, own, rows_of_each, {}, "coefficients"));
  }
  std::vector<int64_t> of_first, of_second, votes(classes * classes, static_cast<int64_t>(2 * pairs));
  for (size_t i = 0, pair = 0; i < classes; ++i) {
    for (size_t j = i + 1; j < classes; ++j, ++pair) {
      of_first.push_back(static_cast<int64_t>(i * rows_of_each + j - 1));
      of_second.push_back(static_cast<int64_t>(j * rows_of_each + i));
      votes[i * classes + j] = static_cast<int64_t>(pair);
      votes[j * classes + i] = static_cast<int64_t>(pairs + pair);
    }
  }
  const Endpoint all = f.Concat(std::move(sums), 1);
  const Endpoint pair_sums =
      f.Add(f.Gather(all, c.ConstInts(of_first, "first"), 1), f.Gather(all, c.ConstInts(of_second, "second"), 1));
  const Endpoint scores = f.Add(pair_sums, Floats(c, svm.rho, {}, "rho"));
  // A row for each class: whether it wins against each other one.
  const Endpoint first = c.CastTo(c.Op("Greater", {scores, f.Real(0, C_DT_FLOAT)}), C_DT_FLOAT),
                 second = f.Sub(f.Real(1, C_DT_FLOAT), first),
                 none = f.Mul(c.Slice(first, {0}, {1}, {1}), f.Real(0, C_DT_FLOAT));
  const int64_t n = static_cast<int64_t>(classes);
  const Endpoint wins = f.Gather(f.Concat({first, second, none}, 1), c.ConstInts(votes, "votes"), 1);
  return {scores, c.Reduce("ReduceSum", c.ReshapeTo(wins, {-1, n, n}), {2}, false)};
}

/// Probabilities of classes, from those of pairs (libsvm's).
Endpoint Probabilities(NodeContext &c, Endpoint scores, size_t classes) {
  Formula f(c);
  const std::vector<float> a = c.Floats("prob_a"), b = c.Floats("prob_b");
  const size_t pairs = classes * (classes - 1) / 2;
  NeedCount(c, "prob_a", a.size(), pairs);
  NeedCount(c, "prob_b", b.size(), pairs);
  const Endpoint value = f.Add(f.Mul(scores, Floats(c, a, {}, "prob_a")), Floats(c, b, {}, "prob_b"));
  return c.Op("CoupleProbabilities", {c.Op("Sigmoid", {f.Neg(value)})}, {{"classes", static_cast<int64_t>(classes)}});
}

void SVMClassifier(NodeContext &c) {
  Svm svm(c);
  const ClassLabels labels = ClassLabels::Of(c, "classlabels_ints", "classlabels_strings");
  const std::vector<int64_t> per_class = c.Ints("vectors_per_class");
  const std::string transform = c.String("post_transform", "NONE");
  const Endpoint rows = Rows(c);
  const size_t classes = labels.size();
  size_t vectors = 0;
  for (int64_t n : per_class) {
    if (n < 0 || n > INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("vectors_per_class has ", n));
    vectors += static_cast<size_t>(n);
  }
  if (vectors == 0) {  // one linear function for each class
    svm.kernel = "LINEAR";
    const std::vector<float> offsets(classes, svm.rho.empty() ? 0.0f : svm.rho[0]);
    const Endpoint scores = Linear(c, rows, svm.coefficients, classes, offsets, "coefficients");
    c.Ignore({"prob_a", "prob_b"});
    c.Out(0, labels.At(c, Largest(c, scores)));
    c.Out(1, PostTransformed(c, scores, transform));
    return;
  }
  if (classes < 2) c.Refuse(Reason::kInvalidModel, "a classifier with support vectors has at least 2 labels");
  NeedCount(c, "vectors_per_class", per_class.size(), classes);
  const Pairs pairs = PairsOf(c, svm, rows, per_class, vectors);
  const bool probable = !c.Floats("prob_a").empty();
  c.Ignore({"prob_a", "prob_b"});
  const Endpoint scores = probable ? Probabilities(c, pairs.scores, classes) : pairs.scores;
  c.Out(0, labels.At(c, Largest(c, probable && classes == 2 ? scores : pairs.votes)));
  if (classes == 2 && !probable) c.Out(1, BothClasses(c, scores, transform, true));
  else c.Out(1, PostTransformed(c, scores, transform));
}

constexpr char kLearnedDomain[] = "ai.onnx.ml";
constexpr Handler kLearnedHandlers[] = {
    {kLearnedDomain, "LinearClassifier", 1, LinearClassifier},
    {kLearnedDomain, "LinearRegressor", 1, LinearRegressor},
    {kLearnedDomain, "SVMClassifier", 1, SVMClassifier},
    {kLearnedDomain, "SVMRegressor", 1, SVMRegressor},
};

}  // namespace

HandlerTable LearnedHandlers() { return {std::begin(kLearnedHandlers), std::end(kLearnedHandlers)}; }

}  // namespace gec::onnx
