// A tensor's type and shape, and where a node runs, as pictures show them.
#pragma once

#include <string>
#include <string_view>

#include "core/ir/graph.h"
#include "core/ir/placement_attrs.h"
#include "core/ir/tensor.h"
#include "core/ir/types.h"
#include "core/support/error.h"

namespace gec {

/// "FLOAT [2, 3]"; the format, too, when it is not ND.
inline std::string DescText(const TensorDesc &desc) {
  std::string out = DataTypeName(desc.dtype);
  if (out.rfind("DT_", 0) == 0) out.erase(0, 3);
  if (desc.format != C_FORMAT_ND) out += Str(" ", FormatName(desc.format));
  return out + " " + desc.shape.str();
}

/// The engine that the node names, or "".
inline std::string EngineText(const Node &node) { return node.attrs().empty() ? "" : node.String(EngineAttr()); }

/// "AIcoreEngine: brgemm" of a node of a placed graph; "" where the node names no engine.
inline std::string PlacementText(const Node &node) {
  static const Symbol kImplementation(kImplementationAttr);
  const std::string engine = EngineText(node);
  const std::string implementation = engine.empty() ? "" : node.String(kImplementation);
  return implementation.empty() ? engine : engine + ": " + implementation;
}

/// The number of a colour, the same in every picture for the same text.
inline constexpr size_t kColours = 6;
inline size_t ColourNumber(std::string_view text) {
  size_t hash = 5381;
  for (char c : text) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash % kColours;
}

/// A pale colour, likewise.
inline const char *ColourOf(std::string_view text) {
  static const char *const kPale[kColours] = {"#e3edf9", "#efe6f7", "#fdebe0", "#e2f3f1", "#f9e4ea", "#edf1d9"};
  return kPale[ColourNumber(text)];
}

}  // namespace gec
