// Matrix products of 8-bit integers, exact in 32 bits.
#include <algorithm>
#include <limits>

#include "common/quantized.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kSumRows = 16, kSumColumns = 128;

struct QuantizedProduct {
  int64_t m = 0, n = 0, k = 0, matrices = 1;
  Dims batch, step_a, step_b;  // extents of the result's leading dimensions; from one matrix to the next, in matrices
  int64_t b_row = 0, b_column = 0;
  WidenFn load_a = nullptr, load_b = nullptr;
};

// Strides of the leading dimensions of `from` over those of the result.
Dims BatchSteps(const Node &node, const Dims &from, const Dims &batch, const char *name) {
  Dims steps;
  const int lead = batch.n - (from.n - 2);
  for (int i = 0; i < batch.n; ++i) {
    const int64_t extent = i < lead ? 1 : from[i - lead];
    if (extent != 1 && extent != batch[i])
      Fail(GE_PARAM_INVALID, "%s: %s of shape %s does not go with y of shape %s", node.label().c_str(), name,
           ToText(from).c_str(), ToText(node.out_dims(0)).c_str());
    steps.push(extent == 1 ? 0 : from.count(i - lead + 1, from.n - 2));
  }
  return steps;
}

QuantizedProduct ReadQuantizedProduct(const Node &node) {
  const std::string label = node.label();
  const Dims a = node.in_dims(kQuantizedX), b = node.in_dims(kQuantizedWeights), y = node.out_dims(0);
  const bool adj = node.Bool("adj_x2", false);
  if (a.n < 2 || b.n < 2 || y.n != std::max(a.n, b.n))
    Fail(GE_PARAM_INVALID, "%s: shapes %s, %s and %s do not fit", label.c_str(), ToText(a).c_str(), ToText(b).c_str(),
         ToText(y).c_str());
  QuantizedProduct p;
  p.m = a[a.n - 2], p.k = a[a.n - 1], p.n = b[b.n - (adj ? 2 : 1)];
  if (b[b.n - (adj ? 1 : 2)] != p.k || y[y.n - 2] != p.m || y[y.n - 1] != p.n)
    Fail(GE_PARAM_INVALID, "%s: shapes %s, %s and %s do not fit", label.c_str(), ToText(a).c_str(), ToText(b).c_str(),
         ToText(y).c_str());
  p.batch = Dims(y.d, y.n - 2);
  p.matrices = p.batch.count();
  p.step_a = BatchSteps(node, a, p.batch, "x1");
  p.step_b = BatchSteps(node, b, p.batch, "x2");
  p.b_row = adj ? 1 : p.n, p.b_column = adj ? p.k : 1;
  p.load_a = Widener(node.in_type(kQuantizedX));
  p.load_b = Widener(node.in_type(kQuantizedWeights));
  return p;
}

Kernel CreateQuantizedMatMul(const Node &node, const OpEntry &) {
  const QuantizedProduct p = ReadQuantizedProduct(node);
  const QuantizedResult result(node, node.in_dims(kQuantizedX).count(0, node.in_dims(kQuantizedX).n - 1), p.m, p.n);
  const int64_t row_tiles = (p.m + kSumRows - 1) / kSumRows, column_tiles = (p.n + kSumColumns - 1) / kSumColumns;
  const int64_t tiles = row_tiles * column_tiles;
  Kernel kernel;
  kernel.flops = 2.0 * double(p.matrices) * double(p.m) * double(p.n) * double(p.k);
  kernel.run = [=](const Call &call) {
    const int64_t grain =
        std::max<int64_t>(1, (1 << 16) / (std::min(p.m, kSumRows) * std::min(p.n, kSumColumns) * p.k + 1));
    call.Parallel(p.matrices * tiles, grain, [&](int64_t begin, int64_t end) {
      uint32_t sums[kSumRows][kSumColumns];
      int32_t left[kSumRows], right[kSumColumns], zeros[kSumColumns];
      for (int64_t t = begin; t < end; ++t) {
        const int64_t matrix = t / tiles, row = t % tiles / column_tiles * kSumRows,
                      column = t % column_tiles * kSumColumns;
        const int64_t rows = std::min(kSumRows, p.m - row), columns = std::min(kSumColumns, p.n - column);
        int64_t matrix_a = 0, matrix_b = 0, rest = matrix;
        for (int i = p.batch.n - 1; i >= 0; --i) {
          matrix_a += rest % p.batch[i] * p.step_a[i];
          matrix_b += rest % p.batch[i] * p.step_b[i];
          rest /= p.batch[i];
        }
        for (int64_t j = 0; j < columns; ++j) zeros[j] = result.weight_zero(call, column + j);
        for (int64_t i = 0; i < rows; ++i) std::fill(sums[i], sums[i] + columns, 0u);
        for (int64_t d = 0; d < p.k; ++d) {
          p.load_b(call.in(kQuantizedWeights), matrix_b * p.k * p.n + d * p.b_row + column * p.b_column, p.b_column,
                   columns, 0, right);
          for (int64_t j = 0; j < columns; ++j) right[j] -= zeros[j];
          p.load_a(call.in(kQuantizedX), (matrix_a * p.m + row) * p.k + d, p.k, rows, 0, left);
          for (int64_t i = 0; i < rows; ++i) {
            const int32_t factor = left[i] - result.x_zero(call, matrix_a * p.m + row + i);
            for (int64_t j = 0; j < columns; ++j) sums[i][j] += uint32_t(factor * right[j]);
          }
        }
        for (int64_t i = 0; i < rows; ++i)
          result.Store(call, reinterpret_cast<const int32_t *>(sums[i]), columns, matrix_a * p.m + row + i, column, 1,
                       (matrix * p.m + row + i) * p.n + column, 1);
      }
    });
  };
  return kernel;
}

const OpEntry kQuantizedProducts[] = {
    {"QuantizedMatMul", TypeBit(C_DT_INT8) | TypeBit(C_DT_UINT8), &CreateQuantizedMatMul, &CheckQuantized},
};

}  // namespace

OpTable QuantizedMatMulOps() { return TableOf(kQuantizedProducts); }

}  // namespace reference
