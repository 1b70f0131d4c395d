// Texts made of numbers.
#pragma once

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// The texts that Cast makes of them.
inline Value TextOfNumbers(NodeContext &c, Endpoint numbers) {
  Node *node = c.Add("TextOfNumbers", {numbers});
  return Value::Text({node, 0}, {node, 1});
}

}  // namespace gec::onnx
