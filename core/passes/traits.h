// What is known of operators as such.
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// Draws random numbers or keeps state: two nodes with equal inputs are not interchangeable.
bool IsRandom(const Node &node);
/// Does something besides computing outputs, or stands for the world outside.
bool HasEffect(const Node &node);
/// Reshape, Squeeze, Unsqueeze, Flatten …: the elements in their order under another shape.
bool IsView(Symbol type);

}  // namespace gec
