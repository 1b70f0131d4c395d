// Conditions that single nodes and tensors fulfil to match, and the texts for those that do not.
#pragma once

#include <string>

#include "core/pattern/match_program.h"

namespace gec {

bool ConstraintHolds(const MatchConstraint &test, Endpoint at);
Mismatch MismatchOf(const MatchConstraint &test);
std::string ExpectedOf(const MatchConstraint &test);
std::string ActualOf(const MatchConstraint &test, Endpoint at);

}  // namespace gec
