#include "ge/op.h"

#include "capi/src/guard.h"
#include "core/ops/registry.h"

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeOpRegister(const GeOpSchema *schema, GeInferFn infer) {
  return Guard([&] {
    GE_CHECK_ARG(GeOpRegister, schema);
    OpRegistry::Instance().Register(schema, infer);
  });
}

GeStatus GeOpFind(const char *type, const GeOpSchema **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeOpFind, out);
    *out = nullptr;
    GE_CHECK_ARG(GeOpFind, type);
    *out = OpRegistry::Instance().Get(type)->schema;
  });
}

size_t GeOpCount(void) {
  return GuardValue<size_t>(0, [] { return OpRegistry::Instance().size(); });
}

const GeOpSchema *GeOpAt(size_t index) {
  return GuardValue<const GeOpSchema *>(nullptr, [&]() -> const GeOpSchema * {
    const IrDef *ir = OpRegistry::Instance().At(index);
    return ir ? ir->schema : nullptr;
  });
}

}  // extern "C"
