// The services of this process for engines.
#include <dlfcn.h>

#include "core/placement/registry.h"
#include "core/support/log.h"

namespace gec {
namespace {

void *FindFunction(const char *name) {
  // The library may have been loaded without making its symbols global, so it is asked itself first.
  static void *self = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void *>(&EngineHost), &info) == 0 || info.dli_fname == nullptr)
      return static_cast<void *>(nullptr);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  if (name == nullptr || name[0] != 'G' || name[1] != 'e') return nullptr;  // the C ABI only
  if (void *found = self ? dlsym(self, name) : nullptr) return found;
  return dlsym(RTLD_DEFAULT, name);
}

void Message(int32_t level, const char *message) {
  if (LogEnabled(level)) LogText(level, message ? message : "");
}

GeStatus FillConstant(const void *data) {
  try {
    if (const std::shared_ptr<Buffer> buffer = Buffer::DeferredAt(data)) buffer->data();
    return GE_SUCCESS;
  } catch (const Error &e) {
    return e.code();
  } catch (const std::exception &) {
    return GE_OUT_OF_MEMORY;
  }
}

}  // namespace

const GeEngineHost *EngineHost() {
  static const GeEngineHost host = {
      sizeof(GeEngineHost), GE_ENGINE_ABI_VERSION, 0, &EngineFail, &Message, &FindFunction,
      HostFeatures(),       &FillConstant};
  return &host;
}

}  // namespace gec
