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
    call.ParallelBytes(total, 1 << 14, [&](int64_t begin, int64_t end) {
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

// Casts that do not saturate, or round a power of two in another way than up.
Kernel CreateSmallFloatCast(const Node &node, const OpEntry &) {
  static_assert(kBlock % kByteElements == 0);
  const int64_t total = node.out_count(0);
  const int32_t type = node.out_type(0);
  const LoadFn<float> load = Loader<float>(node.in_type(0));
  const bool saturate = node.Bool("saturate", true);
  const std::string mode = node.String("round_mode", "up");
  const PowerRounding rounding = mode == "down"      ? PowerRounding::kDown
                                 : mode == "nearest" ? PowerRounding::kNearest
                                                     : PowerRounding::kUp;
  const SmallFormat format = FormatOf(type);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(total, 1 << 14, [&](int64_t begin, int64_t end) {
      float block[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t n = std::min(kBlock, end - at);
        load(call.in(0), at, 1, n, block);
        uint8_t *to = call.out<uint8_t>(0) + at;
        for (int64_t i = 0; i < n; ++i)
          to[i] = type == C_DT_FLOAT8_E8M0 ? ToE8M0(block[i], saturate, rounding) : ToSmall(format, block[i], saturate);
      }
    });
  };
  return kernel;
}

void CheckSmallFloatCast(const Node &node) {
  if (!((kFp8 | TypeBit(C_DT_FLOAT8_E8M0)) & TypeBit(node.out_type(0))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0", node.label().c_str(), DataTypeName(node.out_type(0)));
  const std::string mode = node.String("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    Fail(GE_PARAM_INVALID, "%s: round_mode is '%s', expected up, down or nearest", node.label().c_str(), mode.c_str());
}

void CheckCast(const Node &node) {
  if (!((kReal | kSmall) & TypeBit(node.out_type(0))))
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
    {"Cast", kReal | kSmall, &CreateCast, &CheckCast},
    {"CastLike", kReal | kSmall, &CreateCast, &CheckCast},
    {"SmallFloatCast", kFloats32, &CreateSmallFloatCast, &CheckSmallFloatCast},
    {"ZerosLike", kMovable, &CreateZeros},
};

}  // namespace

OpTable CastOps() { return TableOf(kCast); }

}  // namespace reference
