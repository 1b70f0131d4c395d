// One node of a model as bytes of its own, for who knows the format but not this importer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/onnx_subset.pb-c.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/scope.h"

namespace gec::onnx {

/// The node encoded as an ONNX NodeProto: complete, whatever moved out of the decoded model, with attributes of the
/// enclosing function's call filled in and `op_type` as its type.
std::vector<uint8_t> EncodeNode(Importer &importer, const Scope &scope, const Onnx__NodeProto &node,
                                const std::string &op_type);

/// Attributes of an encoded node as values, by name: integers, floats, texts, tensors and lists of them; others are
/// left out. Tensors outside the file are read. Throws GE_MODEL_INVALID, GE_PATH_INVALID.
std::vector<std::pair<std::string, AttrValue>> AttrsOf(const std::vector<uint8_t> &message, ExternalFiles &external);

}  // namespace gec::onnx
