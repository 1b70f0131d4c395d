#include "protos/table/prototypes.h"

#include <algorithm>
#include <cstring>
#include <iterator>

// The table's own graph/operator_reg.h comes first on the include path of this file.
#include "protos/table/elementwise_traits.h"
#include "prototype_headers.inc"

namespace gec {
namespace {

struct Prototype {
  const char *type, *family, *brief;
  void (*declare)(PrototypeBuilder &);
  const GeOpTraits *traits;  // null: no row
};

// One row per REG_OP of the headers above, sorted by type; extract_table.py writes rows and list of headers at build
// time. A declaration without a row is an unused function and does not compile.
#pragma GCC diagnostic error "-Wunused-function"
#define GE_PROTOTYPE(type, family, brief, traits) {#type, family, brief, &ge::Declare_##type, traits},
constexpr Prototype kTable[] = {
#include "prototype_table.inc"
};
#undef GE_PROTOTYPE

constexpr GeOpTraits kWrites = {sizeof(GeOpTraits), GE_TRAIT_EFFECT, GE_CONTROL_FLOW_NONE, 0};

/// An output with the name of an input is that input, written over: GE's convention for references.
bool WritesItsInput(const GeOpSchema &schema) {
  return std::any_of(schema.outputs, schema.outputs + schema.output_count, [&](const GeIrPort &output) {
    return std::any_of(schema.inputs, schema.inputs + schema.input_count,
                       [&](const GeIrPort &input) { return std::strcmp(input.name, output.name) == 0; });
  });
}

void Visit(const Prototype &row, const PrototypeVisitor &visit) {
  PrototypeBuilder builder;
  row.declare(builder);
  builder.SetFamily(row.family);
  builder.SetBrief(row.brief);
  GeOpSchema schema = builder.Schema();
  if (row.traits) schema.traits = row.traits;
  else schema.traits = WritesItsInput(schema) ? &kWrites : &ElementwiseTraits(row.type);
  visit(schema);
}

}  // namespace

size_t BuiltinPrototypeCount() { return std::size(kTable); }

const char *BuiltinPrototypeType(size_t index) { return kTable[index].type; }

bool VisitBuiltinPrototype(const char *type, const PrototypeVisitor &visit) {
  const Prototype *row = std::lower_bound(std::begin(kTable), std::end(kTable), type,
                                          [](const Prototype &a, const char *b) { return std::strcmp(a.type, b) < 0; });
  if (row == std::end(kTable) || std::strcmp(row->type, type) != 0) return false;
  Visit(*row, visit);
  return true;
}

void ForEachBuiltinPrototype(const PrototypeVisitor &visit) {
  for (const Prototype &row : kTable) Visit(row, visit);
}

}  // namespace gec
