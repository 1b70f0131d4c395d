// The rows BUILTIN_ATTRIBUTE_FORM of the prototypes.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/ops/builtin_ops.h"

namespace gec {
namespace {

// Sorted by type; extract_table.py writes it at build time.
constexpr BuiltinAttributeForm kForms[] = {
#include "attribute_forms.inc"
};

}  // namespace

const BuiltinAttributeForm *FindBuiltinAttributeForm(const char *type) {
  const auto *form =
      std::lower_bound(std::begin(kForms), std::end(kForms), type,
                       [](const BuiltinAttributeForm &row, const char *b) { return std::strcmp(row.type, b) < 0; });
  return form != std::end(kForms) && std::strcmp(form->type, type) == 0 ? form : nullptr;
}

}  // namespace gec
