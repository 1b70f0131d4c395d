#include "core/passes/result_check.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/passes/editor.h"
#include "core/support/error.h"

namespace gec {
namespace {

/// False where one of them is not known, or is laid out otherwise.
bool TypesDiffer(const TensorDesc &a, const TensorDesc &b) {
  if (!a.shape.has_rank() || !b.shape.has_rank() || a.format != b.format) return false;
  if (a.dtype != b.dtype || a.shape.rank() != b.shape.rank()) return true;
  for (int d = 0; d < a.shape.rank(); ++d)
    if (a.shape[d] != b.shape[d] && a.shape[d] >= 0 && b.shape[d] >= 0) return true;
  return false;
}

std::string TypeText(const TensorDesc &desc) { return Str(GeDataTypeName(desc.dtype), " ", desc.shape.str()); }

}  // namespace

ResultCheck::Replacing::Replacing(ResultCheck *check, const std::string &pass, const std::string &rule, const Node &at)
    : check_(check), graph_(at.graph()) {
  if (!check_) return;
  check_->Begin(pass, rule, at);
  edits_ = graph_.edits();
}

ResultCheck::Replacing::~Replacing() {
  if (!check_) return;
  const auto grown = static_cast<std::ptrdiff_t>(graph_.edits() - edits_);
  if (grown > 0)
    check_->by_rules_ += static_cast<size_t>(grown);  // what failed is undone: there is less than before then
}

size_t ResultCheck::BeginPass(const Graph &root) {
  by_rules_ = 0;
  return root.edits();
}

void ResultCheck::EndPass(const Graph &root, size_t edits) {
  if (root.edits() - edits == by_rules_) return;
  before_ = nullptr;
  rules_.clear();
}

void ResultCheck::Begin(const std::string &pass, const std::string &rule, const Node &at) {
  if (!before_) before_ = at.graph().root().Clone();
  const auto same = [&](const Rule &known) { return known.rule == rule && known.pass == pass; };
  if (std::none_of(rules_.rbegin(), rules_.rend(), same)) rules_.push_back({pass, rule, at.Label()});
}

void ResultCheck::Finish(const Graph &inferred, const InferOptions &options) const {
  if (!before_) return;
  try {
    (void)InferGraph(*before_, options);
  } catch (const Error &e) {
    // Nothing to compare with: perhaps the passes are there to replace what cannot be inferred.
    if (e.code() == GE_INFER_FAILED || e.code() == GE_GRAPH_INVALID || e.code() == GE_NOT_FOUND) return;
    throw;
  }
  Compare(*before_, inferred);
  std::unordered_set<std::string_view> called;  // a body whose caller was replaced is left behind and not inferred
  const auto add = [&](const Graph &graph) {
    for (const Node *node : graph.Nodes())
      for (const SubgraphRef &body : node->subgraphs()) called.insert(body.graph_name);
  };
  add(inferred);
  for (const GraphPtr &body : inferred.subgraphs()) add(*body);
  for (const GraphPtr &body : before_->subgraphs())
    if (const Graph *same = called.count(body->name()) ? inferred.FindSubgraph(body->name()) : nullptr)
      Compare(*body, *same);
}

void ResultCheck::Compare(const Graph &before, const Graph &after) const {
  for (const Node *node : before.TopologicalOrder()) {
    const Node *same = after.Find(node->name());
    if (!same || same->type() != node->type() || same->output_count() != node->output_count()) continue;
    for (size_t o = 0; o < node->output_count(); ++o)
      CompareTensors(Str("output ", o, " of ", node->Label()), node->output_desc(o), same->output_desc(o));
  }
  const std::vector<Endpoint> olds = before.Outputs(), news = after.Outputs();
  for (size_t i = 0; i < olds.size() && i < news.size(); ++i)
    if (olds[i] && news[i])
      CompareTensors(Str("output ", i, " of graph '", before.name(), "'"), DescOf(olds[i]), DescOf(news[i]));
}

void ResultCheck::CompareTensors(const std::string &what, const TensorDesc &before, const TensorDesc &after) const {
  if (!TypesDiffer(before, after)) return;
  std::string rules;
  for (const Rule &r : rules_)
    rules += Str(rules.empty() ? "" : ", ", "rule '", r.rule, "' of pass '", r.pass, "' (first at ", r.first, ")");
  Fail(GE_INFER_FAILED, rules, ": ", what, " is ", TypeText(after), " with what was replaced, and ", TypeText(before),
       " without");
}

}  // namespace gec
