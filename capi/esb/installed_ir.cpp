// The prototypes of the builder's own nodes, frozen when libesb.a was built: written by write_installed_ir from what
// libge.so registers, so that both make the same graphs.
#include <array>

#include "capi/src/es_builder.h"

namespace {
#include "installed_ir.inc"
}  // namespace

namespace gec::api {

const IrDef *InstalledIr(std::string_view type) {
  for (const GeOpSchema &schema : kInstalled) {
    if (type == schema.type) return InternSchema(&schema);
  }
  return nullptr;
}

}  // namespace gec::api
