#include "core/passes/move_quantized.h"

#include "core/passes/fusion_cost.h"
#include "core/passes/movers.h"

namespace gec {
namespace {

const char kMoveQuantizedRule[] = "MoveQuantized";

/// QuantizeLinear of `value` as `quantize` does it, where x has been `value`.
Endpoint QuantizedLike(Editor &editor, const Node &quantize, const QuantizedForm &form, Endpoint value) {
  TensorDesc like = DescOf(value);
  like.dtype = form.dtype;
  return {editor.Make("QuantizeLinear", quantize.name(), {value, form.scale, form.zero},
                      {{"dst_type", int64_t{form.dtype}}}, {&quantize}, &like),
          0};
}

/// Quantising the dequantised value `value` gives the numbers that it came of.
bool Undone(Endpoint value, const QuantizedForm &form, Endpoint *numbers) {
  QuantizedForm before;
  if (!ReadDequantize(value, &before) || !SameForm(before, form)) return false;
  *numbers = before.x;
  return true;
}

/// The numbers where they undo a DequantizeLinear, else a new QuantizeLinear.
Endpoint Numbers(Editor &editor, const Node &quantize, const QuantizedForm &form, Endpoint value) {
  Endpoint numbers;
  return Undone(value, form, &numbers) ? numbers : QuantizedLike(editor, quantize, form, value);
}

/// All parts are dequantised numbers: they are quantised before they are joined.
Endpoint QuantizedParts(Editor &editor, const Node &quantize, const QuantizedForm &form, const Node &join) {
  const size_t parts = join.input_count() - 1;
  for (size_t i = 0; i < parts; ++i) {
    QuantizedForm part;
    if (!ReadDequantize(join.input(i), &part) || part.axis >= 0) return {};
  }
  std::vector<Endpoint> inputs;
  for (size_t i = 0; i < parts; ++i) inputs.push_back(Numbers(editor, quantize, form, join.input(i)));
  inputs.push_back(join.input(parts));
  return Remade(editor, join, inputs, {&join, &quantize});
}

/// One step; the node that quantises now, or null where the node is done.
Node *MoveOne(Editor &editor, Node *node) {
  QuantizedForm form;
  if (!ReadQuantize(*node, &form)) return nullptr;
  const Endpoint value = form.x, result{node, 0};
  Endpoint numbers;
  editor.ctx.At(kMoveQuantizedRule, node);
  if (Undone(value, form, &numbers)) {
    if (editor.IsOutput(result) && (IsDataType(numbers.node->type()) || IsConstType(numbers.node->type())))
      return nullptr;  // an output stays a computed value
    editor.ctx.Tried(kMoveQuantizedRule);
    editor.ctx.Applied(kMoveQuantizedRule);
    editor.Replace(result, numbers);
    return nullptr;
  }
  if (!editor.OnlyUse(value)) return nullptr;
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Endpoint moved, before;
  bool picks = false;
  if (IsJoin(*value.node)) {
    moved = QuantizedParts(editor, *node, form, *value.node);
  } else if (const Mover *mover = MoverOf(*value.node)) {
    before = Numbers(editor, *node, form, value.node->input(0));
    moved = Moved(editor, *value.node, before);
    picks = mover->picks;
  }
  if (!moved) {
    editor.changed = was_changed;
    return nullptr;
  }
  editor.ctx.Tried(kMoveQuantizedRule);
  Refusal why;
  if (picks && !FusionPays(editor.ctx, *moved.node, {value.node, node}, &why)) {
    editor.changed = was_changed;
    editor.ctx.Declined(kMoveQuantizedRule, *node, why);
    return nullptr;
  }
  editor.Replace(result, moved);
  attempt.Commit();
  editor.ctx.Applied(kMoveQuantizedRule);
  return before ? before.node : nullptr;
}

bool Operand(Editor &editor, Endpoint value, QuantizedForm *out, std::vector<const Node *> *from, int depth) {
  if (ReadDequantize(value, out)) {
    from->push_back(value.node);
    return true;
  }
  const Mover *mover = value && depth > 0 ? MoverOf(*value.node) : nullptr;
  if (!mover || mover->picks || !Operand(editor, value.node->input(0), out, from, depth - 1)) return false;
  if (out->axis >= 0 && (out->axis = mover->axis(*value.node, out->axis)) < 0) return false;
  from->push_back(value.node);
  out->x = Moved(editor, *value.node, out->x);
  return true;
}

}  // namespace

bool DequantizedOperand(Editor &editor, Endpoint value, QuantizedForm *out, std::vector<const Node *> *from) {
  constexpr int kMostMoves = 4;
  Transaction attempt(editor.graph.root());
  if (!Operand(editor, value, out, from, kMostMoves)) return false;
  attempt.Commit();
  return true;
}

void MoveQuantized(Editor &editor) {
  for (Node *start : editor.graph.TopologicalOrder())
    for (Node *node = start; node && !node->removed();) node = MoveOne(editor, node);
  editor.ctx.At(nullptr, nullptr);
}

}  // namespace gec
