// Builds y = relu(x * 2 - 3) with the functional builder and runs it in a session.
#include <iostream>

#include "es_all_ops.h"
#include "es_graph_builder.h"
#include "ge/ge_api.h"

int main() {
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  ge::es::EsGraphBuilder builder("affine");
  auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {4});
  auto graph = builder.BuildAndReset({ge::es::Relu(ge::es::Sub(ge::es::Mul(x, 2.0f), 3.0f))});
  if (graph == nullptr) return 1;
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    const float in[] = {0, 1, 2, 3};
    ge::TensorDesc desc(ge::Shape({4}), ge::FORMAT_ND, ge::DT_FLOAT);
    ge::Tensor input(desc, reinterpret_cast<const uint8_t *>(in), sizeof in);
    std::vector<ge::Tensor> outputs;
    if (session.AddGraph(0, *graph) != ge::SUCCESS || session.RunGraph(0, {input}, outputs) != ge::SUCCESS) {
      std::cerr << ge::GEGetErrorMsg() << "\n";
      return 1;
    }
    const auto *out = reinterpret_cast<const float *>(outputs[0].GetData());
    for (int i = 0; i < 4; ++i) std::cout << out[i] << " ";
    std::cout << "\n";
  }
  return ge::GEFinalize() == ge::SUCCESS ? 0 : 1;
}
