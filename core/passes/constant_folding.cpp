// Nodes whose inputs are all constants are computed now, unless that makes the model much larger.
#include <algorithm>

#include "core/ir/types.h"
#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

/// A result may be this much larger than the constants that go away with the node.
constexpr uint64_t kGrowth = uint64_t{16} << 20;

/// What all results together may take beyond the constants of the graph as it was given.
constexpr uint64_t kTotalGrowth = uint64_t{32} << 20;

/// Bytes that folding a graph may still make.
class Room {
 public:
  Room(const Graph &graph, uint64_t *spent) : spent_(*spent), limit_(kTotalGrowth) {
    for (Node *node : graph.Nodes())
      if (const TensorPtr value = ConstantOf({node, 0})) limit_ += value->bytes();
  }
  bool Has(uint64_t bytes) const { return bytes <= limit_ && spent_ <= limit_ - bytes; }
  void Take(uint64_t bytes) { spent_ += bytes; }

 private:
  uint64_t &spent_, limit_;
};

bool SmallEnough(Editor &editor, const Node &node, Room *room, std::string *why) {
  uint64_t gone = 0, made = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i)) continue;
    if (editor.OnlyUse(node.input(i))) gone += ConstantInput(node, i)->bytes();
  }
  for (size_t o = 0; o < node.output_count(); ++o) {
    const TensorDesc &desc = node.output_desc(o);
    if (!desc.known() || DataTypeBits(desc.dtype) == 0) {
      *why = "the shape or size of its output is not known";
      return false;
    }
    made += desc.bytes();
  }
  const uint64_t more = made - std::min(made, gone);
  if (more <= kGrowth && room->Has(more)) {
    room->Take(more);
    return true;
  }
  *why = Str("its result of ", made, " bytes would replace ", gone, " bytes of constants");
  return false;
}

/// Operators that ask only for the shape.
bool FromShape(const Node &node, std::vector<int64_t> *values) {
  static const Symbol shape("Shape"), size("Size"), rank("Rank");
  if (node.known_type() != shape && node.known_type() != size && node.known_type() != rank) return false;
  const Shape &s = node.input_desc(0).shape;
  if (node.known_type() == rank && s.has_rank()) {
    *values = {s.rank()};
    return true;
  }
  if (!s.known()) return false;
  if (node.known_type() == shape) values->assign(s.dims().begin(), s.dims().end());
  else *values = {s.elements()};
  return true;
}

TensorPtr Integers(const TensorDesc &desc, const std::vector<int64_t> &values) {
  Shape shape = desc.shape.has_rank() && desc.shape.rank() == 0 ? Shape() : Shape{static_cast<int64_t>(values.size())};
  if (desc.dtype == C_DT_INT64) return Tensor::Of(C_DT_INT64, shape, values);
  if (desc.dtype != C_DT_INT32) return nullptr;
  std::vector<int32_t> narrow(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i) {
    if (narrow[i] != values[i]) return nullptr;
  }
  return Tensor::Of(C_DT_INT32, shape, narrow);
}

bool IsDequantize(const Node &node) {
  static const Symbol dequantize("DequantizeLinear");
  return node.known_type() == dequantize && IsPure(node);
}

/// `dequantize`: stored numbers become floats. They may take as much room as that needs, since they would be computed
/// in every run otherwise.
bool Fold(Graph &graph, PassContext &ctx, const char *kRule, bool dequantize) {
  Editor editor(graph, ctx, kRule);
  Room room(graph, &ctx.folded_bytes);
  for (Node *node : graph.TopologicalOrder()) {
    if (node->removed() || node->input_count() == 0 || node->output_count() == 0 || IsDataType(node->type()) ||
        !(IsFoldable(*node) || (dequantize && IsDequantize(*node))) || !node->subgraphs().empty() ||
        Editor::HasControl(*node))
      continue;
    std::vector<TensorPtr> inputs, outputs;
    std::vector<int64_t> values;
    ctx.At(kRule, node);
    if (FromShape(*node, &values)) {
      ctx.Tried(kRule);
      if (TensorPtr t = Integers(node->output_desc(0), values)) outputs.push_back(std::move(t));
    } else {
      bool any = false, all = true;
      for (size_t i = 0; i < node->input_count() && all; ++i) {
        inputs.push_back(node->input(i) ? ConstantInput(*node, i) : nullptr);
        any |= inputs.back() != nullptr;
        all = inputs.back() || !node->input(i);
      }
      if (!any || !all || !ctx.evaluate) continue;
      ctx.Tried(kRule);
      std::string why;
      if (!IsDequantize(*node) && !SmallEnough(editor, *node, &room, &why)) {
        ctx.Declined(kRule, *node, {why, "a result that is small enough"});
        continue;
      }
      if (!ctx.evaluate(*node, inputs, &outputs)) outputs.clear();
    }
    if (outputs.size() != node->output_count() ||
        std::any_of(outputs.begin(), outputs.end(), [](const TensorPtr &t) { return !t; })) {
      ctx.Declined(kRule, *node, {"the reference engine does not compute it", "the reference engine computes it"});
      continue;
    }
    ctx.Applied(kRule);
    for (size_t o = 0; o < outputs.size(); ++o) {
      Endpoint from{node, static_cast<int32_t>(o)};
      if (node->removed() || (node->uses(o).empty() && !editor.IsOutput(from))) continue;
      editor.Replace(from, editor.Constant(outputs[o], node->name(), {node}));
    }
  }
  return editor.changed;
}

}  // namespace

bool ConstantFolding(Graph &graph, PassContext &ctx) { return Fold(graph, ctx, "ConstantFolding", false); }

bool FoldDequantized(Graph &graph, PassContext &ctx) {
  static const Symbol dequantize("DequantizeLinear");
  return graph.Has(dequantize) && Fold(graph, ctx, "FoldDequantized", true);
}

}  // namespace gec
