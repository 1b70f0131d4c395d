// Pooling over a vector type V: rows that are combined value by value, and windows of their width. Maxima are computed
// in a form that passes over a NaN and notices it, which is two steps less for each value; where there was one, the
// whole row is computed again in the form in which a NaN is the maximum.
#pragma once

#include <algorithm>

namespace {

using onednn::PoolWindows;

// These combine values: One and Two new ones, Both results of the others. Loops have one of their
// own and return it: what others have the address of would be written to memory for each value, and PoolWindows read
// again.
struct Most {
  V::Flags seen{};  // where a NaN was
  static constexpr float kStart = -__builtin_inff();
  V::T One(V::T a) { return seen = V::Either(seen, V::Unordered(a, a)), a; }
  V::T Two(V::T a, V::T b) { return seen = V::Either(seen, V::Unordered(a, b)), V::Max(a, b); }
  static V::T Both(V::T a, V::T b) { return V::Max(a, b); }
};
struct MostOrNan {
  static constexpr float kStart = Most::kStart;
  static V::T One(V::T a) { return a; }
  static V::T Two(V::T a, V::T b) { return V::MaxOrNan(a, b); }
  static V::T Both(V::T a, V::T b) { return V::MaxOrNan(a, b); }
};
struct Total {
  static constexpr float kStart = 0;
  static V::T One(V::T a) { return a; }
  static V::T Two(V::T a, V::T b) { return V::Add(a, b); }
  static V::T Both(V::T a, V::T b) { return V::Add(a, b); }
};

// Combines the values that `load` finds in each row at `x`; R is the number of rows, where it is known.
template <int R, class Op, class Load>
[[gnu::always_inline]] inline V::T ColumnOf(Op *op, const float *x, int64_t row, int64_t rows, const Load &load) {
  const int64_t count = R ? R : rows;
  V::T all = count == 1 ? op->One(load(x)) : op->Two(load(x), load(x + row));
#pragma GCC unroll 4
  for (int64_t r = 2; r < count; r += 2) {
    const float *at = x + r * row;
    all = Op::Both(all, r + 1 < count ? op->Two(load(at), load(at + row)) : op->One(load(at)));
  }
  return all;
}

template <class Op>
Op CombineWith(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more) {
  Op op;
  int64_t i = 0;
  const auto combine = [&](const auto &load) __attribute__((always_inline)) {
    const V::T all = ColumnOf<0>(&op, x + i, row, rows, load);
    return more ? Op::Both(all, op.One(load(to + i))) : all;
  };
  for (; i + kC <= n; i += kC) V::Store(to + i, combine(&V::Load));
  // Parts of vectors are slow to write with AVX2: where nothing is added twice, a whole one once more.
  if (i < n && n >= kC && !more) i = n - kC, V::Store(to + i, combine(&V::Load)), i = n;
  const V::Mask rest = V::MaskOf(int(n - i));
  if (i < n) V::StorePart(to + i, combine([=](const float *p) { return V::LoadPart(p, rest); }), rest);
  return op;
}
void MaximaOfRows(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more) {
  // The second pass would read what the first has written there, so a NaN has to be kept by the first.
  if (more || V::Any(CombineWith<Most>(x, row, rows, n, to, more).seen))
    CombineWith<MostOrNan>(x, row, rows, n, to, more);
}
void SumsOfRows(const float *x, int64_t row, int64_t rows, int64_t n, float *to, bool more) {
  CombineWith<Total>(x, row, rows, n, to, more);
}

// Windows of pixels of a block of channels. `put` takes the number of a window and its result.
template <class Op, class Put>
Op AnyWindows(const PoolWindows w, const Put &put) {
  Op op;
  for (int64_t o = 0; o < w.n; ++o) {
    V::T even = V::Set(Op::kStart), odd = even;  // neither need wait for the other
    for (int64_t r = 0; r < w.rows; ++r) {
      const float *x = w.x + o * w.stride * kC + r * w.row;
      int64_t k = 0;
      for (; k + 4 <= w.kernel; k += 4, x += 4 * kC) {
        even = Op::Both(even, op.Two(V::Load(x), V::Load(x + kC)));
        odd = Op::Both(odd, op.Two(V::Load(x + 2 * kC), V::Load(x + 3 * kC)));
      }
      for (; k < w.kernel; ++k, x += kC) even = Op::Both(even, op.One(V::Load(x)));
    }
    put(o, Op::Both(even, odd));
  }
  return op;
}
// Of windows K wide and S apart, which share columns where K is more than S.
template <int K, int S, int R, class Op, class Put>
Op NearWindows(const PoolWindows w, const Put &put) {
  Op op;
  constexpr int kKept = K > S ? K - S : 0;
  const auto column = [&](int64_t pixel) __attribute__((always_inline)) {
    return ColumnOf<R>(&op, w.x + pixel * kC, w.row, w.rows, &V::Load);
  };
  V::T columns[K];
#pragma GCC unroll 4
  for (int i = 0; i < kKept; ++i) columns[i] = column(i);
  for (int64_t o = 0; o < w.n; ++o) {
#pragma GCC unroll 4
    for (int i = kKept; i < K; ++i) columns[i] = column(o * S + i);
    V::T all = columns[0];
#pragma GCC unroll 4
    for (int i = 1; i < K; ++i) all = Op::Both(all, columns[i]);
    put(o, all);
#pragma GCC unroll 4
    for (int i = 0; i < kKept; ++i) columns[i] = columns[i + S];
  }
  return op;
}
template <int K, int S, class Op, class Put>
Op NearRows(const PoolWindows &w, const Put &put) {
  if (w.rows == K) return NearWindows<K, S, K, Op>(w, put);
  return w.rows == 1 ? NearWindows<K, S, 1, Op>(w, put) : NearWindows<K, S, 0, Op>(w, put);
}
template <class Op, class Put>
Op Windows(const PoolWindows &w, const Put &put) {
  const auto near = [&](int kernel, int stride) { return w.kernel == kernel && w.stride == stride && w.n > 1; };
  if (near(2, 2)) return NearRows<2, 2, Op>(w, put);
  if (near(3, 2)) return NearRows<3, 2, Op>(w, put);
  if (near(3, 1)) return NearRows<3, 1, Op>(w, put);
  if (near(5, 1)) return NearRows<5, 1, Op>(w, put);
  return AnyWindows<Op>(w, put);
}
void MaximaOfWindows(const PoolWindows &w) {
  const auto put = [y = w.y](int64_t o, V::T most) { V::Store(y + o * kC, most); };
  if (V::Any(Windows<Most>(w, put).seen)) AnyWindows<MostOrNan>(w, put);
}
void AveragesOfWindows(const PoolWindows &w) {
  Windows<Total>(w, [y = w.y, columns = w.columns, counted = w.counted](int64_t o, V::T sum) {
    V::Store(y + o * kC, V::Div(sum, V::Set(counted * columns[o])));
  });
}

// Windows of a row of one channel, vectors of windows S pixels apart. `put` takes the number of the first of them, and
// how many there are where it is no whole vector.
template <int S, class Op, class Put>
void VectorsOfWindows(const PoolWindows w, const Put &put) {
  // Of windows that begin at x; `first` has the first value of each.
  const auto windows = [&](const float *x, const auto &first) __attribute__((always_inline)) {
    V::T all = first(x);
    for (int64_t k = 1; k < w.kernel; ++k) all = Op::Both(first(x + k), all);
    return all;
  };
  for (int64_t o = 0; o < w.n && w.n >= kC; o += kC) {
    o = std::min(o, w.n - kC);
    put(o, windows(w.x + o * S, [](const float *x) {
          if constexpr (S == 1) return V::Load(x);
          else return V::Even(V::Load(x), V::Load(x + kC));
        }));
  }
  if (w.n >= kC) return;
  const int values = int(w.n - 1) * S + 1;
  const V::Mask low = V::MaskOf(std::min(values, kC)), high = V::MaskOf(std::max(0, values - kC));
  put(0, int(w.n), windows(w.x, [=](const float *x) {
        if constexpr (S == 1) return V::LoadPart(x, low);
        else return V::Even(V::LoadPart(x, low), V::LoadPart(x + kC, high));
      }));
}
// Windows further apart, one by one: of each its first value, and what `with` makes of that and each other one.
template <class With, class Put>
void FarWindows(const PoolWindows &w, const With &with, const Put &put) {
  for (int64_t o = 0; o < w.n; ++o) {
    const float *x = w.x + o * w.stride;
    float all = x[0];
    for (int64_t k = 1; k < w.kernel; ++k) all = with(all, x[k]);
    put(o, all);
  }
}

struct PutMaxima {
  float *y;
  void operator()(int64_t o, V::T most) const { V::Store(y + o, most); }
  void operator()(int64_t o, int count, V::T most) const { V::StorePart(y + o, most, V::MaskOf(count)); }
};
struct PutAverages {
  float *y;
  const float *columns;
  float counted;
  void operator()(int64_t o, V::T sum) const {
    V::Store(y + o, V::Div(sum, V::Mul(V::Set(counted), V::Load(columns + o))));
  }
  void operator()(int64_t o, int count, V::T sum) const {
    const V::Mask mask = V::MaskOf(count);
    V::StorePart(y + o, V::Div(sum, V::Mul(V::Set(counted), V::LoadPart(columns + o, mask))), mask);
  }
};
void PlainMaxima(const PoolWindows &w) {
  const PutMaxima put{w.y};
  const auto larger = [](float a, float b) { return b > a || b != b ? b : a; };
  if (w.stride == 1) VectorsOfWindows<1, MostOrNan>(w, put);
  else if (w.stride == 2) VectorsOfWindows<2, MostOrNan>(w, put);
  else FarWindows(w, larger, [&](int64_t o, float most) { w.y[o] = most; });
}
void PlainAverages(const PoolWindows &w) {
  const PutAverages put{w.y, w.columns, w.counted};
  const auto add = [](float a, float b) { return a + b; };
  if (w.stride == 1) VectorsOfWindows<1, Total>(w, put);
  else if (w.stride == 2) VectorsOfWindows<2, Total>(w, put);
  else FarWindows(w, add, [&](int64_t o, float sum) { w.y[o] = sum / (w.counted * w.columns[o]); });
}

}  // namespace
