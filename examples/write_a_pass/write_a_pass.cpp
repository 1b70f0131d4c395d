// A fusion pass of one's own: a product and a sum that follows it become one product with a bias.
//
// A pass that is registered in a program works in every compile of that program. Built as a shared library in
// <package root>/vendors/<name>/custom_fusion_passes, it works in every program that calls GEInitialize.
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/infer_shape_util.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/ge_api.h"

namespace {

int fused = 0;

class ProductWithBias : public ge::fusion::PatternFusionPass {
 protected:
  // Inputs stand for any tensor; operands count by position, so each order has a pattern of its own.
  std::vector<ge::fusion::PatternUniqPtr> Patterns() override {
    std::vector<ge::fusion::PatternUniqPtr> patterns;
    for (bool bias_first : {false, true}) {
      ge::es::EsGraphBuilder b(bias_first ? "bias + product" : "product + bias");
      auto [x, w, bias] = b.CreateInputs<3>();
      auto product = ge::es::MatMulV2(x, w);
      auto sum = bias_first ? ge::es::Add(bias, product) : ge::es::Add(product, bias);
      patterns.push_back(std::make_unique<ge::fusion::Pattern>(std::move(*b.BuildAndReset({sum}))));
      patterns.back()->CaptureTensor({*bias.GetProducer(), 0});
    }
    return patterns;
  }
  // A bias is a row: anything else stays a sum.
  bool MeetRequirements(const std::unique_ptr<ge::fusion::MatchResult> &match) override {
    ge::fusion::NodeIo bias{ge::GNode(), 0};
    ge::TensorDesc desc;
    return match->GetCapturedTensor(0, bias) == ge::SUCCESS &&
           bias.node.GetOutputDesc(static_cast<int32_t>(bias.index), desc) == ge::GRAPH_SUCCESS &&
           desc.GetShape().GetDimNum() == 1;
  }
  // Input i of this graph gets what input i of the pattern stood for. After shape inference, shapes have to be there.
  ge::fusion::GraphUniqPtr Replacement(const std::unique_ptr<ge::fusion::MatchResult> &match) override {
    ge::es::EsGraphBuilder b("with bias");
    auto [x, w, bias] = b.CreateInputs<3>();
    auto graph = b.BuildAndReset({ge::es::MatMulV2(x, w, bias)});
    if (ge::fusion::InferShapeUtil::InferShape(*graph, *match) != ge::SUCCESS) return nullptr;
    ++fused;
    return graph;
  }
};
REG_FUSION_PASS(ProductWithBias).Stage(ge::CustomPassStage::kAfterInferShape);

}  // namespace

int main() {
  std::map<ge::AscendString, ge::AscendString> options = {{"ge.exportCompileStat", "0"}};  // no fusion_result.json
  if (ge::GEInitialize(options) != ge::SUCCESS) return 1;
  ge::es::EsGraphBuilder b("net");
  auto x = b.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {1, 2});
  auto w = b.CreateConst(std::vector<float>{1, 2, 3, 4}, {2, 2});
  auto bias = b.CreateConst(std::vector<float>{10, 20}, {2});
  auto graph = b.BuildAndReset({ge::es::Add(bias, ge::es::MatMulV2(x, w))});
  {
    ge::Session session(options);
    const float in[] = {1, 1};
    ge::Tensor tensor(ge::TensorDesc(ge::Shape({1, 2}), ge::FORMAT_ND, ge::DT_FLOAT),
                      reinterpret_cast<const uint8_t *>(in), sizeof in);
    std::vector<ge::Tensor> outputs;
    if (session.AddGraph(0, *graph) != ge::SUCCESS || session.RunGraph(0, {tensor}, outputs) != ge::SUCCESS) {
      std::printf("%s\n", ge::GEGetErrorMsgV2().GetString());
      return 1;
    }
    const auto *out = reinterpret_cast<const float *>(outputs[0].GetData());
    std::printf("%g %g, %d fused\n", out[0], out[1], fused);  // 14 26, 1 fused
  }
  return ge::GEFinalize() == ge::SUCCESS ? 0 : 1;
}
