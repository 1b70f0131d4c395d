// Which operators are views of their inputs, and the memory relations that say so.
#pragma once

#include <string>
#include <vector>

#include "ge/engine.h"

namespace views {

/// Looks at a node. Empty text: it is a view, *aliases (when not null, and the shapes are known) says how. Else why
/// not.
std::string Examine(const GeOpDesc &op, std::vector<GeAlias> *aliases);

}  // namespace views
