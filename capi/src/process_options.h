// Options given to GeInitialize: what sessions start from.
#pragma once

#include "capi/src/model_handles.h"

namespace gec::api {

Options ProcessOptions();
/// One of them, which lives until GeFinalize; null where it was not set.
const char *ProcessOption(const char *key);

}  // namespace gec::api
