// Picking slices, elements or sub-tensors by index.
#include <string_view>

#include "common/copy.h"
#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

// Gather (along axis batch_dims) and GatherV2 (axis is an input).
Kernel CreateGather(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), indices = node.in_dims(1), y = node.out_dims(0);
  IndexReader reader = IndicesOf(node, 1);
  IntsInput axis_input = std::string_view(node.type()) == "GatherV2" ? node.IntsOf(2) : IntsInput();
  int64_t batch_attribute = node.Int("batch_dims", 0);
  const int64_t batch_dims = batch_attribute < 0 ? batch_attribute + indices.n : batch_attribute;
  if (batch_dims < 0 || batch_dims > indices.n || batch_dims >= x.n + (x.n == 0))
    Fail(GE_PARAM_INVALID, "%s: batch_dims is %lld, indices have rank %d", label.c_str(), (long long)batch_attribute,
         indices.n);
  const int64_t element = int64_t(ElementSize(node.in_type(0)));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    int axis = NormalAxis(label, axis_input.connected() ? axis_input.ReadOne(call) : batch_dims, x.n);
    if (axis < batch_dims)
      Fail(GE_PARAM_INVALID, "%s: axis %d lies inside the %lld batch dimensions", label.c_str(), axis,
           (long long)batch_dims);
    const int64_t batches = x.count(0, int(batch_dims)), outer = x.count(int(batch_dims), axis), limit = x[axis];
    const int64_t picks = indices.count(int(batch_dims), indices.n), slice = x.count(axis + 1, x.n) * element;
    if (batches * outer * picks * slice != y.count() * element)
      Fail(GE_PARAM_INVALID, "%s: the output has shape %s", label.c_str(), ToText(y).c_str());
    if (y.count() == 0) return;
    CheckIndices(label, reader, call.in(1), indices.count(), limit);
    const char *from = call.in<char>(0);
    char *to = call.out<char>(0);
    call.Parallel(batches * outer * picks, std::max<int64_t>(1, (1 << 14) / (slice + 1)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t t = begin; t < end; ++t) {
                      const int64_t pick = t % picks, row = t / picks;
                      int64_t index = reader.At(call.in(1), row / outer * picks + pick);
                      if (index < 0) index += limit;
                      memcpy(to + t * slice, from + (row * limit + index) * slice, size_t(slice));
                    }
                  });
  };
  return kernel;
}

// The last dimension of indices addresses the first dimensions of x.
Kernel CreateGatherNd(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), indices = node.in_dims(1), y = node.out_dims(0);
  IndexReader reader = IndicesOf(node, 1);
  if (indices.n == 0 || indices[indices.n - 1] > x.n)
    Fail(GE_PARAM_INVALID, "%s: indices of shape %s do not fit x of shape %s", label.c_str(), ToText(indices).c_str(),
         ToText(x).c_str());
  const int depth = int(indices[indices.n - 1]);
  const int64_t rows = indices.count(0, indices.n - 1);
  const int64_t slice = x.count(depth, x.n) * int64_t(ElementSize(node.in_type(0)));
  if (rows * x.count(depth, x.n) != y.count())
    Fail(GE_PARAM_INVALID, "%s: the output has shape %s", label.c_str(), ToText(y).c_str());
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t r = 0; r < rows; ++r) {
      int64_t at = 0;
      for (int i = 0; i < depth; ++i)
        at = at * x[i] + CheckedIndex(label, reader.At(call.in(1), r * depth + i), x[i], r * depth + i);
      if (slice) memcpy(call.out<char>(0) + r * slice, call.in<char>(0) + at * slice, size_t(slice));
    }
  };
  return kernel;
}

// y[i][j][k] = x[i][index[i][j][k]][k] for dim 1.
Kernel CreateGatherElements(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0), index = node.in_dims(1);
  IndexReader reader = IndicesOf(node, 1);
  const int axis = x.n == 0 ? 0 : NormalAxis(node, node.Int("dim", 0), x.n);
  if (x.n != index.n || !(node.out_dims(0) == index))
    Fail(GE_PARAM_INVALID, "%s: index has shape %s, x %s, output %s", label.c_str(), ToText(index).c_str(),
         ToText(x).c_str(), ToText(node.out_dims(0)).c_str());
  for (int i = 0; i < x.n; ++i)
    if (i != axis && index[i] > x[i])
      Fail(GE_PARAM_INVALID, "%s: index of shape %s exceeds x of shape %s", label.c_str(), ToText(index).c_str(),
           ToText(x).c_str());
  const Dims strides = RowMajorStrides(x);
  const size_t element = ElementSize(node.in_type(0));
  const int64_t limit = x.n ? x[axis] : 1, step = x.n ? strides[axis] : 0;
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    CheckIndices(label, reader, call.in(1), index.count(), limit);
    const int64_t inner = index.n ? index[index.n - 1] : 1;
    if (index.count() == 0) return;
    call.Parallel(index.count() / inner, std::max<int64_t>(1, 4096 / inner), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        int64_t base = 0, rest = row;
        for (int i = index.n - 2; i >= 0; --i) {
          if (i != axis) base += rest % index[i] * strides[i];
          rest /= index[i];
        }
        for (int64_t j = 0; j < inner; ++j) {
          int64_t at = reader.At(call.in(1), row * inner + j);
          if (at < 0) at += limit;
          int64_t from = base + at * step + (axis == index.n - 1 || index.n == 0 ? 0 : j);
          memcpy(Shift(call.out(0), row * inner + j, element), Shift(call.in(0), from, element), element);
        }
      }
    });
  };
  return kernel;
}

const OpEntry kGather[] = {
    {"Gather", kMovable, &CreateGather, &CheckIndexType<1>},
    {"GatherV2", kMovable, &CreateGather, &CheckIndexType<1>},
    {"GatherNd", kMovable, &CreateGatherNd, &CheckIndexType<1>},
    {"GatherElements", kMovable, &CreateGatherElements, &CheckIndexType<1>},
};

}  // namespace

OpTable GatherOps() { return TableOf(kGather); }

}  // namespace reference
