// Softmax, its logarithm, and scaling to unit length, over any set of axes.
#include <cmath>
#include <string_view>

#include "elementwise/scalar_math.h"
#include "reduce/plan.h"
#include "registry.h"

namespace reference {
namespace {

struct Access {
  ReducePlan plan;
  LoadFn<double> load;
  StoreFn<double> store;
};

Access ReadAccess(const Node &node, const Dims &axes) {
  return {PlanReduceAxes(node.label(), node.in_dims(0), axes, true), Loader<double>(node.in_type(0)),
          Storer<double>(node.out_type(0))};
}

// y = f(x, first[output], second[output]) for every element of a task.
template <class F>
void Rewrite(const Call &call, const Access &a, const ReduceTask &task, const double *first, const double *second,
             const F &f) {
  double values[ReducePlan::kTile];
  VisitReduced(a.plan, task, [&](int64_t offset, int64_t, int64_t n) {
    a.load(call.in(0), offset, 1, n, values);
    for (int64_t i = 0; i < n; ++i) {
      int64_t o = a.plan.inner_reduced ? 0 : i;
      values[i] = f(values[i], first[o], second[o]);
    }
    a.store(values, n, call.out(0), offset, 1);
  });
}

Kernel CreateSoftmax(const Node &node, const OpEntry &) {
  Dims axes = node.has("axes") ? node.Ints("axes") : Dims{-1};
  Access a = ReadAccess(node, axes);
  bool log = std::string_view(node.type()) == "LogSoftmaxV2";
  Kernel kernel;
  kernel.flops = 5.0 * double(node.in_count(0));
  AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    call.Parallel(a.plan.tasks(), a.plan.grain(), [&](int64_t begin, int64_t end) {
      double top[ReducePlan::kTile], sum[ReducePlan::kTile];
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(a.plan, t);
        std::fill(top, top + task.width, -INFINITY);
        Fold<double>(a.plan, task, a.load, call.in(0), top, top, [](double &m, double v, double) { m = Max(m, v); });
        std::fill(sum, sum + task.width, 0.0);
        Fold<double>(a.plan, task, a.load, call.in(0), sum, top,
                     [](double &s, double v, double m) { s += std::exp(v - m); });
        if (log) {
          for (int64_t i = 0; i < task.width; ++i) sum[i] = std::log(sum[i]);
          Rewrite(call, a, task, top, sum, [](double v, double m, double s) { return v - m - s; });
        } else {
          Rewrite(call, a, task, top, sum, [](double v, double m, double s) { return std::exp(v - m) / s; });
        }
      }
    });
  };
  return kernel;
}

// x / sqrt(max(sum of squares, eps))
Kernel CreateL2Normalize(const Node &node, const OpEntry &) {
  Access a = ReadAccess(node, node.Ints("axis"));
  double eps = node.Float("eps", 1e-4);
  Kernel kernel;
  AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    call.Parallel(a.plan.tasks(), a.plan.grain(), [&](int64_t begin, int64_t end) {
      double sum[ReducePlan::kTile];
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(a.plan, t);
        std::fill(sum, sum + task.width, 0.0);
        Fold<double>(a.plan, task, a.load, call.in(0), sum, sum, [](double &s, double v, double) { s += v * v; });
        for (int64_t i = 0; i < task.width; ++i) sum[i] = 1.0 / std::sqrt(std::max(sum[i], eps));
        Rewrite(call, a, task, sum, sum, [](double v, double s, double) { return v * s; });
      }
    });
  };
  return kernel;
}

const OpEntry kSoftmax[] = {
    {"SoftmaxV2", kFloats, &CreateSoftmax},
    {"LogSoftmaxV2", kFloats, &CreateSoftmax},
    {"L2Normalize", kFloats, &CreateL2Normalize},
};

}  // namespace

OpTable SoftmaxOps() { return TableOf(kSoftmax); }

}  // namespace reference
