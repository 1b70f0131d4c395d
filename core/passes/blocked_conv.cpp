#include "core/passes/blocked_conv.h"

namespace gec {

bool InBlocks(Endpoint e) { return DescOf(e).format == C_FORMAT_NC1HWC0 && DescOf(e).shape.has_rank(); }

bool HasKnownConstants(const ConvSite &site) {
  return !site.channels_last && !Editor::HasControl(*site.node) && ConstantOf(site.filter) &&
         (!site.bias || ConstantOf(site.bias));
}

bool ReadBlockedConv(Node *node, ConvSite *site) {
  return ReadConv(node, site) && HasKnownConstants(*site) && InBlocks(site->x) && InBlocks({node, 0}) &&
         AllAre(node->Ints("dilations"), 1);
}

bool ReadOnlySource(const Editor &editor, Endpoint e, ConvSite *site) {
  return editor.OnlyUse(e) && ReadBlockedConv(e.node, site) && !ResidualOf(*site);
}

void AddActivation(std::vector<Editor::Attr> *attrs, const ConvSite &site, const char *const (&names)[3]) {
  if (!site.fused) return;
  attrs->emplace_back(names[0], site.node->String("activation"));
  attrs->emplace_back(names[1], site.node->Float("alpha", 0));
  attrs->emplace_back(names[2], site.node->Float("beta", 0));
}

}  // namespace gec
