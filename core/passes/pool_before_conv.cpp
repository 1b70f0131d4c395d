// An average of what a 1 x 1 convolution makes is that convolution of the average, with as many multiplications fewer
// as there are fewer pixels: three quarters of the transitions of a DenseNet.
#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/pool_windows.h"

namespace gec {
namespace {

const char kPoolBeforeConvRule[] = "PoolBeforeConv";

/// A 1 x 1 convolution of all pixels whose results are its sums.
bool IsLinearPointwise(const ConvSite &site) {
  return !site.channels_last && HasUnitWindow(site) && site.node->String("activation").empty() && !ResidualOf(site) &&
         !Editor::HasControl(*site.node);
}

/// The multiplications that are spared are more than the additions of other channels.
bool Pays(const PoolSides &sides, int64_t out_channels) {
  const int64_t fewer = sides.step[0] * sides.step[1];
  return 2 * out_channels * (fewer - 1) > sides.size[0] * sides.size[1];
}

void MoveAt(Editor &editor, Node *node) {
  static const Symbol average("AvgPoolV2");
  ConvSite conv;
  if (node->known_type() != average || Editor::HasControl(*node)) return;
  if (!editor.OnlyUse(node->input(0)) || !ReadConv(node->input(0).node, &conv)) return;
  editor.ctx.At(kPoolBeforeConvRule, node);
  editor.ctx.Tried(kPoolBeforeConvRule);
  Refusal why;
  PoolSides sides;
  if (!IsLinearPointwise(conv)) {
    why = {Str(conv.node->Label(), " is no plain 1 x 1 convolution"),
           "one without strides, padding, activation and residual"};
  } else if (ReadPoolSides(*node, &sides, &why) && !Pays(sides, conv.out_channels)) {
    why = {"the multiplications of the pixels that it spares are no more than its additions", "windows with strides"};
  }
  if (!why.actual.empty()) return editor.ctx.Declined(kPoolBeforeConvRule, *node, why);
  const std::vector<const Node *> parts = {conv.node, node};
  const Endpoint pooled{editor.Make("AvgPoolV2", node->name() + "_before", {conv.x},
                                    {{"ksize", node->Ints("ksize")}, {"strides", node->Ints("strides")}}, parts),
                        0};
  std::vector<Editor::Attr> attrs = ConvAttrs(conv);
  Node *made = editor.Make(conv.node->type().c_str(), node->name(), {pooled, conv.filter, conv.bias}, attrs, parts,
                           &node->output_desc(0));
  editor.ctx.Applied(kPoolBeforeConvRule);
  editor.Replace({node, 0}, {made, 0});
}

}  // namespace

bool PoolBeforeConv(Graph &graph, PassContext &ctx) {
  if (!HasConv(graph)) return false;
  Editor editor(graph, ctx, kPoolBeforeConvRule);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed()) MoveAt(editor, node);
  return editor.changed;
}

}  // namespace gec
