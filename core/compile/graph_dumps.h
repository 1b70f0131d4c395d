// The graph after stages of a compile, for whoever set DUMP_GE_GRAPH.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Reads the environment when it is made: DUMP_GE_GRAPH (1, 2, 3: on), DUMP_GRAPH_LEVEL (1 all stages, 2 the selected
/// ones, 3 the last, 4 the first, or fragments of names "a|b"), DUMP_GRAPH_FORMAT ("ge_proto|onnx|readable").
class GraphDumps {
 public:
  GraphDumps();
  bool on() const { return !formats_.empty(); }
  enum Kind { kDetail, kSelected, kFirst, kLast };
  /// Writes files with GE's names; one that cannot be written is a warning.
  void Write(const Graph &graph, const std::string &stage, Kind kind = kSelected) const;

 private:
  bool Wanted(const std::string &stage, Kind kind) const;
  std::vector<int32_t> formats_;  // empty: off
  int level_ = 2;                 // 0: by fragments
  std::vector<std::string> fragments_;
};

}  // namespace gec
