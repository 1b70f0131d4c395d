// A prototype of a user's own, with texts of every kind crossing into the library and back.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/operator_reg.h"

namespace ge {
REG_OP(ConsumerScale)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(names, ListString, {"first", "second"})
    .REQUIRED_ATTR(mode, String)
    .OP_END_FACTORY_REG(ConsumerScale)

        IMPLEMT_COMMON_INFERFUNC(ConsumerScaleInfer) {
  return op.UpdateOutputDesc("y", op.GetInputDescByName("x"));
}
COMMON_INFER_FUNC_REG(ConsumerScale, ConsumerScaleInfer)
}  // namespace ge

int main() {
  ge::Operator data = ge::OperatorFactory::CreateOperator("x", "Data");
  ge::TensorDesc desc(ge::Shape({2, 3}), ge::FORMAT_ND, ge::DT_FLOAT);
  if (data.UpdateOutputDesc("y", desc) != ge::GRAPH_SUCCESS) return 1;
  ge::op::ConsumerScale scale("a name longer than the short string buffer");
  scale.set_input_x(data).set_attr_mode(std::string("fast"));
  ge::Graph graph("g");
  graph.SetInputs({data}).SetOutputs(std::vector<ge::Operator>{scale});
  ge::GNodePtr node = graph.FindNodeByName("a name longer than the short string buffer");
  ge::AscendString mode;
  std::vector<ge::AscendString> names;
  if (node == nullptr || node->GetAttr("mode", mode) != ge::GRAPH_SUCCESS) return 2;
  if (node->GetAttr("names", names) != ge::GRAPH_SUCCESS || names.size() != 2) return 3;
  if (GeGraphInfer(graph.handle(), nullptr, 0) != GE_SUCCESS) return 4;
  if (node->GetOutputDesc(0, desc) != ge::GRAPH_SUCCESS) return 5;
  std::printf("%s %s %s, %d dims\n", mode.GetString(), names[0].GetString(), names[1].GetString(),
              static_cast<int>(desc.GetShape().GetDimNum()));
  return 0;
}
