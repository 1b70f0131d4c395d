// Operators that a front-end plug-in translates.
#pragma once

#include <memory>
#include <string>

#include "parsers/onnx/node_context.h"
#include "parsers/plugin.h"

namespace gec::onnx {

/// "ai.onnx::13::Relu".
std::string OriginType(const std::string &domain, int64_t opset, const char *type);

/// Asks the plug-in for what stands for the node and puts that into the graph. Throws NodeProblem.
void TranslateByPlugin(NodeContext &c, const ParserPlugin &plugin, const std::string &origin_type);

}  // namespace gec::onnx
