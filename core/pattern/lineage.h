// Nodes take over names of origin and attributes from those in whose place they come.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Collected once for all the nodes that come in the place of these.
struct Lineage {
  /// The lineage of `before`: original names and types, passes; and attributes that new nodes take over where they have
  /// none of their own.
  Lineage(const std::vector<Node *> &before, bool with_attrs);
  /// Completes the parts of a new node, whose own passes come first. `pass` may be empty. `is_last`: no other node
  /// comes, so that what was collected is moved.
  void AddTo(NodeParts &parts, const PassNames &own_passes, Symbol pass, bool is_last);

  AttrValue::ListString names;
  AttrValue types;
  Origins origins;
  PassNames passes;
  std::vector<std::pair<Symbol, const AttrValue *>> attrs;  // of nodes of `before`
};

/// Why attributes keep these nodes from becoming one, or "".
std::string AttrConflict(const std::vector<Node *> &nodes);
/// Attributes that a program set for where and how nodes run, which new nodes take over.
bool IsInheritedAttr(Symbol name);

}  // namespace gec
