// What GE promises of types, descriptions, layouts and small values, in a program as it is written for GE.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "exe_graph/runtime/shape.h"
#include "ge/ge_api.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"

namespace {

using ge::DataType;
using ge::Graph;
using ge::Operator;
using ge::OperatorFactory;
using ge::Shape;
using ge::Tensor;
using ge::TensorDesc;

int failures = 0;
void Check(bool holds, const char *what) {
  if (holds) return;
  ++failures;
  std::printf("wrong: %s (%s)\n", what, ge::GEGetErrorMsg().c_str());
}

template <class T>
Tensor TensorOf(std::vector<int64_t> dims, DataType type, const std::vector<T> &values,
                ge::Format format = ge::FORMAT_ND) {
  return Tensor(TensorDesc(Shape(std::move(dims)), format, type), reinterpret_cast<const uint8_t *>(values.data()),
                values.size() * sizeof(T));
}
Operator Input(int64_t index) {
  const std::string name = "x" + std::to_string(index);
  Operator data = OperatorFactory::CreateOperator(name.c_str(), "Data");
  data.SetAttr("index", index);
  return data;
}
Operator Described(int64_t index, const TensorDesc &desc) {
  Operator data = Input(index);
  (void)data.UpdateOutputDesc("y", desc);
  return data;
}
Operator ConstantOf(const char *name, const Tensor &value) {
  Operator constant = OperatorFactory::CreateOperator(name, "Const");
  constant.SetAttr("value", value);
  (void)constant.UpdateOutputDesc("y", value.GetTensorDesc());
  return constant;
}

/// Runs a graph of its own for each call; true when type, shape and values of the only output are these.
template <class T>
bool Gives(ge::Session &session, uint32_t id, const std::vector<Tensor> &inputs, DataType type,
           const std::vector<int64_t> &dims, const std::vector<T> &values) {
  std::vector<Tensor> outputs;
  if (session.RunGraph(id, inputs, outputs) != ge::SUCCESS || outputs.size() != 1) return false;
  const TensorDesc desc = outputs[0].GetTensorDesc();
  return desc.GetDataType() == type && desc.GetShape().GetDims() == dims &&
         outputs[0].GetSize() == values.size() * sizeof(T) &&
         std::memcmp(outputs[0].GetData(), values.data(), outputs[0].GetSize()) == 0;
}

void Types(ge::Session &session) {
  Operator a = Described(0, TensorDesc(Shape({2}), ge::FORMAT_ND, ge::DT_INT32)),
           b = Described(1, TensorDesc(Shape({2}), ge::FORMAT_ND, ge::DT_FLOAT));
  Operator sum = OperatorFactory::CreateOperator("sum", "Add");
  sum.SetInput("x1", a).SetInput("x2", b);
  Graph graph("types");
  graph.SetInputs({a, b}).SetOutputs(std::vector<Operator>{sum});
  Check(session.AddGraph(1, graph) == ge::SUCCESS, "a graph of two types is added");
  Check(Gives<float>(session, 1,
                     {TensorOf<int32_t>({2}, ge::DT_INT32, {1, 2}), TensorOf<float>({2}, ge::DT_FLOAT, {.5f, .25f})},
                     ge::DT_FLOAT, {2}, {1.5f, 2.25f}),
        "int32 and float are added as float");
}

void OpenInputs(ge::Session &session) {
  Operator x = Input(0), negative = OperatorFactory::CreateOperator("negative", "Neg");
  negative.SetInput("x", x);
  Graph graph("open");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{negative});
  Check(session.AddGraph(2, graph) == ge::SUCCESS, "an open graph is added");
  Check(Gives<int32_t>(session, 2, {TensorOf<int32_t>({3}, ge::DT_INT32, {1, -2, 3})}, ge::DT_INT32, {3}, {-1, 2, -3}),
        "a run says that an input is int32");
  Check(Gives<float>(session, 2, {TensorOf<float>({1, 2}, ge::DT_FLOAT, {4, 5})}, ge::DT_FLOAT, {1, 2}, {-4, -5}),
        "and the next that it is float");
}

void InputDescriptions(ge::Session &session) {
  Operator x = Described(0, TensorDesc(Shape({2}), ge::FORMAT_ND, ge::DT_INT64));
  Operator ten = ConstantOf("ten", TensorOf<int64_t>({2}, ge::DT_INT64, {10, 20}));
  Operator difference = OperatorFactory::CreateOperator("difference", "Sub");
  difference.SetInput("x1", x).SetInput("x2", ten);
  (void)difference.UpdateInputDesc("x2", TensorDesc(Shape({7}), ge::FORMAT_NHWC, ge::DT_FLOAT16));
  Graph graph("descriptions");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{difference});
  Check(session.AddGraph(3, graph) == ge::SUCCESS, "a graph with a wrong description is added");
  Check(Gives<int64_t>(session, 3, {TensorOf<int64_t>({2}, ge::DT_INT64, {1, 2})}, ge::DT_INT64, {2}, {-9, -18}),
        "a constant is read with its own type");
}

void LayoutsAndCounts(ge::Session &session) {
  Operator x = Described(0, TensorDesc(Shape({1, 2, 1, 2}), ge::FORMAT_NCHW, ge::DT_FLOAT));
  Operator filter = ConstantOf("filter", TensorOf<float>({1, 2, 1, 1}, ge::DT_FLOAT, {1, 10}));
  Operator conv = OperatorFactory::CreateOperator("conv", "Conv2D");
  conv.SetInput("x", x).SetInput("filter", filter);
  conv.SetAttr("strides", std::vector<int64_t>{1, 1, 1, 1});
  conv.SetAttr("pads", std::vector<int64_t>{0, 0, 0, 0});
  Graph graph("layouts");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{conv});
  const ge::GNodePtr node = graph.FindNodeByName("conv");
  Check(node != nullptr && node->GetInputsSize() == 2, "inputs that are not connected do not count");
  Check(session.AddGraph(4, graph) == ge::SUCCESS, "a convolution is added");
  Check(Gives<float>(session, 4, {TensorOf<float>({1, 2, 1, 2}, ge::DT_FLOAT, {1, 2, 3, 4}, ge::FORMAT_NCHW)},
                     ge::DT_FLOAT, {1, 1, 1, 2}, {31, 42}),
        "the format decides the layout, not data_format");
}

void AttributeForms(ge::Session &session) {
  Operator x = Described(0, TensorDesc(Shape({2, 2}), ge::FORMAT_ND, ge::DT_FLOAT));
  Operator sum = OperatorFactory::CreateOperator("sum", "ReduceSumD");
  sum.SetInput("x", x);
  sum.SetAttr("axes", std::vector<int64_t>{1});
  Graph graph("forms");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{sum});
  Check(session.AddGraph(5, graph) == ge::SUCCESS, "ReduceSumD is added");
  Check(Gives<float>(session, 5, {TensorOf<float>({2, 2}, ge::DT_FLOAT, {1, 2, 3, 4})}, ge::DT_FLOAT, {2}, {3, 7}),
        "ReduceSumD sums along its attribute");
}

void SmallValues() {
  gert::Shape many{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  Check(many.GetDimNum() == 0, "26 dimensions are none");
  Check(gert::Shape({1, 2}).GetDim(25) == INT64_MIN, "a dimension out of range");
}

}  // namespace

int main() {
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 2;
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    Types(session);
    OpenInputs(session);
    InputDescriptions(session);
    LayoutsAndCounts(session);
    AttributeForms(session);
  }
  SmallValues();
  if (ge::GEFinalize() != ge::SUCCESS) ++failures;
  std::printf("%d wrong\n", failures);
  return failures != 0;
}
