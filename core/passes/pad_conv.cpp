// Zero padding before a convolution becomes the convolution's own.
#include <algorithm>

#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

bool IsPad(Symbol type) {
  static const Symbol plain("Pad"), with_value("PadV2"), any("PadV3");
  return type == plain || type == with_value || type == any;
}

/// Zeros around the two spatial dimensions: top, bottom, left, right.
bool SpatialZeros(const Node &pad, bool channels_last, std::vector<int64_t> *out) {
  static const Symbol mode("mode"), contiguous("paddings_contiguous");
  std::vector<int64_t> v;
  if (pad.String(mode, "constant") != "constant" || !IntsAt(pad, 1, &v) || v.size() != 8) return false;
  if (pad.input_count() > 2 && pad.input(2)) {
    double value;
    if (!ScalarOf(pad.input(2), &value) || value != 0) return false;
  }
  if (std::any_of(v.begin(), v.end(), [](int64_t p) { return p < 0; })) return false;
  bool pairs = pad.Bool(contiguous, true);
  auto begin = [&](size_t d) { return pairs ? v[2 * d] : v[d]; };
  auto end = [&](size_t d) { return pairs ? v[2 * d + 1] : v[4 + d]; };
  size_t h = channels_last ? 1 : 2, c = channels_last ? 3 : 1;
  if (begin(0) || end(0) || begin(c) || end(c)) return false;
  *out = {begin(h), end(h), begin(h + 1), end(h + 1)};
  return true;
}

/// A convolution with these pads costs no more than this one and the padding before it.
bool PaddingPays(Editor &editor, const Node &node, const Node &source, const ConvSite &conv, std::vector<int64_t> pads,
                 Refusal *why) {
  if (!editor.ctx.supported) return true;
  const Transaction trial(editor.graph.root());  // undone
  const bool was_changed = editor.changed;
  std::vector<Editor::Attr> attrs = ConvAttrs(conv);
  for (auto &[name, value] : attrs)
    if (std::string_view(name) == "pads") value = std::move(pads);
  const Node *made = editor.Make("Conv2D", node.name(), {source.input(0), conv.filter, conv.bias}, attrs,
                                 {&source, &node}, &node.output_desc(0));
  editor.changed = was_changed;
  return FusionPays(editor.ctx, *made, {&source, &node}, why);
}

}  // namespace

bool PadConv(Graph &graph, PassContext &ctx) {
  static const char *kRule = "PadConv";
  static const Symbol pads_name("pads"), pad_mode("pad_mode");
  if (!HasConv(graph)) return false;
  Editor editor(graph, ctx, kRule);
  for (Node *node : graph.TopologicalOrder()) {
    ConvSite conv;
    if (node->removed() || !ReadConv(node, &conv) || !IsPad(conv.x.node->known_type())) continue;
    Node *source = conv.x.node;
    ctx.At(kRule, node);
    ctx.Tried(kRule);
    std::vector<int64_t> zeros, pads = node->Ints(pads_name);
    if (pads.empty()) pads.assign(4, 0);
    std::string mode = node->String(pad_mode, "SPECIFIC");
    if (pads.size() != 4 || mode != "SPECIFIC" || Editor::HasControl(*source) ||
        !SpatialZeros(*source, conv.channels_last, &zeros)) {
      ctx.Declined(
          kRule, *source,
          {"it pads with other than zeros, other dimensions, or unknown amounts", "zeros around height and width"});
      continue;
    }
    for (size_t i = 0; i < 4; ++i) pads[i] += zeros[i];
    Refusal why;
    if (!PaddingPays(editor, *node, *source, conv, pads, &why)) {
      ctx.Declined(kRule, *source, why);
      continue;
    }
    // The convolution stays where it is; only its input and its padding change.
    graph.SetAttr(node, pads_name, pads);
    graph.Reconnect(source->input(0), node, 0);
    if (node->explicit_input_desc(0)) graph.SetInputDesc(node, 0, DescOf(source->input(0)));
    graph.InheritOrigins(node, {source, node}, kRule);
    editor.changed = true;
    editor.Sweep(source);
    ctx.Applied(kRule);
  }
  return editor.changed;
}

}  // namespace gec
