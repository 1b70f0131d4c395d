// A program as it is written for a toolkit: GE's header paths, operator objects and a session. (all_ops.h takes long to
// compile, so the test looks at it without this program.)
#include <iostream>

#include "es_Add.h"
#include "es_graph_builder.h"
#include "ge/compliant_node_builder.h"
#include "ge/es_c_graph_builder.h"
#include "ge/esb_funcs.h"
#include "ge/ge_api.h"
#include "ge/ge_api_types.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"
#include "graph/types.h"
#include "parser/onnx_parser.h"

int main() {
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  // y = relu(x * 2 - 3) of operator objects.
  auto make = [](const char *name, const char *type) { return ge::OperatorFactory::CreateOperator(name, type); };
  ge::TensorDesc scalar(ge::Shape(std::vector<int64_t>{}), ge::FORMAT_ND, ge::DT_FLOAT);
  auto constant = [&](const char *name, float value) {
    ge::Operator op = make(name, "Const");
    op.SetAttr("value", ge::Tensor(scalar, reinterpret_cast<const uint8_t *>(&value), sizeof value));
    return op;
  };
  ge::TensorDesc desc(ge::Shape({4}), ge::FORMAT_ND, ge::DT_FLOAT);
  ge::Operator x = make("x", "Data"), mul = make("mul", "Mul"), sub = make("sub", "Sub"), relu = make("relu", "Relu");
  x.SetAttr("index", static_cast<int64_t>(0));
  (void)x.UpdateOutputDesc("y", desc);
  ge::Operator two = constant("two", 2), three = constant("three", 3);
  mul.SetInput("x1", x).SetInput("x2", two);
  sub.SetInput("x1", mul).SetInput("x2", three);
  relu.SetInput("x", sub);
  ge::Graph graph("sample");
  graph.SetInputs({x}).SetOutputs(std::vector<ge::Operator>{relu});
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    const float in[] = {0, 1, 2, 3};
    std::vector<ge::Tensor> outputs;
    if (session.AddGraph(0, graph) != ge::SUCCESS ||
        session.RunGraph(0, {ge::Tensor(desc, reinterpret_cast<const uint8_t *>(in), sizeof in)}, outputs) !=
            ge::SUCCESS) {
      std::cerr << ge::GEGetErrorMsg() << "\n";
      return 1;
    }
    const auto *out = reinterpret_cast<const float *>(outputs[0].GetData());
    for (int i = 0; i < 4; ++i) std::cout << out[i] << " ";
    std::cout << "\n";
  }
  return ge::GEFinalize() == ge::SUCCESS ? 0 : 1;
}
