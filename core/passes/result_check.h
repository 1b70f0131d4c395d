// Replacements made before shapes are known keep the data types and shapes of what they replace.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"

namespace gec {

/// Where tensors are described, ReplaceRegion compares them at once. In the stage before inference none is. So a
/// compile keeps the graph as it was before the first replacement of that stage, infers it as well when it infers the
/// graph, and what is in both has to be the same. A stage that replaces nothing pays nothing.
class ResultCheck {
 public:
  /// Called before a part of the graph is replaced at this node.
  void Replaces(const std::string &pass, const std::string &rule, const Node &at);
  /// The stage is over, and the graph was inferred with these options. Throws GE_INFER_FAILED naming passes, rules, and
  /// the tensor that differs.
  void Finish(const Graph &inferred, const InferOptions &options) const;

 private:
  void Compare(const Graph &before, const Graph &after) const;
  void CompareTensors(const std::string &what, const TensorDesc &before, const TensorDesc &after) const;

  struct Rule {
    std::string pass, rule, first;  // the label of the node at which it came first
  };
  GraphPtr before_;  // the root
  std::vector<Rule> rules_;
};

}  // namespace gec
