// Operators whose output size is only known after looking at the data: NonZero, Where, Unique.
#include <string_view>

#include "registry.h"
#include "sort/order.h"

namespace host_cpu {
namespace {

// The real shapes at the start of the workspace: eight numbers per output.
constexpr uint64_t kShapeBytes = 64;

void ReportShape(const Call &call, int output, std::initializer_list<int64_t> dims) {
  int64_t *row = call.workspace<int64_t>(uint64_t(output) * kShapeBytes);
  *row++ = int64_t(dims.size());
  for (int64_t d : dims) *row++ = d;
}

// Positions of elements that are not zero: one row of coordinates each, or one row per dimension.
Kernel CreateNonZero(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0), strides = RowMajorStrides(x);
  const bool rows_are_dims = node.Bool("transpose", false);
  const int64_t total = x.count();
  const LoadFn<double> load = Loader<double>(node.in_type(0));
  const LoadFn<int64_t> load_int = Loader<int64_t>(node.in_type(0));
  const bool is_int = ComputeOf(node.in_type(0)) >= Compute::kInt;
  const StoreFn<int64_t> store = Storer<int64_t>(node.out_type(0));
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = kShapeBytes;
  kernel.output_bytes = {uint64_t(total * x.n) * ElementSize(node.out_type(0))};
  kernel.run = [=](const Call &call) {
    constexpr int64_t kRun = 256;
    double v[kRun];
    int64_t w[kRun];
    auto each = [&](auto visit) {
      for (int64_t at = 0; at < total; at += kRun) {
        const int64_t n = total - at < kRun ? total - at : kRun;
        if (is_int) load_int(call.in(0), at, 1, n, w);
        else load(call.in(0), at, 1, n, v);
        for (int64_t i = 0; i < n; ++i)
          if (is_int ? w[i] != 0 : v[i] != 0) visit(at + i);
      }
    };
    int64_t count = 0, row = 0;
    each([&](int64_t) { ++count; });
    each([&](int64_t at) {
      for (int i = 0; i < x.n; ++i) {
        const int64_t coordinate = at / strides[i] % x[i];
        store(&coordinate, 1, call.out(0), rows_are_dims ? i * count + row : row * x.n + i, 1);
      }
      ++row;
    });
    if (rows_are_dims) ReportShape(call, 0, {x.n, count});
    else ReportShape(call, 0, {count, x.n});
  };
  return kernel;
}

// Distinct values in order of appearance, and for every element which of them it is.
template <class C>
Kernel CreateUniqueFor(const Node &node) {
  const int64_t n = node.in_count(0);
  const LoadFn<C> load = Loader<C>(node.in_type(0));
  const StoreFn<C> store = Storer<C>(node.out_type(0));
  const StoreFn<int64_t> store_index = node.has_out(1) ? Storer<int64_t>(node.out_type(1)) : nullptr;
  const uint64_t values_at = 2 * kShapeBytes, order_at = values_at + (uint64_t(n) * sizeof(C) + 63) / 64 * 64;
  const uint64_t first_at = order_at + uint64_t(n) * sizeof(int64_t);
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = first_at + uint64_t(n) * sizeof(int64_t);
  kernel.output_bytes = {uint64_t(n) * ElementSize(node.out_type(0))};
  if (node.outputs() > 1) kernel.output_bytes.push_back(uint64_t(n) * ElementSize(node.out_type(1)));
  kernel.run = [=](const Call &call) {
    C *values = call.workspace<C>(values_at);
    int64_t *order = call.workspace<int64_t>(order_at), *first = call.workspace<int64_t>(first_at);
    load(call.in(0), 0, 1, n, values);
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    SortOrder(values, order, n, n, false);
    // first[i]: position where the value of element i appears first.
    for (int64_t i = 0; i < n; ++i) {
      const C v = values[order[i]], before = i ? values[order[i - 1]] : v;
      const bool same = i > 0 && (v == before || (v != v && before != before));
      first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    // order is free now: order[f] becomes the number of the distinct value that appears first at f.
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (first[i] == i) {
        store(&values[i], 1, call.out(0), count, 1);
        order[i] = count++;
      }
      if (store_index && call.out(1)) store_index(&order[first[i]], 1, call.out(1), i, 1);
    }
    ReportShape(call, 0, {count});
    ReportShape(call, 1, {n});  // there is room, whether the output exists or not
  };
  return kernel;
}

Kernel CreateUnique(const Node &node, const OpEntry &) {
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateUniqueFor<decltype(c)>(node); });
}

const OpEntry kDataDependent[] = {
    {"NonZero", kReal, &CreateNonZero},
    {"Where", kReal, &CreateNonZero},
    {"Unique", kReal, &CreateUnique},
};

}  // namespace

OpTable DataDependentOps() { return TableOf(kDataDependent); }

}  // namespace host_cpu
