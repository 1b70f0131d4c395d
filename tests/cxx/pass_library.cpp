// A library of passes as a vendor ships it: Relu6(x) becomes Minimum(Maximum(x, 0), 6).
#include "es_all_ops.h"
#include "ge/fusion/pass/decompose_pass.h"

namespace {

class VendorRelu6 : public ge::fusion::DecomposePass {
 public:
  using DecomposePass::DecomposePass;

 protected:
  ge::fusion::GraphUniqPtr Replacement(const ge::GNode &) override {
    ge::es::EsGraphBuilder b("clamp");
    auto x = b.CreateInput(0);
    return b.BuildAndReset({ge::es::Minimum(ge::es::Maximum(x, b.CreateScalar(0.0f)), b.CreateScalar(6.0f))});
  }
};
REG_DECOMPOSE_PASS(VendorRelu6, {"Relu6"}).Stage(ge::CustomPassStage::kBeforeInferShape);

}  // namespace
