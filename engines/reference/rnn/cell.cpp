#include "rnn/cell.h"

#include <algorithm>

#include "elementwise/scalar_math.h"

namespace reference {
namespace {

struct Known {
  const char *name;
  CellActivation::Kind kind;
  int parameters;  // 0: none, 1: alpha, 2: alpha and beta
  float alpha, beta;
};

const Known kKnown[] = {
    {"sigmoid", CellActivation::kSigmoid, 0, 0, 0},
    {"tanh", CellActivation::kTanh, 0, 0, 0},
    {"relu", CellActivation::kRelu, 0, 0, 0},
    {"affine", CellActivation::kAffine, 2, 1, 0},
    {"leakyrelu", CellActivation::kLeakyRelu, 1, 0.01f, 0},
    {"thresholdedrelu", CellActivation::kThresholdedRelu, 1, 1, 0},
    {"scaledtanh", CellActivation::kScaledTanh, 2, 1, 1},
    {"hardsigmoid", CellActivation::kHardSigmoid, 2, 0.2f, 0.5f},
    {"elu", CellActivation::kElu, 1, 1, 0},
    {"softsign", CellActivation::kSoftsign, 0, 0, 0},
    {"softplus", CellActivation::kSoftplus, 0, 0, 0},
};

const Known *FindActivation(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (const Known &known : kKnown)
    if (name == known.name) return &known;
  return nullptr;
}

}  // namespace

template <class C>
C CellActivation::operator()(C x) const {
  const C a = C(alpha), b = C(beta);
  switch (kind) {
    case kSigmoid:
      return Sigmoid(x);
    case kTanh:
      return std::tanh(x);
    case kRelu:
      return Max(x, C(0));
    case kAffine:
      return a * x + b;
    case kLeakyRelu:
      return x >= 0 ? x : a * x;
    case kThresholdedRelu:
      return x > a ? x : C(0);
    case kScaledTanh:
      return a * std::tanh(b * x);
    case kHardSigmoid:
      return Clip(a * x + b, C(0), C(1));
    case kElu:
      return x >= 0 ? x : a * std::expm1(x);
    case kSoftsign:
      return x / (1 + std::abs(x));
    case kSoftplus:
      return Softplus(x);
  }
  return x;
}

template <class C>
C Dot(const C *a, const C *b, int64_t n) {
  constexpr int kLanes = 16;
  C lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  C sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (C lane : lanes) sum += lane;
  return sum;
}

Cell ReadCell(const Node &node, int64_t gates, std::initializer_list<const char *> defaults) {
  Cell cell;
  cell.label = node.label();
  cell.gates = gates;
  const Dims x = node.in_dims(0), w = node.in_dims(1), r = node.in_dims(2);
  if (x.n != 3 || w.n != 3 || r.n != 3)
    Fail(GE_PARAM_INVALID, "%s: x, w and r have the shapes %s, %s and %s, expected rank 3", cell.label.c_str(),
         ToText(x).c_str(), ToText(w).c_str(), ToText(r).c_str());
  cell.steps = x[0];
  cell.batch = x[1];
  cell.input = x[2];
  cell.hidden = node.Int("hidden_size", r[2]);
  const std::string direction = node.String("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    Fail(GE_PARAM_INVALID, "%s: direction '%s' is unknown", cell.label.c_str(), direction.c_str());
  cell.directions = direction == "bidirectional" ? 2 : 1;
  cell.reverse_first = direction == "reverse";
  cell.clip = float(std::max(0.0, node.Float("clip", -1.0)));
  cell.with_lengths = node.has(4);
  if (!(w == Dims{cell.directions, gates * cell.hidden, cell.input}) ||
      !(r == Dims{cell.directions, gates * cell.hidden, cell.hidden}))
    Fail(GE_PARAM_INVALID, "%s: w %s and r %s do not fit x %s and hidden_size %lld", cell.label.c_str(),
         ToText(w).c_str(), ToText(r).c_str(), ToText(x).c_str(), (long long)cell.hidden);
  if (cell.with_lengths && (node.in_type(4) != C_DT_INT32 || node.in_count(4) != cell.batch))
    Fail(GE_PARAM_INVALID, "%s: sequence_lens must be %lld values of DT_INT32", cell.label.c_str(),
         (long long)cell.batch);
  std::vector<std::string> names = node.Strings("activations");
  cell.per_direction = int(defaults.size());
  if (names.empty())
    for (int64_t d = 0; d < cell.directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  if (int64_t(names.size()) != cell.directions * cell.per_direction)
    Fail(GE_PARAM_INVALID, "%s: activations has %zu names, expected %lld", cell.label.c_str(), names.size(),
         (long long)(cell.directions * cell.per_direction));
  // Each function takes its parameters from the front of the lists.
  const std::vector<float> alphas = node.Floats("activation_alpha"), betas = node.Floats("activation_beta");
  size_t alpha = 0, beta = 0;
  for (const std::string &name : names) {
    const Known *known = FindActivation(name);
    if (!known) Fail(GE_UNSUPPORTED, "%s: activation '%s' is unknown", cell.label.c_str(), name.c_str());
    CellActivation a{known->kind, known->alpha, known->beta};
    if (known->parameters >= 1 && alpha < alphas.size()) a.alpha = alphas[alpha++];
    if (known->parameters >= 2 && beta < betas.size()) a.beta = betas[beta++];
    cell.activations.push_back(a);
  }
  return cell;
}

template <class C>
RealInput<C> AddRealInput(const Node &node, int port, int64_t expected, Kernel *kernel) {
  RealInput<C> input;
  if (!node.has(port)) return input;
  input.port = port;
  input.count = node.in_count(port);
  if (input.count != expected)
    Fail(GE_PARAM_INVALID, "%s: input %d has %lld values, expected %lld", node.label().c_str(), port,
         (long long)input.count, (long long)expected);
  input.load = Loader<C>(node.in_type(port));
  input.native = IsNative<C>(node.in_type(port));
  if (!input.native) {
    input.offset = kernel->workspace;
    kernel->workspace += (uint64_t(input.count) * sizeof(C) + 63) / 64 * 64;
  }
  return input;
}

template <class C>
const C *RealInput<C>::Get(const Call &call) const {
  if (port < 0) return nullptr;
  if (native) return call.in<C>(size_t(port));
  C *to = call.workspace<C>(offset);
  load(call.in(size_t(port)), 0, 1, count, to);
  return to;
}

template <class C>
void ProjectInputs(const Call &call, const Cell &cell, const C *x, const C *w, C *out) {
  const int64_t rows = cell.steps * cell.batch, width = cell.gates * cell.hidden;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (width * cell.input + 1));
  call.Parallel(cell.directions * rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const C *row = x + t % rows * cell.input, *matrix = w + t / rows * width * cell.input;
      for (int64_t g = 0; g < width; ++g) out[t * width + g] = Dot(row, matrix + g * cell.input, cell.input);
    }
  });
}

int64_t LengthOf(const Call &call, const Cell &cell, int64_t batch) {
  return cell.with_lengths ? call.in<int32_t>(4)[batch] : cell.steps;
}

void CheckLengths(const Call &call, const Cell &cell) {
  for (int64_t b = 0; b < cell.batch; ++b) {
    const int64_t length = LengthOf(call, cell, b);
    if (length < 0 || length > cell.steps)
      Fail(GE_PARAM_INVALID, "%s: sequence length %lld at position %lld is out of range, expected 0 to %lld",
           cell.label.c_str(), (long long)length, (long long)b, (long long)cell.steps);
  }
}

template float CellActivation::operator()(float) const;
template float Dot(const float *, const float *, int64_t);
template struct RealInput<float>;
template RealInput<float> AddRealInput(const Node &, int, int64_t, Kernel *);
template void ProjectInputs(const Call &, const Cell &, const float *, const float *, float *);
template double CellActivation::operator()(double) const;
template double Dot(const double *, const double *, int64_t);
template struct RealInput<double>;
template RealInput<double> AddRealInput(const Node &, int, int64_t, Kernel *);
template void ProjectInputs(const Call &, const Cell &, const double *, const double *, double *);

}  // namespace reference
