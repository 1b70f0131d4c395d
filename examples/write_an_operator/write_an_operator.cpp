// An operator of one's own in C++: prototype, inference, computation. The number of values above a limit depends on the
// data, so only the run knows the output's shape.
//   c++ -std=c++17 write_an_operator.cpp -lge
#include <cstdio>
#include <map>
#include <vector>

#include "ge/ge_api.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"

namespace ge {

// The prototype: name, inputs, outputs, attributes.
REG_OP(AboveLimit)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(limit, Float)
    .OP_END_FACTORY_REG(AboveLimit)

        class AboveLimit : public EagerExecuteOp,
    public ShapeInferOp {
 public:
  // Attributes have the numbers of the prototype.
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const float limit = *ctx->GetAttrs()->GetFloat(0);
    const gert::Tensor *x = ctx->GetInputTensor(0);
    std::vector<float> above;
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      if (x->GetData<float>()[i] > limit) above.push_back(x->GetData<float>()[i]);
    const auto count = static_cast<int64_t>(above.size());
    gert::Tensor *y = ctx->MallocOutputTensor(0, {{count}, {count}}, {FORMAT_ND, FORMAT_ND, {}}, DT_FLOAT);
    if (y == nullptr) return GRAPH_FAILED;
    for (size_t i = 0; i < above.size(); ++i) y->GetData<float>()[i] = above[i];
    return GRAPH_SUCCESS;
  }
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    *ctx->GetOutputShape(0) = {-1};  // known when it has run
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override {
    return ctx->SetOutputDataType(0, ctx->GetInputDataType(0));
  }
};
REG_AUTO_MAPPING_OP(AboveLimit);

}  // namespace ge

int main() {
  using namespace ge;
  if (GEInitialize(std::map<AscendString, AscendString>{}) != SUCCESS) return 1;
  int result = 1;
  {
    Operator x = OperatorFactory::CreateOperator("x", "Data");
    (void)x.UpdateOutputDesc("y", TensorDesc(Shape({5}), FORMAT_ND, DT_FLOAT));
    op::AboveLimit above("above");
    above.set_input_x(x).set_attr_limit(2.5f);
    Operator square = OperatorFactory::CreateOperator("square", "Square");  // one of the library's reads the result
    square.SetInput("x", above, "y");
    Graph graph("above");
    graph.SetInputs({x}).SetOutputs(std::vector<Operator>{square});

    Session session(std::map<AscendString, AscendString>{});
    const float values[] = {1, 3, 2, 5, 4};
    const Tensor input(TensorDesc(Shape({5}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(values),
                       sizeof values);
    std::vector<Tensor> outputs;
    if (session.AddGraph(0, graph) == SUCCESS && session.RunGraph(0, {input}, outputs) == SUCCESS) {
      const auto *y = reinterpret_cast<const float *>(outputs[0].GetData());
      for (int64_t i = 0; i < outputs[0].GetTensorDesc().GetShape().GetDim(0); ++i) std::printf("%g ", y[i]);
      std::printf("\n");  // 9 25 16
      result = 0;
    } else {
      std::fprintf(stderr, "%s\n", GEGetErrorMsg().c_str());
    }
  }
  (void)GEFinalize();
  return result;
}
