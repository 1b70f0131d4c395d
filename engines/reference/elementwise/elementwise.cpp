#include "elementwise/elementwise.h"

#include "registry.h"

namespace reference {

Compute CommonCompute(const Node &node, int count) {
  Compute best = Compute::kInt;
  for (int i = 0; i < count; ++i) {
    Compute c = ComputeOf(node.in_type(i));
    if (c == Compute::kDouble || best == Compute::kDouble) best = Compute::kDouble;
    else if (c == Compute::kFloat || best == Compute::kFloat) best = Compute::kFloat;
    else if (c == Compute::kUInt) best = c;
  }
  return best;
}

void CheckElementwise(const Node &node) {
  for (int i = 0; i < node.inputs(); ++i)
    if (node.has(i) && !(kReal & TypeBit(node.in_type(i))))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for input %d", node.label().c_str(), DataTypeName(node.in_type(i)),
           i);
  if (!(kReal & TypeBit(node.out_type(0))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0", node.label().c_str(), DataTypeName(node.out_type(0)));
  const OpEntry *entry = FindOp(node.op());
  const BlockFns *fns = entry ? static_cast<const BlockFns *>(entry->detail) : nullptr;
  if (!fns) return;
  for (int i = 0; i < fns->arity; ++i) node.in(i);
  Compute compute = CommonCompute(node, fns->arity);
  bool is_float = compute == Compute::kFloat || compute == Compute::kDouble;
  if (is_float ? !fns->f : !fns->i)
    Fail(GE_UNSUPPORTED, "%s: %s is not supported", node.label().c_str(), DataTypeName(node.in_type(0)));
}

namespace {

template <class C>
void RunElementwise(const Call &call, const BroadcastPlan &plan, int arity, const LoadFn<C> *load, const bool *native,
                    StoreFn<C> store, bool native_out, BlockFn<C> block, const Params &params) {
  call.Parallel(plan.total, 1 << 14, [&](int64_t begin, int64_t end) {
    C buffers[4][kBlock], result[kBlock];
    ForEachRun(plan, begin, end, [&](const int64_t *offsets, int64_t at, int64_t length) {
      for (int64_t done = 0; done < length; done += kBlock) {
        int64_t n = length - done < kBlock ? length - done : kBlock;
        const C *in[4];
        for (int k = 0; k < arity; ++k) {
          int64_t stride = plan.strides[k][plan.dims.n - 1];
          if (native[k] && (stride == 1 || n == 1)) {
            in[k] = call.in<C>(k) + offsets[k] + done * stride;
          } else {
            if (stride || done == 0) load[k](call.in(k), offsets[k] + done * stride, stride, n, buffers[k]);
            in[k] = buffers[k];
          }
        }
        C *out = native_out ? call.out<C>(0) + at + done : result;
        block(in, out, n, params);
        if (!native_out) store(result, n, call.out(0), at + done, 1);
      }
    });
  });
}

// Integers have no value for x / 0.
template <class C>
void RefuseZeros(const Call &call, const std::string &label, int64_t count, LoadFn<C> load) {
  C values[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = count - at < kBlock ? count - at : kBlock;
    load(call.in(1), at, 1, n, values);
    for (int64_t i = 0; i < n; ++i) {
      if (values[i] == C(0))
        Fail(GE_PARAM_INVALID, "%s: division by zero: element %lld of the divisor (input 1, %lld elements) is 0",
             label.c_str(), static_cast<long long>(at + i), static_cast<long long>(count));
    }
  }
}

template <class C>
Kernel Create(const Node &node, const BlockFns &fns) {
  std::vector<Dims> shapes;
  struct Access {
    LoadFn<C> load[4];
    bool native[4];
    StoreFn<C> store;
    bool native_out;
  } access;
  for (int i = 0; i < fns.arity; ++i) {
    shapes.push_back(node.in_dims(i));
    access.load[i] = Loader<C>(node.in_type(i));
    access.native[i] = IsNative<C>(node.in_type(i));
  }
  access.store = Storer<C>(node.out_type(0));
  access.native_out = IsNative<C>(node.out_type(0));
  BroadcastPlan plan = PlanBroadcast(node.label(), node.out_dims(0), shapes);
  Params params = fns.params ? fns.params(node) : Params();
  Kernel kernel;
  kernel.flops = double(plan.total);
  AddInPlace(node, &kernel, fns.arity);
  if (std::is_integral_v<C> && fns.divides && plan.total > 0) {
    int64_t count = 1;
    for (int i = 0; i < shapes[1].n; ++i) count *= shapes[1].d[i];
    kernel.run = [plan, access, block = Pick<C>(fns), params, label = node.label(), count](const Call &call) {
      RefuseZeros<C>(call, label, count, access.load[1]);
      RunElementwise<C>(call, plan, 2, access.load, access.native, access.store, access.native_out, block, params);
    };
    return kernel;
  }
  kernel.run = [plan, access, arity = fns.arity, block = Pick<C>(fns), params](const Call &call) {
    RunElementwise<C>(call, plan, arity, access.load, access.native, access.store, access.native_out, block, params);
  };
  return kernel;
}

}  // namespace

Kernel CreateElementwise(const Node &node, const OpEntry &entry) {
  const BlockFns &fns = *static_cast<const BlockFns *>(entry.detail);
  return WithCompute(CommonCompute(node, fns.arity), [&](auto c) { return Create<decltype(c)>(node, fns); });
}

}  // namespace reference
