// An expansion, a depthwise convolution, a squeeze and excitation of what it makes, and a projection, in channel
// blocks, become one FusedSeparableConv2D, where an engine runs them tile by tile. Only the depthwise convolution and
// the projection have to be there.
#include "core/passes/blocked_conv.h"
#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

const char kSeparableRule[] = "FuseSeparableConv";

bool IsPointwise(const ConvSite &site) { return site.node->Int("groups", 1) == 1 && HasUnitWindow(site); }

bool IsDepthwise(const ConvSite &site) {
  const int64_t channels = DescOf(site.x).origin_shape[1];
  return channels > 1 && site.node->Int("groups", 1) == channels && site.out_channels == channels;
}

/// What a pixel was before its layout was changed, which costs nothing in the fused kernel.
Endpoint BeforeLayout(const Editor &editor, Endpoint e) {
  static const Symbol layout("TransData");
  while (e.port == 0 && e.node->known_type() == layout && editor.OnlyUse(e)) e = e.node->input(0);
  return e;
}

/// A 1 x 1 convolution of means or of what another one made of them, in blocks or not.
bool ReadDense(const Editor &editor, Endpoint e, ConvSite *site) {
  e = BeforeLayout(editor, e);
  return editor.OnlyUse(e) && ReadConv(e.node, site) && HasKnownConstants(*site) && !ResidualOf(*site) &&
         IsPointwise(*site);
}

/// A map times factors of its channels that two 1 x 1 convolutions make of their means.
struct ExcitedSite {
  Endpoint map;
  ConvSite squeeze, excite;
  Node *mean = nullptr, *product = nullptr;
};

bool ReadExcited(const Editor &editor, Endpoint e, ExcitedSite *site) {
  static const Symbol product("Mul"), mean("GlobalAveragePool");
  if (e.port != 0 || e.node->known_type() != product || !editor.OnlyUse(e) || !InBlocks(e)) return false;
  for (const size_t port : {0, 1}) {
    const Endpoint map = e.node->input(port), factors = e.node->input(1 - port);
    if (!ReadDense(editor, factors, &site->excite) || !ReadDense(editor, site->excite.x, &site->squeeze)) continue;
    const Endpoint means = BeforeLayout(editor, site->squeeze.x);
    if (means.node->known_type() != mean || !editor.OnlyUse(means)) continue;
    if (means.node->input(0) != map || editor.IsOutput(map) || map.node->use_count(size_t(map.port)) != 2) continue;
    site->map = map, site->mean = means.node, site->product = e.node;
    return true;
  }
  return false;
}

/// The convolutions of a block that ends at a projection.
struct BlockSite {
  ConvSite project, depthwise, expand;
  ExcitedSite excited;
  bool expands = false, excites = false;
};

bool ReadBlock(const Editor &editor, Node *node, BlockSite *site) {
  if (!ReadBlockedConv(node, &site->project) || !IsPointwise(site->project)) return false;
  site->excites = ReadExcited(editor, site->project.x, &site->excited);
  const bool found = site->excites
                         ? ReadBlockedConv(site->excited.map.node, &site->depthwise) && !ResidualOf(site->depthwise)
                         : ReadOnlySource(editor, site->project.x, &site->depthwise);
  if (!found || !IsDepthwise(site->depthwise)) return false;
  site->expands = ReadOnlySource(editor, site->depthwise.x, &site->expand) && IsPointwise(site->expand);
  return true;
}

/// The fused node in place of all of them, with or without the expansion.
Node *MakeFused(Editor &editor, const BlockSite &site, bool with_expansion, std::vector<const Node *> *parts) {
  static constexpr const char *kExpand[] = {"expand_activation", "expand_alpha", "expand_beta"};
  static constexpr const char *kDepthwise[] = {"depthwise_activation", "depthwise_alpha", "depthwise_beta"};
  static constexpr const char *kSqueeze[] = {"squeeze_activation", "squeeze_alpha", "squeeze_beta"};
  static constexpr const char *kExcite[] = {"excite_activation", "excite_alpha", "excite_beta"};
  static constexpr const char *kProject[] = {"activation", "alpha", "beta"};
  const ConvSite &expand = site.expand, &depthwise = site.depthwise, &project = site.project;
  const ConvSite &squeeze = site.excited.squeeze, &excite = site.excited.excite;
  std::vector<Editor::Attr> attrs = {{"strides", depthwise.node->Ints("strides")},
                                     {"pads", depthwise.node->Ints("pads")}};
  std::vector<Endpoint> inputs = {with_expansion ? expand.x : depthwise.x,
                                  depthwise.filter,
                                  project.filter,
                                  with_expansion ? expand.filter : Endpoint(),
                                  with_expansion ? expand.bias : Endpoint(),
                                  depthwise.bias,
                                  project.bias,
                                  ResidualOf(project)};
  *parts = {depthwise.node, project.node};
  if (with_expansion) {
    parts->insert(parts->begin(), expand.node);
    AddActivation(&attrs, expand, kExpand);
  }
  AddActivation(&attrs, depthwise, kDepthwise);
  if (site.excites) {
    parts->insert(parts->end() - 1, {site.excited.mean, squeeze.node, excite.node, site.excited.product});
    inputs.insert(inputs.end(), {squeeze.filter, squeeze.bias, excite.filter, excite.bias});
    AddActivation(&attrs, squeeze, kSqueeze);
    AddActivation(&attrs, excite, kExcite);
  }
  AddActivation(&attrs, project, kProject);
  return editor.Make("FusedSeparableConv2D", project.node->name(), inputs, attrs, *parts,
                     &project.node->output_desc(0));
}

void FuseAt(Editor &editor, Node *node) {
  BlockSite site;
  if (!ReadBlock(editor, node, &site)) return;
  editor.ctx.At(kSeparableRule, node);
  editor.ctx.Tried(kSeparableRule);
  Refusal why("", "a fast engine takes the fused block");
  // Without the expansion where no engine takes it, too.
  for (const bool with : {true, false}) {
    if (with && !site.expands) continue;
    Transaction attempt(editor.graph.root());
    const bool was_changed = editor.changed;
    std::vector<const Node *> parts;
    Node *made = MakeFused(editor, site, with, &parts);
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
