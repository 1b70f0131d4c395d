// Enters every built-in prototype, with its inference function, into the registry.
#include <string_view>
#include <unordered_map>

#include "core/ops/builtin_ops.h"
#include "protos/infer/context.h"
#include "protos/table/prototypes.h"

namespace gec {

void RegisterBuiltinOps(OpRegistry &registry) {
  const std::span<const infer::Entry> tables[] = {
      infer::ElementwiseRules(), infer::ReduceRules(), infer::NormRules(),      infer::ConvRules(),
      infer::PoolRules(),        infer::ImageRules(),  infer::MatrixRules(),    infer::GatherRules(),
      infer::SliceRules(),       infer::JoinRules(),   infer::PadRules(),       infer::ReshapeRules(),
      infer::SelectionRules(),   infer::GraphRules(),  infer::GeneratorRules(), infer::RnnRules(),
  };
  std::unordered_map<std::string_view, GeInferFn> rules;
  for (const auto &table : tables)
    for (const infer::Entry &entry : table) rules.emplace(entry.type, entry.infer);
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    auto rule = rules.find(schema.type);
    registry.Register(&schema, rule == rules.end() ? nullptr : rule->second);
  });
}

}  // namespace gec
