// Nodes of built-in types that a program runs with kernels of its own.
#pragma once

#include "core/ir/graph.h"
#include "core/placement/kernels.h"

namespace gec {

/// Marks the nodes of the root and its subgraphs that an engine of the program's own operators takes although their
/// types are built in: what the library knows of these types is not true of them. For graphs as programs made them;
/// nodes that the library's passes make are not marked, and run on its kernels. Costs nothing without such an engine.
void MarkOwnKernels(Graph &root, const KernelFactory &kernels);

}  // namespace gec
