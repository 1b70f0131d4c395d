// Plain data by kind and name, and warnings that wait for a program to ask.
#include "ge/registry.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "capi/src/guard.h"
#include "core/support/warnings.h"

using namespace gec;
using namespace gec::api;

namespace {

struct alignas(std::max_align_t) Value {
  std::array<unsigned char, GE_REGISTRY_VALUE_BYTES> bytes{};
};

/// An object that outlives every static object that may use it; making it takes no memory.
template <class T>
T &Lasting() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T *const object = new (place) T;
  return *object;
}

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, std::unique_ptr<Value>, std::less<>>, std::less<>> kinds;

  static Registry &Instance() { return Lasting<Registry>(); }
  Value *Find(const char *kind, const char *name) {
    auto of_kind = kinds.find(kind);
    if (of_kind == kinds.end()) return nullptr;
    auto found = of_kind->second.find(name);
    return found == of_kind->second.end() ? nullptr : found->second.get();
  }
  Value &Get(const char *kind, const char *name) {
    if (Value *found = Find(kind, name)) return *found;
    auto value = std::make_unique<Value>();
    return *kinds[kind].emplace(name, std::move(value)).first->second;
  }
};

}  // namespace

extern "C" {

GeStatus GeRegistryChange(const char *kind, const char *name, GeRegistryEdit edit, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeRegistryChange, kind);
    GE_CHECK_ARG(GeRegistryChange, name);
    GE_CHECK_ARG(GeRegistryChange, edit);
    Registry &registry = Registry::Instance();
    std::lock_guard lock(registry.mutex);
    edit(user, registry.Get(kind, name).bytes.data());
  });
}

GeStatus GeRegistryRead(const char *kind, const char *name, void *value, size_t size) {
  return Guard([&] {
    GE_CHECK_ARG(GeRegistryRead, kind);
    GE_CHECK_ARG(GeRegistryRead, name);
    GE_CHECK_ARG(GeRegistryRead, value);
    if (size > GE_REGISTRY_VALUE_BYTES)
      Fail(GE_PARAM_INVALID, "GeRegistryRead: size is ", size, ", a value has ", GE_REGISTRY_VALUE_BYTES, " bytes");
    Registry &registry = Registry::Instance();
    std::lock_guard lock(registry.mutex);
    if (const Value *found = registry.Find(kind, name)) std::memcpy(value, found->bytes.data(), size);
    else std::memset(value, 0, size);
  });
}

GeStatus GeRegistryFind(const char *kind, const char *name, const void **value) {
  return Guard([&] {
    GE_CHECK_ARG(GeRegistryFind, value);
    *value = nullptr;
    GE_CHECK_ARG(GeRegistryFind, kind);
    GE_CHECK_ARG(GeRegistryFind, name);
    Registry &registry = Registry::Instance();
    std::lock_guard lock(registry.mutex);
    if (const Value *found = registry.Find(kind, name)) *value = found->bytes.data();
  });
}

GeStatus GeWarningAdd(const char *line) {
  return Guard([&] {
    GE_CHECK_ARG(GeWarningAdd, line);
    Warn(line);
  });
}

GeStatus GeWarningsTake(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeWarningsTake, write);
    const std::string text = TakeWarnings();
    if (!text.empty()) write(user, text.data(), text.size());
  });
}
}
