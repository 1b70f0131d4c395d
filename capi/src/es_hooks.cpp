// The arithmetic operators of C++ and Python call these four names. A generated library that contains the operators
// replaces them: these are weak and only say what is missing.
#include "capi/src/es_builder.h"

namespace {

EsCTensorHolder *Missing(const char *name) {
  gec::api::Report(
      GE_UNSUPPORTED,
      (std::string(name) + " is not linked: link the generated operator library before this one (a shared one with "
                           "--no-as-needed, a static one with --whole-archive), of the same version")
          .c_str());
  gec::api::LogFailure(GE_UNSUPPORTED);
  return nullptr;
}

EsCTensorHolder *SafeMissing(const char *name) noexcept {
  return gec::api::GuardValue<EsCTensorHolder *>(nullptr, [&] { return Missing(name); });
}

}  // namespace

extern "C" {

#define GE_HOOK(name)                                                                                    \
  GE_API __attribute__((weak)) EsCTensorHolder *name(const EsCTensorHolder *, const EsCTensorHolder *) { \
    return SafeMissing(#name);                                                                           \
  }
GE_HOOK(EsAdd)
GE_HOOK(EsSub)
GE_HOOK(EsMul)
GE_HOOK(EsDiv)
#undef GE_HOOK

}  // extern "C"
