// Permuting, repeating and reversing dimensions: strided copies with a dense output.
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

Kernel CreateTranspose(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  const std::string_view type = node.type();
  Dims x = node.in_dims(0), y = node.out_dims(0), attribute;
  IntsInput input;
  if (type == "Transpose") input = node.IntsOf(1);
  else attribute = node.Ints(type == "Permute" ? "order" : "perm");
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    Dims perm = input.connected() ? input.Read(call) : attribute;
    if (perm.n != x.n) Fail(GE_PARAM_INVALID, "%s: perm has %d values, expected %d", label.c_str(), perm.n, x.n);
    Dims own = RowMajorStrides(x), strides;
    bool used[Dims::kCapacity] = {};
    for (int i = 0; i < perm.n; ++i) {
      int axis = NormalAxis(label, perm[i], x.n);
      if (used[axis] || y[i] != x[axis])
        Fail(GE_PARAM_INVALID, "%s: perm %s does not take %s to %s", label.c_str(), ToText(perm).c_str(),
             ToText(x).c_str(), ToText(y).c_str());
      used[axis] = true;
      strides.push(own[axis]);
    }
    CopyToDense(call, call.in(0), strides, call.out(0), y, element);
  };
  return kernel;
}

// Expand and BroadcastTo. The output shape is the broadcast of x and the requested shape.
Kernel CreateBroadcast(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0), y = node.out_dims(0), own = RowMajorStrides(x), strides;
  int lead = y.n - x.n;
  for (int i = 0; i < y.n; ++i) {
    int64_t extent = i < lead ? 1 : x[i - lead];
    if (lead < 0 || (extent != 1 && extent != y[i]))
      Fail(GE_PARAM_INVALID, "%s: shape %s does not broadcast to %s", node.label().c_str(), ToText(x).c_str(),
           ToText(y).c_str());
    strides.push(extent == 1 ? 0 : own[i - lead]);
  }
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) { CopyToDense(call, call.in(0), strides, call.out(0), y, element); };
  return kernel;
}

// Every dimension is seen as [repeats, extent], the repeats with stride 0.
Kernel CreateTile(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0), y = node.out_dims(0), own = RowMajorStrides(x), dims, strides;
  int lead = y.n - x.n;
  for (int i = 0; i < y.n; ++i) {
    int64_t extent = i < lead ? 1 : x[i - lead];
    if (lead < 0 || (extent ? y[i] % extent : y[i]) != 0)
      Fail(GE_PARAM_INVALID, "%s: shape %s does not tile %s", node.label().c_str(), ToText(x).c_str(),
           ToText(y).c_str());
    dims.push(extent ? y[i] / extent : 0);
    strides.push(0);
    dims.push(extent);
    strides.push(i < lead ? 0 : own[i - lead]);
  }
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) { CopyToDense(call, call.in(0), strides, call.out(0), dims, element); };
  return kernel;
}

Kernel CreateReverse(const Node &node, const OpEntry &) {
  const std::string label = node.label();
  Dims x = node.in_dims(0);
  IntsInput input = node.IntsOf(1);
  size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    if (x.count() == 0) return;
    Dims strides = RowMajorStrides(x);
    int64_t start = 0;
    for (int64_t a : input.Read(call)) {
      if (x.n == 0) continue;
      int axis = NormalAxis(label, a, x.n);
      if (strides[axis] < 0) Fail(GE_PARAM_INVALID, "%s: axis %d appears twice", label.c_str(), axis);
      start += (x[axis] - 1) * strides[axis];
      strides[axis] = -strides[axis];
    }
    CopyToDense(call, Shift(call.in(0), start, element), strides, call.out(0), x, element);
  };
  return kernel;
}

const OpEntry kTranspose[] = {
    {"Transpose", kMovable, &CreateTranspose},   {"TransposeD", kMovable, &CreateTranspose},
    {"Permute", kMovable, &CreateTranspose},     {"Expand", kMovable, &CreateBroadcast},
    {"BroadcastTo", kMovable, &CreateBroadcast}, {"Tile", kMovable, &CreateTile},
    {"ReverseV2", kMovable, &CreateReverse},
};

}  // namespace

OpTable TransposeOps() { return TableOf(kTranspose); }

}  // namespace reference
