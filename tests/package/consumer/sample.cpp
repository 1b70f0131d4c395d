// A program as it is written for a toolkit: GE's header paths, all prototypes, operator objects and
// a session.
#include <iostream>

#include "all_ops.h"
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
  using namespace ge;
  TensorDesc desc(Shape({4}), FORMAT_ND, DT_FLOAT), scalar(Shape(std::vector<int64_t>{}), FORMAT_ND, DT_FLOAT);
  auto constant = [&](const char *name, float value) {
    return op::Const(name).set_attr_value(Tensor(scalar, reinterpret_cast<const uint8_t *>(&value), sizeof value));
  };
  auto x = op::Data("x").set_attr_index(0);
  (void)x.update_output_desc_y(desc);
  auto two = constant("two", 2), three = constant("three", 3);
  auto mul = op::Mul("mul").set_input_x1(x).set_input_x2(two);
  auto sub = op::Sub("sub").set_input_x1(mul).set_input_x2(three);
  // An object made by its type's name is the same: the library holds the prototype.
  Operator relu = OperatorFactory::CreateOperator("relu", "Relu");
  relu.SetInput("x", sub);
  Graph graph("sample");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{relu});
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
