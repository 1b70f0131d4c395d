// Every option there is, sorted by key.
#pragma once

#include "runtime/options.h"

namespace gec {

extern const OptionSpec kOptionTable[];
extern const size_t kOptionCount;

}  // namespace gec
