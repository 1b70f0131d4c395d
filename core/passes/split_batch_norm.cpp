// Batch normalisation with constant statistics is a product and a sum per channel, which convolutions take in and
// elementwise chains fuse.
#include <cmath>

#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

const char kSplitBatchNormRule[] = "SplitBatchNorm";

/// y = x * factor[c] + shift[c]; false unless all that it needs is constant.
bool ReadAffine(const Node &node, std::vector<float> *factor, std::vector<float> *shift) {
  static const Symbol epsilon("epsilon");
  TensorPtr part[4];  // scale, offset, mean, variance
  for (size_t i = 0; i < 4; ++i) {
    part[i] = ConstantInput(node, i + 1);
    if (!part[i] || part[i]->desc.dtype != C_DT_FLOAT || part[i]->desc.shape.rank() != 1 ||
        part[i]->desc.shape != part[0]->desc.shape)
      return false;
  }
  const int64_t channels = part[0]->desc.shape.elements();
  for (int64_t c = 0; c < channels; ++c) {
    const double f = part[0]->as<float>()[c] / std::sqrt(double(part[3]->as<float>()[c]) + node.Float(epsilon));
    factor->push_back(static_cast<float>(f));
    shift->push_back(static_cast<float>(part[1]->as<float>()[c] - part[2]->as<float>()[c] * f));
  }
  return channels > 0;
}

void SplitOne(Editor &editor, Node *node) {
  static const Symbol is_training("is_training"), data_format("data_format");
  const Endpoint x = node->input(0);
  if (node->Bool(is_training, true) || !x || !IsFloat32(x)) return;
  editor.ctx.At(kSplitBatchNormRule, node);
  editor.ctx.Tried(kSplitBatchNormRule);
  auto declined = [&](const Refusal &why) { editor.ctx.Declined(kSplitBatchNormRule, *node, why); };
  for (size_t i = 1; i < node->output_count(); ++i) {
    if (!node->uses(i).empty() || editor.IsOutput({node, static_cast<int32_t>(i)}))
      return declined({"its statistics are read", "an output only", Mismatch::kReader});
  }
  if (Editor::HasControl(*node)) return declined({"it has control edges", "no control edges"});
  std::vector<float> factor, shift;
  if (!ReadAffine(*node, &factor, &shift))
    return declined({"scale, offset, mean or variance is no constant", "four constants", Mismatch::kConstant});
  const std::string format = node->String(data_format, "NHWC");
  const bool last = format == "NHWC" || format == "NDHWC";
  const Shape &shape = DescOf(x).shape;
  if (!shape.has_rank() || shape.rank() < 2)
    return declined({"the rank of its input is not known", "a known rank of 2 or more", Mismatch::kShape});
  Shape channels{static_cast<int64_t>(factor.size())};
  for (int32_t i = 2; !last && i < shape.rank(); ++i) channels.dims().push_back(1);
  const TensorDesc *like = &node->output_desc(0);
  const Endpoint scale = editor.Constant(FloatTensor(channels, factor), node->name() + "_factor", {node});
  const Endpoint offset = editor.Constant(FloatTensor(channels, shift), node->name() + "_shift", {node});
  Node *product = editor.Make("Mul", node->name() + "_scaled", {x, scale}, {}, {node}, like);
  Node *sum = editor.Make("Add", node->name(), {{product, 0}, offset}, {}, {node}, like);
  editor.ctx.Applied(kSplitBatchNormRule);
  editor.Replace({node, 0}, {sum, 0});
}

}  // namespace

bool SplitBatchNorm(Graph &graph, PassContext &ctx) {
  static const Symbol norm("BatchNorm");
  if (!graph.Has(norm)) return false;
  Editor editor(graph, ctx, kSplitBatchNormRule);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed() && node->known_type() == norm) SplitOne(editor, node);
  return editor.changed;
}

}  // namespace gec
