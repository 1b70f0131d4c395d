// Elementwise operators: one function per compute type that works on blocks of at most kBlock elements.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "common/broadcast.h"
#include "common/node.h"

namespace reference {

constexpr int64_t kBlock = 512;

// Numbers an operator reads from its attributes.
struct Params {
  double a = 0, b = 0, c = 0;
  bool flag = false;
};

template <class C>
using BlockFn = void (*)(const C *const *in, C *out, int64_t n, const Params &params);

struct BlockFns {
  BlockFn<float> f;
  BlockFn<double> d;
  BlockFn<int64_t> i;  // null: no integers
  BlockFn<uint64_t> u;
  int arity;
  Params (*params)(const Node &node);  // may be null
  bool divides = false;                // integers: a zero in input 1 is an error
};

template <class Op, class C>
void RunBlock1(const C *const *in, C *out, int64_t n, const Params &p) {
  const C *a = in[0];
  for (int64_t i = 0; i < n; ++i) out[i] = Op::template Do<C>(a[i], p);
}
template <class Op, class C>
void RunBlock2(const C *const *in, C *out, int64_t n, const Params &p) {
  const C *a = in[0], *b = in[1];
  for (int64_t i = 0; i < n; ++i) out[i] = Op::template Do<C>(a[i], b[i], p);
}
template <class Op, class C>
void RunBlock3(const C *const *in, C *out, int64_t n, const Params &p) {
  const C *a = in[0], *b = in[1], *c = in[2];
  for (int64_t i = 0; i < n; ++i) out[i] = Op::template Do<C>(a[i], b[i], c[i], p);
}
template <class Op, class C>
void RunBlock4(const C *const *in, C *out, int64_t n, const Params &p) {
  const C *a = in[0], *b = in[1], *c = in[2], *d = in[3];
  for (int64_t i = 0; i < n; ++i) out[i] = Op::template Do<C>(a[i], b[i], c[i], d[i], p);
}

template <class Op, class C, int kArity>
constexpr BlockFn<C> BlockOf() {
  if constexpr (kArity == 1) return &RunBlock1<Op, C>;
  else if constexpr (kArity == 2) return &RunBlock2<Op, C>;
  else if constexpr (kArity == 3) return &RunBlock3<Op, C>;
  else return &RunBlock4<Op, C>;
}

// Tables for an operator on floating point numbers, on every type, and on integers only.
template <class Op, int kArity>
inline constexpr BlockFns kFloatFns = {
    BlockOf<Op, float, kArity>(), BlockOf<Op, double, kArity>(), nullptr, nullptr, kArity, Op::kRead};
template <class Op, int kArity>
inline constexpr BlockFns kAllFns = {BlockOf<Op, float, kArity>(),
                                     BlockOf<Op, double, kArity>(),
                                     BlockOf<Op, int64_t, kArity>(),
                                     BlockOf<Op, uint64_t, kArity>(),
                                     kArity,
                                     Op::kRead,
                                     Op::kDivides};
template <class Op, int kArity>
inline constexpr BlockFns kIntFns = {nullptr, nullptr,  BlockOf<Op, int64_t, kArity>(), BlockOf<Op, uint64_t, kArity>(),
                                     kArity,  Op::kRead};

// The column "types" of ge/elementwise.def: what an operator takes, and the functions that serve it.
constexpr TypeSet kElementwiseFLOATS = kFloats, kElementwiseINTS = kInts, kElementwiseINTS_BOOL = kInts | kBool,
                  kElementwiseNUMBERS = kNumbers, kElementwiseREAL = kReal;
template <class Op, int kArity>
inline constexpr const BlockFns &kFnsFLOATS = kFloatFns<Op, kArity>;
template <class Op, int kArity>
inline constexpr const BlockFns &kFnsINTS = kIntFns<Op, kArity>;
template <class Op, int kArity>
inline constexpr const BlockFns &kFnsINTS_BOOL = kIntFns<Op, kArity>;
template <class Op, int kArity>
inline constexpr const BlockFns &kFnsNUMBERS = kAllFns<Op, kArity>;
template <class Op, int kArity>
inline constexpr const BlockFns &kFnsREAL = kAllFns<Op, kArity>;

template <class C>
BlockFn<C> Pick(const BlockFns &fns) {
  if constexpr (std::is_same_v<C, float>) return fns.f;
  else if constexpr (std::is_same_v<C, double>) return fns.d;
  else if constexpr (std::is_same_v<C, int64_t>) return fns.i;
  else return fns.u;
}

// The compute type for inputs [0, count): the widest of their own.
Compute CommonCompute(const Node &node, int count);

// entry.detail is a BlockFns.
Kernel CreateElementwise(const Node &node, const OpEntry &entry);
void CheckElementwise(const Node &node);

}  // namespace reference
