// Between the virtual functions of passes and the callbacks of the C interface.
#ifndef INC_GE_FUSION_DETAIL_PASS_HOOKS_H_
#define INC_GE_FUSION_DETAIL_PASS_HOOKS_H_

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>
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

/// Type and text of an exception.
inline std::string TypeAndText(const std::exception &e) {
#ifdef __cpp_rtti
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> type(abi::__cxa_demangle(typeid(e).name(), nullptr, nullptr, &status),
                                                     std::free);
  if (type != nullptr) return std::string(type.get()) + ": " + e.what();
#endif
  return e.what();
}

/// The answer of MeetRequirements, which `body` calls. An exception counts as no, and the log says so, with `where`,
/// the text of the match or the node; whoever asks why the pass does nothing (Pass::WhyNot) is told of either.
template <class Where, class Body>
int32_t Ask(GePassContext *context, Where &&where, Body &&body) {
  bool yes = false;
  const char *said = "returned false";
  std::string threw;
  const GeStatus status = ::ge::detail::WithoutExceptions([&]() -> GeStatus {
    said = "threw something that is no std::exception";
    try {
      yes = body();
    } catch (const std::exception &e) {
      threw = TypeAndText(e);
      throw;
    }
    said = "returned false";
    return GE_SUCCESS;
  });
  if (status != GE_SUCCESS) {
    const std::string reason = GeLastErrorMessage();
    GeLogMessage(GE_LOG_WARNING, (std::string("pass '") + GePassContextName(context) + "', " + where() +
                                  ": MeetRequirements failed, the match is left alone: " + reason)
                                     .c_str());
  }
  if (status == GE_SUCCESS && yes) return 1;
  if (GePassContextWantsReasons(context) == 0) return 0;
  const std::string expected = std::string("MeetRequirements of pass '") + GePassContextName(context) + "'";
  GeRefusal why{};
  why.struct_size = sizeof why;
  why.expected = expected.c_str();
  why.actual = threw.empty() ? said : threw.c_str();
  (void)GePassContextRefuse(context, &why);
  return 0;
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
  table.meets = [](void *user, GeMatch *match, GePassContext *asking) -> int32_t {
    Call &self = *static_cast<Call *>(user);
    const auto where = [&] {
      std::string text;
      const auto append = [](void *out, const char *part, size_t size) {
        static_cast<std::string *>(out)->append(part, size);
      };
      (void)GeMatchDescribe(match, append, &text);
      return text;
    };
    return Ask(asking, where, [&] {
      return self.loan.During(match, [&](const std::unique_ptr<MatchResult> &m) { return self.hooks.meets(m); });
    });
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
  table.meets = [](void *user, GeNode *node, GePassContext *asking) -> int32_t {
    const auto where = [&] { return std::string("node '") + GeNodeName(node) + "'"; };
    return Ask(asking, where, [&] { return static_cast<H *>(user)->meets(GNode(node)); });
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
