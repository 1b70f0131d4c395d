// One plug-in per way of going wrong; CASE picks it.
#include <cstring>
#include <stdexcept>

#include "ge/engine.h"

#define GOOD 0
#define NULL_TABLE 1
#define WRONG_ABI 2
#define SHORT_TABLE 3
#define NO_CHECK 4
#define OPEN_FAILS 5
#define OPEN_THROWS 6
#define CHECK_THROWS 7
#define CREATE_THROWS 8
#define CREATE_REFUSES 9
#define RUN_FAILS 10
#define QUERY_THROWS 11
#define NO_RUN 12
#define BAD_ALIAS 13
#define NO_SYMBOL 14
#define BAD_STATE 15
#define UNKNOWN_ALIAS 16

namespace {

const GeEngineHost *g_host = nullptr;

GeStatus Open(const GeEngineHost *host, const char *, const char *options, void **) {
  g_host = host;
  if (CASE == OPEN_FAILS) return host->fail(GE_FAILED, "no such device");
  if (CASE == OPEN_THROWS) throw std::runtime_error("open is broken");
  if (std::strcmp(options, "mode=refuse") == 0) return host->fail(GE_PARAM_INVALID, "mode=refuse");
  return GE_SUCCESS;
}

GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  if (CASE == CHECK_THROWS) throw std::runtime_error("check is broken");
  if (std::strcmp(op->type, CASE == BAD_STATE ? "ReduceSum" : "Neg") == 0) return GE_SUCCESS;
  std::strncpy(reason, "only Neg", capacity);
  return GE_UNSUPPORTED;
}

GeStatus Run(void *, const GeKernelArgs *args) {
  if (CASE == RUN_FAILS) return g_host->fail(GE_FAILED, "the device is on fire");
  *static_cast<float *>(args->outputs[0]) = 1234;
  return GE_SUCCESS;
}

const GeAlias kBadAlias = CASE == BAD_STATE       ? GeAlias{GE_ALIAS_STATE, 0, 0, 0, 0}
                          : CASE == UNKNOWN_ALIAS ? GeAlias{9, 0, 0, 0, 0}
                                                  : GeAlias{GE_ALIAS_IN_PLACE, 5, 0, 0, 0};

GeStatus Create(void *, const GeOpDesc *, const GeKernelEnv *env, GeKernel *out) {
  if (CASE == CREATE_THROWS) throw 42;
  if (CASE == CREATE_REFUSES) return env->fail(GE_UNSUPPORTED, "not in this shape");
  if (CASE != NO_RUN) out->run = &Run;
  if (CASE == BAD_ALIAS || CASE == BAD_STATE || CASE == UNKNOWN_ALIAS) {
    out->aliases = &kBadAlias;
    out->alias_count = 1;
  }
  out->implementation = "case:neg";
  return GE_SUCCESS;
}

const GeEngineTable kTable = {
    CASE == WRONG_ABI ? 77u : GE_ENGINE_ABI_VERSION,
    0,
    CASE == SHORT_TABLE ? 24 : sizeof(GeEngineTable),
    "CaseEngine",
    "case",
    0,
    GE_ENGINE_ATOMIC,
    &Open,
    nullptr,
    CASE == NO_CHECK ? nullptr : &Check,
    &Create,
    nullptr,
    nullptr,
};

}  // namespace

#if CASE != NO_SYMBOL
extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t) {
  if (CASE == QUERY_THROWS) throw std::runtime_error("query is broken");
  return CASE == NULL_TABLE ? nullptr : &kTable;
}
#else
extern "C" GE_API const void *KeepAlive() { return &kTable; }
#endif
