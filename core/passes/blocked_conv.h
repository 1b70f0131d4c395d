// Convolutions in channel blocks, as the passes behind LayoutPropagation see them.
#pragma once

#include "core/passes/conv.h"

namespace gec {

/// The value lies in blocks of channels.
bool InBlocks(Endpoint e);
/// Channels are not last, no control edges, filter and bias constant.
bool HasKnownConstants(const ConvSite &site);
/// A convolution of blocks of channels whose constants are known and whose filter has no gaps.
bool ReadBlockedConv(Node *node, ConvSite *site);
/// The convolution that makes a value which nobody else reads, and adds nothing else to it.
bool ReadOnlySource(const Editor &editor, Endpoint e, ConvSite *site);
/// Activation, alpha and beta of a fused convolution under these names.
void AddActivation(std::vector<Editor::Attr> *attrs, const ConvSite &site, const char *const (&names)[3]);

}  // namespace gec
