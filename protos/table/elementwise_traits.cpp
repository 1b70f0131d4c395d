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

// An output replaces an input where both have one type.
enum Place : uint64_t { kNEW = 0, kIN_PLACE = GE_TRAIT_IN_PLACE };

constexpr GeOpTraits Traits(int32_t opcode, uint64_t more) {
  const bool fused = opcode != GE_FUSED_NONE;
  const uint64_t flags = GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC |
                         (fused ? GE_TRAIT_FUSED : 0) | more;
  return {sizeof(GeOpTraits), flags, GE_CONTROL_FLOW_NONE, fused ? opcode : 0};
}

constexpr std::string_view kPromotes[] = {
#define GE_ELEMENTWISE_PROMOTES(type) #type,
#include "ge/elementwise.def"
};

constexpr uint64_t PromotionOf(std::string_view type) {
  for (const std::string_view promotes : kPromotes)
    if (promotes == type) return GE_TRAIT_PROMOTES;
  return 0;
}

constexpr Row kRows[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) \
  {#type, Traits(GE_FUSED_##opcode, k##place)},
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) \
  {#type, Traits(GE_FUSED_##opcode, uint64_t{k##place} | k##order | PromotionOf(#type))},
#define GE_ELEMENTWISE_TERNARY(type, opcode) {#type, Traits(GE_FUSED_##opcode, kIN_PLACE)},
#include "ge/elementwise.def"
};

constexpr GeOpTraits kPlain = {sizeof(GeOpTraits), GE_TRAIT_PURE | GE_TRAIT_FOLDABLE, GE_CONTROL_FLOW_NONE, 0};

}  // namespace

const GeOpTraits &ElementwiseTraits(const char *type) {
  const Row *row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &r) { return r.type == type; });
  return row == std::end(kRows) ? kPlain : row->traits;
}

}  // namespace gec
