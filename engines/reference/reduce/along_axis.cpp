// Operators that walk one axis: position of the extreme value, running sums and products.
#include <cmath>
#include <limits>
#include <string_view>

#include "elementwise/scalar_math.h"
#include "reduce/lines.h"
#include "registry.h"

namespace reference {
namespace {

template <class C>
Kernel CreateArg(const Node &node, bool largest) {
  std::string label = node.label();
  Dims x = node.in_dims(0);
  IntsInput input = node.inputs() > 1 ? node.IntsOf(1) : IntsInput();
  int64_t attribute = node.Int("dimension", 0), outputs = node.out_count(0);
  LoadFn<C> load = Loader<C>(node.in_type(0));
  StoreFn<int64_t> store = Storer<int64_t>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    int64_t axis = input.connected() ? input.ReadOne(call) : attribute;
    Lines lines = LinesOf(label, x, axis);
    if (lines.outer * lines.inner != outputs)
      Fail(GE_PARAM_INVALID, "%s: axis %lld of %s leaves %lld values, the output has %lld", label.c_str(),
           (long long)axis, ToText(x).c_str(), (long long)(lines.outer * lines.inner), (long long)outputs);
    if (lines.length == 0 && outputs > 0)
      Fail(GE_PARAM_INVALID, "%s: axis %lld is empty", label.c_str(), (long long)axis);
    lines.ForEachTile(call, [&](int64_t base, int64_t outer, int64_t column, int64_t width) {
      C best[Lines::kTile], value[Lines::kTile];
      int64_t where[Lines::kTile] = {};
      load(call.in(0), base, 1, width, best);
      for (int64_t k = 1; k < lines.length; ++k) {
        load(call.in(0), base + k * lines.inner, 1, width, value);
        for (int64_t i = 0; i < width; ++i) {
          bool better = largest ? value[i] > best[i] : value[i] < best[i];
          if (better || (value[i] != value[i] && best[i] == best[i])) {
            best[i] = value[i];
            where[i] = k;
          }
        }
      }
      store(where, width, call.out(0), outer * lines.inner + column, 1);
    });
  };
  return kernel;
}

template <bool kLargest>
Kernel CreateArgReduce(const Node &node, const OpEntry &) {
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateArg<decltype(c)>(node, kLargest); });
}

template <class A>
Kernel CreateRunning(const Node &node, bool product) {
  std::string label = node.label();
  Dims x = node.in_dims(0);
  IntsInput input = node.IntsOf(1);
  bool exclusive = node.Bool("exclusive", false), reverse = node.Bool("reverse", false);
  LoadFn<A> load = Loader<A>(node.in_type(0));
  StoreFn<A> store = Storer<A>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    Lines lines = LinesOf(label, x, input.ReadOne(call));
    lines.ForEachTile(call, [&](int64_t base, int64_t, int64_t, int64_t width) {
      A acc[Lines::kTile], value[Lines::kTile];
      std::fill(acc, acc + width, product ? A(1) : A(0));
      for (int64_t k = 0; k < lines.length; ++k) {
        int64_t at = base + (reverse ? lines.length - 1 - k : k) * lines.inner;
        load(call.in(0), at, 1, width, value);
        if (exclusive) store(acc, width, call.out(0), at, 1);
        for (int64_t i = 0; i < width; ++i) acc[i] = product ? WrapMul(acc[i], value[i]) : WrapAdd(acc[i], value[i]);
        if (!exclusive) store(acc, width, call.out(0), at, 1);
      }
    });
  };
  return kernel;
}

Kernel CreateCumulative(const Node &node, const OpEntry &) {
  bool product = std::string_view(node.type()) == "Cumprod";
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
    case Compute::kDouble:
      return CreateRunning<double>(node, product);
    case Compute::kUInt:
      return CreateRunning<uint64_t>(node, product);
    default:
      return CreateRunning<int64_t>(node, product);
  }
}

// log of a running sum of exp. Nothing is summed yet: the lowest number of the type, as TensorFlow has it.
Kernel CreateRunningLog(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  const Dims x = node.in_dims(0);
  const IntsInput input = node.IntsOf(1);
  const bool exclusive = node.Bool("exclusive", false), reverse = node.Bool("reverse", false);
  const double lowest = node.in_type(0) == C_DT_FLOAT16 ? -65504 : -double(std::numeric_limits<float>::max());
  const LoadFn<double> load = Loader<double>(node.in_type(0));
  const StoreFn<double> store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    const Lines lines = LinesOf(label, x, input.ReadOne(call));
    lines.ForEachTile(call, [&](int64_t base, int64_t, int64_t, int64_t width) {
      double sum[Lines::kTile], value[Lines::kTile];
      std::fill(sum, sum + width, lowest);
      for (int64_t k = 0; k < lines.length; ++k) {
        const int64_t at = base + (reverse ? lines.length - 1 - k : k) * lines.inner;
        load(call.in(0), at, 1, width, value);
        if (exclusive) store(sum, width, call.out(0), at, 1);
        for (int64_t i = 0; i < width; ++i) {
          const double high = Max(sum[i], value[i]), low = Min(sum[i], value[i]);
          sum[i] = high == low ? high + std::log(2.0) : high + std::log1p(std::exp(low - high));
        }
        if (!exclusive) store(sum, width, call.out(0), at, 1);
      }
    });
  };
  return kernel;
}

const OpEntry kArgReduce[] = {
    {"ArgMaxV2", kReal, &CreateArgReduce<true>},
    {"ArgMaxD", kReal, &CreateArgReduce<true>},
    {"ArgMin", kReal, &CreateArgReduce<false>},
    {"ArgMinD", kReal, &CreateArgReduce<false>},
};
const OpEntry kCumulative[] = {
    {"Cumsum", kNumbers, &CreateCumulative},
    {"Cumprod", kNumbers, &CreateCumulative},
    {"CumulativeLogsumexp", TypeBit(C_DT_FLOAT) | TypeBit(C_DT_FLOAT16), &CreateRunningLog},
};

}  // namespace

OpTable ArgReduceOps() { return TableOf(kArgReduce); }
OpTable CumulativeOps() { return TableOf(kCumulative); }

}  // namespace reference
