// REGISTER_SCOPE_FUSION_PASS: passes that replace name scopes of a TensorFlow graph while it is imported.
//
//   class GeluPass : public ge::ScopeBasePass { … };
//   REGISTER_SCOPE_FUSION_PASS("GeluPass", GeluPass, false);   // false: only where enable_scope_fusion_passes names it
#ifndef EXTERNAL_REGISTER_SCOPE_SCOPE_FUSION_PASS_REGISTER_H_
#define EXTERNAL_REGISTER_SCOPE_SCOPE_FUSION_PASS_REGISTER_H_

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ge/log.h"
#include "register/detail/scope_run.h"

namespace ge {

/// Registers a pass until it is gone itself: with the program or the library that holds it.
class ScopeFusionPassRegistrar {
 public:
  using CreateFn = ScopeBasePass *(*)();
  ScopeFusionPassRegistrar(const char_t *pass_name, CreateFn create_fn, bool is_general)
      : token_(Register(pass_name, create_fn, is_general)) {}
  ScopeFusionPassRegistrar(const ScopeFusionPassRegistrar &) = delete;
  ScopeFusionPassRegistrar &operator=(const ScopeFusionPassRegistrar &) = delete;
  ~ScopeFusionPassRegistrar() { GeScopeFusionUnregister(token_); }

 private:
  static GeStatus Run(void *user, const GeFrontNode *const *nodes, size_t count, GeGraph *scratch,
                      GeStatus (*replace)(void *, const GeScopeFusion *), void *sink) noexcept {
    try {
      const std::unique_ptr<ScopeBasePass> pass(
          ScopeBasePass::Query("its constructor", [user] { return (*static_cast<CreateFn *>(user))(); }));
      if (!pass) return GeSetLastError(GE_FAILED, "no object of the pass could be made");
      return pass->Run(nodes, count, scratch, replace, sink);
    } catch (const detail::ScopeProblem &problem) {
      return GeSetLastError(GE_FAILED, problem.text.c_str());
    } catch (const std::bad_alloc &) {
      return GE_OUT_OF_MEMORY;
    } catch (const std::exception &e) {
      return GeSetLastError(GE_FAILED, e.what());
    } catch (...) {
      return GeSetLastError(GE_FAILED, "it threw what is no std::exception");
    }
  }

  static uint64_t Register(const char_t *name, CreateFn create, bool general) {
    if (name == nullptr || create == nullptr) {
      GeLogMessage(GE_LOG_ERROR, "a scope fusion pass has no name or no function that makes it");
      return 0;
    }
    GeScopePass pass{};
    pass.struct_size = sizeof pass;
    pass.name = name;
    pass.general = general ? 1 : 0;
    pass.run = &Run;
    pass.destroy = [](void *user) { delete static_cast<CreateFn *>(user); };
    pass.user = new CreateFn(create);
    uint64_t token = 0;
    if (GeScopePassRegister(&pass, &token) != GE_SUCCESS) {
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
      GeClearLastError();
    }
    return token;
  }
  uint64_t token_;
};

/// Registration by function; what is registered stays until the program or the library ends.
class ScopeFusionPassRegistry {
 public:
  using CreateFn = ScopeBasePass *(*)();
  ScopeFusionPassRegistry(const ScopeFusionPassRegistry &) = delete;
  ScopeFusionPassRegistry &operator=(const ScopeFusionPassRegistry &) = delete;
  ~ScopeFusionPassRegistry() = default;
  // Hidden: each library has one of its own, which goes with it.
  __attribute__((visibility("hidden"))) static ScopeFusionPassRegistry &GetInstance() {
    static ScopeFusionPassRegistry registry;
    return registry;
  }
  void RegisterScopeFusionPass(const std::string &pass_name, CreateFn create_fn, bool is_general) {
    RegisterScopeFusionPass(pass_name.c_str(), create_fn, is_general);
  }
  void RegisterScopeFusionPass(const char_t *pass_name, CreateFn create_fn, bool is_general) {
    auto made = std::make_unique<ScopeFusionPassRegistrar>(pass_name, create_fn, is_general);
    detail::Lock lock(mutex_);
    registrars_.push_back(std::move(made));
  }

 private:
  ScopeFusionPassRegistry() = default;
  detail::Mutex mutex_;
  std::vector<std::unique_ptr<ScopeFusionPassRegistrar>> registrars_;
};

}  // namespace ge

#define REGISTER_SCOPE_FUSION_PASS(pass_name, scope_pass, is_general) \
  REGISTER_SCOPE_FUSION_PASS_UNIQ_HELPER(__COUNTER__, pass_name, scope_pass, is_general)
#define REGISTER_SCOPE_FUSION_PASS_UNIQ_HELPER(ctr, pass_name, scope_pass, is_general) \
  REGISTER_SCOPE_FUSION_PASS_UNIQ(ctr, pass_name, scope_pass, is_general)
#define REGISTER_SCOPE_FUSION_PASS_UNIQ(ctr, pass_name, scope_pass, is_general)                      \
  static ::ge::ScopeFusionPassRegistrar register_scope_fusion_pass##ctr __attribute__((unused)) {    \
    pass_name, []() -> ::ge::ScopeBasePass * { return new (std::nothrow) scope_pass(); }, is_general \
  }

#endif
