// Operators that a front-end plug-in translates.
#pragma once

#include "parsers/plugin.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {

/// Asks the plug-in for what stands for the node and puts that into the graph. Throws NodeProblem.
void TranslateByPlugin(NodeContext &c, const ParserPlugin &plugin);

}  // namespace gec::tensorflow
