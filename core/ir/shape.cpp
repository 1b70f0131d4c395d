#include "core/ir/shape.h"

#include <algorithm>

#include "core/ir/symbolic_dim.h"
#include "core/ir/types.h"
#include "core/support/error.h"

namespace gec {

bool Shape::known() const {
  if (unknown_rank_) return false;
  for (int64_t d : dims_) {
    if (d < 0) return false;
  }
  return true;
}

bool Agree(const Shape &a, const Shape &b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  if (a.rank() != b.rank()) return false;
  for (size_t d = 0; d < a.dims().size(); ++d)
    if (a[d] >= 0 && b[d] >= 0 && a[d] != b[d]) return false;
  return true;
}

bool Shape::determined() const {
  return !unknown_rank_ && std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0 || IsSymbolic(d); });
}

int64_t Shape::elements() const {
  if (!known()) return -1;
  int64_t product = 1;
  bool overflow = false;
  for (int64_t d : dims_) {
    if (d == 0) return 0;  // an empty tensor, however large its other dimensions are
    overflow |= __builtin_mul_overflow(product, d, &product);
  }
  if (overflow) Fail(GE_PARAM_INVALID, "shape ", str(), " has more elements than 64 bits can count");
  return product;
}

std::string Shape::str() const {
  if (unknown_rank_) return "[?]";
  std::string text = "[";
  for (size_t i = 0; i < dims_.size(); ++i) {
    text += i ? ", " : "";
    text += IsSymbolic(dims_[i]) ? "s" + std::to_string(SymbolicNumber(dims_[i])) : std::to_string(dims_[i]);
  }
  return text + "]";
}

uint64_t ByteSize(int32_t data_type, int64_t elements) {
  uint32_t bits = DataTypeBits(data_type);
  if (bits == 0) Fail(GE_PARAM_INVALID, "data type ", DataTypeName(data_type), " (", data_type, ") has no fixed size");
  if (elements < 0) Fail(GE_PARAM_INVALID, "the size of a tensor with unknown dimensions is not known");
  uint64_t total;
  if (__builtin_mul_overflow(static_cast<uint64_t>(elements), uint64_t{bits}, &total)) {
    Fail(GE_PARAM_INVALID, "a tensor of ", elements, " elements of ", DataTypeName(data_type),
         " has more than 2^61 bytes, which exceeds the limit of ", kMaxTensorBytes, " bytes");
  }
  if (total / 8 > kMaxTensorBytes) {
    Fail(GE_PARAM_INVALID, "a tensor of ", elements, " elements of ", DataTypeName(data_type), " has ", total / 8,
         " bytes, which exceeds the limit of ", kMaxTensorBytes, " bytes");
  }
  return (total + 7) / 8;
}

}  // namespace gec
