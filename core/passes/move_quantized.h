// Operators that only move elements may as well move quantised ones: QuantizeLinear goes before them, DequantizeLinear
// behind them.
#pragma once

#include <vector>

#include "core/passes/quantized.h"

namespace gec {

/// `value` comes of a DequantizeLinear, directly or moved: the numbers are moved in its place. Nodes that `value`
/// stands for are added to *from. False leaves the graph as it is.
bool DequantizedOperand(Editor &editor, Endpoint value, QuantizedForm *out, std::vector<const Node *> *from);

/// Moves QuantizeLinear before operators that move elements, and drops it where it undoes a DequantizeLinear.
void MoveQuantized(Editor &editor);

}  // namespace gec
