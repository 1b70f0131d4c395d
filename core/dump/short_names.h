// Names as a picture shows them: short where they agree, whole where they differ.
#pragma once

#include <string>
#include <vector>

namespace gec {

struct ShortNames {
  std::string prefix;              // what is left out at the beginning of most names; "" when nothing is
  std::vector<std::string> names;  // as they came; those without the prefix begin with an ellipsis
};

/// Cuts the beginning that most names share, once, and then those that are wider than `width` pixels: first at their
/// beginning, and where that makes different names equal, between the part that tells them apart and their end. Names
/// that differ stay different; one that cannot be cut so stays whole.
ShortNames Shorten(const std::vector<std::string> &names, double width, double font_size);

}  // namespace gec
