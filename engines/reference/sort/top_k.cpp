// Sorting along an axis, entirely or only the first k. Equal values keep their order; NaN counts as the largest.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "movement/indices.h"
#include "reduce/lines.h"
#include "registry.h"
#include "sort/order.h"

namespace reference {
namespace {

template <class C>
Kernel CreateSorted(const Node &node, int64_t axis, int64_t k, bool largest) {
  const Dims x = node.in_dims(0);
  const Lines lines = LinesOf(node.label(), x, axis);
  const LoadFn<C> load = Loader<C>(node.in_type(0));
  const StoreFn<C> store = Storer<C>(node.out_type(0));
  const StoreFn<int64_t> store_index = node.has_out(1) ? Storer<int64_t>(node.out_type(1)) : nullptr;
  if (k > lines.length)
    Fail(GE_PARAM_INVALID, "%s: k is %lld, the axis has %lld elements", node.label().c_str(), (long long)k,
         (long long)lines.length);
  if (node.out_count(0) != lines.outer * k * lines.inner)
    Fail(GE_PARAM_INVALID, "%s: output has shape %s", node.label().c_str(), ToText(node.out_dims(0)).c_str());
  // Each line has its own values and its own order in the workspace.
  const uint64_t values_bytes = (uint64_t(x.count()) * sizeof(C) + 63) / 64 * 64;
  Kernel kernel;
  kernel.workspace = values_bytes + uint64_t(x.count()) * sizeof(int64_t);
  kernel.run = [=](const Call &call) {
    const int64_t grain = std::max<int64_t>(1, 4096 / (lines.length + 1));
    call.Parallel(lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t o = t / lines.inner, i = t % lines.inner;
        C *values = call.workspace<C>() + t * lines.length;
        int64_t *order = call.workspace<int64_t>(values_bytes) + t * lines.length;
        load(call.in(0), o * lines.length * lines.inner + i, lines.inner, lines.length, values);
        for (int64_t n = 0; n < lines.length; ++n) order[n] = n;
        SortOrder(values, order, lines.length, k, largest);
        for (int64_t n = 0; n < k; ++n) {
          const int64_t at = (o * k + n) * lines.inner + i;
          store(&values[order[n]], 1, call.out(0), at, 1);
          if (store_index && call.out(1)) store_index(&order[n], 1, call.out(1), at, 1);
        }
      }
    });
  };
  return kernel;
}

// k follows from the output's shape, whether the input is constant or not.
Kernel CreateTopK(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0), y = node.out_dims(0);
  const int axis = x.n == 0 ? 0 : NormalAxis(node, node.Int("dim", -1), x.n);
  const int64_t k = y.n == 0 ? 1 : y[axis];
  const bool largest = node.Bool("largest", true);
  return WithCompute(ComputeOf(node.in_type(0)),
                     [&](auto c) { return CreateSorted<decltype(c)>(node, axis, k, largest); });
}

Kernel CreateSort(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  const int axis = x.n == 0 ? 0 : NormalAxis(node, node.Int("axis", -1), x.n);
  const int64_t k = x.n == 0 ? 1 : x[axis];
  const bool largest = node.Bool("descending", false);
  return WithCompute(ComputeOf(node.in_type(0)),
                     [&](auto c) { return CreateSorted<decltype(c)>(node, axis, k, largest); });
}

// Whether fewer than k scores of a row are greater than that of its class. Not so for a class outside the row and for
// scores that are no finite numbers.
Kernel CreateInTopK(const Node &node, const OpEntry &) {
  const int64_t rows = node.in_dims(0)[0], classes = node.in_dims(0)[1];
  const IndexReader reader = IndicesOf(node, 1);
  const IntsInput k_input = node.IntsOf(2);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    const int64_t k = k_input.ReadOne(call);
    const auto *scores = static_cast<const float *>(call.in(0));
    auto *y = static_cast<uint8_t *>(call.out(0));
    for (int64_t row = 0; row < rows; ++row, scores += classes) {
      const int64_t target = reader.At(call.in(1), row);
      y[row] = target >= 0 && target < classes && std::isfinite(scores[target]);
      int64_t greater = 0;
      for (int64_t i = 0; i < classes && y[row]; ++i) {
        greater += scores[i] > scores[target];
        if (!std::isfinite(scores[i])) y[row] = 0;
      }
      if (greater >= k) y[row] = 0;
    }
  };
  return kernel;
}

const OpEntry kTopK[] = {
    {"TopK", kNumbers, &CreateTopK},
    {"TopKV2", kNumbers, &CreateTopK},
    {"Sort", kNumbers, &CreateSort},
    {"InTopK", TypeBit(C_DT_FLOAT), &CreateInTopK, &CheckIndexType<1>},
};

}  // namespace

OpTable TopKOps() { return TableOf(kTopK); }

}  // namespace reference
