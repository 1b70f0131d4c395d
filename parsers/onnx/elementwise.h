// Operators of ge/elementwise.def by the name that ONNX has for them.
#pragma once

#include <string_view>
#include <vector>

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// The operator of one operand with this name, with the values of its attributes in their order; ONNX's defaults stand
/// for those that are not given. Empty where there is none.
Endpoint NamedUnary(NodeContext &c, Endpoint x, std::string_view onnx, const std::vector<float> &values);

}  // namespace gec::onnx
