// Walking the reduced part of a tensor for each kept position.
#pragma once

#include <algorithm>

#include "common/node.h"

namespace reference {

// The dimensions of x, neighbours of one kind merged. When the last one is kept, `width` outputs are worked on at once
// so that memory is read in order; when it is reduced, one.
struct ReducePlan {
  Dims kept, kept_strides;        // outer kept dimensions
  Dims reduced, reduced_strides;  // outer reduced dimensions
  int64_t inner = 1;              // extent of the last dimension
  bool inner_reduced = false;
  int64_t reduced_count = 1;  // elements per output
  int64_t outputs = 1;

  static constexpr int64_t kTile = 256;
  int64_t tiles() const { return inner_reduced ? 1 : (inner + kTile - 1) / kTile; }
  int64_t tasks() const { return outputs == 0 ? 0 : kept.count() * tiles(); }
  // Elements of work in one task, for choosing a grain.
  int64_t grain() const {
    int64_t work = reduced_count * (inner_reduced ? 1 : std::min(inner, kTile)) + 1;
    return std::max<int64_t>(1, (1 << 14) / work);
  }
};

ReducePlan PlanReduce(const Dims &x, const bool *reduced);
// Axes as the operators give them; empty: everything when `empty_is_all`, else nothing.
ReducePlan PlanReduceAxes(const std::string &label, const Dims &x, const Dims &axes, bool empty_is_all);

struct ReduceTask {
  int64_t base;    // offset in x of the first element
  int64_t output;  // offset in y
  int64_t width;   // outputs of this task
};

inline ReduceTask TaskAt(const ReducePlan &plan, int64_t task) {
  int64_t tiles = plan.tiles(), tile = task % tiles, row = task / tiles, rest = row;
  ReduceTask t{0, 0, 1};
  for (int i = plan.kept.n - 1; i >= 0; --i) {
    t.base += rest % plan.kept[i] * plan.kept_strides[i];
    rest /= plan.kept[i];
  }
  if (plan.inner_reduced) {
    t.output = row;
  } else {
    t.base += tile * ReducePlan::kTile;
    t.output = row * plan.inner + tile * ReducePlan::kTile;
    t.width = std::min(ReducePlan::kTile, plan.inner - tile * ReducePlan::kTile);
  }
  return t;
}

// visit(offset in x, position among the reduced elements, n): n elements in a row. They belong to outputs 0 … n-1 of
// the task when the last dimension is kept, else all to output 0.
template <class Visit>
void VisitReduced(const ReducePlan &plan, const ReduceTask &task, const Visit &visit) {
  if (plan.reduced_count == 0) return;
  int64_t index[Dims::kCapacity] = {};
  int64_t position = 0;
  do {
    int64_t offset = task.base;
    for (int i = 0; i < plan.reduced.n; ++i) offset += index[i] * plan.reduced_strides[i];
    if (!plan.inner_reduced) {
      visit(offset, position++, task.width);
      continue;
    }
    for (int64_t done = 0; done < plan.inner; done += ReducePlan::kTile) {
      int64_t n = std::min(ReducePlan::kTile, plan.inner - done);
      visit(offset + done, position, n);
      position += n;
    }
  } while (Next(plan.reduced, index));
}

// Folds values into acc[0, width): step(acc, value, aux) with aux[i] from an earlier pass.
template <class A, class Step>
void Fold(const ReducePlan &plan, const ReduceTask &task, LoadFn<A> load, const void *x, A *acc, const A *aux,
          const Step &step) {
  A values[ReducePlan::kTile];
  VisitReduced(plan, task, [&](int64_t offset, int64_t, int64_t n) {
    load(x, offset, 1, n, values);
    if (plan.inner_reduced) {
      A a = acc[0];
      for (int64_t i = 0; i < n; ++i) step(a, values[i], aux[0]);
      acc[0] = a;
    } else {
      for (int64_t i = 0; i < n; ++i) step(acc[i], values[i], aux[i]);
    }
  });
}

}  // namespace reference
