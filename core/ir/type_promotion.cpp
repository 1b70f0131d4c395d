// The type that values of different types are computed in: the rules of PyTorch (torch.promote_types), and those of
// NumPy for unsigned types of 16 and 32 bits, which PyTorch does not promote.
#include <algorithm>

#include "core/ir/types.h"
#include "graph/c_types.h"

namespace gec {
namespace {

enum class Kind { kBool, kUnsigned, kSigned, kFloat, kComplex, kOther };

struct Fact {
  Kind kind;
  uint32_t bits;  // of a part, if complex
};

Fact FactOf(int32_t type) {
  switch (type) {
    case C_DT_BOOL:
      return {Kind::kBool, 8};
    case C_DT_UINT8:
    case C_DT_UINT16:
    case C_DT_UINT32:
    case C_DT_UINT64:
      return {Kind::kUnsigned, DataTypeBits(type)};
    case C_DT_INT8:
    case C_DT_INT16:
    case C_DT_INT32:
    case C_DT_INT64:
      return {Kind::kSigned, DataTypeBits(type)};
    case C_DT_BF16:
    case C_DT_FLOAT16:
    case C_DT_FLOAT:
    case C_DT_DOUBLE:
      return {Kind::kFloat, DataTypeBits(type)};
    case C_DT_COMPLEX32:
    case C_DT_COMPLEX64:
    case C_DT_COMPLEX128:
      return {Kind::kComplex, DataTypeBits(type) / 2};
    default:
      return {Kind::kOther, 0};
  }
}

int32_t SignedWithBits(uint32_t bits) {
  switch (bits) {
    case 8:
      return C_DT_INT8;
    case 16:
      return C_DT_INT16;
    case 32:
      return C_DT_INT32;
    case 64:
      return C_DT_INT64;
    default:
      return C_DT_UNDEFINED;
  }
}

int32_t ComplexWithBits(uint32_t bits) {
  return bits == 16 ? C_DT_COMPLEX32 : bits == 32 ? C_DT_COMPLEX64 : C_DT_COMPLEX128;
}

/// Neither of the two 16-bit types holds the other's values.
bool HalfKinds(int32_t a, int32_t b) {
  return (a == C_DT_BF16 && b == C_DT_FLOAT16) || (a == C_DT_FLOAT16 && b == C_DT_BF16);
}

}  // namespace

int32_t PromoteTypes(int32_t a, int32_t b) {
  if (a == b || b == C_DT_UNDEFINED) return a;
  if (a == C_DT_UNDEFINED) return b;
  Fact low = FactOf(a), high = FactOf(b);
  if (low.kind == Kind::kOther || high.kind == Kind::kOther) return C_DT_UNDEFINED;
  if (low.kind > high.kind) {
    std::swap(a, b);
    std::swap(low, high);
  }
  if (low.kind == high.kind) {
    if (HalfKinds(a, b)) return C_DT_FLOAT;
    return low.bits > high.bits ? a : b;
  }
  // A signed integer holds an unsigned one with fewer bits.
  if (low.kind == Kind::kUnsigned && high.kind == Kind::kSigned)
    return SignedWithBits(std::max(high.bits, 2 * low.bits));
  // The parts of a complex number are floats, half precision in DT_COMPLEX32.
  if (low.kind == Kind::kFloat && high.kind == Kind::kComplex) {
    const uint32_t bits = a == C_DT_BF16 ? 32 : low.bits;
    return ComplexWithBits(std::max(bits, high.bits));
  }
  return b;
}

}  // namespace gec
