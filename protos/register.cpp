// The built-in prototypes together with their inference functions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/ops/builtin_ops.h"
#include "protos/infer/described.h"
#include "protos/table/prototypes.h"

namespace gec {
namespace {

bool ByType(const infer::Entry &a, const infer::Entry &b) { return std::strcmp(a.type, b.type) < 0; }

/// All rules, sorted by operator type.
const std::vector<infer::Entry> &Rules() {
  static const std::vector<infer::Entry> *rules = [] {
    const std::span<const infer::Entry> tables[] = {
        infer::ElementwiseRules(), infer::ReduceRules(),     infer::NormRules(),      infer::ConvRules(),
        infer::PoolRules(),        infer::ImageRules(),      infer::MatrixRules(),    infer::GatherRules(),
        infer::SliceRules(),       infer::JoinRules(),       infer::PadRules(),       infer::ReshapeRules(),
        infer::SelectionRules(),   infer::GraphRules(),      infer::GeneratorRules(), infer::RnnRules(),
        infer::VolumeRules(),      infer::BlockRules(),      infer::DiagonalRules(),  infer::ShapeValueRules(),
        infer::LowBitRules(),      infer::PatchRules(),      infer::IndexingRules(),  infer::MatrixRankRules(),
        infer::RoutingRules(),     infer::BlockScaleRules(), infer::SignalRules(),    infer::QuantizationRules(),
        infer::AttentionRules(),   infer::SequenceRules(),   infer::LearnedRules(),   infer::TextRules(),
    };
    auto all = new std::vector<infer::Entry>;
    for (const auto &table : tables) all->insert(all->end(), table.begin(), table.end());
    std::sort(all->begin(), all->end(), ByType);
    return all;
  }();
  return *rules;
}

GeInferFn RuleOf(const char *type) {
  const std::vector<infer::Entry> &rules = Rules();
  auto it = std::lower_bound(rules.begin(), rules.end(), infer::Entry{type, nullptr}, ByType);
  if (it != rules.end() && std::strcmp(it->type, type) == 0) return it->infer;
  if (infer::DescriptionOf(type)) return &infer::InferDescribed;
  return FindBuiltinAttributeForm(type) ? &InferAttributeForm : nullptr;
}

}  // namespace

bool VisitBuiltinOp(const char *type, const BuiltinOpVisitor &visit) {
  return VisitBuiltinPrototype(type, [&](const GeOpSchema &schema) { visit(schema, RuleOf(schema.type)); });
}

void ForEachBuiltinOp(const BuiltinOpVisitor &visit) {
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) { visit(schema, RuleOf(schema.type)); });
}

}  // namespace gec
