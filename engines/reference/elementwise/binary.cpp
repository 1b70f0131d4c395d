// Arithmetic, comparison and logic on two or more broadcast inputs.
#include "elementwise/formulas.h"
#include "registry.h"

namespace reference {
namespace {

// Sum of any number of inputs; floating point sums are taken in double.
template <class C>
Kernel CreateSum(const Node &node) {
  std::vector<Dims> shapes;
  std::vector<LoadFn<C>> load;
  for (int i = 0; i < node.inputs(); ++i) {
    shapes.push_back(node.in_dims(i));
    load.push_back(Loader<C>(node.in_type(i)));
  }
  BroadcastPlan plan = PlanBroadcast(node.label(), node.out_dims(0), shapes);
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.flops = double(plan.total) * double(load.size());
  AddInPlace(node, &kernel, node.inputs());
  kernel.run = [plan, load, store](const Call &call) {
    call.Parallel(plan.total, 1 << 13, [&](int64_t begin, int64_t end) {
      C value[kBlock], sum[kBlock];
      ForEachRun(plan, begin, end, [&](const int64_t *offsets, int64_t at, int64_t length) {
        for (int64_t done = 0; done < length; done += kBlock) {
          int64_t n = std::min(kBlock, length - done);
          std::fill(sum, sum + n, C(0));
          for (size_t k = 0; k < load.size(); ++k) {
            int64_t stride = plan.strides[k][plan.dims.n - 1];
            load[k](call.in(k), offsets[k] + done * stride, stride, n, value);
            for (int64_t i = 0; i < n; ++i) sum[i] = WrapAdd(sum[i], value[i]);
          }
          store(sum, n, call.out(0), at + done, 1);
        }
      });
    });
  };
  return kernel;
}

Kernel CreateAddN(const Node &node, const OpEntry &) {
  Compute compute = CommonCompute(node, node.inputs());
  if (compute == Compute::kFloat) compute = Compute::kDouble;
  if (compute == Compute::kDouble) return CreateSum<double>(node);
  return compute == Compute::kUInt ? CreateSum<uint64_t>(node) : CreateSum<int64_t>(node);
}

void CheckAddN(const Node &node) {
  if (node.inputs() == 0) Fail(GE_PARAM_INVALID, "%s: there are no inputs", node.label().c_str());
}

const OpEntry kBinary[] = {
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) \
  {#type, kElementwise##types, &CreateElementwise, &CheckElementwise, &kFns##types<type##Op, 2>},
#include "ge/elementwise.def"
    {"AddN", kReal, &CreateAddN, &CheckAddN},
};

}  // namespace

OpTable BinaryOps() { return TableOf(kBinary); }

}  // namespace reference
