// Traits of operators as plain data: reading what a program gives, and refusing what contradicts itself.
#pragma once

#include <string>

#include "ge/op.h"

namespace gec {

struct IrDef;

/// The traits of an operator of which nothing is known.
inline constexpr GeOpTraits kUnknownTraits = {sizeof(GeOpTraits), 0, GE_CONTROL_FLOW_NONE, 0};

/// A copy with our size. Throws GE_PARAM_INVALID naming the operator and both traits of a contradiction, and
/// GE_ABI_MISMATCH for a structure that is too short.
GeOpTraits ReadTraits(const char *type, const GeOpTraits &given);
/// Throws GE_PARAM_INVALID where the prototype lacks what a trait speaks of; the message names operator, trait and
/// value. Not for rows of built-in operators, whose attributes may stand for operands.
void CheckTraitsFit(const IrDef &ir, const GeOpTraits &traits);
bool SameTraits(const GeOpTraits &a, const GeOpTraits &b);
/// "PURE | FOLDABLE", "nothing"; for messages.
std::string TraitsText(const GeOpTraits &traits);

}  // namespace gec
