// A convolution and the pooling behind it, in channel blocks, become one FusedConvPool2D, where an engine pools what it
// has just computed. The windows lie side by side, so that none needs what was computed for another one.
#include "core/passes/blocked_conv.h"
#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/pool_windows.h"

namespace gec {
namespace {

const char kConvPoolRule[] = "FuseConvPool";

/// Fewer pixels than this stay in a cache from one node to the next, and have other convolutions that are fast.
constexpr int64_t kLeastPixels = 100;

/// The windows of a pooling, side by side; else *why says what they are. Known extents may keep the nodes apart, never
/// put them together: a graph for all sizes may not have more nodes than one for a single size.
bool ReadWindows(const Node &node, std::vector<int64_t> *window, Refusal *why) {
  PoolSides sides;
  if (!ReadPoolSides(node, &sides, why)) return false;
  const Shape &x = DescOf(node.input(0)).shape;  // N, C1, H, W, C0
  const bool known = x[2] >= 0 && x[3] >= 0;
  if (sides.step[0] != sides.size[0] || sides.step[1] != sides.size[1])
    *why = {"the windows overlap or lie apart", "windows side by side"};
  else if (sides.size[0] * sides.size[1] == 1) *why = {"a window is one pixel", "windows of several"};
  else if (known && x[2] == sides.size[0] && x[3] == sides.size[1])
    *why = {"one window takes the whole image", "windows side by side"};
  else if (known && x[2] * x[3] < kLeastPixels)
    *why = {Str(x[2] * x[3], " pixels are few"), Str(kLeastPixels, " or more")};
  if (!why->actual.empty()) return false;
  *window = {sides.size[0], sides.size[1]};
  return true;
}

Node *MakeFused(Editor &editor, const Node &pool, const ConvSite &conv, const std::vector<int64_t> &window, bool max) {
  static constexpr const char *kActivation[] = {"activation", "alpha", "beta"};
  std::vector<Editor::Attr> attrs = {{"strides", conv.node->Ints("strides")},
                                     {"pads", conv.node->Ints("pads")},
                                     {"groups", conv.node->Int("groups", 1)},
                                     {"window", window},
                                     {"mode", max ? "max" : "average"}};
  AddActivation(&attrs, conv, kActivation);
  return editor.Make("FusedConvPool2D", pool.name(), {conv.x, conv.filter, conv.bias}, attrs, {conv.node, &pool},
                     &pool.output_desc(0));
}

void FuseAt(Editor &editor, Node *node) {
  static const Symbol maximum("MaxPoolV3"), average("AvgPoolV2");
  const bool max = node->known_type() == maximum;
  if ((!max && node->known_type() != average) || Editor::HasControl(*node) || !InBlocks({node, 0})) return;
  ConvSite conv;
  if (!ReadOnlySource(editor, node->input(0), &conv)) return;
  editor.ctx.At(kConvPoolRule, node);
  editor.ctx.Tried(kConvPoolRule);
  std::vector<int64_t> window;
  Refusal why;
  if (!ReadWindows(*node, &window, &why)) return editor.ctx.Declined(kConvPoolRule, *node, why);
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Node *made = MakeFused(editor, *node, conv, window, max);
  if (!FusionTaken(editor.ctx, *made, {conv.node, node}, &why)) {
    editor.changed = was_changed;
    return editor.ctx.Declined(kConvPoolRule, *node, why);
  }
  editor.Replace({node, 0}, {made, 0});
  attempt.Commit();
  editor.ctx.Applied(kConvPoolRule);
}

}  // namespace

bool FuseConvPool(Graph &graph, PassContext &ctx) {
  if (ctx.c0 <= 0 || !ctx.supported || !HasConv(graph)) return false;
  Editor editor(graph, ctx, kConvPoolRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) FuseAt(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
