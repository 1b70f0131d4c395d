// Passes switched on and off by a program: an option and a file.
#pragma once

#include <string>

#include "core/passes/pass.h"

namespace gec {

/// `option`: "PassA:on;PassB:off". `path`: a JSON file {"Switch": {"GraphFusion": {"PassA": "off", "ALL": "on"}}}; one
/// that cannot be read or has another form is passed over with a warning. Only "on" switches on.
PassSwitches ReadSwitches(const std::string &option, const std::string &path);

}  // namespace gec
