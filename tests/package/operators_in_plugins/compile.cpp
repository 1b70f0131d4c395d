// Runs Relu6 of 1, 2 and 3, which the pass library rewrites.
#include <cstdio>

#include "es_graph_builder.h"
#include "ge/ge_api.h"
#include "graph/operator_factory.h"

int main() {
  const std::map<ge::AscendString, ge::AscendString> none;
  if (ge::GEInitialize(none) != ge::SUCCESS) return 1;
  {
    ge::es::EsGraphBuilder builder("relu6");
    auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {3});
    auto graph = builder.BuildAndReset({x});
    ge::GNode relu = graph->AddNodeByOp(ge::OperatorFactory::CreateOperator("relu", "Relu6"));
    ge::GNodePtr in = graph->FindNodeByName("x");
    if (graph->AddDataEdge(*in, 0, relu, 0) != ge::GRAPH_SUCCESS ||
        graph->SetOutputs(std::vector<std::pair<ge::GNode, int32_t>>{{relu, 0}}) != ge::GRAPH_SUCCESS)
      return 2;
    ge::Session session(none);
    const float values[] = {1, 2, 3};
    const ge::TensorDesc desc(ge::Shape({3}), ge::FORMAT_ND, ge::DT_FLOAT);
    std::vector<ge::Tensor> outputs;
    if (session.AddGraph(1, *graph) != ge::SUCCESS ||
        session.RunGraph(1, {ge::Tensor(desc, reinterpret_cast<const uint8_t *>(values), sizeof values)}, outputs) !=
            ge::SUCCESS) {
      std::fprintf(stderr, "%s\n", GeLastErrorMessage());
      return 3;
    }
    const auto *made = reinterpret_cast<const float *>(outputs.at(0).GetData());
    std::printf("%g %g %g\n", made[0], made[1], made[2]);
  }
  return ge::GEFinalize() == ge::SUCCESS ? 0 : 4;
}
