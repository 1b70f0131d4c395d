// Batch normalisation with constant statistics is a product and a sum per channel, which convolutions and products of
// matrices take in and elementwise chains fuse.
#include "core/passes/batch_norm.h"
#include "core/passes/builtin.h"
#include "core/passes/conv.h"

namespace gec {
namespace {

const char kSplitBatchNormRule[] = "SplitBatchNorm";

/// Channels are the last dimension: BatchNorm has an attribute that says so, BNInfer goes by the format of its input.
bool ChannelsAreLast(const Node &node, bool infer) {
  static const Symbol data_format("data_format");
  const int32_t format = node.input_desc(0).format;
  if (infer) return format == C_FORMAT_NHWC || format == C_FORMAT_NDHWC;
  const std::string name = node.String(data_format, "NHWC");
  return name == "NHWC" || name == "NDHWC";
}

void SplitOne(Editor &editor, Node *node, bool infer) {
  static const Symbol is_training("is_training");
  const Endpoint x = node->input(0);
  if ((!infer && node->Bool(is_training, true)) || !x || !IsFloat32(x)) return;
  ConvSite conv;
  if (infer && ReadAnyConv(x.node, &conv)) {
    if (editor.ctx.why_not)
      editor.ctx.Declined(
          kSplitBatchNormRule, *node,
          {Str(x.node->Label(), " before it, into which FuseConvBatchNorm folds it"), "no convolution before it"});
    return;
  }
  editor.ctx.At(kSplitBatchNormRule, node);
  editor.ctx.Tried(kSplitBatchNormRule);
  auto declined = [&](const Refusal &why) { editor.ctx.Declined(kSplitBatchNormRule, *node, why); };
  for (size_t i = 1; i < node->output_count(); ++i) {
    if (!node->uses(i).empty() || editor.IsOutput({node, static_cast<int32_t>(i)}))
      return declined({"its statistics are read", "an output only", Mismatch::kReader});
  }
  if (Editor::HasControl(*node)) return declined({"it has control edges", "no control edges"});
  Affine affine;
  if (!ReadBatchNorm(*node, &affine))
    return declined({"scale, offset, mean or variance is no constant", "four constants", Mismatch::kConstant});
  const Shape &shape = DescOf(x).shape;
  if (!shape.has_rank() || shape.rank() < 2)
    return declined({"the rank of its input is not known", "a known rank of 2 or more", Mismatch::kShape});
  Shape channels{static_cast<int64_t>(affine.factor.size())};
  for (int32_t i = 2; !ChannelsAreLast(*node, infer) && i < shape.rank(); ++i) channels.dims().push_back(1);
  const TensorDesc *like = &node->output_desc(0);
  const Endpoint scale = editor.Constant(FloatTensor(channels, affine.factor), node->name() + "_factor", {node});
  const Endpoint offset = editor.Constant(FloatTensor(channels, affine.shift), node->name() + "_shift", {node});
  Node *product = editor.Make("Mul", node->name() + "_scaled", {x, scale}, {}, {node}, like);
  Node *sum = editor.Make("Add", node->name(), {{product, 0}, offset}, {}, {node}, like);
  editor.ctx.Applied(kSplitBatchNormRule);
  editor.Replace({node, 0}, {sum, 0});
}

}  // namespace

bool SplitBatchNorm(Graph &graph, PassContext &ctx) {
  static const Symbol norm("BatchNorm"), infer("BNInfer");
  if (!graph.Has(norm) && !graph.Has(infer)) return false;
  Editor editor(graph, ctx, kSplitBatchNormRule);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed() && (node->known_type() == norm || node->known_type() == infer))
      SplitOne(editor, node, node->known_type() == infer);
  return editor.changed;
}

}  // namespace gec
