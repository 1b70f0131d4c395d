// Reductions over all pixels of what a convolution makes become pooling, which takes its blocks of channels as they
// are: a maximum of images, a maximum or mean of sequences that were images of one row.
#include <algorithm>

#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/elementwise_table.h"
#include "core/passes/lines.h"

namespace gec {
namespace {

const char kPoolPixelsRule[] = "PoolPixels";

/// The value is made by a convolution and what follows it element by element, or channel by channel.
bool ComesFromConv(Endpoint e) {
  static const Symbol batch_norm("BNInfer");
  constexpr int kMost = 4;  // a bias, a normalisation, an activation of two nodes
  for (int steps = 0; e && e.port == 0 && steps <= kMost; ++steps) {
    ConvSite conv;
    if (ReadAnyConv(e.node, &conv)) return conv.rank == 4 && !conv.channels_last;
    ElementwiseOp op;
    if (!ElementwiseOf(*e.node, &op) && e.node->known_type() != batch_norm) return false;
    e = e.node->input(0);
  }
  return false;
}

void PoolAt(Editor &editor, Node *node) {
  static const Symbol maximum("ReduceMax"), mean("ReduceMean"), keep_dims("keep_dims");
  const bool max = node->known_type() == maximum;
  if ((!max && node->known_type() != mean) || node->output_count() != 1 || Editor::HasControl(*node) ||
      node->pinned() || node->ir().own_kernel)
    return;
  const int32_t rank = DescOf(node->input(0)).shape.rank();
  std::vector<int64_t> axes;
  if (!IntsAt(*node, 1, &axes)) return;
  for (int64_t &axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  const bool sequence = rank == kImageRank - 1 && axes == std::vector<int64_t>{2};
  const bool image =
      rank == kImageRank && axes == std::vector<int64_t>{2, 3} && max;  // the mean is AlgebraicSimplify's
  if (!sequence && !image) return;
  const Line line = sequence ? ReadLine(node->input(0)) : Line();
  const Endpoint x = image ? node->input(0) : line.behind == 1 ? line.image : Endpoint();
  editor.ctx.At(kPoolPixelsRule, node);
  editor.ctx.Tried(kPoolPixelsRule);
  const auto declined = [&](const char *actual, const char *wanted) {
    editor.ctx.Declined(kPoolPixelsRule, *node, {actual, wanted});
  };
  if (!x || DescOf(x).dtype != C_DT_FLOAT || !ComesFromConv(x))
    return declined("something else makes its input", "a convolution of float32 makes it");
  const Shape &shape = DescOf(x).shape;
  if (!shape.has_rank() || shape.rank() != kImageRank || (max && (shape[2] < 1 || shape[3] < 1)))
    return declined("the number of pixels is not known", "an image of known height and width");
  std::vector<Editor::Attr> attrs;
  if (max)
    attrs = {{"ksize", std::vector<int64_t>{1, 1, shape[2], shape[3]}},
             {"strides", std::vector<int64_t>{1, 1, shape[2], shape[3]}}};
  TensorDesc pooled = DescOf(x);
  pooled.shape[2] = pooled.shape[3] = 1;
  pooled.origin_shape = pooled.shape;
  Endpoint made{
      editor.Make(max ? "MaxPoolV3" : "GlobalAveragePool", node->name() + "_pool", {x}, attrs, {node}, &pooled), 0};
  // Images keep both dimensions or none, sequences lose the one that they do not have.
  const bool keeps = node->Bool(keep_dims, false);
  if (sequence || !keeps) {
    const std::vector<int64_t> gone = keeps ? std::vector<int64_t>{2} : std::vector<int64_t>{2, 3};
    const Endpoint list = editor.Constant(IntTensor(gone), node->name() + "_axes", {node});
    made = {editor.Make("SqueezeV3", node->name(), {made, list}, {}, {node}, &node->output_desc(0)), 0};
  }
  editor.ctx.Applied(kPoolPixelsRule);
  editor.Replace({node, 0}, made);
}

}  // namespace

bool PoolPixels(Graph &graph, PassContext &ctx) {
  if (ctx.c0 <= 0 || !HasConv(graph)) return false;
  Editor editor(graph, ctx, kPoolPixelsRule);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed()) PoolAt(editor, node);
  return editor.changed;
}

}  // namespace gec
