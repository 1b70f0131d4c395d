// Nodes whose output is one of their inputs, unchanged.
#include <algorithm>

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
  return a.known() || (!zero && std::count(a.dims().begin(), a.dims().end(), GE_UNKNOWN_DIM) == 1);
}

bool AllOf(const std::vector<int64_t> &values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == wanted; });
}

enum class Kind { kAlways, kView, kCast, kTranspose, kExpand, kPad, kSlice, kOneInput, kOneOutput };

bool DoesNothing(const Node &node, Kind kind) {
  Endpoint in = node.input(0), out{const_cast<Node *>(&node), 0};
  std::vector<int64_t> values;
  const Shape &from = DescOf(in).shape, &to = DescOf(out).shape;
  switch (kind) {
    case Kind::kAlways:
      return true;
    case Kind::kView:
      return SameShapeView(in, out);
    case Kind::kCast: {
      static const Symbol dst("dst_type");
      return DescOf(in).dtype == DescOf(out).dtype && node.Int(dst, -1) == DescOf(in).dtype;
    }
    case Kind::kTranspose: {
      if (!IntsAt(node, 1, &values)) return false;
      for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] != static_cast<int64_t>(i)) return false;
      }
      return true;
    }
    case Kind::kExpand:
      if (from.known() && from == to) return true;
      return from.has_rank() && IntsAt(node, 1, &values) && static_cast<int32_t>(values.size()) <= from.rank() &&
             AllOf(values, 1);
    case Kind::kPad:
      return IntsAt(node, 1, &values) && AllOf(values, 0);
    case Kind::kSlice:
      if (!from.known() || from != to) return false;
      return node.input_count() < 5 || !node.input(4) || (IntsAt(node, 4, &values) && AllOf(values, 1));
    case Kind::kOneInput:
      return node.dynamic_input_counts()[0] == 1;
    case Kind::kOneOutput:
      return node.dynamic_output_counts()[0] == 1;
  }
  return false;
}

}  // namespace

bool RemoveIdentity(Graph &graph, PassContext &ctx) {
  static const std::unordered_map<Symbol, Kind> *kinds = new std::unordered_map<Symbol, Kind>{
      {"Identity", Kind::kAlways},      {"StopGradient", Kind::kAlways}, {"Reshape", Kind::kView},
      {"Flatten", Kind::kView},         {"FlattenV2", Kind::kView},      {"Squeeze", Kind::kView},
      {"SqueezeV2", Kind::kView},       {"SqueezeV3", Kind::kView},      {"Cast", Kind::kCast},
      {"Transpose", Kind::kTranspose},  {"Expand", Kind::kExpand},       {"PadV3", Kind::kPad},
      {"StridedSliceV2", Kind::kSlice}, {"ConcatV2", Kind::kOneInput},   {"AddN", Kind::kOneInput},
      {"SplitV", Kind::kOneOutput},
  };
  const std::vector<Symbol> types = graph.Types();
  if (std::none_of(types.begin(), types.end(), [](Symbol type) { return kinds->count(type) != 0; })) return false;
  Editor editor(graph, ctx, "RemoveIdentity");
  for (Node *node : graph.TopologicalOrder()) {
    auto at = kinds->find(node->known_type());
    if (at == kinds->end() || node->input_count() == 0 || !node->input(0)) continue;
    ctx.At("RemoveIdentity", node);
    ctx.Tried(at->first.c_str());
    if (!DoesNothing(*node, at->second)) continue;
    const Endpoint in = node->input(0), out{node, 0};
    if (Editor::HasControl(*node)) {
      ctx.Declined(at->first.c_str(), node->Label() + " has control edges");
    } else if (editor.IsOutput(out) && (IsDataType(in.node->type()) || IsConstType(in.node->type()))) {
      ctx.Declined(at->first.c_str(), node->Label() + " makes a graph output of " + in.node->Label());
    } else {
      ctx.Applied(at->first.c_str());
      editor.Replace(out, in);
    }
  }
  return editor.changed;
}

}  // namespace gec
