// Normalisation of trailing dimensions: layer norm, RMS norm, and both after an addition.
#include <cmath>
#include <string_view>

#include "reduce/lines.h"
#include "registry.h"

namespace reference {
namespace {

// The formula of the family: y = (x - mean) * rstd * gamma + beta per row.
struct RowNorm {
  int64_t rows = 1, length = 1;
  int64_t parameters = 1;  // gamma and beta repeat with this period
  double epsilon = 0;
  bool centre = true;                             // false: RMS norm
  int x2 = -1, bias = -1, gamma = -1, beta = -1;  // ports
  bool bias_is_row = false;                       // bias has one row; else the shape of x
  int mean_out = -1, spread_out = -1, sum_out = -1;
  bool spread_is_variance = false;  // else 1 / sqrt(variance + epsilon)
};

Kernel CreateRows(const Node &node, const RowNorm &r) {
  std::vector<LoadFn<double>> load;
  for (int i = 0; i < node.inputs(); ++i) load.push_back(node.has(i) ? Loader<double>(node.in_type(i)) : nullptr);
  std::vector<StoreFn<double>> store;
  for (int o = 0; o < node.outputs(); ++o) {
    int64_t expected = o == 0 || o == r.sum_out ? r.rows * r.length : r.rows;
    store.push_back(node.has_out(o) && node.out_count(o) == expected ? Storer<double>(node.out_type(o)) : nullptr);
  }
  if (!store[0])
    Fail(GE_PARAM_INVALID, "%s: output has shape %s, expected that of x", node.label().c_str(),
         ToText(node.out_dims(0)).c_str());
  Kernel kernel;
  kernel.flops = 5.0 * double(r.rows * r.length);
  if (r.x2 < 0) AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    call.Parallel(r.rows, std::max<int64_t>(1, 8192 / (r.length + 1)), [&](int64_t begin, int64_t end) {
      constexpr int64_t kRun = 256;
      double v[kRun], other[kRun];
      for (int64_t row = begin; row < end; ++row) {
        // visit(position, n) with the values of x (+ x2 + bias) in v.
        auto each = [&](auto visit) {
          for (int64_t at = 0; at < r.length; at += kRun) {
            const int64_t n = std::min(kRun, r.length - at), offset = row * r.length + at;
            load[0](call.in(0), offset, 1, n, v);
            for (int port : {r.x2, r.bias}) {
              if (port < 0) continue;
              load[size_t(port)](call.in(size_t(port)), port == r.bias && r.bias_is_row ? at : offset, 1, n, other);
              for (int64_t i = 0; i < n; ++i) v[i] += other[i];
            }
            visit(at, n);
          }
        };
        double mean = 0, sum = 0;
        if (r.centre) {
          each([&](int64_t, int64_t n) {
            for (int64_t i = 0; i < n; ++i) mean += v[i];
          });
          mean /= double(r.length);
        }
        each([&](int64_t, int64_t n) {
          for (int64_t i = 0; i < n; ++i) sum += (v[i] - mean) * (v[i] - mean);
        });
        const double variance = sum / double(r.length), rstd = 1.0 / std::sqrt(variance + r.epsilon);
        each([&](int64_t at, int64_t n) {
          const int64_t offset = row * r.length + at;
          if (r.sum_out >= 0 && store[size_t(r.sum_out)] && call.out(size_t(r.sum_out)))
            store[size_t(r.sum_out)](v, n, call.out(size_t(r.sum_out)), offset, 1);
          for (int64_t i = 0; i < n; ++i) v[i] = (v[i] - mean) * rstd;
          auto apply = [&](int port, bool multiply) {
            if (port < 0) return;
            for (int64_t done = 0; done < n;) {
              const int64_t first = (offset + done) % r.parameters, count = std::min(n - done, r.parameters - first);
              load[size_t(port)](call.in(size_t(port)), first, 1, count, other);
              for (int64_t i = 0; i < count; ++i)
                v[done + i] = multiply ? v[done + i] * other[i] : v[done + i] + other[i];
              done += count;
            }
          };
          apply(r.gamma, true);
          apply(r.beta, false);
          store[0](v, n, call.out(0), offset, 1);
        });
        auto put = [&](int port, double value) {
          if (port >= 0 && port < int(store.size()) && store[size_t(port)] && call.out(size_t(port)))
            store[size_t(port)](&value, 1, call.out(size_t(port)), row, 1);
        };
        put(r.mean_out, mean);
        put(r.spread_out, r.spread_is_variance ? variance : rstd);
      }
    });
  };
  return kernel;
}

// Splits x before `axis` and checks that gamma and beta cover the dimensions from `parameter_axis` on.
void SetShape(const Node &node, int axis, int parameter_axis, RowNorm *r) {
  Dims x = node.in_dims(0);
  r->rows = x.count(0, axis);
  r->length = x.count(axis, x.n);
  r->parameters = x.count(parameter_axis, x.n);
  for (int port : {r->gamma, r->beta})
    if (port >= 0 && node.in_count(port) != r->parameters)
      Fail(GE_PARAM_INVALID, "%s: input %d has %lld values, expected %lld", node.label().c_str(), port,
           (long long)node.in_count(port), (long long)r->parameters);
  if (r->x2 >= 0 && node.in_count(r->x2) != x.count())
    Fail(GE_PARAM_INVALID, "%s: x1 and x2 have the shapes %s and %s", node.label().c_str(), ToText(x).c_str(),
         ToText(node.in_dims(r->x2)).c_str());
}

// LayerNorm gives the variance, LayerNormV3 its inverse root.
Kernel CreateLayerNorm(const Node &node, const OpEntry &) {
  const bool v3 = std::string_view(node.type()) == "LayerNormV3";
  RowNorm r;
  r.gamma = 1;
  r.beta = 2;
  r.mean_out = 1;
  r.spread_out = 2;
  r.spread_is_variance = !v3;
  r.epsilon = node.Float("epsilon", v3 ? 1e-5f : 1e-7f);
  const int rank = node.in_dims(0).n;
  const int axis = NormalAxis(node, node.Int("begin_norm_axis", 0), rank);
  const int parameters = NormalAxis(node, node.Int("begin_params_axis", 0), rank);
  SetShape(node, axis, parameters, &r);
  return CreateRows(node, r);
}

Kernel CreateLayerNormV4(const Node &node, const OpEntry &) {
  RowNorm r;
  if (node.has(2)) r.gamma = 2;
  if (node.has(3)) r.beta = 3;
  r.mean_out = 1;
  r.spread_out = 2;
  r.epsilon = node.Float("epsilon", 1e-5f);
  // As many trailing dimensions as normalized_shape has values.
  const int rank = node.in_dims(0).n;
  const int64_t count = node.in_count(1);
  if (count > rank)
    Fail(GE_PARAM_INVALID, "%s: normalized_shape has %lld values, x has rank %d", node.label().c_str(),
         (long long)count, rank);
  SetShape(node, rank - int(count), rank - int(count), &r);
  return CreateRows(node, r);
}

// gamma says how many trailing dimensions belong together.
Kernel CreateRmsNorm(const Node &node, const OpEntry &) {
  RowNorm r;
  r.centre = false;
  r.gamma = 1;
  if (std::string_view(node.type()) == "AddRmsNorm") {
    r.x2 = 1;
    r.gamma = 2;
    r.sum_out = 2;
  }
  r.spread_out = 1;
  r.epsilon = node.Float("epsilon", 1e-6f);
  const int rank = node.in_dims(0).n, axis = std::max(0, rank - std::max(1, node.in_dims(r.gamma).n));
  SetShape(node, axis, axis, &r);
  return CreateRows(node, r);
}

Kernel CreateAddLayerNorm(const Node &node, const OpEntry &) {
  RowNorm r;
  r.x2 = 1;
  r.gamma = 2;
  r.beta = 3;
  r.mean_out = 1;
  r.spread_out = 2;
  r.sum_out = 3;
  r.epsilon = node.Float("epsilon", 1e-5f);
  const int rank = node.in_dims(0).n, axis = std::max(0, rank - std::max(1, node.in_dims(2).n));
  SetShape(node, axis, axis, &r);
  if (node.has(4)) {
    r.bias = 4;
    r.bias_is_row = node.in_count(4) == r.length;
    if (!r.bias_is_row && node.in_count(4) != r.rows * r.length)
      Fail(GE_PARAM_INVALID, "%s: bias has shape %s", node.label().c_str(), ToText(node.in_dims(4)).c_str());
  }
  return CreateRows(node, r);
}

const OpEntry kLayerNorm[] = {
    {"LayerNorm", kFloats, &CreateLayerNorm},     {"LayerNormV3", kFloats, &CreateLayerNorm},
    {"LayerNormV4", kFloats, &CreateLayerNormV4}, {"RmsNorm", kFloats, &CreateRmsNorm},
    {"AddRmsNorm", kFloats, &CreateRmsNorm},      {"AddLayerNorm", kFloats, &CreateAddLayerNorm},
};

}  // namespace

OpTable LayerNormOps() { return TableOf(kLayerNorm); }

}  // namespace reference
