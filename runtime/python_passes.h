// Passes written in Python in a program that need not know of it, through a bridge that is loaded when they are asked
// for.
#pragma once

#include <string>
#include <vector>

#include "core/passes/pass_info.h"
#include "runtime/options.h"

namespace gec {

/// Lists the files and folders of passes for all compiles.
inline constexpr const char *kPythonPassesVariable = "ASCEND_GE_PY_PASS_PATH";

/// Makes the passes that ASCEND_GE_PY_PASS_PATH lists take part in compiles. Called before each compile and by the
/// start of the engine: the first call reads the variable, and without one nothing happens; later ones cost one
/// comparison until UnloadPythonPasses. A failure is tried again by the next call. The caller holds no lock that code
/// of a pass might wait for. Throws GE_FAILED (E13029): no bridge, no Python, or what Python says of a pass, with its
/// traceback.
void LoadPythonPasses(const Options &options);
/// The passes of a Python file, or of a folder of such files, for those who hold them alone. A file is executed once.
/// Threads and errors as above.
/// `asked`: who asked for it, for messages.
std::vector<PassEntryPtr> PythonPassesOf(const std::string &path, const std::string &asked, const Options &options);
/// Takes all that ASCEND_GE_PY_PASS_PATH lists back. Again, and without a load, is fine. The interpreter goes on.
void UnloadPythonPasses() noexcept;

}  // namespace gec
