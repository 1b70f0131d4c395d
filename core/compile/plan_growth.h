// Which outputs of a plan may grow in the memory of an input.
#pragma once

#include <vector>

#include "core/compile/exec_plan.h"

namespace gec {

std::vector<ExecPlan::Growth> FindGrowths(const ExecPlan &plan);

}  // namespace gec
