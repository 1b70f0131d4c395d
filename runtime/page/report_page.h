// One HTML page about a model and a recorded run of it, that needs nothing else: no scripts, no network.
#pragma once

#include <string>

#include "runtime/model.h"
#include "runtime/profiler.h"

namespace gec {

std::string ReportPage(Model &model, const Profiler &run);

}  // namespace gec
