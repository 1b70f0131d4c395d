// The data types that a prototype's text allows: "TensorType({DT_FLOAT, DT_INT8})", "TensorType::FLOAT()", "DT_INT32".
#pragma once

#include <set>
#include <string>

namespace codegen {

/// Fills `types` with names without "DT_". False when the text names a symbol or a set that this does not know.
bool TypesOf(const std::string &text, std::set<std::string> *types);

}  // namespace codegen
