// Attention that a copy for new inputs found, since it needs extents that the graph leaves open: LowerPrecision, which
// ran before, did not see it. It takes no constants, so that copies share what they shared.
#include "core/compile/bf16.h"
#include "core/compile/compile_passes.h"
#include "core/passes/precision.h"
#include "core/placement/regions.h"

namespace gec {

bool LowerAttention(Graph &root, PassContext &context) {
  static const Symbol attention("ScaledDotProductAttention");
  const PrecisionChoice choice(context.options);
  if (!choice.Asks()) return false;
  size_t lowered = 0;
  const auto run_on = [&](Graph &graph) {
    if (SkipsOptimization(graph) || IsRegion(graph) || !graph.HasAny({attention})) return;
    Editor editor(graph, context, "LowerAttention");
    Bf16Nodes bf16(editor);
    bf16.Adopt();
    size_t done = 0;
    for (Node *node : graph.TopologicalOrder())
      if (!node->removed() && node->known_type() == attention && !Editor::HasControl(*node) &&
          choice.For(choice.RuleFor(*node)) == Precision::kBf16 && bf16.Attention(node).empty())
        ++done;
    if (done) bf16.Narrow();
    lowered += done;
  };
  run_on(root);
  for (const GraphPtr &sub : root.subgraphs()) run_on(*sub);
  context.Changes(lowered);
  return lowered != 0;
}

}  // namespace gec
