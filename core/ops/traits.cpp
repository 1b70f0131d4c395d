#include "core/ops/traits.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/ops/builtin_ops.h"
#include "core/ops/registry.h"
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
  const bool builtin = row != nullptr;
  ir.builtin_traits.store(builtin, std::memory_order_relaxed);
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  if (!row) row = Declared(table, ir.type);
  if (!row && ir.schema && !ir.own_kernel) row = ir.schema->traits;
  // Traits that were declared before the prototype was known are held against it now.
  if (row && !builtin) CheckTraitsFit(ir, *row);
  if (!row) row = &kUnknownTraits;
  ir.traits.store(row, std::memory_order_release);
  return *row;
}

void CheckSaidTraits(const IrDef &ir) {
  const GeOpTraits *row = BuiltinRow(ir.type), *given = ir.schema->traits;
  if (given && !(row && SameTraits(*row, *given))) CheckTraitsFit(ir, *given);
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  if (const GeOpTraits *said = Declared(table, ir.type)) CheckTraitsFit(ir, *said);
}

const GeOpTraits *TraitsOfType(Symbol type) {
  if (const GeOpTraits *row = BuiltinRow(type)) return row;
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  return Declared(table, type);
}

void DeclareTraits(Symbol type, const GeOpTraits &given) {
  const GeOpTraits traits = ReadTraits(type.c_str(), given);
  if (const GeOpTraits *row = BuiltinRow(type); row && SameTraits(*row, traits)) return;
  if (const OpEntry *entry = OpRegistry::Instance().Find(type)) CheckTraitsFit(*entry->ir, traits);
  Table &table = TheTable();
  std::lock_guard lock(table.mutex);
  if (const GeOpTraits *have = Declared(table, type)) {
    if (SameTraits(*have, traits)) return;
    Fail(GE_PARAM_INVALID, "traits of ", type.view(), ": ", TraitsText(traits), " after ", TraitsText(*have));
  }
  table.declared.emplace(type, &table.copies.emplace_back(traits));
  ForEachIrDef(type, [](const IrDef &ir) { ir.traits.store(nullptr, std::memory_order_release); });
}

namespace {

/// `unknown`: what counts for operators of which nothing is known.
bool AnyEffect(const Node &node, bool unknown) {
  const uint64_t flags = TraitsOf(node).flags;
  if (flags & GE_TRAIT_EFFECT) return true;
  if (unknown && !(flags & (GE_TRAIT_PURE | GE_TRAIT_RANDOM))) return true;
  for (size_t i = 0; i < node.subgraphs().size(); ++i) {
    const Graph *graph = node.subgraph(i);
    if (!graph) continue;
    for (const Node *inner : graph->Nodes()) {
      if (!IsDataType(inner->type()) && inner != graph->NetOutput() && AnyEffect(*inner, unknown)) return true;
    }
  }
  return false;
}

}  // namespace

bool HasEffect(const Node &node) { return AnyEffect(node, true); }
bool SaysEffect(const Node &node) { return AnyEffect(node, false); }

}  // namespace gec
