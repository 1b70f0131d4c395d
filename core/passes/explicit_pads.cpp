// Conv2DV2 becomes Conv2D, which other passes know: where its padding is said by name, once the extents are known.
#include <algorithm>

#include "core/ops/symbolic_dims.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

const char kExplicitPadsRule[] = "ExplicitPads";

/// Rows or columns of padding in all; false where they are not known yet. Of symbolic extents it is the number that the
/// first sizes of their class have.
bool Added(int64_t x, int64_t y, int64_t stride, int64_t reach, int64_t *total) {
  SymbolicDims *symbolic = CurrentSymbolicDims();
  if (x == GE_UNKNOWN_DIM || y == GE_UNKNOWN_DIM || (!symbolic && (x < 0 || y < 0))) return false;
  if (x >= 0 && y >= 0) {
    *total = std::max<int64_t>((y - 1) * stride + reach - x, 0);
    return true;
  }
  const int64_t end = symbolic->Add(symbolic->Multiply(symbolic->Subtract(y, 1), stride), reach);
  const std::optional<int64_t> number = symbolic->Pin(symbolic->Subtract(end, x));
  if (number) *total = std::max<int64_t>(*number, 0);
  return number.has_value();
}

/// Top, bottom, left, right; false where they are not known yet.
bool ReadPads(const Node &node, std::vector<int64_t> *pads) {
  static const Symbol pad_mode("pad_mode"), strides_name("strides"), dilations_name("dilations"),
      data_format("data_format"), pads_name("pads");
  const std::string mode = node.String(pad_mode, "SPECIFIC");
  if (mode == "SPECIFIC") {
    *pads = node.Ints(pads_name);
    return pads->size() == 4;
  }
  *pads = {0, 0, 0, 0};
  if (mode == "VALID") return true;
  if (mode != "SAME" && mode != "SAME_UPPER" && mode != "SAME_LOWER") return false;
  const Shape &x = DescOf(node.input(0)).shape, &y = node.output_desc(0).shape;
  const TensorDesc &filter = DescOf(node.input(1));
  const std::vector<int64_t> strides = node.Ints(strides_name), dilations = node.Ints(dilations_name);
  if (x.rank() != 4 || y.rank() != 4 || !filter.shape.known() || filter.shape.rank() != 4 || strides.size() != 4 ||
      dilations.size() != 4)
    return false;
  const size_t first = node.String(data_format, "NCHW") == "NHWC" ? 1 : 2;
  const size_t kernel = filter.format == C_FORMAT_HWCN ? 0 : filter.format == C_FORMAT_NHWC ? 1 : 2;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach = (filter.shape[kernel + i] - 1) * dilations[first + i] + 1;
    int64_t total;
    if (!Added(x[first + i], y[first + i], strides[first + i], reach, &total)) return false;
    const int64_t before = mode == "SAME_LOWER" ? total - total / 2 : total / 2;
    (*pads)[2 * i] = before;
    (*pads)[2 * i + 1] = total - before;
  }
  return true;
}

}  // namespace

bool ExplicitPads(Graph &graph, PassContext &ctx) {
  static const Symbol conv("Conv2DV2"), offset_x("offset_x");
  if (!graph.Has(conv)) return false;
  Editor editor(graph, ctx, kExplicitPadsRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (node->removed() || node->known_type() != conv || !node->input(0) || !node->input(1)) continue;
    ctx.At(kExplicitPadsRule, node);
    ctx.Tried(kExplicitPadsRule);
    std::vector<int64_t> pads;
    if (node->input(3) || node->Int(offset_x, 0) != 0 || Editor::HasControl(*node) || !ReadPads(*node, &pads)) {
      ctx.Declined(kExplicitPadsRule, *node, {"it has an offset or extents that are not known", "known extents"});
      continue;
    }
    Node *made = editor.Make("Conv2D", node->name(), {node->input(0), node->input(1), node->input(2)},
                             {{"strides", node->Ints("strides")},
                              {"pads", pads},
                              {"dilations", node->Ints("dilations")},
                              {"groups", node->Int("groups", 1)},
                              {"data_format", node->String("data_format", "NCHW")}},
                             {node}, &node->output_desc(0));
    ctx.Applied(kExplicitPadsRule);
    editor.Replace({node, 0}, {made, 0});
  }
  return editor.changed;
}

}  // namespace gec
