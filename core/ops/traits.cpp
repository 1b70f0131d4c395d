#include "core/ops/traits.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/ops/builtin_ops.h"
#include "core/support/error.h"

namespace gec {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<Symbol, const GeOpTraits *> declared;
  std::deque<GeOpTraits> copies;  // what nodes point to
};
Table &TheTable() {
  static Table *table = new Table;  // lives until the process ends, as definitions do
  return *table;
}

const GeOpTraits *BuiltinRow(Symbol type) {
  const GeOpTraits *row = nullptr;
  VisitBuiltinOp(type.c_str(), [&](const GeOpSchema &schema, GeInferFn) { row = schema.traits; });
  return row;
}

const GeOpTraits *Declared(const Table &table, Symbol type) {
  auto it = table.declared.find(type);
  return it == table.declared.end() ? nullptr : it->second;
}

}  // namespace

const GeOpTraits &ResolveTraits(const IrDef &ir) {
  const GeOpTraits *row = ir.own_kernel ? nullptr : BuiltinRow(ir.type);
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  if (!row) row = Declared(table, ir.type);
  if (!row && ir.schema && !ir.own_kernel) row = ir.schema->traits;
  if (!row) row = &kUnknownTraits;
  ir.traits.store(row, std::memory_order_release);
  return *row;
}

bool IsBuiltinType(Symbol type) { return BuiltinRow(type) != nullptr; }

const GeOpTraits *TraitsOfType(Symbol type) {
  if (const GeOpTraits *row = BuiltinRow(type)) return row;
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  return Declared(table, type);
}

void DeclareTraits(Symbol type, const GeOpTraits &given) {
  const GeOpTraits traits = ReadTraits(type.c_str(), given);
  if (const GeOpTraits *row = BuiltinRow(type); row && SameTraits(*row, traits)) return;
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  if (const GeOpTraits *have = Declared(table, type)) {
    if (SameTraits(*have, traits)) return;
    Fail(GE_PARAM_INVALID, "traits of ", type.view(), ": ", TraitsText(traits), " after ", TraitsText(*have));
  }
  table.declared.emplace(type, &table.copies.emplace_back(traits));
  ForEachIrDef(type, [](const IrDef &ir) { ir.traits.store(nullptr, std::memory_order_release); });
}

bool HasEffect(const Node &node) {
  const uint64_t flags = TraitsOf(node).flags;
  if ((flags & GE_TRAIT_EFFECT) || !(flags & (GE_TRAIT_PURE | GE_TRAIT_RANDOM))) return true;
  for (size_t i = 0; i < node.subgraphs().size(); ++i) {
    const Graph *graph = node.subgraph(i);
    if (!graph) continue;
    for (const Node *inner : graph->Nodes()) {
      if (!IsDataType(inner->type()) && inner != graph->NetOutput() && HasEffect(*inner)) return true;
    }
  }
  return false;
}

}  // namespace gec
