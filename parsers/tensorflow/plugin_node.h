// Operators that a front-end plug-in translates or a pass of scope fusion made.
#pragma once

#include "parsers/plugin.h"
#include "parsers/tensorflow/node_context.h"
#include "parsers/tensorflow/scope_fusion.h"

namespace gec::tensorflow {

/// Asks the plug-in for what stands for the node and puts that into the graph. Throws NodeProblem.
void TranslateByPlugin(NodeContext &c, const ParserPlugin &plugin);
/// Puts what a pass made in place of other nodes into the graph. Throws NodeProblem.
void PlaceFused(NodeContext &c, const FusedNode &fused);
/// An attribute in the form that it has by itself; none for functions. `what` names it in messages.
AttrValue FrontValue(const AttrDef &attr, const std::string &what);

}  // namespace gec::tensorflow
