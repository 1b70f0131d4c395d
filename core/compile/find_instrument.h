// The library's own instruments by name.
#pragma once

#include <string>

#include "core/passes/instrument.h"

namespace gec {

/// "timing", "memory", "counter", "print-before", "print-after", "dump"; see GeInstrumentFind. Throws GE_NOT_FOUND with
/// near names, GE_PARAM_INVALID for an argument that does not fit, GE_PATH_INVALID.
PassInstrumentPtr FindInstrument(const std::string &name, const std::string &argument);

}  // namespace gec
