// The first k of a row in order, and running sums.
#include <algorithm>
#include <cstring>
#include <functional>

#include "kernel.h"
#include "order_key.h"

namespace vec {
namespace {

// ---- the first k ----

class TopKKernel : public Kernel {
 public:
  TopKKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
    n_ = x.back(), k_ = y.back(), rows_ = Count(x, 0, x.size() - 1);
    if (y.size() != x.size() || Count(y) != rows_ * k_) Refuse("y's shape does not follow from x");
    if (k_ > n_) Refuse("k is " + std::to_string(k_) + ", the axis has " + std::to_string(n_) + " elements");
    if (n_ > INT32_MAX) Refuse("the axis is longer than 2^31");
    largest_ = GeOpAttrInt(&op, "largest", 1) != 0;
    positions_ = op.output_count > 1 && Present(op.outputs[1]);
    wide_ = positions_ && op.outputs[1].data_type == C_DT_INT64;
    room_ = std::min(n_, std::max<int64_t>({2 * k_, k_ + 32, kBest}));
    workspace_bytes = static_cast<uint64_t>(rows_ * room_) * sizeof(uint64_t);
    implementation = "top k";
    flops = static_cast<double>(rows_ * n_);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (k_ == 0) return GE_SUCCESS;
    auto *x = static_cast<const float *>(args.inputs[0]);
    Parallel(rows_, std::max<int64_t>(1, 16384 / n_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        uint64_t *keys = static_cast<uint64_t *>(args.workspace) + r * room_;
        First(x + r * n_, keys);
        for (int64_t i = 0; i < k_; ++i) {
          const int64_t at = PositionOf(keys[i]);
          static_cast<float *>(args.outputs[0])[r * k_ + i] = x[r * n_ + at];
          if (!positions_) continue;
          if (wide_) static_cast<int64_t *>(args.outputs[1])[r * k_ + i] = at;
          else static_cast<int32_t *>(args.outputs[1])[r * k_ + i] = static_cast<int32_t>(at);
        }
      }
    });
    return GE_SUCCESS;
  }

 private:
  /// A key that is not above the k-th, and its value. Of the first so many values, in columns, each column has a best
  /// one: the k-th of these is one of k values that are at least as good. Null without enough values.
  uint64_t Bound(const float *x, uint64_t *keys, float *limit) const {
    if (k_ > kBest / 2 || n_ < kBest * 4) return 0;
    float best[kBest];
    std::copy_n(x, kBest, best);
    for (int64_t i = kBest; i + kBest <= n_; i += kBest)
      table_->reduce_step(largest_ ? kMax : kMin, best, x + i, kBest);
    for (int64_t i = 0; i < kBest; ++i) keys[i] = KeyOf(best[i], i, largest_);
    std::nth_element(keys, keys + k_ - 1, keys + kBest, std::greater<>());
    *limit = best[PositionOf(keys[k_ - 1])];
    return KeyOf(*limit, UINT32_MAX, largest_);
  }

  /// The k largest keys, in order. Most of a long row lies below the k-th so far, and whole vectors of it are passed
  /// over.
  void First(const float *x, uint64_t *keys) const {
    const auto down = [](uint64_t a, uint64_t b) { return a > b; };
    int64_t count = 0;
    float limit = 0;
    uint64_t least = Bound(x, keys, &limit);
    for (int64_t i = 0, looked = 0; i < n_; ++i) {
      if (least != 0 && i >= looked) {
        i = static_cast<int64_t>(
            table_->pass_over(x, static_cast<size_t>(i), static_cast<size_t>(n_), limit, !largest_));
        looked = i + kLook;
        if (i >= n_) break;
      }
      const uint64_t key = KeyOf(x[i], i, largest_);
      if (key < least) continue;
      keys[count++] = key;
      if (count < room_ || i + 1 == n_) continue;
      std::nth_element(keys, keys + k_ - 1, keys + count, down);
      least = keys[k_ - 1], limit = x[PositionOf(least)];
      count = k_;
    }
    std::partial_sort(keys, keys + k_, keys + count, down);
  }

  static constexpr int64_t kBest = 64;  // columns
  static constexpr int64_t kLook = 16;  // values that are looked at one by one after some could not be passed over
  const Table *table_;
  int64_t n_, k_, rows_, room_;
  bool largest_, positions_, wide_;
};

void CheckTopK(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "x");
  RequireFloat(op.outputs[0], "values");
  const int64_t rank = op.inputs[0].rank;
  if (rank < 1) Refuse("rank is 0 or unknown");
  if (NormalAxis(GeOpAttrInt(&op, "dim", -1), rank) != rank - 1) Refuse("not the last dimension");
  if (op.output_count > 1 && Present(op.outputs[1]) && op.outputs[1].data_type != C_DT_INT64 &&
      op.outputs[1].data_type != C_DT_INT32)
    Refuse(DataTypeName(op.outputs[1].data_type), " is not supported for indices");
}

// ---- running sums ----

class CumsumKernel : public Kernel {
 public:
  CumsumKernel(const GeOpDesc &op, bool open) : rank_(op.inputs[0].rank), open_(open) {
    const std::vector<int64_t> axis = ConstantInts(op.inputs[1], "axis");
    if (axis.size() != 1) Refuse("axis is not one value");
    axis_ = NormalAxis(axis[0], rank_);
    type_ = op.inputs[0].data_type;
    exclusive_ = GeOpAttrInt(&op, "exclusive", 0) != 0;
    reverse_ = GeOpAttrInt(&op, "reverse", 0) != 0;
    implementation = open ? "cumsum:open" : "cumsum";
    if (open) return;
    sizes_ = SizesOf(op.inputs[0].dims);
    flops = static_cast<double>(sizes_.count());
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const Sizes z = open_ ? SizesOf(args.input_dims[0]) : sizes_;
    if (z.count() == 0) return GE_SUCCESS;
    if (type_ == C_DT_FLOAT) Sums<float, double>(args, z);
    else if (type_ == C_DT_INT64) Sums<uint64_t, uint64_t>(args, z);
    else Sums<uint32_t, uint32_t>(args, z);
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kColumns = 256;
  struct Sizes {
    int64_t outer, n, inner;
    int64_t count() const { return outer * n * inner; }
  };
  Sizes SizesOf(const int64_t *x) const {
    return {vec::Count(x, x + axis_), x[axis_], vec::Count(x + axis_ + 1, x + rank_)};
  }

  /// Integers wrap; floats are summed in double.
  template <class T, class A>
  void Sums(const GeKernelArgs &args, const Sizes &z) const {
    const int64_t pieces = (z.inner + kColumns - 1) / kColumns, width = std::min(z.inner, kColumns);
    Parallel(z.outer * pieces, std::max<int64_t>(1, 16384 / (z.n * width)), [&](int64_t begin, int64_t end) {
      for (int64_t job = begin; job < end; ++job) {
        const int64_t column = job % pieces * kColumns, base = job / pieces * z.n * z.inner + column;
        const int64_t w = std::min(kColumns, z.inner - column), first = reverse_ ? z.n - 1 : 0;
        Line<T, A>(static_cast<const T *>(args.inputs[0]) + base + first * z.inner,
                   static_cast<T *>(args.outputs[0]) + base + first * z.inner, z.n, reverse_ ? -z.inner : z.inner, w);
      }
    });
  }
  template <class T, class A>
  void Line(const T *x, T *y, int64_t n, int64_t step, int64_t width) const {
    if (width == 1) {
      A sum = 0;
      for (int64_t k = 0; k < n; ++k, x += step, y += step) {
        const A before = sum;
        sum += static_cast<A>(*x);
        *y = static_cast<T>(exclusive_ ? before : sum);
      }
      return;
    }
    A sum[kColumns] = {};
    for (int64_t k = 0; k < n; ++k, x += step, y += step) {
      for (int64_t i = 0; i < width; ++i) {
        const A before = sum[i];
        sum[i] += static_cast<A>(x[i]);
        y[i] = static_cast<T>(exclusive_ ? before : sum[i]);
      }
    }
  }

  int64_t rank_, axis_ = 0;
  bool open_;
  Sizes sizes_{};  // of a kernel for one size
  int32_t type_;
  bool exclusive_, reverse_;
};

void CheckCumsum(const GeOpDesc &op) {
  const int32_t type = op.inputs[0].data_type;
  if (type != C_DT_FLOAT && type != C_DT_INT64 && type != C_DT_INT32) Refuse(DataTypeName(type), " is not supported");
  if (op.inputs[0].rank < 1) Refuse("rank is 0 or unknown");
  (void)ConstantInts(op.inputs[1], "axis");
}

}  // namespace

const Family &TopKFamily() {
  static const Family family = {&CheckTopK, [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<TopKKernel>(op, table);
                                }};
  return family;
}
const Family &CumsumFamily() {
  static const Family family = {
      &CheckCumsum,
      [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
        return std::make_unique<CumsumKernel>(op, false);
      },
      [](const GeOpDesc &op, const GeOpenExtents &, const Table *) -> std::unique_ptr<Kernel> {
        return std::make_unique<CumsumKernel>(op, true);
      }};
  return family;
}

}  // namespace vec
