// Sequences between convolutions stay images of one row.
//
// A convolution of a sequence is one of an image of one row: a dimension is put in before it and taken out behind it.
// What stands between two of them then works on sequences, where no convolution takes it in and no layout goes through.
// Taking the dimension out moves behind such operators, until it meets where the next one is put in, and both go.
#include <algorithm>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/lines.h"
#include "core/passes/movers.h"

namespace gec {
namespace {

const char kSinkSqueezeRule[] = "SinkSqueeze";

class Sinking {
 public:
  explicit Sinking(Editor &editor) : editor_(editor) {}

  void At(Node *node) {
    static const Symbol batch_norm("BNInfer");
    Line from;
    for (size_t i = 0; i < node->input_count() && from.behind < 0; ++i) from = ReadLine(node->input(i));
    if (from.behind < 0 || Editor::HasControl(*node) || node->pinned() || node->ir().own_kernel ||
        node->output_count() == 0)
      return;
    editor_.ctx.At(kSinkSqueezeRule, node);
    editor_.ctx.Tried(kSinkSqueezeRule);
    if (PutsIn(*node, from.behind)) {
      editor_.ctx.Applied(kSinkSqueezeRule);
      editor_.Replace({node, 0}, from.image);
      return;
    }
    // Channels of a normalisation are dimension 1, but where the format says that they are the last.
    const bool per_channel = node->known_type() == batch_norm && from.behind == 1 && ReadLine(node->input(0)).image &&
                             ChannelsFirst(from.image) && ChannelsFirst(node->input(0));
    // Of views one speaks of the shape (EnsureShape).
    const bool elementwise =
        HasTrait(*node, GE_TRAIT_ELEMENTWISE) && HasTrait(*node, GE_TRAIT_LAYOUT_AGNOSTIC) && !IsView(*node);
    if (!IsPure(*node) || !(per_channel || elementwise) || node->output_count() != 1 ||
        node->output_desc(0).shape.rank() != kImageRank - 1) {
      editor_.ctx.Declined(kSinkSqueezeRule, *node,
                           {"it does not work element by element", "an elementwise operator or a normalisation"});
      return;
    }
    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < node->input_count(); ++i) {
      const bool as_it_is = !node->input(i) || (per_channel && i > 0);
      if (!as_it_is && !CanWiden(node->input(i), from.behind)) {
        editor_.ctx.Declined(kSinkSqueezeRule, *node,
                             {"an input has another rank, or lost another dimension", "sequences of the same kind"});
        return;
      }
      inputs.push_back(node->input(i));
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] && !(per_channel && i > 0)) inputs[i] = Widened(inputs[i], from.behind, *node);
    Sink(node, from, inputs);
  }

 private:
  static bool CanWiden(Endpoint e, int64_t behind) {
    const Line line = ReadLine(e);
    if (line.image) return line.behind == behind;
    return DescOf(e).shape.has_rank() && DescOf(e).shape.rank() < kImageRank;
  }

  static bool ChannelsFirst(Endpoint e) {
    const int32_t format = DescOf(e).format;
    return format == C_FORMAT_ND || format == C_FORMAT_NCHW;
  }

  // The operand with a dimension of one element where the image has it; those that broadcast to it anyway stay.
  Endpoint Widened(Endpoint e, int64_t behind, const Node &node) {
    if (const Line line = ReadLine(e); line.image) return line.image;
    const int64_t rank = DescOf(e).shape.rank();
    if (rank <= behind && rank < kImageRank - 1) return e;
    return {
        editor_.Make("UnsqueezeV3", node.name() + "_operand",
                     {e, editor_.Constant(IntTensor({rank - behind}), node.name() + "_axes", {&node})}, {}, {e.node}),
        0};
  }

  void Sink(Node *node, const Line &from, const std::vector<Endpoint> &inputs) {
    TensorDesc image = DescOf(from.image);
    const TensorDesc narrow = node->output_desc(0);
    image.dtype = narrow.dtype;
    image.shape = narrow.shape;
    image.shape.dims().insert(image.shape.dims().end() - from.behind, 1);
    image.origin_shape = image.shape;
    const Endpoint made = Remade(editor_, *node, inputs, {node}, image);
    const Endpoint axes = editor_.Constant(IntTensor({kImageRank - 1 - from.behind}), node->name() + "_axes", {node});
    Node *squeeze = editor_.Make("SqueezeV3", node->name() + "_sequence", {made, axes}, {}, {node}, &narrow);
    editor_.ctx.Applied(kSinkSqueezeRule);
    editor_.Replace({node, 0}, {squeeze, 0});
  }

  Editor &editor_;
};

}  // namespace

bool SinkSqueeze(Graph &graph, PassContext &ctx) {
  static const Symbol by_input("SqueezeV3"), by_attribute("Squeeze");
  if (!graph.Has(by_input) && !graph.Has(by_attribute)) return false;
  Editor editor(graph, ctx, kSinkSqueezeRule);
  Sinking sinking(editor);
  for (Node *node : graph.TopologicalOrder())
    if (!node->removed()) sinking.At(node);
  return editor.changed;
}

}  // namespace gec
