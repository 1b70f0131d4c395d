#include "core/passes/movers.h"

#include "core/ops/traits.h"

namespace gec {
namespace {

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

}  // namespace

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

bool IsJoin(const Node &node) {
  static const Symbol concat("ConcatV2");
  return node.known_type() == concat && node.input_count() > 1 && !Editor::HasControl(node) && !node.pinned();
}

Endpoint Remade(Editor &editor, const Node &node, const std::vector<Endpoint> &inputs,
                const std::vector<const Node *> &from, const TensorDesc &like) {
  std::vector<Editor::Attr> attrs;
  for (const auto &[name, value] : node.attrs()) attrs.emplace_back(name.c_str(), value);
  return {editor.Make(node.type().c_str(), node.name(), inputs, attrs, from, &like), 0};
}

Endpoint Remade(Editor &editor, const Node &node, const std::vector<Endpoint> &inputs,
                const std::vector<const Node *> &from) {
  TensorDesc like = node.output_desc(0);
  like.dtype = DescOf(inputs[0]).dtype;
  return Remade(editor, node, inputs, from, like);
}

Endpoint Moved(Editor &editor, const Node &node, Endpoint x) {
  std::vector<Endpoint> inputs{x};
  for (size_t i = 1; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  return Remade(editor, node, inputs, {&node});
}

}  // namespace gec
