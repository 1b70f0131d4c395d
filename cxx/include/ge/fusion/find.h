// Find: the matches of a pattern, for a loop.
#ifndef INC_GE_FUSION_FIND_H_
#define INC_GE_FUSION_FIND_H_

#include <iterator>
#include <memory>
#include <utility>

#include "ge/fusion/match_result.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"
#include "ge/log.h"

namespace ge {
namespace fusion {

/// One walk over the matches: begin() goes on where the last one stopped. The graph may be rewritten meanwhile.
class MatchRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = MatchResult;
    using difference_type = std::ptrdiff_t;
    using pointer = const MatchResult *;
    using reference = const MatchResult &;

    Iterator() = default;
    explicit Iterator(MatchRange *range) : range_(range) { ++*this; }
    reference operator*() const { return *match_; }
    pointer operator->() const { return match_.get(); }
    Iterator &operator++() {
      match_ = range_->Next();
      if (match_ == nullptr) range_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator &a, const Iterator &b) { return a.range_ == b.range_; }
    friend bool operator!=(const Iterator &a, const Iterator &b) { return a.range_ != b.range_; }

   private:
    MatchRange *range_ = nullptr;
    std::shared_ptr<MatchResult> match_;
  };

  MatchRange(const Pattern &pattern, const Graph &graph, uint32_t flags) {
    GeMatcher *made = nullptr;
    if (GeMatcherCreate(pattern.handle(), graph.handle(), flags, &made) != GE_SUCCESS) Refused();
    matcher_.reset(made, GeMatcherDestroy);
  }
  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(); }
  /// A pattern that cannot match anything was refused; the log says why.
  Status status() const { return status_; }

 private:
  std::shared_ptr<MatchResult> Next() {
    GeMatch *match = nullptr;
    if (status_ != SUCCESS) return nullptr;
    if (GeMatcherNext(matcher_.get(), &match) != GE_SUCCESS) Refused();
    return match != nullptr ? std::shared_ptr<MatchResult>(MatchResult::Adopt(match)) : nullptr;
  }
  void Refused() {
    status_ = FAILED;
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
  }
  std::shared_ptr<GeMatcher> matcher_;
  Status status_ = SUCCESS;
};

/// The matches of `pattern` in `graph`, not in its subgraphs, each found when the loop comes to it.
inline MatchRange Find(const Pattern &pattern, const Graph &graph, const PatternMatcherConfig *config = nullptr) {
  return MatchRange(pattern, graph, config != nullptr ? config->flags() : 0);
}

}  // namespace fusion
}  // namespace ge

#endif
