// Graphs as pictures: one of the graph, one of each that its nodes call.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct GraphPicture {
  std::string title;  // the graph's name, and who calls it
  std::string note;   // how much of it shows, and what is left out
  struct Engine {
    std::string name;
    size_t colour, nodes;  // number of the class "c0" and so on
  };
  std::vector<Engine> engines;  // of a placed graph
  std::string content;          // SVG elements; "" where another picture shows the same: `note` says which
  double width = 0, height = 0;
  size_t nodes = 0, drawn = 0;  // constants are none of them; a block that repeats counts once as drawn
};

/// The graph, then those it calls in the order of their callers. A graph that looks like an earlier one is not drawn
/// again, nor are those that only the hidden blocks of a repeat call.
std::vector<GraphPicture> DrawGraphs(const Graph &graph);

/// Rules for the classes that pictures use, for light and dark screens. For <style> in SVG and in HTML.
extern const char *const kPictureStyle;

}  // namespace gec
