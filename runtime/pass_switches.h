// Passes switched on and off by a program: an option and a file.
#pragma once

#include <string>

#include "core/passes/pass.h"

namespace gec {

/// `option`: "PassA:on;PassB:off". `path`: a JSON file {"Switch": {"GraphFusion": {"PassA": "off", "ALL": "on"}}}; one
/// that cannot be read or has another form is passed over. Only "on" switches on. What is not understood is warned of,
/// as GE's programs may bring it.
PassSwitches ReadSwitches(const std::string &option, const std::string &path);
/// Warns of names that no pass has, and of functions, which cannot be switched.
void WarnOfIdleSwitches(const PassSwitches &switches);

}  // namespace gec
