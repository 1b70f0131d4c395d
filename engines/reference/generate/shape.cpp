// Operators that say something about shapes, and those that fill a tensor from a few numbers.
#include <algorithm>
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

// Outputs whose values are known when the kernel is created.
Kernel Constant(std::vector<std::vector<int64_t>> values, std::vector<StoreFn<int64_t>> store) {
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (size_t o = 0; o < values.size(); ++o)
      if (call.out(o) && !values[o].empty()) store[o](values[o].data(), int64_t(values[o].size()), call.out(o), 0, 1);
  };
  return kernel;
}

// Shape and ShapeN: all outputs; Size; Rank.
Kernel CreateShape(const Node &node, const OpEntry &) {
  const std::string_view type = node.type();
  std::vector<std::vector<int64_t>> values;
  std::vector<StoreFn<int64_t>> store;
  for (int o = 0; o < node.outputs(); ++o) {
    Dims x = node.in_dims(o);
    if (type == "Size") values.push_back({x.count()});
    else if (type == "Rank") values.push_back({x.n});
    else values.emplace_back(x.begin(), x.end());
    store.push_back(Storer<int64_t>(node.out_type(o)));
    if (int64_t(values.back().size()) != node.out_count(o))
      Fail(GE_PARAM_INVALID, "%s: output %d has shape %s", node.label().c_str(), o, ToText(node.out_dims(o)).c_str());
  }
  return Constant(std::move(values), std::move(store));
}

void CheckShape(const Node &node) {
  for (int o = 0; o < node.outputs(); ++o)
    if (!(kIndex & TypeBit(node.out_type(o))))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for output %d", node.label().c_str(),
           DataTypeName(node.out_type(o)), o);
  if (node.outputs() > node.inputs())
    Fail(GE_PARAM_INVALID, "%s: %d outputs but %d inputs", node.label().c_str(), node.outputs(), node.inputs());
}

// Fill: one value everywhere.
Kernel CreateFill(const Node &node, const OpEntry &) {
  Dims y = node.out_dims(0), strides;
  for (int i = 0; i < y.n; ++i) strides.push(0);
  const size_t element = ElementSize(node.out_type(0));
  if (node.in_type(1) != node.out_type(0))
    Fail(GE_PARAM_INVALID, "%s: value is %s, output %s", node.label().c_str(), DataTypeName(node.in_type(1)),
         DataTypeName(node.out_type(0)));
  Kernel kernel;
  kernel.run = [=](const Call &call) { CopyToDense(call, call.in(1), strides, call.out(0), y, element); };
  return kernel;
}

// Range: start + i * step.
template <class C>
Kernel CreateRangeOf(const Node &node) {
  const int64_t n = node.out_count(0);
  LoadFn<C> load_start = Loader<C>(node.in_type(0)), load_step = Loader<C>(node.in_type(2));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    C start, step;
    load_start(call.in(0), 0, 1, 1, &start);
    load_step(call.in(2), 0, 1, 1, &step);
    for (int64_t i = 0; i < n; ++i) {
      C v = C(start + C(i) * step);
      store(&v, 1, call.out(0), i, 1);
    }
  };
  return kernel;
}

Kernel CreateRange(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.out_type(0))) {
    case Compute::kFloat:
    case Compute::kDouble:
      return CreateRangeOf<double>(node);
    default:
      return CreateRangeOf<int64_t>(node);
  }
}

// LinSpace: both ends are exact.
Kernel CreateLinSpace(const Node &node, const OpEntry &) {
  const int64_t n = node.out_count(0);
  auto load_start = Loader<double>(node.in_type(0)), load_stop = Loader<double>(node.in_type(1));
  auto store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    double start, stop;
    load_start(call.in(0), 0, 1, 1, &start);
    load_stop(call.in(1), 0, 1, 1, &stop);
    for (int64_t i = 0; i < n; ++i) {
      double v = i == 0 ? start : i == n - 1 ? stop : start + (stop - start) * double(i) / double(n - 1);
      store(&v, 1, call.out(0), i, 1);
    }
  };
  return kernel;
}

const OpEntry kShape[] = {
    {"Shape", kMovable, &CreateShape, &CheckShape},
    {"ShapeN", kMovable, &CreateShape, &CheckShape},
    {"Size", kMovable, &CreateShape, &CheckShape},
    {"Rank", kMovable, &CreateShape, &CheckShape},
    {"Fill", kMovable, &CreateFill, nullptr, nullptr, 1},
    {"Range", kNumbers, &CreateRange},
    {"LinSpace", kNumbers, &CreateLinSpace},
};

}  // namespace

OpTable ShapeOps() { return TableOf(kShape); }

}  // namespace reference
