// The arithmetic operators of C++ and Python call these four names. A generated library that contains the operators
// replaces them: these are weak. Where this library comes first on the link line, the loader finds these all the same
// (it does not look at weakness); they then lead to the definition that comes after.
#include <dlfcn.h>

#include "capi/src/es_builder.h"

namespace {

EsCTensorHolder *Missing(const char *name) {
  gec::api::Report(
      GE_UNSUPPORTED,
      (std::string(name) + " is not linked: link the generated operator library too (a shared one with "
                           "--no-as-needed, a static one before this one with --whole-archive), of the same version")
          .c_str());
  gec::api::LogFailure(GE_UNSUPPORTED);
  return nullptr;
}

using Hook = EsCTensorHolder *(*)(const EsCTensorHolder *, const EsCTensorHolder *);

EsCTensorHolder *Next(const char *name, const EsCTensorHolder *a, const EsCTensorHolder *b) noexcept {
  // Asked at every call: a generated library may be unloaded and loaded again.
  if (auto next = reinterpret_cast<Hook>(dlsym(RTLD_NEXT, name))) return next(a, b);
  return gec::api::GuardValue<EsCTensorHolder *>(nullptr, [&] { return Missing(name); });
}

}  // namespace

extern "C" {

#define GE_HOOK(name)                                                                                      \
  GE_API __attribute__((weak)) EsCTensorHolder *name(const EsCTensorHolder *a, const EsCTensorHolder *b) { \
    return Next(#name, a, b);                                                                              \
  }
GE_HOOK(EsAdd)
GE_HOOK(EsSub)
GE_HOOK(EsMul)
GE_HOOK(EsDiv)
#undef GE_HOOK

}  // extern "C"
