// The lines that a picture writes about one node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/dump/node_sequence.h"

namespace gec {

inline constexpr double kCardFont = 10, kCardLine = 13, kCardWidth = 250;  // pixels; the width without margins

struct NodeCard {
  struct Line {
    const char *style;  // class of the text
    std::string text;
  };
  std::string style;  // classes of the box
  std::vector<Line> lines;
  std::string tip;  // what shows when the pointer rests on it
  double width = 0, height = 0;
};

/// `name` is how the picture calls it. `colours` has the numbers of engines; other nodes are coloured by type.
NodeCard CardOf(const PictureCell &cell, const std::string &name, const std::map<std::string, size_t> &colours);

}  // namespace gec
