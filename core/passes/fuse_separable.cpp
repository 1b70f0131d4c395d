// An expansion, a depthwise convolution and a projection in channel blocks become one FusedSeparableConv2D, where an
// engine runs them tile by tile.
#include <algorithm>

#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kSeparableRule[] = "FuseSeparableConv";

bool All(const std::vector<int64_t> &values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

bool InBlocks(Endpoint e) { return DescOf(e).format == C_FORMAT_NC1HWC0 && DescOf(e).shape.has_rank(); }

/// A convolution of blocks of channels whose constants are known and whose windows touch.
bool ReadBlockedConv(Node *node, ConvSite *site) {
  return ReadConv(node, site) && !site->channels_last && !Editor::HasControl(*node) && InBlocks(site->x) &&
         InBlocks({node, 0}) && ConstantOf(site->filter) && (!site->bias || ConstantOf(site->bias)) &&
         All(node->Ints("dilations"), 1);
}

bool IsPointwise(const ConvSite &site) {
  const Shape &filter = DescOf(site.filter).shape;
  const size_t first = FilterIsHwcn(site) ? 0 : 2;
  return site.node->Int("groups", 1) == 1 && filter[first] == 1 && filter[first + 1] == 1 &&
         All(site.node->Ints("strides"), 1) && All(site.node->Ints("pads"), 0);
}

bool IsDepthwise(const ConvSite &site) {
  const int64_t channels = DescOf(site.x).origin_shape[1];
  return channels > 1 && site.node->Int("groups", 1) == channels && site.out_channels == channels;
}

Endpoint ResidualOf(const ConvSite &site) { return site.fused ? site.node->input(3) : Endpoint(); }

/// The convolution that makes a value which nobody else reads, and adds nothing else to it.
bool ReadOnlySource(const Editor &editor, Endpoint e, ConvSite *site) {
  return editor.OnlyUse(e) && ReadBlockedConv(e.node, site) && !ResidualOf(*site);
}

void AddActivation(std::vector<Editor::Attr> *attrs, const ConvSite &site, const char *const (&names)[3]) {
  if (!site.fused) return;
  attrs->emplace_back(names[0], site.node->String("activation"));
  attrs->emplace_back(names[1], site.node->Float("alpha", 0));
  attrs->emplace_back(names[2], site.node->Float("beta", 0));
}

void FuseAt(Editor &editor, Node *node) {
  static constexpr const char *kExpand[] = {"expand_activation", "expand_alpha", "expand_beta"};
  static constexpr const char *kDepthwise[] = {"depthwise_activation", "depthwise_alpha", "depthwise_beta"};
  static constexpr const char *kProject[] = {"activation", "alpha", "beta"};
  ConvSite project, depthwise, expand;
  if (!ReadBlockedConv(node, &project) || !IsPointwise(project)) return;
  if (!ReadOnlySource(editor, project.x, &depthwise) || !IsDepthwise(depthwise)) return;
  const bool expands = ReadOnlySource(editor, depthwise.x, &expand) && IsPointwise(expand);
  editor.ctx.At(kSeparableRule, node);
  editor.ctx.Tried(kSeparableRule);
  Refusal why("", "a fast engine takes the fused block");
  // Without the expansion where no engine takes it, too.
  for (const bool with : {true, false}) {
    if (with && !expands) continue;
    std::vector<const Node *> parts = {depthwise.node, node};
    if (with) parts.insert(parts.begin(), expand.node);
    std::vector<Editor::Attr> attrs = {{"strides", depthwise.node->Ints("strides")},
                                       {"pads", depthwise.node->Ints("pads")}};
    if (with) AddActivation(&attrs, expand, kExpand);
    AddActivation(&attrs, depthwise, kDepthwise);
    AddActivation(&attrs, project, kProject);
    Transaction attempt(editor.graph.root());
    const bool was_changed = editor.changed;
    Node *made =
        editor.Make("FusedSeparableConv2D", node->name(),
                    {with ? expand.x : depthwise.x, depthwise.filter, project.filter, with ? expand.filter : Endpoint(),
                     with ? expand.bias : Endpoint(), depthwise.bias, project.bias, ResidualOf(project)},
                    attrs, parts, &node->output_desc(0));
    Refusal reason;
    if (!FusionTaken(editor.ctx, *made, parts, &reason)) {
      editor.changed = was_changed;
      why.actual += (why.actual.empty() ? "" : "; without the expansion: ") + reason.actual;
      continue;
    }
    editor.Replace({node, 0}, {made, 0});
    attempt.Commit();
    editor.ctx.Applied(kSeparableRule);
    return;
  }
  editor.ctx.Declined(kSeparableRule, *node, why);
}

}  // namespace

bool FuseSeparableConv(Graph &graph, PassContext &ctx) {
  if (ctx.c0 <= 0 || !ctx.supported || !HasConv(graph)) return false;
  Editor editor(graph, ctx, kSeparableRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) FuseAt(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
