#include "capi/src/guard.h"
#include "engines/manager/registry.h"
#include "ge/engine.h"

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeEngineCheck(const char *name, const GeOpDesc *op) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GeEngineCheck, name);
    GE_CHECK_ARG(GeEngineCheck, op);
    for (const EnginePtr &engine : EngineRegistry::Instance().Engines()) {
      if (engine->name() != name) continue;
      std::string reason;
      if (engine->Check(*op, &reason)) return GE_SUCCESS;
      return Report(GE_UNSUPPORTED, reason.c_str());
    }
    Fail(GE_NOT_FOUND, "no usable engine is called '", name, "'");
  });
}
