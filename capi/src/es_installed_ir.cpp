// In libge.so the builder's own nodes follow the prototypes registered here. libesb.a has the same ones as data
// instead: capi/esb/installed_ir.cpp.
#include "capi/src/es_builder.h"
#include "core/ops/registry.h"

namespace gec::api {

const IrDef *InstalledIr(std::string_view type) {
  const OpEntry *entry = OpRegistry::Instance().Find(Symbol(type));
  return entry ? entry->ir : nullptr;
}

}  // namespace gec::api
