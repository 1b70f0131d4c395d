// Writing slices or elements at positions that indices name. Later updates win over earlier ones at the same place.
#include <string>

#include "common/copy.h"
#include "elementwise/scalar_math.h"
#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

enum class Reduction { kNone, kAdd, kSubtract, kMultiply, kMaximum, kMinimum };

Reduction ReductionOf(const Node &node) {
  std::string name = node.String("reduction", "none");
  if (name == "none" || name == "update") return Reduction::kNone;
  if (name == "add") return Reduction::kAdd;
  if (name == "mul" || name == "multiply") return Reduction::kMultiply;
  if (name == "max") return Reduction::kMaximum;
  if (name == "min") return Reduction::kMinimum;
  Fail(GE_UNSUPPORTED, "%s: reduction '%s' is unknown", node.label().c_str(), name.c_str());
}

template <class C>
C Combine(Reduction reduction, C old, C update) {
  switch (reduction) {
    case Reduction::kAdd:
      return WrapAdd(old, update);
    case Reduction::kSubtract:
      return WrapSub(old, update);
    case Reduction::kMultiply:
      return WrapMul(old, update);
    case Reduction::kMaximum:
      return Max(old, update);
    case Reduction::kMinimum:
      return Min(old, update);
    default:
      return update;
  }
}

// to[at, at + n) = combine(to, from[first, first + n))
template <class C>
struct Combiner {
  LoadFn<C> load;
  StoreFn<C> store;
  void operator()(Reduction reduction, void *to, int64_t at, const void *from, int64_t first, int64_t n) const {
    constexpr int64_t kRun = 128;
    C old[kRun], update[kRun];
    for (int64_t done = 0; done < n; done += kRun) {
      const int64_t count = n - done < kRun ? n - done : kRun;
      load(to, at + done, 1, count, old);
      load(from, first + done, 1, count, update);
      for (int64_t i = 0; i < count; ++i) old[i] = Combine(reduction, old[i], update[i]);
      store(old, count, to, at + done, 1);
    }
  }
};

template <class C>
Kernel CreateElementsFor(const Node &node) {
  const std::string label = node.label();
  const Dims data = node.in_dims(0), indices = node.in_dims(1), strides = RowMajorStrides(data);
  const IndexReader reader = IndicesOf(node, 1);
  const Reduction reduction = ReductionOf(node);
  const int axis = data.n == 0 ? 0 : NormalAxis(node, node.Int("axis", 0), data.n);
  const size_t element = ElementSize(node.in_type(0));
  if (!(node.in_dims(2) == indices) || indices.n != data.n)
    Fail(GE_PARAM_INVALID, "%s: data has shape %s, indices %s, updates %s", label.c_str(), ToText(data).c_str(),
         ToText(indices).c_str(), ToText(node.in_dims(2)).c_str());
  for (int i = 0; i < data.n; ++i)
    if (i != axis && indices[i] > data[i])
      Fail(GE_PARAM_INVALID, "%s: indices of shape %s exceed data of shape %s", label.c_str(), ToText(indices).c_str(),
           ToText(data).c_str());
  const Combiner<C> combine{Loader<C>(node.in_type(0)), Storer<C>(node.in_type(0))};
  Kernel kernel;
  AddState(node, &kernel);
  kernel.run = [=](const Call &call) {
    const int64_t limit = data.n ? data[axis] : 1;
    CheckIndices(label, reader, call.in(1), indices.count(), limit);
    CopyBytes(call, call.in(0), call.out(0), data.count() * int64_t(element));
    if (indices.count() == 0) return;
    int64_t index[Dims::kCapacity] = {}, position = 0;
    do {
      int64_t value = reader.At(call.in(1), position), at = 0;
      if (value < 0) value += limit;
      for (int i = 0; i < data.n; ++i) at += (i == axis ? value : index[i]) * strides[i];
      if (reduction == Reduction::kNone)
        memcpy(Shift(call.out(0), at, element), Shift(call.in(2), position, element), element);
      else combine(reduction, call.out(0), at, call.in(2), position, 1);
      ++position;
    } while (Next(indices, index));
  };
  return kernel;
}

Kernel CreateScatterElements(const Node &node, const OpEntry &) {
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateElementsFor<decltype(c)>(node); });
}

// Code shared by the operators that write whole slices.
struct SliceScatter {
  int data = -1;  // port; -1: start from zeros
  int indices = 1, updates = 2;
  Reduction reduction = Reduction::kNone;
  bool rows = false;  // each index is one position on the first axis
};

template <class C>
Kernel CreateSlicesFor(const Node &node, const SliceScatter &s) {
  const std::string label = node.label();
  const Dims y = node.out_dims(0), indices = node.in_dims(s.indices), updates = node.in_dims(s.updates);
  const IndexReader reader = IndicesOf(node, s.indices);
  if (!s.rows && indices.n == 0) Fail(GE_PARAM_INVALID, "%s: indices are a scalar", label.c_str());
  const int depth = s.rows ? 1 : int(indices[indices.n - 1]);
  if (depth > y.n)
    Fail(GE_PARAM_INVALID, "%s: indices address %d dimensions, the output has %d", label.c_str(), depth, y.n);
  const int64_t count = s.rows ? indices.count() : indices.count(0, indices.n - 1), slice = y.count(depth, y.n);
  if (updates.count() != count * slice)
    Fail(GE_PARAM_INVALID, "%s: updates have shape %s, indices %s, output %s", label.c_str(), ToText(updates).c_str(),
         ToText(indices).c_str(), ToText(y).c_str());
  const size_t element = ElementSize(node.out_type(0));
  const Combiner<C> combine{Loader<C>(node.out_type(0)), Storer<C>(node.out_type(0))};
  Kernel kernel;
  if (s.data == 0) AddState(node, &kernel);
  kernel.run = [=](const Call &call) {
    const void *positions = call.in(size_t(s.indices)), *from = call.in(size_t(s.updates));
    for (int64_t r = 0; r < count; ++r)
      for (int i = 0; i < depth; ++i) CheckedIndex(label, reader.At(positions, r * depth + i), y[i], r * depth + i);
    const int64_t bytes = y.count() * int64_t(element);
    if (s.data >= 0) CopyBytes(call, call.in(size_t(s.data)), call.out(0), bytes);
    else if (bytes) memset(call.out(0), 0, size_t(bytes));
    if (slice == 0) return;
    for (int64_t r = 0; r < count; ++r) {
      int64_t at = 0;
      for (int i = 0; i < depth; ++i) {
        int64_t value = reader.At(positions, r * depth + i);
        at = at * y[i] + (value < 0 ? value + y[i] : value);
      }
      if (s.reduction != Reduction::kNone) combine(s.reduction, call.out(0), at * slice, from, r * slice, slice);
      else memcpy(Shift(call.out(0), at * slice, element), Shift(from, r * slice, element), size_t(slice) * element);
    }
  };
  return kernel;
}

// Changes slices of the first input; rows: each index is one position on the first axis.
template <Reduction reduction, bool rows>
Kernel CreateScatterSlices(const Node &node, const OpEntry &) {
  const SliceScatter s{.data = 0, .reduction = reduction, .rows = rows};
  return WithCompute(ComputeOf(node.out_type(0)), [&](auto c) { return CreateSlicesFor<decltype(c)>(node, s); });
}

// Adds into zeros.
Kernel CreateScatterNd(const Node &node, const OpEntry &) {
  const SliceScatter s{.indices = 0, .updates = 1, .reduction = Reduction::kAdd};
  return WithCompute(ComputeOf(node.out_type(0)), [&](auto c) { return CreateSlicesFor<decltype(c)>(node, s); });
}

void CheckScatterElements(const Node &node) {
  IndicesOf(node, 1);
  ReductionOf(node);
}
void CheckScatterNd(const Node &node) { IndicesOf(node, 0); }

const OpEntry kScatter[] = {
    {"ScatterElements", kReal, &CreateScatterElements, &CheckScatterElements},
    {"ScatterNd", kReal, &CreateScatterNd, &CheckScatterNd, nullptr, 1},
    {"ScatterNdUpdate", kMovable, &CreateScatterSlices<Reduction::kNone, false>, &CheckIndexType<1>},
    {"TensorScatterUpdate", kMovable, &CreateScatterSlices<Reduction::kNone, false>, &CheckIndexType<1>},
    {"ScatterUpdate", kMovable, &CreateScatterSlices<Reduction::kNone, true>, &CheckIndexType<1>},
    {"InplaceAdd", kReal, &CreateScatterSlices<Reduction::kAdd, true>, &CheckIndexType<1>},
    {"InplaceSub", kReal, &CreateScatterSlices<Reduction::kSubtract, true>, &CheckIndexType<1>},
    {"InplaceUpdate", kMovable, &CreateScatterSlices<Reduction::kNone, true>, &CheckIndexType<1>},
};

}  // namespace

OpTable ScatterOps() { return TableOf(kScatter); }

}  // namespace reference
