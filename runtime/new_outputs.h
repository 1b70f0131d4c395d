// A run whose outputs are tensors of their own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/context.h"

namespace gec {

/// Known shapes let the run write into the new tensors; others are copied out of the context. `run` runs the context
/// into these outputs, where that needs more than to be called.
using RunInto = std::function<void(GeTensorData *outputs, size_t output_count)>;
std::vector<std::shared_ptr<Tensor>> RunToNewOutputs(RunContext &context, const GeTensorData *inputs,
                                                     size_t input_count, const RunInto &run = {});

}  // namespace gec
