// Shapes with unknown dimensions (-1), symbolic ones and unknown rank, and checked size arithmetic.
#pragma once

#include <cstdint>
#include <string>

#include "core/support/inline_vec.h"
#include "ge/data.h"

namespace gec {

class Shape {
 public:
  using Dims = InlineVec<int64_t, 4>;

  Shape() noexcept {}  // rank 0: one element
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  Shape(const int64_t *dims, size_t rank) : dims_(dims, dims + rank) {}
  explicit Shape(Dims dims) : dims_(std::move(dims)) {}
  static Shape UnknownRank() {
    Shape s;
    s.unknown_rank_ = true;
    return s;
  }
  /// rank as in GeTensorData: GE_UNKNOWN_RANK gives an unknown rank.
  static Shape From(const int64_t *dims, int32_t rank) {
    return rank < 0 ? UnknownRank() : Shape(dims, static_cast<size_t>(rank));
  }
  /// Both ways in which callers say that a rank is not known: the library's, and GE's.
  static bool SaysUnknownRank(const int64_t *dims, int64_t rank) {
    return rank == GE_UNKNOWN_RANK || (rank == 1 && dims && dims[0] == GE_UNKNOWN_RANK_DIM);
  }

  bool has_rank() const { return !unknown_rank_; }
  /// Every dimension is known.
  bool known() const;
  /// Every dimension is known or symbolic (core/ir/symbolic_dim.h): equal shapes of that kind are equal in every run.
  bool determined() const;
  int32_t rank() const { return unknown_rank_ ? GE_UNKNOWN_RANK : static_cast<int32_t>(dims_.size()); }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t &operator[](size_t i) { return dims_[i]; }
  const Dims &dims() const { return dims_; }
  Dims &dims() { return dims_; }
  /// Number of elements; -1 when not known. Throws GE_PARAM_INVALID when the product does not fit.
  int64_t elements() const;
  /// "[1, 3, -1]", "[1, s0]" with a symbolic one, "[?]" for an unknown rank.
  std::string str() const;

  friend bool operator==(const Shape &a, const Shape &b) {
    return a.unknown_rank_ == b.unknown_rank_ && a.dims_ == b.dims_;
  }
  friend bool operator!=(const Shape &a, const Shape &b) { return !(a == b); }

 private:
  Dims dims_;
  bool unknown_rank_ = false;
};

/// Ranks and extents that both know are equal: one run may have both.
bool Agree(const Shape &a, const Shape &b);

/// Bytes of a dense tensor; throws GE_PARAM_INVALID on overflow, above kMaxTensorBytes, or for types without a size.
uint64_t ByteSize(int32_t data_type, int64_t elements);
inline constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 40;

}  // namespace gec
