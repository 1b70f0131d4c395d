// The plug-in's entry point, apart from the engine so that a static program can hold several engines.
#include "ge/engine.h"

extern "C" {

const GeEngineTable *GeHostCpuEngineTable(void);

GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? GeHostCpuEngineTable() : nullptr;
}
}
