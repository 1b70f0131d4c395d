// A convolution and the pooling behind it, in channel blocks, become one FusedConvPool2D, where an engine pools what it
// has just computed. The windows lie side by side, so that none needs what was computed for another one.
#include "core/passes/blocked_conv.h"
#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kConvPoolRule[] = "FuseConvPool";

constexpr char kSideBySide[] = "windows side by side, without padding";

/// The windows of a pooling; else *why says what they are.
bool ReadWindows(const Node &node, std::vector<int64_t> *window, Refusal *why) {
  static const Symbol ceil_mode("ceil_mode"), global("global_pooling"), divisor("divisor_override"),
      padding("padding_mode");
  const auto declined = [&](const char *actual) {
    *why = {actual, kSideBySide};
    return false;
  };
  if (node.Bool(global, false)) {
    *window = {0, 0};
    return true;
  }
  const std::vector<int64_t> sizes = node.Ints("ksize"), steps = node.Ints("strides");
  if (sizes.size() != 4 || steps.size() != 4 || sizes[0] != 1 || sizes[1] != 1)
    return declined("the windows are not those of images");
  if (!AllAre(node.Ints("pads"), 0) || node.String(padding, "CALCULATED") != "CALCULATED")
    return declined("x is padded");
  if (node.Int(divisor, 0) != 0) return declined("the divisor is given");
  const Shape &x = DescOf(node.input(0)).shape;  // N, C1, H, W, C0
  for (size_t i = 2; i < 4; ++i) {
    const int64_t extent = x[static_cast<int64_t>(i)], size = sizes[i];
    if (steps[i] != size && extent != size) return declined("the windows overlap or lie apart");
    if (node.Bool(ceil_mode, false) && (extent < 0 || extent % size != 0))
      return declined("the last window is cut off");
    window->push_back(size);
  }
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
