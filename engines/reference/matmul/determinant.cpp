// Determinants, by elimination with the largest element of a column as its pivot.
#include <cmath>
#include <utility>

#include "registry.h"

namespace reference {
namespace {

double Determinant(double *a, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k; i < n; ++i) {
      if (std::isnan(a[i * n + k])) return a[i * n + k];
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(a[pivot * n + j], a[k * n + j]);
      product = -product;
    }
    product *= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

Kernel CreateDeterminant(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  if (x.n < 2 || x[x.n - 1] != x[x.n - 2])
    Fail(GE_PARAM_INVALID, "%s: x has shape %s, expected square matrices", node.label().c_str(), ToText(x).c_str());
  const int64_t n = x[x.n - 1], count = x.count(0, x.n - 2);
  const LoadFn<double> load = Loader<double>(node.in_type(0));
  const StoreFn<double> store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.workspace = uint64_t(count * n * n) * sizeof(double);
  kernel.run = [=](const Call &call) {
    call.Parallel(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double *a = call.workspace<double>() + i * n * n;
        load(call.in(0), i * n * n, 1, n * n, a);
        const double value = Determinant(a, n);
        store(&value, 1, call.out(0), i, 1);
      }
    });
  };
  return kernel;
}

const OpEntry kDeterminant[] = {{"MatrixDeterminant", kFloats, &CreateDeterminant}};

}  // namespace

OpTable DeterminantOps() { return TableOf(kDeterminant); }

}  // namespace reference
