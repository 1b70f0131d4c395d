// Nodes that engines which know nothing of the library's fused operators would run.
#pragma once

#include "core/placement/kernels.h"

namespace gec {

/// Marks nodes that an engine without GE_ENGINE_FUSIBLE would run, being the first by cost to take them, in the graph
/// and its subgraphs: no rewrite makes them part of another operator (Node::pinned). Returns their number.
size_t MarkReservedNodes(Graph &root, const KernelFactory &kernels);
/// Takes the marks off a graph that was compiled before, perhaps with other engines.
void UnmarkReservedNodes(Graph &root);

}  // namespace gec
