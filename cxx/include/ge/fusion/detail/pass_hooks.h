// Between the virtual functions of passes and the callbacks of the C interface.
#ifndef INC_GE_FUSION_DETAIL_PASS_HOOKS_H_
#define INC_GE_FUSION_DETAIL_PASS_HOOKS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/fusion/match_result.h"
#include "ge/fusion/pattern.h"
#include "ge/fusion/pattern_matcher_config.h"
#include "ge/log.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {
namespace detail {

/// SUCCESS and NOT_CHANGED stay; what else happened is in the log and in the thread's last error.
inline Status PassStatus(GeStatus status) {
  if (status == GE_SUCCESS) return SUCCESS;
  if (status == GE_NOT_CHANGED) return NOT_CHANGED;
  GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
  return FAILED;
}

/// An exception of MeetRequirements counts as no, and the log says so.
inline bool LoggedNo(GeStatus status) {
  if (status != GE_SUCCESS)
    GeLogMessage(GE_LOG_WARNING,
                 (std::string("MeetRequirements failed, the match is left alone: ") + GeLastErrorMessage()).c_str());
  return status == GE_SUCCESS;
}

/// The library takes over a reference of its own, if there is a graph.
inline GeStatus HandOver(const GraphUniqPtr &replacement, GeGraph **out) {
  if (replacement == nullptr) return GE_SUCCESS;
  return GeGraphRetain(replacement->handle(), out);
}

// `Meets` and `Replace` take the match, or the node.
template <class Meets, class Replace>
struct Hooks {
  Meets meets;
  Replace replace;
};
template <class Meets, class Replace>
Hooks<Meets, Replace> MakeHooks(Meets meets, Replace replace) {
  return {std::move(meets), std::move(replace)};
}

template <class H>
Status RunPatterns(const GraphPtr &graph, const std::vector<PatternUniqPtr> &patterns,
                   const PatternMatcherConfig *config, CustomPassContext &context, H hooks) {
  std::vector<GePattern *> handles;
  for (const PatternUniqPtr &pattern : patterns)
    if (pattern != nullptr) handles.push_back(pattern->handle());
  struct Call {
    H hooks;
    MatchLoan loan;
  } callee{std::move(hooks), {}};
  GeFusionHooks table{};
  table.struct_size = sizeof table;
  table.user = &callee;
  table.meets = [](void *user, GeMatch *match, GePassContext *) -> int32_t {
    bool yes = false;
    return LoggedNo(::ge::detail::WithoutExceptions([&]() -> GeStatus {
             Call &self = *static_cast<Call *>(user);
             yes = self.loan.During(match, [&](const std::unique_ptr<MatchResult> &m) { return self.hooks.meets(m); });
             return GE_SUCCESS;
           })) &&
           yes;
  };
  table.replace = [](void *user, GeMatch *match, GePassContext *, GeGraph **out) -> GeStatus {
    return ::ge::detail::WithoutExceptions([&]() -> GeStatus {
      Call &self = *static_cast<Call *>(user);
      return self.loan.During(
          match, [&](const std::unique_ptr<MatchResult> &m) { return HandOver(self.hooks.replace(m), out); });
    });
  };
  const uint32_t flags = config != nullptr ? config->flags() : 0;
  GeGraph *target = graph != nullptr ? graph->handle() : nullptr;
  return PassStatus(GeGraphFuse(target, handles.data(), handles.size(), flags, &table, context.handle()));
}

template <class H>
Status RunDecomposition(const GraphPtr &graph, const std::vector<AscendString> &types, CustomPassContext &context,
                        H hooks) {
  std::vector<const char *> names;
  for (const AscendString &type : types) names.push_back(type.GetString());
  GeDecomposeHooks table{};
  table.struct_size = sizeof table;
  table.user = &hooks;
  table.meets = [](void *user, GeNode *node, GePassContext *) -> int32_t {
    bool yes = false;
    return LoggedNo(::ge::detail::WithoutExceptions([&]() -> GeStatus {
             yes = static_cast<H *>(user)->meets(GNode(node));
             return GE_SUCCESS;
           })) &&
           yes;
  };
  table.replace = [](void *user, GeNode *node, GePassContext *, GeGraph **out) -> GeStatus {
    return ::ge::detail::WithoutExceptions(
        [&]() -> GeStatus { return HandOver(static_cast<H *>(user)->replace(GNode(node)), out); });
  };
  GeGraph *target = graph != nullptr ? graph->handle() : nullptr;
  return PassStatus(GeGraphDecompose(target, names.data(), names.size(), &table, context.handle()));
}

}  // namespace detail
}  // namespace fusion
}  // namespace ge

#endif
