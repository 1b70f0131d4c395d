// Passes of the user's: libraries, Python files and folders.
#pragma once

#include <string>
#include <vector>

namespace tool {

/// Makes them, and vendors' libraries, take part in what this process compiles. `now`: Python files are loaded at once,
/// for who asks for passes by name; else by the first compile. Throws Usage for a path that is not there.
void LoadPassFiles(const std::vector<std::string> &paths, bool now);

}  // namespace tool
