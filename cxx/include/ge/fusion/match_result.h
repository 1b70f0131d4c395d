// MatchResult: what the nodes of a pattern stand for.
#ifndef INC_EXTERNAL_GE_FUSION_MATCH_RESULT_H_
#define INC_EXTERNAL_GE_FUSION_MATCH_RESULT_H_

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ge/fusion/pattern.h"
#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

namespace detail {
class MatchLoan;
}

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
  MatchResult(const MatchResult &other) noexcept { *this = other; }
  MatchResult(MatchResult &&other) noexcept { *this = std::move(other); }
  MatchResult &operator=(const MatchResult &other) noexcept {
    if (this == &other) return *this;
    lent_ = nullptr;
    match_ = other.match_;
    pattern_graph_ = other.pattern_graph_;
    if (other.lent_ != nullptr) TakeCopyOf(other.lent_);
    return *this;
  }
  MatchResult &operator=(MatchResult &&other) noexcept {
    if (other.lent_ != nullptr) return *this = static_cast<const MatchResult &>(other);
    lent_ = nullptr;
    match_ = std::move(other.match_);
    pattern_graph_ = std::move(other.pattern_graph_);
    return *this;
  }

  Status AppendNodeMatchPair(const NodeIo &pattern_node, const NodeIo &matched_node) {
    if (handle() == nullptr) return FAILED;
    // Copies share it, and what is lent stays as it is.
    if ((lent_ != nullptr || match_.use_count() > 1) && !TakeCopyOf(handle())) return FAILED;
    const GeNodeIo from = detail::ToC(pattern_node), to = detail::ToC(matched_node);
    return detail::Coarse(GeMatchAdd(match_.get(), &from, &to));
  }
  Status GetMatchedNode(const GNode &pattern_node, GNode &matched_node) const {
    GeNode *node = nullptr;
    if (GeMatchGetNode(handle(), pattern_node.handle(), &node) != GE_SUCCESS) return FAILED;
    matched_node = GNode(node);
    return SUCCESS;
  }
  /// All but those behind the pattern's Data, in the order of the data flow.
  std::vector<GNode> GetMatchedNodes() const {
    size_t count = 0;
    (void)GeMatchGetNodes(handle(), nullptr, &count);
    std::vector<GeNode *> nodes(count);
    std::vector<GNode> matched;
    if (count == 0 || GeMatchGetNodes(handle(), nodes.data(), &count) != GE_SUCCESS) return matched;
    for (GeNode *node : nodes) matched.emplace_back(node);
    return matched;
  }
  /// Fails when the pattern captures fewer tensors.
  Status GetCapturedTensor(size_t capture_idx, NodeIo &node_output) const {
    GeNodeIo io{};
    if (GeMatchGetCaptured(handle(), capture_idx, &io) != GE_SUCCESS) return FAILED;
    node_output = detail::FromC(io);
    return SUCCESS;
  }
  const Graph &GetPatternGraph() const {
    // Few ask: a match in a hook does not fetch it beforehand. Not for several threads at once.
    if (pattern_graph_.handle() == nullptr && handle() != nullptr) {
      GeGraph *graph = nullptr;
      (void)GeMatchRetainPatternGraph(handle(), &graph);
      pattern_graph_ = Graph::Adopt(graph);
    }
    return pattern_graph_;
  }
  std::unique_ptr<SubgraphBoundary> ToSubgraphBoundary() const { return BoundaryAccess::FromC(Boundary().get()); }
  AscendString ToAscendString() const {
    std::string text;
    auto append = [](void *user, const char *part, size_t length) {
      static_cast<std::string *>(user)->append(part, length);
    };
    (void)GeMatchDescribe(handle(), append, &text);
    return AscendString(text.c_str());
  }
  BoundaryAccess::Handle Boundary() const {
    GeBoundary *made = nullptr;
    (void)GeMatchCreateBoundary(handle(), &made);
    return BoundaryAccess::Handle(made);
  }

 private:
  friend class detail::MatchLoan;
  GeMatch *handle() const { return lent_ != nullptr ? lent_ : match_.get(); }
  void Take(GeMatch *match) {
    if (match != nullptr) match_.reset(match, GeMatchDestroy);
  }
  /// False, with the reason in the thread's last error, when there is no memory for it.
  bool TakeCopyOf(GeMatch *match) noexcept {
    GeMatch *copy = nullptr;
    if (GeMatchClone(match, &copy) != GE_SUCCESS) return false;
    try {
      match_.reset(copy, GeMatchDestroy);  // destroys the copy where it fails
    } catch (const std::bad_alloc &) {
      return false;
    }
    lent_ = nullptr;
    return true;
  }
  std::shared_ptr<GeMatch> match_;
  GeMatch *lent_ = nullptr;  // by the library, for the call of a hook; then `match_` is empty
  mutable Graph pattern_graph_;
};

namespace detail {

/// One result that shows a hook the library's own match, one after the other. Who copies the result gets a match of
/// his own.
class MatchLoan {
 public:
  template <class Call>
  auto During(GeMatch *match, Call call) -> decltype(call(std::declval<const std::unique_ptr<MatchResult> &>())) {
    struct Return {
      MatchResult &result;
      ~Return() {
        result.lent_ = nullptr;
        result.match_.reset();  // what a hook added pairs to
        if (result.pattern_graph_.handle() != nullptr) result.pattern_graph_ = Graph::Adopt(nullptr);
      }
    } at_end{*result_};
    result_->lent_ = match;
    return call(static_cast<const std::unique_ptr<MatchResult> &>(result_));
  }

 private:
  std::unique_ptr<MatchResult> result_{new MatchResult(nullptr)};
};

}  // namespace detail

}  // namespace fusion
}  // namespace ge

#endif
