// Operators whose output size is only known after looking at the data: NonZero, Where, Unique and its kin.
#include <algorithm>
#include <string_view>

#include "common/copy.h"
#include "common/real_shape.h"
#include "registry.h"
#include "sort/order.h"

namespace reference {
namespace {

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

// Slices of n dense rows of `slice` values each, and the groups of equal ones among them.
template <class C>
struct SliceGroups {
  const C *values;
  int64_t slice;
  int64_t *order, *group, *first, *count;

  // NaN is equal to itself and larger than any number.
  int Compare(int64_t a, int64_t b) const {
    const C *va = values + a * slice, *vb = values + b * slice;
    for (int64_t k = 0; k < slice; ++k) {
      const bool nan_a = va[k] != va[k], nan_b = vb[k] != vb[k];
      if (nan_a != nan_b) return nan_a ? 1 : -1;
      if (!nan_a && va[k] != vb[k]) return va[k] < vb[k] ? -1 : 1;
    }
    return 0;
  }

  // Numbers the groups of equal slices in sorted order and returns how many there are. `group`: that of every slice;
  // `first` and `count` of every group: where it appears first and how often. `order` is left in sorted order.
  int64_t Find(int64_t n) const {
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order, order + n, [&](int64_t a, int64_t b) {
      const int c = Compare(a, b);
      return c ? c < 0 : a < b;
    });
    int64_t groups = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || Compare(order[i - 1], order[i]) != 0) {
        first[groups] = order[i];
        count[groups++] = 0;
      }
      group[order[i]] = groups - 1;
      ++count[groups - 1];
    }
    return groups;
  }
};

// Distinct slices along an axis (of a vector: values), sorted or in order of appearance; where each appears first, how
// often, and for every slice which of them it is. Slices compare element by element.
template <class C>
Kernel CreateUniqueSlicesFor(const Node &node) {
  const bool flat = node.in_count(1) == 0;
  const Dims x = flat ? Dims{node.in_count(0)} : node.in_dims(0);
  if (!flat && (node.in_count(1) != 1 || x.n == 0))
    Fail(GE_PARAM_INVALID, "%s: axis has %lld values, expected at most 1 for x of shape %s", node.label().c_str(),
         (long long)node.in_count(1), ToText(x).c_str());
  const std::string label = node.label();
  const IntsInput axes = node.IntsOf(1);
  const bool sorted = node.Bool("sorted", true);
  const int64_t most = *std::max_element(x.begin(), x.end()), total = x.count();
  const LoadFn<C> load = Loader<C>(node.in_type(0));
  const size_t element = ElementSize(node.in_type(0));
  StoreFn<int64_t> store[3] = {};
  for (int i = 0; i < 3; ++i)
    if (node.has_out(i + 1)) store[i] = Storer<int64_t>(node.out_type(i + 1));
  auto AlignUp = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  const uint64_t index_bytes = AlignUp(uint64_t(most) * sizeof(int64_t));
  const uint64_t values_at = 4 * kShapeBytes, order_at = values_at + AlignUp(uint64_t(total) * sizeof(C));
  const uint64_t group_at = order_at + index_bytes, first_at = group_at + index_bytes,
                 count_at = first_at + index_bytes;
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  kernel.workspace = count_at + index_bytes;
  kernel.output_bytes = {uint64_t(total) * element};
  for (int i = 1; i < node.outputs(); ++i)
    kernel.output_bytes.push_back(node.has_out(i) ? uint64_t(most) * ElementSize(node.out_type(i)) : 0);
  kernel.run = [=](const Call &call) {
    C *values = call.workspace<C>(values_at);  // [n, outer, inner]: slices are dense
    int64_t *order = call.workspace<int64_t>(order_at), *group = call.workspace<int64_t>(group_at);
    int64_t *first = call.workspace<int64_t>(first_at), *count = call.workspace<int64_t>(count_at);
    const int axis = flat ? 0 : NormalAxis(label, axes.ReadOne(call), x.n);
    const int64_t n = x[axis], outer = x.count(0, axis), inner = x.count(axis + 1, x.n), slice = outer * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < n; ++i) load(call.in(0), (o * n + i) * inner, 1, inner, values + i * slice + o * inner);
    const int64_t groups = SliceGroups<C>{values, slice, order, group, first, count}.Find(n);
    // order becomes the groups in the order they are written; its inverse numbers them.
    for (int64_t g = 0; g < groups; ++g) order[g] = g;
    if (!sorted) std::sort(order, order + groups, [&](int64_t a, int64_t b) { return first[a] < first[b]; });
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t from = order[g];
      for (int64_t o = 0; o < outer; ++o)
        memcpy(Shift(call.out(0), (o * groups + g) * inner, element),
               Shift(call.in(0), (o * n + first[from]) * inner, element), size_t(inner) * element);
      if (store[0] && call.out(1)) store[0](&first[from], 1, call.out(1), g, 1);
      if (store[1] && call.out(2)) store[1](&count[from], 1, call.out(2), g, 1);
    }
    for (int64_t g = 0; g < groups; ++g) first[order[g]] = g;
    for (int64_t i = 0; i < n; ++i)
      if (store[2] && call.out(3)) store[2](&first[group[i]], 1, call.out(3), i, 1);
    int64_t *row = call.workspace<int64_t>();
    *row++ = x.n;
    for (int i = 0; i < x.n; ++i) *row++ = i == axis ? groups : x[i];
    ReportShape(call, 1, {groups});
    ReportShape(call, 2, {groups});
    ReportShape(call, 3, {n});
  };
  return kernel;
}

Kernel CreateUniqueSlices(const Node &node, const OpEntry &) {
  if (node.in_dims(0).n + 1 > int(kShapeBytes / sizeof(int64_t)))
    Fail(GE_UNSUPPORTED, "%s: rank %d is not supported, at most 7", node.label().c_str(), node.in_dims(0).n);
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateUniqueSlicesFor<decltype(c)>(node); });
}

const OpEntry kDataDependent[] = {
    {"NonZero", kReal, &CreateNonZero},
    {"Where", kReal, &CreateNonZero},
    {"Unique", kReal, &CreateUnique},
    {"UniqueWithCountsExt2", kReal, &CreateUniqueSlices},
};

}  // namespace

OpTable DataDependentOps() { return TableOf(kDataDependent); }

}  // namespace reference
