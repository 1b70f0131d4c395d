// PatternFusionPass: patterns and what to put in the place of their matches.
#ifndef INC_EXTERNAL_GE_FUSION_PASS_PATTERN_FUSION_PASS_H_
#define INC_EXTERNAL_GE_FUSION_PASS_PATTERN_FUSION_PASS_H_

#include <memory>
#include <utility>
#include <vector>

#include "ge/fusion/detail/pass_hooks.h"
#include "ge/fusion/match_result.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"

namespace ge {
namespace fusion {

class PatternFusionPass : public FusionBasePass {
 public:
  PatternFusionPass() = default;
  explicit PatternFusionPass(std::unique_ptr<PatternMatcherConfig> match_config) : config_(std::move(match_config)) {}

  Status Run(GraphPtr &graph, CustomPassContext &pass_context) override {
    const std::vector<PatternUniqPtr> patterns = Patterns();
    return detail::RunPatterns(
        graph, patterns, config_.get(), pass_context,
        detail::MakeHooks([this](const std::unique_ptr<MatchResult> &match) { return MeetRequirements(match); },
                          [this](const std::unique_ptr<MatchResult> &match) { return Replacement(match); }));
  }

 protected:
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  /// False leaves the match alone.
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result) {
    (void)match_result;
    return true;
  }
  /// Null fails the pass, and the compile.
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match_result) = 0;

 private:
  std::unique_ptr<PatternMatcherConfig> config_;
};

/// The same, with the context for the hooks.
class PatternFusionPassV2 : public FusionBasePass {
 public:
  PatternFusionPassV2() = default;
  explicit PatternFusionPassV2(std::unique_ptr<PatternMatcherConfig> match_config) : config_(std::move(match_config)) {}

  Status Run(GraphPtr &graph, CustomPassContext &pass_context) override {
    const std::vector<PatternUniqPtr> patterns = Patterns();
    CustomPassContext *context = &pass_context;
    return detail::RunPatterns(
        graph, patterns, config_.get(), pass_context,
        detail::MakeHooks(
            [this, context](const std::unique_ptr<MatchResult> &match) { return MeetRequirements(match, *context); },
            [this, context](const std::unique_ptr<MatchResult> &match) { return Replacement(match, *context); }));
  }

 protected:
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult> &match_result, CustomPassContext &pass_context) {
    (void)match_result;
    (void)pass_context;
    return true;
  }
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &match_result,
                                   CustomPassContext &pass_context) = 0;

 private:
  std::unique_ptr<PatternMatcherConfig> config_;
};

}  // namespace fusion
}  // namespace ge

#endif
