// Scope fusion: what passes make of a graph's nodes before they are translated.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parsers/scope_fusion.h"
#include "parsers/tensorflow/graph_def.h"
#include "parsers/tensorflow/importer.h"

namespace gec::tensorflow {

/// A node that a pass made.
struct FusedNode {
  std::string type;
  const Node *made = nullptr;  // null: whoever registered for `type` tells what it is
  std::vector<size_t> ports;   // the input of the operator that each input of the NodeDef feeds
  FrontNodes from;             // what it stands for
  std::string pass, scope;
};

class Fusions {
 public:
  using RefuseFn = std::function<void(std::string detail)>;
  /// `nodes` must outlive it.
  explicit Fusions(const std::vector<NodeDef> &nodes) : original_(nodes) {}
  Fusions(const Fusions &) = delete;
  Fusions &operator=(const Fusions &) = delete;

  /// Asks the passes; what they do wrong goes to `refuse`. False when nothing changes.
  bool Run(const ParserOptions &options, const RefuseFn &refuse);
  /// The graph's nodes then. Replaced ones stay for new ones that read them.
  const std::vector<NodeDef> &nodes() const { return nodes_; }
  /// Null for one of the file.
  const FusedNode *Find(std::string_view node) const;
  /// True when another node stands for it.
  bool Replaced(std::string_view node) const { return Find(node) == nullptr && replaced_.count(node) != 0; }
  /// The problem of the node's inputs; null when there is none.
  const std::string *Problem(std::string_view node) const;
  /// Where the value "node:port" of a replaced node is now; none when nothing stands for it.
  std::optional<std::string_view> Now(std::string_view node, int64_t port) const;

 private:
  struct Fusion {
    std::string pass, scope;
    std::vector<std::string_view> made;      // names
    std::vector<std::string_view> controls;  // inputs of the new nodes
    size_t after = 0;                        // the last node replaced
    std::vector<NodeDef> nodes;
  };
  void Describe();
  void Take(const ScopePass &pass, const ScopeReplacement &given);
  void Rewrite(NodeDef &node, size_t group);
  std::string_view Keep(std::string text);

  const std::vector<NodeDef> &original_;
  std::vector<NodeDef> nodes_;
  std::unordered_map<std::string_view, size_t> by_name_;  // in original_
  std::deque<FrontNode> front_;                           // beside original_
  std::deque<std::string> texts_;
  std::vector<GraphPtr> graphs_;  // of what passes made
  std::deque<Fusion> fusions_;
  std::unordered_map<std::string_view, size_t> replaced_;  // node → fusion + 1
  std::unordered_map<std::string_view, FusedNode> fused_;
  std::unordered_map<std::string_view, std::string_view> outputs_;  // "node:port" → its reference now
  std::unordered_map<std::string_view, std::string> problems_;
};

}  // namespace gec::tensorflow
