#include "core/ir/op_traits.h"

#include <algorithm>
#include <iterator>

#include "core/support/abi_sizes.h"
#include "core/support/error.h"
#include "ge/fused_program.h"

namespace gec {
namespace {

struct Name {
  uint64_t flag;
  const char *text;
};
constexpr Name kNames[] = {
    {GE_TRAIT_PURE, "PURE"},
    {GE_TRAIT_RANDOM, "RANDOM"},
    {GE_TRAIT_EFFECT, "EFFECT"},
    {GE_TRAIT_VIEW, "VIEW"},
    {GE_TRAIT_ELEMENTWISE, "ELEMENTWISE"},
    {GE_TRAIT_FUSED, "FUSED"},
    {GE_TRAIT_LAYOUT_AGNOSTIC, "LAYOUT_AGNOSTIC"},
    {GE_TRAIT_COMMUTATIVE, "COMMUTATIVE"},
    {GE_TRAIT_IN_PLACE, "IN_PLACE"},
    {GE_TRAIT_FOLDABLE, "FOLDABLE"},
};
const char *NameOf(uint64_t flag) {
  const Name *at = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name &n) { return n.flag == flag; });
  return at->text;
}

struct Pair {
  uint64_t a, b;
};
/// Both cannot be true of one operator.
constexpr Pair kContradictions[] = {
    {GE_TRAIT_PURE, GE_TRAIT_RANDOM},        {GE_TRAIT_PURE, GE_TRAIT_EFFECT},
    {GE_TRAIT_RANDOM, GE_TRAIT_FOLDABLE},    {GE_TRAIT_EFFECT, GE_TRAIT_FOLDABLE},
    {GE_TRAIT_VIEW, GE_TRAIT_EFFECT},        {GE_TRAIT_VIEW, GE_TRAIT_RANDOM},
    {GE_TRAIT_VIEW, GE_TRAIT_COMMUTATIVE},   {GE_TRAIT_FUSED, GE_TRAIT_RANDOM},
    {GE_TRAIT_FUSED, GE_TRAIT_EFFECT},       {GE_TRAIT_COMMUTATIVE, GE_TRAIT_RANDOM},
    {GE_TRAIT_COMMUTATIVE, GE_TRAIT_EFFECT},
};
/// The first says nothing without the second.
constexpr Pair kNeeds[] = {
    {GE_TRAIT_FOLDABLE, GE_TRAIT_PURE},    {GE_TRAIT_VIEW, GE_TRAIT_PURE},         {GE_TRAIT_FUSED, GE_TRAIT_PURE},
    {GE_TRAIT_COMMUTATIVE, GE_TRAIT_PURE}, {GE_TRAIT_FUSED, GE_TRAIT_ELEMENTWISE},
};

void Check(const char *type, const GeOpTraits &traits) {
  uint64_t known = 0;
  for (const Name &name : kNames) known |= name.flag;
  if (traits.flags & ~known)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": flags is ", traits.flags, ", this library knows bits of ", known);
  const auto has = [&](uint64_t flag) { return (traits.flags & flag) != 0; };
  for (const Pair &pair : kContradictions) {
    if (has(pair.a) && has(pair.b))
      Fail(GE_PARAM_INVALID, "traits of ", type, ": ", NameOf(pair.a), " and ", NameOf(pair.b),
           " contradict each other");
  }
  for (const Pair &pair : kNeeds) {
    if (has(pair.a) && !has(pair.b))
      Fail(GE_PARAM_INVALID, "traits of ", type, ": ", NameOf(pair.a), " needs ", NameOf(pair.b));
  }
  if (traits.control_flow < GE_CONTROL_FLOW_NONE || traits.control_flow > GE_CONTROL_FLOW_CALL)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": control_flow is ", traits.control_flow, ", expected 0 to ",
         static_cast<int32_t>(GE_CONTROL_FLOW_CALL));
  if (traits.control_flow != GE_CONTROL_FLOW_NONE && has(GE_TRAIT_ELEMENTWISE))
    Fail(GE_PARAM_INVALID, "traits of ", type, ": control_flow and ELEMENTWISE contradict each other");
  if (has(GE_TRAIT_FUSED) && GeFusedOperands(traits.fused_opcode) == 0)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": fused_opcode is ", traits.fused_opcode,
         ", which is none of GeFusedOpcode");
  if (!has(GE_TRAIT_FUSED) && traits.fused_opcode != 0)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": fused_opcode is ", traits.fused_opcode, " without FUSED");
}

}  // namespace

GeOpTraits ReadTraits(const char *type, const GeOpTraits &given) {
  const GeOpTraits traits = ReadStruct(given, Str("traits of ", type).c_str());
  Check(type, traits);
  return traits;
}

bool SameTraits(const GeOpTraits &a, const GeOpTraits &b) {
  return a.flags == b.flags && a.control_flow == b.control_flow && a.fused_opcode == b.fused_opcode;
}

std::string TraitsText(const GeOpTraits &traits) {
  std::string text;
  for (const Name &name : kNames) {
    if (traits.flags & name.flag) text += (text.empty() ? "" : " | ") + std::string(name.text);
  }
  if (traits.control_flow) text += Str(text.empty() ? "" : ", ", "control flow ", traits.control_flow);
  if (traits.flags & GE_TRAIT_FUSED) text += Str(", opcode ", traits.fused_opcode);
  return text.empty() ? "nothing" : text;
}

}  // namespace gec
