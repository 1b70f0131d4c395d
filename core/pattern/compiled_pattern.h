// A pattern that is a graph, as an inner form.
#pragma once

#include <vector>

#include "core/pattern/graph_match.h"

namespace gec {

struct CompiledPattern {
  /// A way from a slot that matched up to an output of the pattern that nothing else leads to: slots that read one
  /// another.
  struct Way {
    MatchOperand from;
    std::vector<int> up;
  };
  struct Input {
    int64_t index;
    int slot;
    std::vector<std::pair<int, int32_t>> reads;  // slot and input port
  };

  MatchProgram program;
  std::vector<std::vector<Way>> ways;             // per output
  std::vector<std::vector<Symbol>> output_types;  // of the nodes that each output can stand for
  std::vector<Input> inputs;                      // by index
  bool plain = true;                              // edges of the pattern are edges of every match
  bool regular = true;  // plain, input indexes run from 0, and every input is read by an inner node
};

CompiledPattern Compile(const GraphPattern &pattern, MatchConfig config);

}  // namespace gec
