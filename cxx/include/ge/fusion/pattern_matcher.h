// PatternMatcher: the matches of a pattern in a graph, one after the other.
#ifndef INC_EXTERNAL_GE_FUSION_PATTERN_MATCHER_H_
#define INC_EXTERNAL_GE_FUSION_PATTERN_MATCHER_H_

#include <memory>
#include <utility>

#include "ge/fusion/match_result.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"
#include "ge/log.h"

namespace ge {
namespace fusion {

/// Looks at one graph, not at its subgraphs. The graph may be rewritten between two matches.
class PatternMatcher {
 public:
  PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph)
      : PatternMatcher(std::move(pattern), target_graph, nullptr) {}
  PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr &target_graph,
                 std::unique_ptr<PatternMatcherConfig> matcher_config)
      : pattern_(std::move(pattern)), target_(target_graph) {
    if (pattern_ == nullptr || target_ == nullptr) return;
    const uint32_t flags = matcher_config != nullptr ? matcher_config->flags() : 0;
    (void)GeMatcherCreate(pattern_->handle(), target_->handle(), flags, &handle_);
  }
  ~PatternMatcher() { GeMatcherDestroy(handle_); }
  PatternMatcher(const PatternMatcher &) = delete;
  PatternMatcher &operator=(const PatternMatcher &) = delete;

  /// Null when there is no more; for a pattern that cannot match anything, always.
  std::unique_ptr<MatchResult> MatchNext() {
    if (handle_ == nullptr || refused_) return nullptr;
    GeMatch *match = nullptr;
    if (GeMatcherNext(handle_, &match) != GE_SUCCESS) {
      refused_ = true;
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    }
    return match != nullptr ? MatchResult::Adopt(match) : nullptr;
  }

 private:
  std::unique_ptr<Pattern> pattern_;
  GraphPtr target_;
  GeMatcher *handle_ = nullptr;
  bool refused_ = false;
};

}  // namespace fusion
}  // namespace ge

#endif
