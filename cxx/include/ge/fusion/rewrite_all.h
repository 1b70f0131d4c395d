// RewriteAll: rules whose replacement is a graph that is given once.
#ifndef INC_GE_FUSION_REWRITE_ALL_H_
#define INC_GE_FUSION_REWRITE_ALL_H_

#include <cstdint>
#include <vector>

#include "ge/fusion/detail/pass_hooks.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"

namespace ge {
namespace fusion {

/// Both are borrowed. A dry run needs no replacement.
struct RewriteRule {
  const Pattern *pattern = nullptr;
  const Graph *replacement = nullptr;
};

struct RewriteOptions {
  const PatternMatcherConfig *config = nullptr;
  bool dry_run = false;      // matches are counted, nothing is replaced
  int64_t max_rewrites = 0;  // more of them fail; 0: 1000000
};

struct RewriteCounts {
  int64_t tried = 0;     // matches
  int64_t applied = 0;   // of them replaced
  int64_t declined = 0;  // of them left alone, because a cycle would arise
};

/// Replaces the matches of each rule in turn, in one graph, not in its subgraphs. Within a pass give its context, so
/// that the rewrites count as the pass's. After a failure the graph is as before.
inline Status RewriteAll(Graph &graph, const std::vector<RewriteRule> &rules,
                         const RewriteOptions &options = RewriteOptions(), RewriteCounts *counts = nullptr,
                         CustomPassContext *context = nullptr) {
  std::vector<GePattern *> patterns;
  std::vector<const GeGraph *> replacements;
  for (const RewriteRule &rule : rules) {
    patterns.push_back(rule.pattern != nullptr ? rule.pattern->handle() : nullptr);
    replacements.push_back(rule.replacement != nullptr ? rule.replacement->handle() : nullptr);
  }
  GeRewriteOptions wanted{};
  wanted.struct_size = sizeof wanted;
  wanted.match_flags = options.config != nullptr ? options.config->flags() : 0;
  wanted.dry_run = options.dry_run ? 1 : 0;
  wanted.max_rewrites = options.max_rewrites;
  GeRewriteCounts done{};
  done.struct_size = sizeof done;
  const GeStatus status = GeGraphRewrite(graph.handle(), patterns.data(), replacements.data(), rules.size(), &wanted,
                                         nullptr, context != nullptr ? context->handle() : nullptr, &done);
  if (counts != nullptr) {
    counts->tried = done.tried;
    counts->applied = done.applied;
    counts->declined = done.declined;
  }
  return detail::PassStatus(status);
}

}  // namespace fusion
}  // namespace ge

#endif
