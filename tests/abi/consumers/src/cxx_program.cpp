// A C++ program as a user wrote it against this release: the header-only facade is frozen into it.
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "es_all_ops.h"
#include "es_graph_builder.h"
#include "ge/ge_api.h"

int main() {
  using ge::AscendString;
  if (ge::GEInitialize(std::map<AscendString, AscendString>{}) != ge::SUCCESS) return 1;
  ge::es::EsGraphBuilder builder("stored_cxx");
  auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {2, 2});
  auto w = builder.CreateConst(std::vector<float>{1, 2, 3, 4}, std::vector<int64_t>{2, 2});
  auto y = ge::es::Relu(ge::es::Sub(ge::es::MatMul(x, w), 10.0f));
  auto graph = builder.BuildAndReset({y, ge::es::Shape(x, ge::DT_INT64)});
  if (graph == nullptr) return 1;
  std::size_t nodes = 0;
  for (const ge::GNode &node : graph->GetDirectNode()) {
    AscendString type;
    if (node.GetType(type) != ge::GRAPH_SUCCESS) return 1;
    nodes += std::strlen(type.GetString()) > 0 ? 1 : 0;
  }
  std::printf("%zu nodes\n", nodes);
  {
    ge::Session session(std::map<AscendString, AscendString>{});
    const float in[] = {1, 2, 3, 4};
    ge::TensorDesc desc(ge::Shape({2, 2}), ge::FORMAT_ND, ge::DT_FLOAT);
    ge::Tensor input(desc, reinterpret_cast<const uint8_t *>(in), sizeof in);
    std::vector<ge::Tensor> outputs;
    if (session.AddGraph(7, *graph) != ge::SUCCESS || session.RunGraph(7, {input}, outputs) != ge::SUCCESS) {
      std::printf("%s\n", ge::GEGetErrorMsg().c_str());
      return 1;
    }
    const auto *values = reinterpret_cast<const float *>(outputs[0].GetData());
    const auto *dims = reinterpret_cast<const int64_t *>(outputs[1].GetData());
    std::printf("%g %g %g %g, shape %lld %lld\n", values[0], values[1], values[2], values[3],
                static_cast<long long>(dims[0]), static_cast<long long>(dims[1]));
    std::printf("graph 99: %s\n", session.RunGraph(99, {input}, outputs) == ge::SUCCESS ? "taken" : "refused");
  }
  if (ge::GEFinalize() != ge::SUCCESS) return 1;
  std::printf("done\n");
}
