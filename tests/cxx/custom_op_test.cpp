// Operators that a program brings: inference by IMPL_OP and ShapeInferOp, computation by EagerExecuteOp.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "graph/custom_op.h"
#include "graph/custom_op_factory.h"
#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace ge {

// ---- positions of true elements: only Execute knows how many ----
REG_OP(CxxWhere)
    .INPUT(x, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(CxxWhere)

        class CxxWhere : public EagerExecuteOp,
    public ShapeInferOp {
 public:
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    if (ctx->GetInputShape(0) == nullptr || ctx->GetInputShape(1) != nullptr || ctx->GetOutputShape(1) != nullptr)
      return GRAPH_FAILED;
    *ctx->GetOutputShape(0) = {-1, 1};
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override {
    if (ctx->GetInputDataType(0) != DT_BOOL || ctx->GetInputDataType(1) != DT_UNDEFINED) return GRAPH_FAILED;
    return ctx->SetOutputDataType(0, DT_INT64);
  }
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    const int64_t all = x->GetShapeSize();
    gert::Tensor *y = ctx->MallocOutputTensor(0, {{all, 1}, {all, 1}}, {FORMAT_ND, FORMAT_ND, {}}, DT_INT64);
    if (y == nullptr) return GRAPH_FAILED;
    int64_t count = 0;
    for (int64_t i = 0; i < all; ++i)
      if (x->GetData<bool>()[i]) y->GetData<int64_t>()[count++] = i;
    y->MutableOriginShape().SetDim(0, count);
    y->MutableStorageShape().SetDim(0, count);
    y->MutableTensorData().SetSize(static_cast<size_t>(count) * sizeof(int64_t));
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(CxxWhere)

// ---- every kind of input and attribute; types from the prototype; compiled once for each shape ----
REG_OP(CxxMix)
    .INPUT(x, "T")
    .OPTIONAL_INPUT(shift, "T")
    .DYNAMIC_INPUT(more, "T")
    .OUTPUT(y, "T")
    .OUTPUT(count, TensorType({DT_INT32}))
    .DATATYPE(T, TensorType({DT_FLOAT, DT_INT32}))
    .REQUIRED_ATTR(factor, Float)
    .ATTR(weights, ListInt, {1, 2})
    .ATTR(label, String, "none")
    .OP_END_FACTORY_REG(CxxMix)

        struct MixSeen {
  int compiles = 0, executes = 0;
  std::string label, option, problem;
} g_mix;

static graphStatus MixShape(gert::InferShapeContext *ctx) {
  if (static_cast<gert::CtInferShapeContext *>(ctx)->GetInferenceContext() == nullptr) return GRAPH_FAILED;
  *ctx->GetOutputShape(0) = *ctx->GetRequiredInputShape(0);
  ctx->GetOutputShape(1)->SetScalar();
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxMix).InferShape(MixShape).PrivateAttr("_bonus", static_cast<int64_t>(5)).InputsDataDependency({0});

class CxxMix : public CompilableOp, public EagerExecuteOp {
 public:
  graphStatus Compile(gert::OpCompileContext *ctx) override {
    ++g_mix.compiles;
    fe::PlatFormInfos platform;
    fe::OptionalInfos optional;
    AscendString option, none;
    std::string arch;
    if (ctx->GetPlatformInfos(platform, optional) != GRAPH_SUCCESS ||
        !platform.GetPlatformResWithLock("version", "NpuArch", arch) || arch.empty())
      return GRAPH_FAILED;
    if (ctx->GetOption("ge.jit_compile", option) == GRAPH_SUCCESS) g_mix.option = option.GetString();
    if (ctx->GetOption("no.such.option", none) == GRAPH_SUCCESS) return GRAPH_FAILED;
    if (ctx->GetRequiredInputTensor(0)->GetAddr() != nullptr) return GRAPH_FAILED;
    return ctx->GetOutputTensor(0)->GetStorageShape() == ctx->GetInputTensor(0)->GetStorageShape() ? GRAPH_SUCCESS
                                                                                                   : GRAPH_FAILED;
  }
  // y = factor * x + shift + sum(weights[i] * more[i]) + bonus; count = number of inputs
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    ++g_mix.executes;
    const gert::RuntimeAttrs *attrs = ctx->GetAttrs();
    const auto *weights = attrs->GetListInt(1);
    if (attrs->GetAttrNum() != 4 || attrs->GetFloat(0) == nullptr || weights == nullptr || attrs->GetInt(0) != nullptr)
      return GRAPH_FAILED;
    g_mix.label = attrs->GetStr(2);
    const gert::Tensor *x = ctx->GetRequiredInputTensor(0), *shift = ctx->GetOptionalInputTensor(1);
    const auto *info = ctx->GetIrInputInstanceInfo(2);
    const auto size = static_cast<size_t>(x->GetShapeSize());
    auto *sum = static_cast<float *>(ctx->MallocWorkSpace(size * sizeof(float)));
    if (sum == nullptr || reinterpret_cast<uintptr_t>(sum) % 64 != 0) return GRAPH_FAILED;
    for (size_t e = 0; e < size; ++e) {
      sum[e] = *attrs->GetFloat(0) * x->GetData<float>()[e] + static_cast<float>(*attrs->GetInt(3));
      if (shift != nullptr) sum[e] += shift->GetData<float>()[e];
      for (size_t i = 0; i < info->GetInstanceNum(); ++i)
        sum[e] += static_cast<float>(weights->GetData()[i]) * ctx->GetDynamicInputTensor(2, i)->GetData<float>()[e];
    }
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_FLOAT);
    if (y == nullptr) return GRAPH_FAILED;
    std::memcpy(y->GetAddr(), sum, size * sizeof(float));
    // A planned output may be written without asking for it.
    auto *count = const_cast<gert::Tensor *>(ctx->GetOutputTensor(1));
    if (count->GetAddr() == nullptr) count = ctx->MallocOutputTensor(1, {{}, {}}, {FORMAT_ND, FORMAT_ND, {}}, DT_INT32);
    *count->GetData<int32_t>() = static_cast<int32_t>(ctx->GetComputeNodeInputNum());
    if (ctx->GetInputTensor(ctx->GetComputeNodeInputNum()) != nullptr || ctx->GetDynamicInputTensor(2, 9) != nullptr)
      g_mix.problem = "a tensor beyond the last input";
    int64_t value = 7;
    const gert::KernelArgs *args = ctx->MallocReadOnlyDevArgs(&value, sizeof value);
    value = 8;
    auto *update = static_cast<gert::UpdateArgsContext *>(ctx);
    if (args == nullptr || *static_cast<int64_t *>(args->args_data) != 7 ||
        update->GetKernelArgs(gert::Placement::kPlacementHost, 0)->args_data != args->args_data ||
        update->GetKernelArgs(gert::Placement::kPlacementDevice, 1) != nullptr)
      g_mix.problem = "arguments of launches";
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(CxxMix);

// ---- an input that is changed in place, and an output that is not ----
REG_OP(CxxAccumulate)
    .INPUT(sum, TensorType({DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(sum, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(CxxAccumulate) static graphStatus FirstShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  return GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(CxxAccumulate).InferShape(FirstShape);
class CxxAccumulate : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) {
    const gert::Tensor *x = ctx->GetInputTensor(1);
    if (ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_FLOAT) != nullptr) return GRAPH_FAILED;
    if (ctx->MakeOutputRefInput(0, 1) != nullptr) return GRAPH_FAILED;  // has another name
    gert::Tensor *sum = ctx->MakeOutputRefInput(0, 0);
    for (int64_t i = 0; i < x->GetShapeSize(); ++i) sum->GetData<float>()[i] += x->GetData<float>()[i];
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(CxxAccumulate)

// ---- what goes wrong, by attribute ----
REG_OP(CxxWrong)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(how, String)
    .REQUIRED_ATTR(known, Bool)
    .OP_END_FACTORY_REG(CxxWrong) class CxxWrong : public EagerExecuteOp,
    public ShapeInferOp {
 public:
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    if (How(ctx) == "infer") return GRAPH_FAILED;
    *ctx->GetOutputShape(0) = {*ctx->GetAttrs()->GetBool(1) ? 4 : -1};
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override { return ctx->SetOutputDataType(0, DT_FLOAT); }
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const std::string how = How(ctx);
    const gert::StorageFormat format{FORMAT_ND, FORMAT_ND, {}};
    if (how == "status") return GRAPH_PARAM_INVALID;
    if (how == "throw") throw std::runtime_error("out of luck");
    if (how == "large") return ctx->MallocOutputTensor(0, {{5}, {5}}, format, DT_FLOAT) ? GRAPH_SUCCESS : GRAPH_FAILED;
    if (how == "shape") (void)ctx->MallocOutputTensor(0, {{2}, {2}}, format, DT_FLOAT);
    if (how == "type") (void)ctx->MallocOutputTensor(0, {{2}, {2}}, format, DT_INT32);
    return GRAPH_SUCCESS;
  }

 private:
  static std::string How(const gert::ExtendedKernelContext *ctx) { return ctx->GetAttrs()->GetStr(0); }
};
REG_AUTO_MAPPING_OP(CxxWrong)

REG_OP(CxxDeviceOnly)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(CxxDeviceOnly) class CxxDeviceOnly : public AnnotatedArgsOp {
 public:
  graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &) override { return GRAPH_FAILED; }
};
REG_AUTO_MAPPING_OP(CxxDeviceOnly)

// ---- types that the prototype decides ----
REG_OP(CxxTyped)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, "dst_type")
    .OUTPUT(z, "Only")
    .DATATYPE(Only, TensorType({DT_UINT8}))
    .REQUIRED_ATTR(dst_type, Int)
    .OP_END_FACTORY_REG(CxxTyped) static graphStatus TypedShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  *ctx->GetOutputShape(1) = {-2};
  const gert::Tensor *x = ctx->GetInputTensor(0);
  if (x->GetAddr() != nullptr) *ctx->GetOutputShape(1) = {x->GetData<int64_t>()[0]};
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxTyped).InferShape(TypedShape);

REG_OP(CxxOutputAllocator)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OUTPUT(none, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(CxxOutputAllocator) static graphStatus CapacityShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetOutputShape(1) = {-1};
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxOutputAllocator).InferShape(CapacityShape);

namespace {

template <class T>
Tensor Values(const std::vector<T> &values, DataType type, std::vector<int64_t> dims = {}) {
  if (dims.empty()) dims = {static_cast<int64_t>(values.size())};
  std::vector<T> copy = values;
  return Tensor(TensorDesc(Shape(dims), FORMAT_ND, type), reinterpret_cast<const uint8_t *>(copy.data()),
                copy.size() * sizeof(T));
}
Tensor Floats(const std::vector<float> &values) { return Values(values, DT_FLOAT); }
template <class T>
std::vector<T> Content(const Tensor &tensor) {
  std::vector<T> out(tensor.GetSize() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), tensor.GetData(), tensor.GetSize());
  return out;
}
Operator Input(const char *name, int64_t index, const std::vector<int64_t> &dims, DataType type = DT_FLOAT) {
  Operator data = OperatorFactory::CreateOperator(name, "Data");
  TensorDesc desc(Shape(dims), FORMAT_ND, type);
  (void)data.UpdateInputDesc("x", desc);
  (void)data.UpdateOutputDesc("y", desc);
  (void)data.SetAttr("index", index);
  return data;
}

class CustomOpTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{{"ge.jit_compile", "1"}}), SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
  std::string Engines(Session &session, uint32_t id) {
    AscendString json;
    EXPECT_EQ(session.GraphDebugJSONPrint(id, 0, json), SUCCESS);
    return json.GetString();
  }
};

TEST_F(CustomOpTest, ShapesThatOnlyExecuteKnowsReachReadersAndOutputs) {
  Operator x = Input("x", 0, {6}, DT_BOOL);
  op::CxxWhere where("where");
  where.set_input_x(x);
  Operator cast = OperatorFactory::CreateOperator("cast", "Cast");
  cast.SetInput("x", where, "y").SetAttr("dst_type", static_cast<int64_t>(DT_FLOAT));
  Graph graph("where");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{where, cast});
  Session session(std::map<AscendString, AscendString>{{"ge.graphRunMode", "0"}});
  ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
  const struct {
    std::vector<uint8_t> in;
    std::vector<int64_t> out;
  } cases[] = {{{1, 0, 1, 1, 0, 0}, {0, 2, 3}}, {{0, 0, 0, 0, 0, 1}, {5}}, {{0, 0, 0, 0, 0, 0}, {}}};
  for (const auto &one : cases) {
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(1, {Values(one.in, DT_BOOL)}, outputs), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(outputs.size(), 2u);
    const std::vector<int64_t> dims = {static_cast<int64_t>(one.out.size()), 1};
    EXPECT_EQ(outputs[0].GetTensorDesc().GetShape().GetDims(), dims);
    EXPECT_EQ(outputs[1].GetTensorDesc().GetShape().GetDims(), dims);
    EXPECT_EQ(Content<int64_t>(outputs[0]), one.out);
    EXPECT_EQ(Content<float>(outputs[1]), std::vector<float>(one.out.begin(), one.out.end()));
  }
  EXPECT_NE(Engines(session, 1).find("DNN_VM_CUSTOM"), std::string::npos);
}

TEST_F(CustomOpTest, InputsAttributesAndCompilation) {
  for (const bool dynamic : {false, true}) {
    g_mix = {};
    const std::vector<int64_t> dims = {dynamic ? -1 : 2};
    Operator x = Input("x", 0, dims), shift = Input("shift", 1, dims), a = Input("a", 2, dims), b = Input("b", 3, dims);
    op::CxxMix all("all"), few("few");
    all.set_input_x(x).set_input_shift(shift).create_dynamic_input_more(2);
    all.set_dynamic_input_more(0, a).set_dynamic_input_more(1, b).set_attr_factor(10).set_attr_label("all");
    few.set_input_x(x).set_attr_factor(2);
    few.SetAttr("_bonus", static_cast<int64_t>(100));
    Graph graph("mix");
    graph.SetInputs({x, shift, a, b}).SetOutputs(std::vector<Operator>{all, few});
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph, std::map<AscendString, AscendString>{{"ge.jit_compile", "2"}}), SUCCESS);
    const std::vector<Tensor> inputs = {Floats({1, 2}), Floats({0.5f, 0.25f}), Floats({3, 4}), Floats({5, 6})};
    std::vector<Tensor> outputs;
    for (int run = 0; run < 2; ++run) {
      ASSERT_EQ(session.RunGraph(1, inputs, outputs), SUCCESS) << GeLastErrorMessage();
      ASSERT_EQ(outputs.size(), 4u);
      EXPECT_EQ(Content<float>(outputs[0]), (std::vector<float>{10 + 5 + .5f + 3 + 10, 20 + 5 + .25f + 4 + 12}));
      EXPECT_EQ(Content<int32_t>(outputs[1]), std::vector<int32_t>{4});
      EXPECT_EQ(Content<float>(outputs[2]), (std::vector<float>{102, 104}));
      EXPECT_EQ(Content<int32_t>(outputs[3]), std::vector<int32_t>{1});
    }
    EXPECT_EQ(g_mix.compiles, 2);  // once for each node
    EXPECT_EQ(g_mix.executes, 4);
    EXPECT_EQ(g_mix.option, "2");
    EXPECT_EQ(g_mix.label, "none");  // the last node's
    EXPECT_EQ(g_mix.problem, "");
    if (!dynamic) continue;
    ASSERT_EQ(session.RunGraph(1, {Floats({1}), Floats({1}), Floats({1}), Floats({1})}, outputs), SUCCESS);
    EXPECT_EQ(Content<float>(outputs[0]), std::vector<float>{10 + 5 + 1 + 1 + 2});
    EXPECT_EQ(g_mix.compiles, 4);
  }
}

TEST_F(CustomOpTest, AnInputChangedInPlaceStaysForOtherReaders) {
  for (const int64_t extent : {3, -1}) {
    Operator sum = Input("sum", 0, {extent}), x = Input("x", 1, {extent});
    op::CxxAccumulate op("op");
    op.set_input_sum(sum).set_input_x(x);
    Operator neg = OperatorFactory::CreateOperator("neg", "Neg");
    neg.SetInput("x", sum, "y");
    Graph graph("accumulate");
    graph.SetInputs({sum, x}).SetOutputs(std::vector<Operator>{op, neg});
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    std::vector<Tensor> outputs;
    Tensor fed = Floats({1, 2, 3});
    ASSERT_EQ(session.RunGraph(1, {fed, Floats({10, 20, 30})}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(Content<float>(outputs[0]), (std::vector<float>{11, 22, 33}));
    EXPECT_EQ(Content<float>(outputs[1]), (std::vector<float>{-1, -2, -3}));
    EXPECT_EQ(Content<float>(fed), (std::vector<float>{1, 2, 3}));
  }
}

TEST_F(CustomOpTest, FailuresNameTheNodeAndTheReason) {
  const struct {
    const char *how;
    bool known;
    const char *reason;
  } cases[] = {{"status", true, "Execute of the custom operator returned 50331649"},
               {"throw", true, "out of luck"},
               {"throw", false, "out of luck"},
               {"large", true, "returned 4294967295"},
               {"shape", true, "output 0 became [2], inference said [4]"},
               {"type", true, "output 0 became DT_INT32, the graph has DT_FLOAT"},
               {"type", false, "output 0 became DT_INT32, the graph has DT_FLOAT"},
               {"nothing", false, "output 0 was left with shape [-1]"},
               {"infer", true, "function for shapes failed"}};
  for (const auto &one : cases) {
    SCOPED_TRACE(std::string(one.how) + (one.known ? " known" : " unknown"));
    Operator x = Input("x", 0, {4});
    op::CxxWrong wrong("culprit");
    wrong.set_input_x(x).set_attr_how(one.how).set_attr_known(one.known);
    Graph graph("wrong");
    graph.SetInputs({x}).SetOutputs(std::vector<Operator>{wrong});
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    std::vector<Tensor> outputs;
    EXPECT_EQ(session.RunGraph(1, {Floats({1, 2, 3, 4})}, outputs), FAILED);
    const std::string message = GeLastErrorMessage();
    EXPECT_NE(message.find(one.reason), std::string::npos) << message;
    EXPECT_NE(message.find("culprit"), std::string::npos) << message;
  }
}

TEST_F(CustomOpTest, WithoutExecuteANodeIsRefused) {
  Operator x = Input("x", 0, {4});
  op::CxxDeviceOnly only("only");
  only.set_input_x(x);
  (void)only.update_output_desc_y(TensorDesc(Shape({4}), FORMAT_ND, DT_FLOAT));
  Graph graph("device");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{only});
  Session session(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
  EXPECT_EQ(session.CompileGraph(1), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("has no Execute (EagerExecuteOp)"), std::string::npos)
      << GeLastErrorMessage();
}

TEST_F(CustomOpTest, TypesFollowFromThePrototypeAndValuesReachInference) {
  op::CxxTyped op("typed");
  op.set_attr_dst_type(DT_INT16);
  ASSERT_EQ(op.UpdateInputDesc("x", TensorDesc(Shape({-1, 3}), FORMAT_ND, DT_INT64)), GRAPH_SUCCESS);
  ASSERT_EQ(op.InferShapeAndType(), GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(op.get_output_desc_y().GetDataType(), DT_INT16);
  EXPECT_EQ(op.get_output_desc_y().GetShape().GetDims(), (std::vector<int64_t>{-1, 3}));
  EXPECT_EQ(op.get_output_desc_z().GetDataType(), DT_UINT8);
  EXPECT_EQ(op.get_output_desc_z().GetShape().GetDims(), std::vector<int64_t>{-2});

  Operator constant = OperatorFactory::CreateOperator("c", "Const");
  constant.SetAttr("value", Values(std::vector<int64_t>{9, 8}, DT_INT64));
  (void)constant.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, DT_INT64));
  op::CxxTyped fed("fed");
  fed.set_input_x(constant).set_attr_dst_type(DT_BOOL);
  ASSERT_EQ(fed.InferShapeAndType(), GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(fed.get_output_desc_y().GetDataType(), DT_BOOL);
  EXPECT_EQ(fed.get_output_desc_z().GetShape().GetDims(), std::vector<int64_t>{9});
}

TEST(CustomOpFactoryTest, OneObjectForEachType) {
  static int made = 0;
  class Counted : public EagerExecuteOp, public ArgsUpdater, public CustomOpCapabilityProvider {
   public:
    Counted() { ++made; }
    graphStatus Execute(gert::EagerOpExecutionContext *) override { return GRAPH_SUCCESS; }
    graphStatus UpdateHostArgs(gert::UpdateArgsContext *) override { return GRAPH_SUCCESS; }
    bool HasCapability(CustomOpCapability capability) const override {
      return capability == CustomOpCapability::kArgsUpdater;
    }
  };
  const BaseOpCreator creator = [] { return std::make_unique<Counted>(); };
  EXPECT_EQ(CustomOpFactory::RegisterCustomOpCreator("CxxCounted", nullptr), GRAPH_PARAM_INVALID);
  EXPECT_FALSE(CustomOpFactory::IsExistOp("CxxCounted"));
  ASSERT_EQ(CustomOpFactory::RegisterCustomOpCreator("CxxCounted", creator), GRAPH_SUCCESS);
  EXPECT_EQ(CustomOpFactory::RegisterCustomOpCreator("CxxCounted", creator), GRAPH_FAILED);
  EXPECT_TRUE(CustomOpFactory::IsExistOp("CxxCounted"));
  CustomOpRegistry &registry = *CustomOpFactory::GetGlobalRegistryPtr();
  EXPECT_FALSE(registry.HasCustomOp("CxxCounted"));
  BaseCustomOp *op = CustomOpFactory::CreateOrGetCustomOp("CxxCounted");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(CustomOpFactory::CreateOrGetCustomOp("CxxCounted"), op);
  EXPECT_EQ(registry.FindCustomOp("CxxCounted"), op);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(CustomOpCast<EagerExecuteOp>(op), nullptr);  // it says that it does not offer it
  EXPECT_NE(CustomOpCast<ArgsUpdater>(op), nullptr);
  EXPECT_EQ(CustomOpCast<PortableOp>(op), nullptr);
  EXPECT_EQ(CustomOpCast<EagerExecuteOp>(nullptr), nullptr);
  EXPECT_EQ(CustomOpFactory::GetArgsRefreshStrategy("CxxCounted"), ArgsRefreshStrategy::kUpdateCallback);
  EXPECT_EQ(CustomOpFactory::GetArgsRefreshStrategy("CxxDeviceOnly"), ArgsRefreshStrategy::kAnnotatedArgs);
  EXPECT_FALSE(CustomOpFactory::IsAddressRefreshable("CxxWhere"));
  std::vector<AscendString> types;
  ASSERT_EQ(CustomOpFactory::GetAllRegisteredOps(types), GRAPH_SUCCESS);
  EXPECT_EQ(types.size(), 6u);
  CustomOpFactory::RemoveCustomOps({"CxxCounted", "NoSuchOp"});
  EXPECT_FALSE(CustomOpFactory::IsExistOp("CxxCounted"));
  EXPECT_EQ(CustomOpFactory::CreateOrGetCustomOp("CxxCounted"), nullptr);
}

// ---- an engine of one's own whose kernels allocate their outputs (GE_KERNEL_ALLOCATES_OUTPUTS) ----
struct AllocatingEngine {
  static inline uint64_t workspace = 0;
  static inline bool wrong_output_gives_none = false;
  static GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
    if (std::strcmp(op->type, "CxxOutputAllocator") == 0) return GE_SUCCESS;
    std::snprintf(reason, capacity, "only CxxOutputAllocator");
    return GE_UNSUPPORTED;
  }
  // y: the first two elements of x; none: an output that nobody asks memory for.
  static GeStatus Run(void *, const GeKernelArgs *args) {
    const GeKernelAllocator &outputs = *args->allocator;
    wrong_output_gives_none = outputs.allocate(outputs.host, 2, 8) == nullptr &&
                              outputs.allocate(outputs.host, -1, 8) == nullptr && args->outputs[0] == nullptr;
    std::memset(outputs.allocate(outputs.host, 0, 4096), 1, 4096);  // replaced by the next call
    std::memcpy(outputs.allocate(outputs.host, 0, 8), args->inputs[0], 8);
    auto *shapes = static_cast<int64_t *>(args->workspace);
    shapes[0] = 1;
    shapes[1] = 2;
    shapes[8] = 1;
    shapes[9] = 0;
    return GE_SUCCESS;
  }
  static GeStatus Create(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *out) {
    out->run = &Run;
    out->flags = GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_ALLOCATES_OUTPUTS;
    out->workspace_bytes = workspace;
    return GE_SUCCESS;
  }
};
TEST_F(CustomOpTest, KernelsAllocateTheirOutputs) {
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "AllocatingEngine";
  table.version = "1";
  table.check = &AllocatingEngine::Check;
  table.create_kernel = &AllocatingEngine::Create;
  ASSERT_EQ(GeEngineRegister(&table, nullptr), GE_SUCCESS) << GeLastErrorMessage();
  Operator x = Input("x", 0, {3});
  op::CxxOutputAllocator room("room");
  room.set_input_x(x);
  Graph graph("room");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{room});
  {
    AllocatingEngine::workspace = 128;
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2, 3})}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(Content<float>(outputs[0]), (std::vector<float>{1, 2}));
    EXPECT_EQ(outputs[1].GetTensorDesc().GetShape().GetDims(), std::vector<int64_t>{0});
    EXPECT_TRUE(AllocatingEngine::wrong_output_gives_none);
  }
  {
    AllocatingEngine::workspace = 64;  // without the place for the shape of the second output
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    std::vector<Tensor> outputs;
    EXPECT_EQ(session.RunGraph(1, {Floats({1, 2, 3})}, outputs), FAILED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("2 outputs whose shapes depend on data needs at least"),
              std::string::npos)
        << GeLastErrorMessage();
  }
  EXPECT_EQ(GeEngineUnload("AllocatingEngine"), GE_SUCCESS);
}

TEST(ContinuousVectorTest, RowsAndElements) {
  auto block = gert::ContinuousVector::Create<int64_t>(3);
  auto *vector = reinterpret_cast<gert::ContinuousVector *>(block.get());
  EXPECT_EQ(vector->GetSize(), 0u);
  EXPECT_EQ(vector->SetSize(4), ge::GRAPH_FAILED);
  EXPECT_EQ(vector->SetSize(3), ge::GRAPH_SUCCESS);
  GeAttrData attr{};
  const int64_t one[] = {1}, two[] = {2, 3};
  const int64_t *rows[] = {one, nullptr, two};
  const int64_t counts[] = {1, 0, 2};
  attr.type = C_VT_LIST_LIST_INT;
  attr.list = rows;
  attr.count = 3;
  attr.inner_counts = counts;
  gert::RuntimeAttrs attrs;
  attrs.Append(&attr);
  attrs.Append(nullptr);
  ASSERT_EQ(attrs.GetAttrNum(), 2u);
  EXPECT_EQ(attrs.GetAttrPointer<int64_t>(1), nullptr);
  EXPECT_EQ(attrs.GetListListFloat(0), nullptr);
  const gert::ContinuousVectorVector *lists = attrs.GetListListInt(0);
  ASSERT_NE(lists, nullptr);
  ASSERT_EQ(lists->GetSize(), 3u);
  EXPECT_EQ(lists->Get(1)->GetSize(), 0u);
  ASSERT_EQ(lists->Get(2)->GetSize(), 2u);
  EXPECT_EQ(static_cast<const int64_t *>(lists->Get(2)->GetData())[1], 3);
  EXPECT_EQ(lists->Get(3), nullptr);
}

}  // namespace
}  // namespace ge
