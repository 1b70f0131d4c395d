// Operators that move numbers and compute none: rounding, or another form of the numbers, may come before or behind
// them.
#pragma once

#include "core/passes/editor.h"

namespace gec {

/// An operator that gives elements of its input 0 in another order, or the largest of some.
struct Mover {
  Symbol type;
  int64_t (*axis)(const Node &node, int64_t axis);
  bool picks;  // computes which: an engine has to do that for bytes, too
};
/// Null for other operators, and for nodes that have to stay as they are.
const Mover *MoverOf(const Node &node);
/// True of what joins parts of one tensor; the axis is the last input.
bool IsJoin(const Node &node);
/// The same operator on other inputs, with an output like `like`. It stands for `from`.
Endpoint Remade(Editor &editor, const Node &node, const std::vector<Endpoint> &inputs,
                const std::vector<const Node *> &from, const TensorDesc &like);
/// Of which the first one has another data type than before.
Endpoint Remade(Editor &editor, const Node &node, const std::vector<Endpoint> &inputs,
                const std::vector<const Node *> &from);
/// The same with `x` in place of its input 0.
Endpoint Moved(Editor &editor, const Node &node, Endpoint x);

}  // namespace gec
