// Operators with attributes in place of constant inputs become their siblings.
#pragma once

#include "core/ir/graph.h"

namespace gec {

/// Replaces such nodes of the graph and its subgraphs (core/ops/attribute_forms.h), so that passes and kernels know one
/// form only. Those of a program's own kernel stay. Returns how many nodes it replaced. Call it when types are
/// inferred.
size_t ReplaceAttributeForms(Graph &root);

}  // namespace gec
