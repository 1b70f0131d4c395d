// Names by which nodes of one graph refer to each other in files and dumps. Names of nodes may repeat; these do not.
#pragma once

#include <string>
#include <unordered_map>

#include "core/ir/graph.h"

namespace gec {

/// The first node of a name has it as it is, the others get "#2", "#3", … behind it. For as long as the graph stays as
/// it is.
class NodeNames {
 public:
  explicit NodeNames(const Graph &graph);
  const std::string &operator()(const Node &node) const;
  /// "<node>:<port>"; "" for nothing.
  std::string operator()(Endpoint e) const;
  /// True when the node's own name differs from this.
  bool Differs(const Node &node) const { return others_.count(&node) != 0; }

 private:
  std::unordered_map<const Node *, std::string> others_;
};

}  // namespace gec
