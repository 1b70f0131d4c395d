// The arithmetic operators of C++ and Python call these four names. A generated library that contains the operators
// replaces them: these are weak. The loader does not look at weakness, though. It finds these first where this library
// comes first on the link line, and in every library that a program with this one loads by dlopen, whatever that links:
// global names go before its own. Calls that arrive here are therefore led to the definition that the caller is linked
// with.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <vector>

#include "capi/src/es_builder.h"

namespace {

using Hook = EsCTensorHolder *(*)(const EsCTensorHolder *, const EsCTensorHolder *);

/// The object (program or library) that an address lies in; null where there is none.
const link_map *ObjectOf(const void *address) {
  Dl_info info;
  void *map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map *>(map) : nullptr;
}

/// A definition outside of this library, in an object and in what that is linked with.
class Search {
 public:
  explicit Search(const char *name) : name_(name), self_(ObjectOf(reinterpret_cast<const void *>(&ObjectOf))) {}

  void *In(const link_map *object) {
    if (object == nullptr || std::find(seen_.begin(), seen_.end(), object) != seen_.end()) return nullptr;
    seen_.push_back(object);
    // Loaded already: this only names it. A program has an empty name.
    void *handle = dlopen(object->l_name[0] != '\0' ? object->l_name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) {
      (void)dlerror();
      return nullptr;
    }
    void *found = dlsym(handle, name_);
    if (found == nullptr) (void)dlerror();
    // What is found first may be the stand-in of this library, before the generated one in the order of linking.
    if (found != nullptr && ObjectOf(found) == self_) found = InNeeded(*object);
    (void)dlclose(handle);
    return found;
  }

 private:
  void *InNeeded(const link_map &object) {
    const char *texts = nullptr;
    for (const ElfW(Dyn) *entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag != DT_STRTAB) continue;
      // The loader has added the base on most machines.
      const ElfW(Addr) at = entry->d_un.d_ptr;
      texts = reinterpret_cast<const char *>(at < object.l_addr ? at + object.l_addr : at);
    }
    for (const ElfW(Dyn) *entry = object.l_ld; texts != nullptr && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag != DT_NEEDED) continue;
      void *handle = dlopen(texts + entry->d_un.d_val, RTLD_LAZY | RTLD_NOLOAD);
      if (handle == nullptr) {
        (void)dlerror();
        continue;
      }
      link_map *needed = nullptr;
      void *found = dlinfo(handle, RTLD_DI_LINKMAP, &needed) == 0 && needed != self_ ? In(needed) : nullptr;
      (void)dlclose(handle);
      if (found != nullptr) return found;
    }
    return nullptr;
  }

  const char *name_;
  const link_map *self_;
  std::vector<const link_map *> seen_;
};

EsCTensorHolder *Missing(const char *name, const void *caller) {
  Dl_info info{};
  const bool known = dladdr(caller, &info) != 0 && info.dli_fname != nullptr;
  const std::string user = known ? "'" + std::string(info.dli_fname) + "'" : "code that no library holds";
  gec::api::Report(GE_UNSUPPORTED,
                   (std::string(name) + " is not linked: " + user + " uses the operator " + (name + 2) +
                    ", which neither it nor the libraries that it is linked with define: link the generated operator "
                    "library too (a shared one with --no-as-needed, a static one before this one with "
                    "--whole-archive), of the same version")
                       .c_str());
  gec::api::LogFailure(GE_UNSUPPORTED);
  return nullptr;
}

EsCTensorHolder *Forward(const char *name, const void *caller, const EsCTensorHolder *a,
                         const EsCTensorHolder *b) noexcept {
  // Asked at every call: a generated library may be unloaded and loaded again.
  const auto find = [&] {
    void *own = Search(name).In(ObjectOf(caller));
    return own != nullptr ? own : dlsym(RTLD_NEXT, name);
  };
  void *found = gec::api::GuardValue<void *>(nullptr, find, name);
  if (found != nullptr) return reinterpret_cast<Hook>(found)(a, b);
  return gec::api::GuardValue<EsCTensorHolder *>(
      nullptr, [&] { return Missing(name, caller); }, name);
}

}  // namespace

extern "C" {

// The address to return to lies in the caller, as no caller that matters ends in a jump here: see EsTensorHolder.
#define GE_HOOK(name)                                                                                      \
  GE_API __attribute__((weak)) EsCTensorHolder *name(const EsCTensorHolder *a, const EsCTensorHolder *b) { \
    return Forward(#name, __builtin_return_address(0), a, b);                                              \
  }
GE_HOOK(EsAdd)
GE_HOOK(EsSub)
GE_HOOK(EsMul)
GE_HOOK(EsDiv)
#undef GE_HOOK

}  // extern "C"
