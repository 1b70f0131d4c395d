// Replacements made before shapes are known keep the data types and shapes of what they replace.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"

namespace gec {

/// Where tensors are described, ReplaceRegion compares them at once. In the stage before inference none is. So a
/// compile keeps the graph as it was before the first replacement of that stage, infers it as well when it infers the
/// graph, and what is in both has to be the same. A stage that replaces nothing pays nothing. A pass that edits the
/// graph by hand as well may change types: what was replaced up to its end is not compared.
class ResultCheck {
 public:
  /// Lives while a part of the graph is replaced at this node. `check` may be null.
  class Replacing {
   public:
    Replacing(ResultCheck *check, const std::string &pass, const std::string &rule, const Node &at);
    ~Replacing();
    Replacing(const Replacing &) = delete;
    Replacing &operator=(const Replacing &) = delete;

   private:
    ResultCheck *const check_;
    const Graph &graph_;
    size_t edits_ = 0;
  };
  /// Around a pass of a program, within a transaction: edits of `root` so far, which EndPass compares.
  size_t BeginPass(const Graph &root);
  void EndPass(const Graph &root, size_t edits);
  /// The stage is over, and the graph was inferred with these options. Throws GE_INFER_FAILED naming passes, rules, and
  /// the tensor that differs.
  void Finish(const Graph &inferred, const InferOptions &options) const;

 private:
  void Begin(const std::string &pass, const std::string &rule, const Node &at);
  void Compare(const Graph &before, const Graph &after) const;
  void CompareTensors(const std::string &what, const TensorDesc &before, const TensorDesc &after) const;

  struct Rule {
    std::string pass, rule, first;  // the label of the node at which it came first
  };
  GraphPtr before_;      // the root
  size_t by_rules_ = 0;  // edits of the pass that runs, by replacing
  std::vector<Rule> rules_;
};

}  // namespace gec
