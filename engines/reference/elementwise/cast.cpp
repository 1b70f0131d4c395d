// Cast between real types; constants of a shape's size.
#include "common/broadcast.h"
#include "elementwise/elementwise.h"
#include "registry.h"

namespace reference {
namespace {

template <class C>
Kernel CreateCopy(const Node &node) {
  int64_t total = node.out_count(0);
  if (node.in_count(0) != total)
    Fail(GE_PARAM_INVALID, "%s: input has %lld elements, output %lld", node.label().c_str(),
         (long long)node.in_count(0), (long long)total);
  LoadFn<C> load = Loader<C>(node.in_type(0));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    call.Parallel(total, 1 << 14, [&](int64_t begin, int64_t end) {
      C block[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        int64_t n = std::min(kBlock, end - at);
        load(call.in(0), at, 1, n, block);
        store(block, n, call.out(0), at, 1);
      }
    });
  };
  return kernel;
}

Kernel CreateCast(const Node &node, const OpEntry &) {
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateCopy<decltype(c)>(node); });
}

void CheckCast(const Node &node) {
  if (!((kReal | kFp8) & TypeBit(node.out_type(0))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0", node.label().c_str(), DataTypeName(node.out_type(0)));
}

Kernel CreateZeros(const Node &node, const OpEntry &) {
  size_t bytes = size_t(node.out_count(0)) * ElementSize(node.out_type(0));
  Kernel kernel;
  AddInPlace(node, &kernel, 1);
  kernel.run = [bytes](const Call &call) {
    if (bytes) memset(call.out(0), 0, bytes);
  };
  return kernel;
}

const OpEntry kCast[] = {
    {"Cast", kReal | kFp8, &CreateCast, &CheckCast},
    {"CastLike", kReal | kFp8, &CreateCast, &CheckCast},
    {"ZerosLike", kMovable, &CreateZeros},
};

}  // namespace

OpTable CastOps() { return TableOf(kCast); }

}  // namespace reference
