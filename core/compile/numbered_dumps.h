// A graph as readable text, again and again; files are numbered, so that they sort in the order of writing.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

class NumberedDumps {
 public:
  /// Makes the folder. Throws GE_PATH_INVALID; `what` says who asked for it.
  NumberedDumps(std::string folder, const char *what);
  /// NUMBER_NAME.txt; characters that file names should not have become "_".
  void Write(const Graph &graph, std::string name);
  /// Those written so far.
  const std::vector<std::string> &files() const { return files_; }

 private:
  const std::string folder_;
  std::vector<std::string> files_;
};

}  // namespace gec
