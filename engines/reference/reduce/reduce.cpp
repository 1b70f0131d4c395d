// Reductions over axes. Floating point is accumulated in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "elementwise/scalar_math.h"
#include "reduce/plan.h"
#include "registry.h"

namespace reference {
namespace {

// Each reduction: Start, Step and End; kPasses 2 when a first pass finds a value (mean, maximum) the second needs.
struct Sum {
  template <class A>
  static A Start() {
    return 0;
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = WrapAdd(a, v);
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct Mean : Sum {
  template <class A>
  static A End(A a, int64_t n) {
    return Divide(a, A(n));
  }
};
struct Maximum {
  template <class A>
  static A Start() {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = Max(a, v);
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct Minimum {
  template <class A>
  static A Start() {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = Min(a, v);
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct Product {
  template <class A>
  static A Start() {
    return 1;
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = WrapMul(a, v);
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct All {
  template <class A>
  static A Start() {
    return 1;
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = A(a != A(0) && v != A(0));
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct Any {
  template <class A>
  static A Start() {
    return 0;
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = A(a != A(0) || v != A(0));
  }
  template <class A>
  static A End(A a, int64_t) {
    return a;
  }
};
struct Euclidean {
  template <class A>
  static A Start() {
    return 0;
  }
  template <class A>
  static void Step(A &a, A v, A) {
    a = WrapAdd(a, WrapMul(v, v));
  }
  template <class A>
  static A End(A a, int64_t) {
    return A(std::sqrt(double(a)));
  }
};

struct ReduceAccess {
  IntsInput axes_input;
  Dims axes, x, y;
  bool empty_is_all = false;
  std::string label;

  ReducePlan Plan(const Call &call) const {
    return PlanReduceAxes(label, x, axes_input.connected() ? axes_input.Read(call) : axes, empty_is_all);
  }
};

ReduceAccess ReadAccess(const Node &node, const char *axes_attr) {
  ReduceAccess access;
  access.label = node.label();
  access.x = node.in_dims(0);
  access.y = node.out_dims(0);
  if (axes_attr) access.axes = node.Ints(axes_attr);
  else access.axes_input = node.IntsOf(1);
  // Without axes, inference has decided between everything and nothing (noop_with_empty_axes).
  access.empty_is_all = axes_attr || access.y.count() != access.x.count();
  return access;
}

void CheckOutputs(const ReduceAccess &access, const ReducePlan &plan) {
  if (plan.outputs != access.y.count())
    Fail(GE_PARAM_INVALID, "%s: reducing %s gives %lld values, the output has %s", access.label.c_str(),
         ToText(access.x).c_str(), (long long)plan.outputs, ToText(access.y).c_str());
}

template <class Op, class A>
Kernel Create(const Node &node) {
  ReduceAccess access = ReadAccess(node, nullptr);
  LoadFn<A> load = Loader<A>(node.in_type(0));
  StoreFn<A> store = Storer<A>(node.out_type(0));
  // The result of an empty reduction must exist in the output's type.
  A start = Op::template Start<A>();
  if constexpr (std::is_integral_v<A>) {
    const IntRange range = RangeOf(node.out_type(0));
    start = std::clamp(start, std::is_unsigned_v<A> ? A(0) : A(range.lowest),
                       A(std::min<uint64_t>(range.highest, std::numeric_limits<A>::max())));
  }
  Kernel kernel;
  kernel.flops = double(access.x.count());
  kernel.run = [=](const Call &call) {
    ReducePlan plan = access.Plan(call);
    CheckOutputs(access, plan);
    call.Parallel(plan.tasks(), plan.grain(), [&](int64_t begin, int64_t end) {
      A acc[ReducePlan::kTile], none[ReducePlan::kTile] = {};
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(plan, t);
        std::fill(acc, acc + task.width, start);
        Fold<A>(plan, task, load, call.in(0), acc, none, [](A &a, A v, A u) { Op::template Step<A>(a, v, u); });
        for (int64_t i = 0; i < task.width; ++i) acc[i] = Op::template End<A>(acc[i], plan.reduced_count);
        store(acc, task.width, call.out(0), task.output, 1);
      }
    });
  };
  return kernel;
}

template <class Op>
Kernel CreateReduce(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
    case Compute::kDouble:
      return Create<Op, double>(node);
    case Compute::kUInt:
      return Create<Op, uint64_t>(node);
    default:
      return Create<Op, int64_t>(node);
  }
}

Kernel CreateLogSumExp(const Node &node, const OpEntry &) {
  ReduceAccess access = ReadAccess(node, nullptr);
  auto load = Loader<double>(node.in_type(0));
  auto store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    ReducePlan plan = access.Plan(call);
    CheckOutputs(access, plan);
    call.Parallel(plan.tasks(), plan.grain(), [&](int64_t begin, int64_t end) {
      double top[ReducePlan::kTile], sum[ReducePlan::kTile];
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(plan, t);
        std::fill(top, top + task.width, Maximum::Start<double>());
        Fold<double>(plan, task, load, call.in(0), top, top, [](double &a, double v, double) { a = Max(a, v); });
        for (int64_t i = 0; i < task.width; ++i)
          if (std::isinf(top[i])) top[i] = 0;
        std::fill(sum, sum + task.width, 0.0);
        Fold<double>(plan, task, load, call.in(0), sum, top,
                     [](double &a, double v, double m) { a += std::exp(v - m); });
        for (int64_t i = 0; i < task.width; ++i) sum[i] = std::log(sum[i]) + top[i];
        store(sum, task.width, call.out(0), task.output, 1);
      }
    });
  };
  return kernel;
}

// ReduceVar and ReduceStdV2: variance (or its root) and mean.
Kernel CreateVariance(const Node &node, const OpEntry &) {
  ReduceAccess access = ReadAccess(node, "dim");
  auto load = Loader<double>(node.in_type(0));
  auto store = Storer<double>(node.out_type(0));
  bool root = std::string_view(node.type()) == "ReduceStdV2", with_mean = node.has_out(1);
  double correction = double(node.Int("correction", 1));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    ReducePlan plan = access.Plan(call);
    CheckOutputs(access, plan);
    call.Parallel(plan.tasks(), plan.grain(), [&](int64_t begin, int64_t end) {
      double mean[ReducePlan::kTile], sum[ReducePlan::kTile];
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(plan, t);
        std::fill(mean, mean + task.width, 0.0);
        Fold<double>(plan, task, load, call.in(0), mean, mean, [](double &a, double v, double) { a += v; });
        for (int64_t i = 0; i < task.width; ++i) mean[i] /= double(plan.reduced_count);
        std::fill(sum, sum + task.width, 0.0);
        Fold<double>(plan, task, load, call.in(0), sum, mean,
                     [](double &a, double v, double m) { a += (v - m) * (v - m); });
        for (int64_t i = 0; i < task.width; ++i) {
          double variance = sum[i] / std::max(0.0, double(plan.reduced_count) - correction);
          sum[i] = root ? std::sqrt(variance) : variance;
        }
        store(sum, task.width, call.out(0), task.output, 1);
        if (with_mean && call.out(1)) store(mean, task.width, call.out(1), task.output, 1);
      }
    });
  };
  return kernel;
}

// LpNormV2: (sum |x|^p)^(1/p), p may be infinite.
Kernel CreateLpNorm(const Node &node, const OpEntry &) {
  ReduceAccess access = ReadAccess(node, "axes");
  auto load = Loader<double>(node.in_type(0));
  auto store = Storer<double>(node.out_type(0));
  double p = node.Float("p", 2.0);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    ReducePlan plan = access.Plan(call);
    CheckOutputs(access, plan);
    call.Parallel(plan.tasks(), plan.grain(), [&](int64_t begin, int64_t end) {
      double acc[ReducePlan::kTile];
      for (int64_t t = begin; t < end; ++t) {
        ReduceTask task = TaskAt(plan, t);
        auto fold = [&](double start, auto step) {
          std::fill(acc, acc + task.width, start);
          Fold<double>(plan, task, load, call.in(0), acc, acc, step);
        };
        if (std::isinf(p) && p > 0) fold(0.0, [](double &a, double v, double) { a = Max(a, std::abs(v)); });
        else if (std::isinf(p)) fold(INFINITY, [](double &a, double v, double) { a = Min(a, std::abs(v)); });
        else if (p == 0) fold(0.0, [](double &a, double v, double) { a += v != 0; });
        else if (p == 1) fold(0.0, [](double &a, double v, double) { a += std::abs(v); });
        else if (p == 2) fold(0.0, [](double &a, double v, double) { a += v * v; });
        else fold(0.0, [p](double &a, double v, double) { a += std::pow(std::abs(v), p); });
        if (!std::isinf(p) && p != 0 && p != 1)
          for (int64_t i = 0; i < task.width; ++i) acc[i] = p == 2 ? std::sqrt(acc[i]) : std::pow(acc[i], 1 / p);
        store(acc, task.width, call.out(0), task.output, 1);
      }
    });
  };
  return kernel;
}

const OpEntry kReduce[] = {
    {"ReduceSum", kReal, &CreateReduce<Sum>},       {"ReduceMean", kNumbers, &CreateReduce<Mean>},
    {"ReduceMax", kReal, &CreateReduce<Maximum>},   {"ReduceMin", kReal, &CreateReduce<Minimum>},
    {"ReduceProd", kReal, &CreateReduce<Product>},  {"ReduceAll", kReal, &CreateReduce<All>},
    {"ReduceAny", kReal, &CreateReduce<Any>},       {"EuclideanNorm", kNumbers, &CreateReduce<Euclidean>},
    {"ReduceLogSumExp", kFloats, &CreateLogSumExp}, {"ReduceStdV2", kFloats, &CreateVariance},
    {"ReduceVar", kFloats, &CreateVariance},        {"LpNormV2", kFloats, &CreateLpNorm},
};

}  // namespace

OpTable ReduceOps() { return TableOf(kReduce); }

}  // namespace reference
