#include "core/passes/result_check.h"

#include <algorithm>

#include "core/ops/infer.h"
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

std::string TypeDifference(const TensorDesc &before, const TensorDesc &after) {
  return Str(" is ", TypeText(after), " with its replacements, and ", TypeText(before), " without them");
}

void InferCopy(Graph &root, const PassContext &ctx) {
  InferOptions options;
  if (ctx.evaluate) options.evaluate = &ctx.evaluate;
  (void)InferGraph(root, options);
}

}  // namespace

ResultCheck::ResultCheck(Graph &graph, const PassContext &ctx)
    : graph_(graph), ctx_(ctx), active_(ctx.stage() == GE_STAGE_BEFORE_INFER_SHAPE) {}

void ResultCheck::Note(const std::string &rule, const Node &at, const Region &region) {
  if (!before_) {
    const auto known = [](Endpoint e) { return DescOf(e).shape.has_rank(); };
    if (std::any_of(region.outputs.begin(), region.outputs.end(), known)) {
      active_ = false;  // the graph is inferred
      return;
    }
    before_ = graph_.root().Clone();
  }
  if (std::find(rules_.begin(), rules_.end(), rule) != rules_.end()) return;
  rules_.push_back(rule);
  replaced_ += Str(replaced_.empty() ? "" : ", ", "rule '", rule, "' (first at ", at.Label(), ")");
}

void ResultCheck::Refuse(const std::string &why) const { Fail(GE_GRAPH_INVALID, replaced_, ": ", why); }

void ResultCheck::Finish() const {
  if (!before_) return;
  try {
    InferCopy(*before_, ctx_);
  } catch (const Error &e) {
    // Nothing to compare with: perhaps the pass is there to replace what cannot be inferred.
    if (e.code() == GE_INFER_FAILED || e.code() == GE_GRAPH_INVALID || e.code() == GE_NOT_FOUND) return;
    throw;
  }
  const GraphPtr after = graph_.root().Clone();
  try {
    InferCopy(*after, ctx_);
  } catch (const Error &e) {
    if (e.code() != GE_INFER_FAILED) throw;
    Refuse(Str("the graph can be inferred without its replacements, and not with them: ", e.what()));
  }
  Compare(*before_, *after);
  for (const GraphPtr &body : before_->subgraphs())
    if (const Graph *same = after->FindSubgraph(body->name())) Compare(*body, *same);
}

void ResultCheck::Compare(const Graph &before, const Graph &after) const {
  for (const Node *node : before.TopologicalOrder()) {
    const Node *same = after.Find(node->name());
    if (!same || same->type() != node->type() || same->output_count() != node->output_count()) continue;
    for (size_t o = 0; o < node->output_count(); ++o)
      if (TypesDiffer(node->output_desc(o), same->output_desc(o)))
        Refuse(Str("output ", o, " of ", node->Label(), TypeDifference(node->output_desc(o), same->output_desc(o))));
  }
  const std::vector<Endpoint> olds = before.Outputs(), news = after.Outputs();
  for (size_t i = 0; i < olds.size() && i < news.size(); ++i)
    if (olds[i] && news[i] && TypesDiffer(DescOf(olds[i]), DescOf(news[i])))
      Refuse(Str("output ", i, " of graph '", before.name(), "'", TypeDifference(DescOf(olds[i]), DescOf(news[i]))));
}

}  // namespace gec
