// Inputs of operators that promote get the type that these compute in.
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// Puts a Cast before every input whose type is not the common one that inference found for the output
/// (GE_TRAIT_PROMOTES), in the graph and its subgraphs. A program's own kernel gets its inputs as they are. Not a pass
/// that can be switched off: no kernel takes mixed types. Returns the number of casts.
size_t PromoteInputs(Graph &root);

}  // namespace gec
