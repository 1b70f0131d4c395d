// Parts of ONNX Runtime's fused operators.
#pragma once

#include <string>
#include <vector>

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// The activation of this name; parameters that are missing have ONNX's defaults. Refused when it is unknown.
Endpoint NamedActivation(NodeContext &c, Endpoint x, const std::string &name, const std::vector<float> &parameters);

/// The result of Gemm for its inputs and attributes.
Endpoint GemmProduct(NodeContext &c);

}  // namespace gec::onnx
