#include "reduce/plan.h"

namespace reference {

ReducePlan PlanReduce(const Dims &x, const bool *reduced) {
  ReducePlan plan;
  Dims dims;
  bool kind[Dims::kCapacity] = {};
  for (int i = 0; i < x.n; ++i) {
    if (reduced[i]) plan.reduced_count *= x[i];
    else plan.outputs *= x[i];
    if (x[i] == 1) continue;
    if (dims.n && kind[dims.n - 1] == reduced[i]) {
      dims[dims.n - 1] *= x[i];
    } else {
      kind[dims.n] = reduced[i];
      dims.push(x[i]);
    }
  }
  if (dims.n == 0) dims.push(1);
  Dims strides = RowMajorStrides(dims);
  for (int i = 0; i + 1 < dims.n; ++i) {
    (kind[i] ? plan.reduced : plan.kept).push(dims[i]);
    (kind[i] ? plan.reduced_strides : plan.kept_strides).push(strides[i]);
  }
  plan.inner = dims[dims.n - 1];
  plan.inner_reduced = kind[dims.n - 1];
  return plan;
}

ReducePlan PlanReduceAxes(const std::string &label, const Dims &x, const Dims &axes, bool empty_is_all) {
  bool reduced[Dims::kCapacity] = {};
  for (int i = 0; i < x.n; ++i) reduced[i] = axes.n == 0 && empty_is_all;
  for (int64_t axis : axes) {
    if (x.n == 0 && (axis == 0 || axis == -1)) continue;
    reduced[NormalAxis(label, axis, x.n)] = true;
  }
  return PlanReduce(x, reduced);
}

}  // namespace reference
