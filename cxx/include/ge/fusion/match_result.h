// MatchResult: what the nodes of a pattern stand for.
#ifndef INC_EXTERNAL_GE_FUSION_MATCH_RESULT_H_
#define INC_EXTERNAL_GE_FUSION_MATCH_RESULT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/fusion/pattern.h"
#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

/// Names nodes of the target graph: use it while the matcher and the graph live.
class MatchResult {
 public:
  explicit MatchResult(const Pattern *pattern) {
    GeMatch *made = nullptr;
    if (pattern != nullptr) (void)GeMatchCreate(pattern->handle(), &made);
    Take(made);
  }
  /// Takes over a match of the C interface.
  static std::unique_ptr<MatchResult> Adopt(GeMatch *match) {
    std::unique_ptr<MatchResult> result(new MatchResult(nullptr));
    result->Take(match);
    return result;
  }
  MatchResult(const MatchResult &other) noexcept : match_(other.match_), pattern_graph_(other.pattern_graph_) {}
  MatchResult(MatchResult &&other) noexcept
      : match_(std::move(other.match_)), pattern_graph_(std::move(other.pattern_graph_)) {}
  MatchResult &operator=(const MatchResult &other) noexcept {
    match_ = other.match_;
    pattern_graph_ = other.pattern_graph_;
    return *this;
  }
  MatchResult &operator=(MatchResult &&other) noexcept {
    match_ = std::move(other.match_);
    pattern_graph_ = std::move(other.pattern_graph_);
    return *this;
  }

  Status AppendNodeMatchPair(const NodeIo &pattern_node, const NodeIo &matched_node) {
    if (match_ == nullptr) return FAILED;
    if (match_.use_count() > 1) {  // copies share it
      GeMatch *own = nullptr;
      if (GeMatchClone(match_.get(), &own) != GE_SUCCESS) return FAILED;
      match_.reset(own, GeMatchDestroy);
    }
    const GeNodeIo from = detail::ToC(pattern_node), to = detail::ToC(matched_node);
    return detail::Coarse(GeMatchAdd(match_.get(), &from, &to));
  }
  Status GetMatchedNode(const GNode &pattern_node, GNode &matched_node) const {
    GeNode *node = nullptr;
    if (GeMatchGetNode(match_.get(), pattern_node.handle(), &node) != GE_SUCCESS) return FAILED;
    matched_node = GNode(node);
    return SUCCESS;
  }
  /// All but those behind the pattern's Data, in the order of the data flow.
  std::vector<GNode> GetMatchedNodes() const {
    size_t count = 0;
    (void)GeMatchGetNodes(match_.get(), nullptr, &count);
    std::vector<GeNode *> nodes(count);
    std::vector<GNode> matched;
    if (count == 0 || GeMatchGetNodes(match_.get(), nodes.data(), &count) != GE_SUCCESS) return matched;
    for (GeNode *node : nodes) matched.emplace_back(node);
    return matched;
  }
  /// Fails when the pattern captures fewer tensors.
  Status GetCapturedTensor(size_t capture_idx, NodeIo &node_output) const {
    GeNodeIo io{};
    if (GeMatchGetCaptured(match_.get(), capture_idx, &io) != GE_SUCCESS) return FAILED;
    node_output = detail::FromC(io);
    return SUCCESS;
  }
  const Graph &GetPatternGraph() const { return pattern_graph_; }
  std::unique_ptr<SubgraphBoundary> ToSubgraphBoundary() const { return BoundaryAccess::FromC(Boundary().get()); }
  AscendString ToAscendString() const {
    std::string text;
    auto append = [](void *user, const char *part, size_t length) {
      static_cast<std::string *>(user)->append(part, length);
    };
    (void)GeMatchDescribe(match_.get(), append, &text);
    return AscendString(text.c_str());
  }
  BoundaryAccess::Handle Boundary() const {
    GeBoundary *made = nullptr;
    (void)GeMatchCreateBoundary(match_.get(), &made);
    return BoundaryAccess::Handle(made);
  }

 private:
  void Take(GeMatch *match) {
    GeGraph *graph = nullptr;
    if (match == nullptr) return;
    match_.reset(match, GeMatchDestroy);
    (void)GeMatchRetainPatternGraph(match, &graph);
    pattern_graph_ = Graph::Adopt(graph);
  }
  std::shared_ptr<GeMatch> match_;
  Graph pattern_graph_;
};

}  // namespace fusion
}  // namespace ge

#endif
