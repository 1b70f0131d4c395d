// A graph as a sequence of what a picture shows, in which blocks that repeat lie one right after the other.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/dump/repeats.h"
#include "core/ir/graph.h"

namespace gec {

/// A node, or an output of the graph.
struct PictureCell {
  const Node *node;     // of an output: what makes it
  int32_t output = -1;  // which output of the graph
  int32_t port = 0;     // of an output
  bool is_output() const { return output >= 0; }
};

/// "weight reads step": positions of cells.
struct PictureReading {
  size_t source, reader;
  bool control;
};

/// Constants are no cells: who reads them says so.
struct NodeSequence {
  std::vector<PictureCell> cells;
  std::vector<PictureReading> readings;  // by reader
  std::vector<Repeat> repeats;
  std::vector<size_t> first;  // by position: the same in the first block of its repeat; itself outside of repeats
  size_t unread = 0;          // constants that nobody reads: no cells either
  uint64_t structure = 0;     // the same for graphs that look the same, names aside
};

/// Sequences of a graph and of those that its nodes call, each made once.
class NodeSequences {
 public:
  const NodeSequence &Of(const Graph &graph);

 private:
  uint64_t KindOf(const Node &node);
  std::unordered_map<const Graph *, std::unique_ptr<NodeSequence>> made_;
};

/// True for a constant that is no output of its graph.
bool IsShownByReader(const Node &node);

}  // namespace gec
