// What a fusion costs: who would run the fused operator, and who would have run its parts.
#pragma once

#include <vector>

#include "core/passes/pass.h"

namespace gec {

/// True when the engine that takes `made` costs no more than the engines of `parts` together; else *why names them. The
/// engines' costs are GE's numbers: who is asked first, not times. An operator that only the reference takes stands for
/// no parts that others take. Without engines to ask every fusion pays.
bool FusionPays(const PassContext &ctx, const Node &made, const std::vector<const Node *> &parts, Refusal *why);

/// The same, and false too where no engine but the reference takes `made`, whoever takes the parts.
bool FusionTaken(const PassContext &ctx, const Node &made, const std::vector<const Node *> &parts, Refusal *why);

}  // namespace gec
