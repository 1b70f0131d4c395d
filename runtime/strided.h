// Inputs of a run whose elements do not lie one behind the other.
#pragma once

#include <string>

#include "core/support/error.h"
#include "ge/data.h"

namespace gec {

/// Writes the elements of a strided tensor densely to `to`, which has room for all of them. Throws GE_DATA_MISMATCH
/// with what is wrong; `name` is the input's.
void CopyDense(const GeTensorData &from, const std::string &name, void *to);

}  // namespace gec
