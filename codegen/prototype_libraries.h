// Loads the operator prototype libraries that the environment names; loading one registers its prototypes.
#pragma once

#include <ostream>

namespace codegen {

/// Entries of ASCEND_CUSTOM_OPP_PATH first, then the vendors and built-in folder of ASCEND_OPP_PATH. A library that
/// cannot be loaded is an error (std::runtime_error naming it and the loader's reason).
void LoadPrototypeLibraries(std::ostream &log);

}  // namespace codegen
