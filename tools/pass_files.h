// Passes of the user's: libraries, Python files and folders.
#pragma once

#include <string>
#include <vector>

namespace tool {

/// Makes them, and vendors' libraries, take part in what this process compiles. `now`: so do those that the environment
/// lists, for who asks for passes by name; else the first compile does that. `python`: option python.library, or "".
/// Throws Usage for a path that is not there. Again does nothing but what `now` says.
void LoadPassFiles(const std::vector<std::string> &paths, bool now, const std::string &python = "");

}  // namespace tool
