#include "core/passes/move_quantized.h"

#include "core/ops/traits.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kMoveQuantizedRule[] = "MoveQuantized";

/// Where slices along `axis` of the input lie in the output; -1: nowhere.
int64_t AxisOfView(const Node &node, int64_t axis) {
  const Shape &x = node.input_desc(0).shape, &y = node.output_desc(0).shape;
  return axis == 0 && x.has_rank() && y.has_rank() && y.rank() > 0 && x[0] == y[0] ? 0 : -1;
}
int64_t AxisOfTranspose(const Node &node, int64_t axis) {
  std::vector<int64_t> perm;
  if (!IntsAt(node, 1, &perm)) return -1;
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] == axis) return static_cast<int64_t>(i);
  return -1;
}
int64_t AxisOfOthers(const Node &, int64_t) { return -1; }

/// An operator that gives elements of its input 0 in another order, or the largest of some.
struct Mover {
  Symbol type;
  int64_t (*axis)(const Node &node, int64_t axis);
  bool picks;  // computes which: an engine has to do that for bytes, too
};
const Mover *MoverOf(const Node &node) {
  static const Mover *view = new Mover{"", AxisOfView, false};
  static const Mover *others = new Mover[]{{"Transpose", AxisOfTranspose, false},
                                           {"StridedSliceV2", AxisOfOthers, false},
                                           {"Expand", AxisOfOthers, false},
                                           {"MaxPoolV3", AxisOfOthers, true}};
  if (Editor::HasControl(node) || node.pinned() || node.output_count() != 1 || node.input_count() == 0 ||
      !node.input(0) || !node.subgraphs().empty())
    return nullptr;
  if (IsView(node)) return DescOf(node.input(0)).dtype == node.output_desc(0).dtype ? view : nullptr;
  for (size_t i = 0; i < 4; ++i)
    if (others[i].type == node.known_type()) return &others[i];
  return nullptr;
}

TensorDesc WithType(TensorDesc desc, int32_t dtype) {
  desc.dtype = dtype;
  return desc;
}

/// The same operator on `x`, which has another data type than its input 0.
Endpoint Moved(Editor &editor, const Node &node, Endpoint x) {
  std::vector<Endpoint> inputs{x};
  for (size_t i = 1; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  std::vector<Editor::Attr> attrs;
  for (const auto &[name, value] : node.attrs()) attrs.emplace_back(name.c_str(), value);
  const TensorDesc like = WithType(node.output_desc(0), DescOf(x).dtype);
  return {editor.Make(node.type().c_str(), node.name(), inputs, attrs, {&node}, &like), 0};
}

/// QuantizeLinear of `value` as `quantize` does it, where x has been `value`.
Endpoint QuantizedLike(Editor &editor, const Node &quantize, const QuantizedForm &form, Endpoint value) {
  const TensorDesc like = WithType(DescOf(value), form.dtype);
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

/// Joins parts of one tensor, which may each be quantised before; the axis is the last input.
bool IsJoin(const Node &node) {
  static const Symbol concat("ConcatV2");
  return node.known_type() == concat && node.input_count() > 1 && !Editor::HasControl(node) && !node.pinned();
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
  std::vector<Editor::Attr> attrs;
  for (const auto &[name, value] : join.attrs()) attrs.emplace_back(name.c_str(), value);
  const TensorDesc like = WithType(join.output_desc(0), form.dtype);
  return {editor.Make(join.type().c_str(), join.name(), inputs, attrs, {&join, &quantize}, &like), 0};
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
