#include "protos/table/elementwise_traits.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "ge/fused_program.h"

namespace gec {
namespace {

struct Row {
  std::string_view type;
  GeOpTraits traits;
};

enum Order : uint64_t { kORDERED = 0, kCOMMUTATIVE = GE_TRAIT_COMMUTATIVE };

/// True where inputs are truth values as the output is.
constexpr bool OfTruth(std::string_view type) {
#define GE_ELEMENTWISE_TRUTH(name, opcode, a, b, negate, of_truth) \
  if (type == #name) return of_truth == 1;
#include "ge/elementwise.def"
  return false;
}

/// An output replaces an input where both have one type: comparisons give truth values of other types.
constexpr bool KeepsType(std::string_view type, std::string_view rule) {
  return (rule != "Truth" && rule.substr(0, 7) != "Compare") || OfTruth(type);
}

constexpr GeOpTraits Traits(int32_t opcode, bool keeps_type = true, uint64_t more = 0) {
  const bool fused = opcode != GE_FUSED_NONE;
  const uint64_t flags = GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC |
                         (keeps_type ? GE_TRAIT_IN_PLACE : 0) | (fused ? GE_TRAIT_FUSED : 0) | more;
  return {sizeof(GeOpTraits), flags, GE_CONTROL_FLOW_NONE, fused ? opcode : 0};
}

constexpr Row kRows[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, opcode, onnx, since) \
  {#type, Traits(GE_FUSED_##opcode, KeepsType(#type, #rule))},
#define GE_ELEMENTWISE_BINARY(type, rule, types, opcode, order, onnx, since) \
  {#type, Traits(GE_FUSED_##opcode, KeepsType(#type, #rule), k##order)},
#define GE_ELEMENTWISE_TERNARY(type, opcode) {#type, Traits(GE_FUSED_##opcode)},
#include "ge/elementwise.def"
};

constexpr GeOpTraits kPlain = {sizeof(GeOpTraits), GE_TRAIT_PURE | GE_TRAIT_FOLDABLE, GE_CONTROL_FLOW_NONE, 0};

}  // namespace

const GeOpTraits &ElementwiseTraits(const char *type) {
  const Row *row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &r) { return r.type == type; });
  return row == std::end(kRows) ? kPlain : row->traits;
}

}  // namespace gec
