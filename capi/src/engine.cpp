#include "ge/engine.h"

#include "capi/src/guard.h"
#include "core/placement/registry.h"
#include "core/support/abi_sizes.h"
#include "core/support/per_thread.h"

using namespace gec;
using namespace gec::api;

namespace {

/// Entries whose texts were handed out last on this thread; they stay valid until its next call.
struct DescribedEngine {
  EngineEntryPtr entry;
  std::string libraries;
};
using Described = PerThread<DescribedEngine>;

}  // namespace

extern "C" GeStatus GeEngineLoad(const char *path, const char *options) {
  return Guard([&] {
    GE_CHECK_ARG(GeEngineLoad, path);
    EngineRegistry::Instance().Load(path, options ? options : "");
  });
}

extern "C" GeStatus GeEngineRegister(const GeEngineTable *table, const char *options) {
  return Guard([&] {
    GE_CHECK_ARG(GeEngineRegister, table);
    EngineRegistry::Instance().Register(table, options ? options : "");
  });
}

extern "C" GeStatus GeEngineUnload(const char *name) {
  return Guard([&] {
    GE_CHECK_ARG(GeEngineUnload, name);
    EngineRegistry::Instance().Unload(name);
  });
}

extern "C" size_t GeEngineCount(void) {
  return GuardValue<size_t>(0, [] { return EngineRegistry::Instance().Entries().size(); });
}

extern "C" GeStatus GeEngineAt(size_t index, GeEngineInfo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeEngineAt, out);
    WriteStruct(GeEngineInfo{}, out, "GeEngineAt");
    std::vector<EngineEntryPtr> entries = EngineRegistry::Instance().Entries();
    if (index >= entries.size()) {
      Fail(GE_PARAM_INVALID, "GeEngineAt: index is ", index, ", there are ", entries.size(), " engines");
    }
    const EngineEntry &e = *entries[index];
    DescribedEngine &kept = Described::Get() = {entries[index], e.engine ? e.engine->Libraries(false, nullptr) : ""};
    WriteStruct(GeEngineInfo{0, e.name.c_str(), e.version.c_str(), e.path.c_str(), e.cost, e.flags, e.error.c_str(),
                             kept.libraries.c_str()},
                out, "GeEngineAt");
  });
}
