#include "core/ir/op_traits.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/ir/ir_def.h"
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
    {GE_TRAIT_PROMOTES, "PROMOTES"},
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

/// Of operators that compute outputs by themselves.
constexpr uint64_t kNotOfControlFlow[] = {GE_TRAIT_ELEMENTWISE, GE_TRAIT_VIEW,     GE_TRAIT_COMMUTATIVE,
                                          GE_TRAIT_IN_PLACE,    GE_TRAIT_FOLDABLE, GE_TRAIT_PROMOTES};

/// Subgraphs that the interpreter looks for.
struct Subgraph {
  int32_t control_flow;
  const char *name;
};
constexpr Subgraph kSubgraphs[] = {
    {GE_CONTROL_FLOW_IF, "then_branch"}, {GE_CONTROL_FLOW_IF, "else_branch"}, {GE_CONTROL_FLOW_CASE, "branches"},
    {GE_CONTROL_FLOW_WHILE, "cond"},     {GE_CONTROL_FLOW_WHILE, "body"},     {GE_CONTROL_FLOW_FOR, "body"},
    {GE_CONTROL_FLOW_CALL, "f"},
};

/// Ports that a prototype has; several where one is dynamic.
size_t PortsOf(const std::vector<IrPort> &ports, bool dynamic) { return dynamic ? SIZE_MAX : ports.size(); }

void CheckPorts(const IrDef &ir, uint64_t flag, const char *what, size_t needed, size_t there) {
  if (there < needed)
    Fail(GE_PARAM_INVALID, "traits of ", ir.type.view(), ": ", NameOf(flag), " needs ", needed, " ", what,
         needed == 1 ? "" : "s", ", its prototype has ", there);
}

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
  for (const uint64_t flag : kNotOfControlFlow) {
    if (traits.control_flow != GE_CONTROL_FLOW_NONE && has(flag))
      Fail(GE_PARAM_INVALID, "traits of ", type, ": control_flow ", traits.control_flow, " and ", NameOf(flag),
           " contradict each other");
  }
  if (has(GE_TRAIT_FUSED) && GeFusedOperands(traits.fused_opcode) == 0)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": fused_opcode is ", traits.fused_opcode,
         traits.fused_opcode == 0 ? ", FUSED needs one of GeFusedOpcode" : ", which is none of GeFusedOpcode");
  if (!has(GE_TRAIT_FUSED) && traits.fused_opcode != 0)
    Fail(GE_PARAM_INVALID, "traits of ", type, ": fused_opcode is ", traits.fused_opcode, " without FUSED");
}

}  // namespace

GeOpTraits ReadTraits(const char *type, const GeOpTraits &given) {
  const GeOpTraits traits = ReadStruct(given, Str("traits of ", type).c_str());
  Check(type, traits);
  return traits;
}

void CheckTraitsFit(const IrDef &ir, const GeOpTraits &traits) {
  const size_t inputs = PortsOf(ir.inputs, ir.dynamic_inputs), outputs = PortsOf(ir.outputs, ir.dynamic_outputs);
  constexpr uint64_t kOfTwoInputs = GE_TRAIT_COMMUTATIVE | GE_TRAIT_PROMOTES;
  for (const uint64_t flag :
       {GE_TRAIT_VIEW, GE_TRAIT_ELEMENTWISE, GE_TRAIT_COMMUTATIVE, GE_TRAIT_IN_PLACE, GE_TRAIT_PROMOTES}) {
    if (!(traits.flags & flag)) continue;
    CheckPorts(ir, flag, "input", flag & kOfTwoInputs ? 2 : 1, inputs);
    CheckPorts(ir, flag, "output", 1, outputs);
  }
  const auto operands = static_cast<size_t>(GeFusedOperands(traits.fused_opcode));
  if ((traits.flags & GE_TRAIT_FUSED) && (inputs != operands || outputs != 1))
    Fail(GE_PARAM_INVALID, "traits of ", ir.type.view(), ": FUSED with opcode ", traits.fused_opcode, " needs ",
         operands, " inputs and 1 output, its prototype has ", ir.inputs.size(), ir.dynamic_inputs ? " (dynamic)" : "",
         " and ", ir.outputs.size());
  for (const Subgraph &needed : kSubgraphs) {
    const bool there = std::any_of(ir.graphs.begin(), ir.graphs.end(),
                                   [&](const IrGraph &graph) { return graph.name.view() == needed.name; });
    if (needed.control_flow == traits.control_flow && !there)
      Fail(GE_PARAM_INVALID, "traits of ", ir.type.view(), ": control_flow ", traits.control_flow,
           " needs the subgraph '", needed.name, "', its prototype has ", ir.graphs.size(), " other subgraphs");
  }
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
