// Options given to GeInitialize: what sessions start from.
#pragma once

#include "capi/src/model_handles.h"

namespace gec::api {

Options ProcessOptions();

}  // namespace gec::api
