// Loads the operator prototype libraries that the environment names.
#pragma once

#include <ostream>

#include "registered_ops.h"

namespace codegen {

/// Entries of ASCEND_CUSTOM_OPP_PATH first, then the vendors and the built-in folder of ASCEND_OPP_PATH, which must be
/// set. Throws std::runtime_error naming what cannot be used and why; what is merely missing is told in `log`.
void LoadPrototypeLibraries(RegisteredOps *ops, std::ostream &log);

/// The same for one path: a library, or a folder that is searched as GE searches an op_proto folder.
void LoadPrototypePath(RegisteredOps *ops, const std::string &path, std::ostream &log);

}  // namespace codegen
