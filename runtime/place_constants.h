// Where the content of a model's constants lies.
#pragma once

#include "core/ir/graph.h"
#include "runtime/constant_memory.h"

namespace gec {

/// Copies the content of constants into the room; nodes that share it go on sharing it.
void PlaceConstants(Graph &root, ConstantMemory &memory);

/// Constants in memory of the program's may lie at any address; kernels get a copy of those that do not suit.
void AlignConstants(Graph &root);

}  // namespace gec
