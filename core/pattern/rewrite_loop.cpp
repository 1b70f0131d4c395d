#include "core/pattern/rewrite_loop.h"

#include <algorithm>
#include <unordered_map>

#include "core/pattern/node_stream.h"
#include "core/support/error.h"

namespace gec {
namespace {

class Loop {
 public:
  Loop(Graph &graph, const RewritePolicy &policy, std::string_view pass)
      : graph_(graph), policy_(policy), pass_(pass) {}

  int64_t Run(const std::vector<LoopRule *> &rules) {
    for (int round = 0; round < policy_.rounds; ++round) {
      const int64_t before = count_;
      if (policy_.cascade) {
        for (LoopRule *rule : rules) Sweep({rule});
      } else {
        Sweep(rules);
      }
      if (count_ == before) break;
    }
    return count_;
  }

 private:
  /// Over the graph with these rules.
  void Sweep(const std::vector<LoopRule *> &rules) {
    by_type_.clear();
    std::vector<Symbol> types;
    for (LoopRule *rule : rules) {
      for (Symbol type : rule->Types()) {
        std::vector<LoopRule *> &at = by_type_[type];
        if (at.empty()) types.push_back(type);
        if (std::find(at.begin(), at.end(), rule) == at.end()) at.push_back(rule);
      }
    }
    if (std::none_of(types.begin(), types.end(), [&](Symbol type) { return graph_.Has(type); })) return;
    NodeStream nodes;
    nodes.Start(graph_, std::move(types), policy_.cascade ? TypeIndex::Of(graph_) : TypeIndex::Fresh(graph_));
    if (!policy_.cascade) nodes.Close();
    while (Node *node = nodes.Next()) {
      if (rules.size() == 1) {
        nodes.Rewrites(Try(*rules.front(), node));
        continue;
      }
      for (LoopRule *rule : by_type_.find(node->type())->second) {
        if (node->removed()) break;
        Try(*rule, node);
      }
    }
  }

  bool Try(LoopRule &rule, Node *node) {
    if (!rule.Try(node)) return false;
    if (++count_ > policy_.max_rewrites)
      Fail(GE_FAILED, "rule '", rule.name(), "'", pass_.empty() ? "" : Str(" of pass '", pass_, "'"), ": ", count_,
           " rewrites in one pass, allowed: ", policy_.max_rewrites,
           " (passes.max_rewrites); does the rule match what it makes?");
    return true;
  }

  Graph &graph_;
  const RewritePolicy policy_;
  const std::string_view pass_;
  int64_t count_ = 0;
  std::unordered_map<Symbol, std::vector<LoopRule *>> by_type_;
};

}  // namespace

int64_t RunRewrites(Graph &graph, const std::vector<LoopRule *> &rules, const RewritePolicy &policy,
                    std::string_view pass) {
  return Loop(graph, policy, pass).Run(rules);
}

}  // namespace gec
