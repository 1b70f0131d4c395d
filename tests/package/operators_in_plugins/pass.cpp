// Relu6(x) becomes (x + x) * x - x: it shows that these operators ran.
#include "es_graph_builder.h"
#include "ge/fusion/pass/decompose_pass.h"

namespace {
class WithOperators : public ge::fusion::DecomposePass {
 public:
  using DecomposePass::DecomposePass;

 protected:
  ge::fusion::GraphUniqPtr Replacement(const ge::GNode &) override {
    ge::es::EsGraphBuilder builder("with_operators");
    auto x = builder.CreateInput(0);
    return builder.BuildAndReset({(x + x) * x - x});
  }
};
REG_DECOMPOSE_PASS(WithOperators, {"Relu6"}).Stage(ge::CustomPassStage::kBeforeInferShape);
}  // namespace
