// Nodes whose output is one of their inputs, unchanged.
#include <algorithm>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

/// A view of the same elements whose shape is that of its input.
bool SameShapeView(Endpoint in, Endpoint out) {
  const Shape &a = DescOf(in).shape, &b = DescOf(out).shape;
  if (!a.has_rank() || a != b) return false;
  // One unknown dimension follows from the number of elements, two do not.
  bool zero = std::find(a.dims().begin(), a.dims().end(), 0) != a.dims().end();
  return a.determined() || (!zero && std::count(a.dims().begin(), a.dims().end(), GE_UNKNOWN_DIM) == 1);
}

bool AllOf(const std::vector<int64_t> &values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == wanted; });
}

/// `out` tells nothing that `in` does not tell.
bool SaysNoMore(const Shape &out, const Shape &in) {
  if (!out.has_rank()) return true;
  if (!in.has_rank() || in.rank() != out.rank()) return false;
  return std::equal(out.dims().begin(), out.dims().end(), in.dims().begin(),
                    [](int64_t o, int64_t i) { return o == GE_UNKNOWN_DIM || o == i; });
}

/// By its traits: the bytes of the input under the same shape and type.
bool ViewOfTheSame(const Node &node) {
  if (node.output_count() != 1 || DescOf(node.input(0)).dtype != node.output_desc(0).dtype) return false;
  // Element by element the shape is the input's, unless the operator checks it.
  if (HasTrait(node, GE_TRAIT_ELEMENTWISE)) return SaysNoMore(node.output_desc(0).shape, DescOf(node.input(0)).shape);
  return SameShapeView(node.input(0), {const_cast<Node *>(&node), 0});
}

bool CastToTheSame(const Node &node) {
  static const Symbol dst("dst_type");
  const int32_t from = DescOf(node.input(0)).dtype;
  return from == node.output_desc(0).dtype && node.Int(dst, -1) == from;
}

bool TransposeOfNothing(const Node &node) {
  std::vector<int64_t> values;
  if (!IntsAt(node, 1, &values)) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool ExpandToTheSame(const Node &node) {
  std::vector<int64_t> values;
  const Shape &from = DescOf(node.input(0)).shape;
  if (from.determined() && from == node.output_desc(0).shape) return true;
  return from.has_rank() && IntsAt(node, 1, &values) && static_cast<int32_t>(values.size()) <= from.rank() &&
         AllOf(values, 1);
}

bool PadOfZeros(const Node &node) {
  std::vector<int64_t> values;
  return IntsAt(node, 1, &values) && AllOf(values, 0);
}

bool SliceOfAll(const Node &node) {
  std::vector<int64_t> values;
  const Shape &from = DescOf(node.input(0)).shape;
  if (!from.determined() || from != node.output_desc(0).shape) return false;
  return node.input_count() < 5 || !node.input(4) || (IntsAt(node, 4, &values) && AllOf(values, 1));
}

bool OneInput(const Node &node) { return node.dynamic_input_counts()[0] == 1; }
bool OneOutput(const Node &node) { return node.dynamic_output_counts()[0] == 1; }

using Question = bool (*)(const Node &);

/// The question whether the node does nothing, or null.
Question QuestionOf(const Node &node) {
  static const auto *by_type = new std::unordered_map<Symbol, Question>{
      {"Cast", CastToTheSame},
      {"Transpose", TransposeOfNothing},
      {"Expand", ExpandToTheSame},
      {"PadV3", PadOfZeros},
      {"StridedSliceV2", SliceOfAll},
      {"ConcatV2", OneInput},
      {"AddN", OneInput},
      {"SplitV", OneOutput},
  };
  auto at = by_type->find(node.known_type());
  if (at != by_type->end()) return at->second;
  return IsView(node) ? ViewOfTheSame : nullptr;
}

}  // namespace

bool RemoveIdentity(Graph &graph, PassContext &ctx) {
  const std::vector<Node *> nodes = graph.Nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node *node) { return QuestionOf(*node) != nullptr; }))
    return false;
  Editor editor(graph, ctx, "RemoveIdentity");
  for (Node *node : graph.TopologicalOrder()) {
    const Question does_nothing = QuestionOf(*node);
    if (!does_nothing || node->input_count() == 0 || !node->input(0)) continue;
    const char *rule = node->type().c_str();
    ctx.At("RemoveIdentity", node);
    ctx.Tried(rule);
    if (!does_nothing(*node)) continue;
    const Endpoint in = node->input(0), out{node, 0};
    if (Editor::HasControl(*node)) {
      ctx.Declined(rule, *node, {"it has control edges", "no control edges"});
    } else if (editor.IsOutput(out) && (IsDataType(in.node->type()) || IsConstType(in.node->type()))) {
      ctx.Declined(rule, *node, {"it makes a graph output of " + in.node->Label(), "an input that is computed"});
    } else {
      ctx.Applied(rule);
      editor.Replace(out, in);
    }
  }
  return editor.changed;
}

}  // namespace gec
