#include "ge/op.h"

#include "capi/src/guard.h"
#include "core/ops/registry.h"
#include "core/ops/traits.h"

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

GeStatus GeOpSetTraits(const char *type, const GeOpTraits *traits) {
  return Guard([&] {
    GE_CHECK_ARG(GeOpSetTraits, type);
    GE_CHECK_ARG(GeOpSetTraits, traits);
    if (!*type) Fail(GE_PARAM_INVALID, "GeOpSetTraits: the operator type is empty");
    DeclareTraits(type, *traits);
  });
}

GeStatus GeOpFindTraits(const char *type, const GeOpTraits **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeOpFindTraits, out);
    *out = nullptr;
    GE_CHECK_ARG(GeOpFindTraits, type);
    const GeOpTraits *traits = TraitsOfType(type);
    if (!traits) OpRegistry::Instance().Get(type);  // throws for a type that nobody knows
    *out = traits ? traits : &kUnknownTraits;
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
