// Variables of sessions: values that stay, callbacks for Save, models that are built from a session.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "ge/variables.h"
#include "graph/operator_reg.h"
#include "op_proto/graph_ops.h"
#include "op_proto/state_ops.h"

namespace ge {

// As programs that write checkpoints bring it.
REG_OP(Save)
    .DYNAMIC_INPUT(tensors, TensorType::ALL())
    .OP_END_FACTORY_REG(Save)

        namespace {
  using Map = std::map<AscendString, AscendString>;
  using Values = std::vector<float>;

  Tensor Floats(const Values &values) {
    TensorDesc desc(Shape({static_cast<int64_t>(values.size())}), FORMAT_ND, DT_FLOAT);
    return Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
  }
  Values Content(const Tensor &tensor) {
    Values out(tensor.GetSize() / sizeof(float));
    std::memcpy(out.data(), tensor.GetData(), tensor.GetSize());
    return out;
  }
  es::EsTensorHolder Variable(es::EsGraphBuilder & g, const char *name, const Values &value) {
    es::EsTensorHolder v = g.CreateVariable(0, name);
    Tensor tensor = Floats(value);
    EXPECT_EQ(v.GetProducer()->SetAttr("value", tensor), GRAPH_SUCCESS);
    return v;
  }
  std::unique_ptr<Graph> Counter(const char *name = "counter") {  // n += by
    es::EsGraphBuilder g(name);
    auto by = g.CreateInput(0, "by", DT_FLOAT, FORMAT_ND, {2});
    return g.BuildAndReset({es::AssignAdd(Variable(g, "n", {10, 20}), by)});
  }

  class VariablesTest : public testing::Test {
   protected:
    void SetUp() override { ASSERT_EQ(GEInitialize(Map{}), SUCCESS); }
    void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
  };

  TEST_F(VariablesTest, KeepTheirValues) {
    Session session(Map{}), other(Map{});
    std::vector<Tensor> values = {Floats({1})}, outputs;
    EXPECT_EQ(session.GetVariables(std::vector<AscendString>{}, values), SUCCESS);
    EXPECT_TRUE(values.empty());
    ASSERT_EQ(session.AddGraph(1, *Counter()), SUCCESS);
    ASSERT_EQ(session.AddGraph(2, *Counter("again")), SUCCESS);
    ASSERT_EQ(other.AddGraph(1, *Counter()), SUCCESS);
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(Content(outputs[0]), (Values{11, 22}));
    ASSERT_EQ(session.RunGraph(2, {Floats({1, 2})}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(Content(outputs[0]), (Values{12, 24}));
    ASSERT_EQ(session.RemoveGraph(1), SUCCESS);
    ASSERT_EQ(session.GetVariables(std::vector<AscendString>{}, values), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(values.size(), 1u);
    EXPECT_EQ(Content(values[0]), (Values{12, 24}));
    ASSERT_EQ(session.RunGraph(2, {Floats({1, 1})}, outputs), SUCCESS);
    EXPECT_EQ(Content(values[0]), (Values{12, 24}));  // a copy
    ASSERT_EQ(session.GetVariables(std::vector<AscendString>{"n"}, values), SUCCESS);
    EXPECT_EQ(Content(values[0]), (Values{13, 25}));
    EXPECT_EQ(session.GetVariables(std::vector<AscendString>{"n", "m"}, values), FAILED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("no variable 'm'; there are n"), std::string::npos);
    EXPECT_TRUE(values.empty());
    ASSERT_EQ(other.RunGraph(1, {Floats({0, 0})}, outputs), SUCCESS);
    EXPECT_EQ(Content(outputs[0]), (Values{10, 20}));
  }

  TEST_F(VariablesTest, OfTheSecondKindOfSession) {
    GeSession session(Map{});
    ASSERT_EQ(session.AddGraph(1, *Counter()), SUCCESS);
    ASSERT_EQ(session.CompileGraph(1), SUCCESS) << GeLastErrorMessage();
    Values memory = {1, 2};
    for (int run = 1; run <= 3; ++run) {
      std::vector<gert::Tensor> inputs, results;
      inputs.emplace_back(gert::StorageShape({2}, {2}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                          DT_FLOAT, memory.data());
      ASSERT_EQ(session.RunGraph(1, inputs, results), SUCCESS) << GeLastErrorMessage();
      EXPECT_EQ(results[0].GetData<float>()[1], static_cast<float>(20 + 2 * run));
    }
  }

  TEST_F(VariablesTest, GraphsThatDoNotAgree) {
    Session session(Map{});
    es::EsGraphBuilder g("other");
    auto graph = g.BuildAndReset({es::Neg(Variable(g, "n", {1, 2, 3}))});
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.AddGraph(1, *Counter()), SUCCESS);
    ASSERT_EQ(session.AddGraph(2, *graph), SUCCESS);
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS);
    EXPECT_EQ(session.RunGraph(2, {}, outputs), FAILED);
    const std::string text = GeLastErrorMessage();
    EXPECT_NE(text.find("variable 'n' is DT_FLOAT [2] in graph 'counter', DT_FLOAT [3] in graph 'other'"),
              std::string::npos)
        << text;
  }

  TEST_F(VariablesTest, CompileGraphRefusesThem) {
    Session session(Map{});
    ASSERT_EQ(session.AddGraph(1, *Counter()), SUCCESS);
    EXPECT_EQ(session.CompileGraph(1), UNSUPPORTED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("graph 1: it has variables"), std::string::npos);
    std::vector<Tensor> outputs;  // and nothing else has happened
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS) << GeLastErrorMessage();
  }

  std::map<std::string, Values> g_saved;
  uint32_t g_saved_id = 0, g_answer = SUCCESS;
  uint32_t OnSave(uint32_t id, const std::map<AscendString, Tensor> &values) {
    g_saved.clear();
    g_saved_id = id;
    for (const auto &[name, value] : values) g_saved[name.GetString()] = Content(value);
    return g_answer;
  }

  TEST_F(VariablesTest, SaveIsToldTheirValues) {
    es::EsGraphBuilder g("save");
    auto n = Variable(g, "n", {10, 20});
    auto changed = es::Identity(es::AssignAdd(Variable(g, "m", {1}), g.CreateVector(std::vector<float>{1})));
    auto graph = g.BuildAndReset({es::Neg(n)});
    Operator save = OperatorFactory::CreateOperator("save", "Save");
    save.DynamicInputRegister("tensors", 2);
    GNode node = graph->AddNodeByOp(save);
    ASSERT_EQ(graph->AddDataEdge(*n.GetProducer(), 0, node, 0), GRAPH_SUCCESS);
    ASSERT_EQ(graph->AddDataEdge(*changed.GetProducer(), 0, node, 1), GRAPH_SUCCESS);

    Session session(Map{});
    ASSERT_EQ(session.AddGraph(1, *Counter()), SUCCESS);
    ASSERT_EQ(session.AddGraph(5, *graph), SUCCESS);
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS);
    ASSERT_EQ(session.RunGraph(5, {}, outputs), SUCCESS) << GeLastErrorMessage();  // nobody listens
    ASSERT_EQ(outputs.size(), 1u);
    ASSERT_EQ(session.RegisterCallBackFunc("Save", session::pCallBackFunc(OnSave)), SUCCESS);
    ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS);
    EXPECT_TRUE(g_saved.empty());  // that graph saves nothing
    ASSERT_EQ(session.RunGraph(5, {}, outputs), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(Content(outputs[0]), (Values{-12, -24}));
    EXPECT_EQ(g_saved_id, 5u);
    EXPECT_EQ(g_saved, (std::map<std::string, Values>{{"n", {12, 24}}, {"m", {3}}}));
    g_answer = FAILED;
    EXPECT_EQ(session.RunGraph(5, {}, outputs), FAILED);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("the callback for Save failed"), std::string::npos);
    g_answer = SUCCESS;
  }

  TEST_F(VariablesTest, OfGraphsMadeOfOperators) {  // one graph gives the variable a value, another one trains
    const TensorDesc desc(Shape({2}), FORMAT_ND, DT_FLOAT);
    auto variable = [&] {
      op::Variable v("w");
      (void)v.update_output_desc_y(desc);
      return v;
    };
    op::Const start("start");
    start.set_attr_value(Floats({5, 6}));
    op::Variable target = variable();
    op::Assign assign("assign");
    assign.set_input_ref(target).set_input_value(start);
    Graph init("init");
    init.SetInputs({target, start}).SetOutputs(std::vector<Operator>{}).SetTargets({assign});

    op::Data by("by");
    by.set_attr_index(0);
    (void)by.update_output_desc_y(desc);
    op::Variable w = variable();
    op::AssignSub step("step");
    step.set_input_var(w).set_input_value(by);
    Graph train("train");
    train.SetInputs({w, by}).SetOutputs({step});

    Session session(Map{});
    ASSERT_EQ(session.AddGraph(0, init), SUCCESS);
    ASSERT_EQ(session.AddGraph(1, train), SUCCESS);
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.RunGraph(0, {}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_TRUE(outputs.empty());
    for (int run = 1; run <= 3; ++run) {
      ASSERT_EQ(session.RunGraph(1, {Floats({1, 2})}, outputs), SUCCESS) << GeLastErrorMessage();
      EXPECT_EQ(Content(outputs[0]), (Values{5.0f - static_cast<float>(run), 6.0f - static_cast<float>(2 * run)}));
    }
  }

  // ---- the C interface, and models built from a session ----

  struct CSession {
    CSession() { EXPECT_EQ(GeSessionCreate(nullptr, &handle), GE_SUCCESS); }
    ~CSession() { GeSessionDestroy(handle); }
    Values Run(uint32_t id, const Values &by) {
      Tensor in = Floats(by);
      const GeTensor *inputs[] = {in.handle()};
      GeTensor *out = nullptr;
      size_t count = 1;
      EXPECT_EQ(GeSessionRunGraph(handle, id, inputs, 1, &out, &count), GE_SUCCESS) << GeLastErrorMessage();
      return Content(Tensor::Adopt(out));
    }
    GeSessionHandle *handle = nullptr;
  };

  TEST_F(VariablesTest, ThroughTheCInterface) {
    CSession session;
    size_t count = 9;
    ASSERT_EQ(GeSessionVariableCount(session.handle, &count), GE_SUCCESS);
    EXPECT_EQ(count, 0u);
    ASSERT_EQ(GeSessionAddGraph(session.handle, 1, Counter()->handle(), nullptr), GE_SUCCESS);
    EXPECT_EQ(session.Run(1, {1, 1}), (Values{11, 21}));
    ASSERT_EQ(GeSessionVariableCount(session.handle, &count), GE_SUCCESS);
    EXPECT_EQ(count, 1u);
    const char *name = nullptr;
    ASSERT_EQ(GeSessionVariableName(session.handle, 0, &name), GE_SUCCESS);
    EXPECT_STREQ(name, "n");
    EXPECT_EQ(GeSessionVariableName(session.handle, 1, &name), GE_PARAM_INVALID);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("index is 1, the session has 1"), std::string::npos);
    const Tensor value = Floats({100, 200});
    const GeTensor *values[] = {value.handle()};
    const char *names[] = {"n"}, *unknown[] = {"n", "x"};
    ASSERT_EQ(GeSessionSetVariables(session.handle, names, values, 1), GE_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(session.Run(1, {1, 1}), (Values{101, 201}));
    EXPECT_EQ(Content(value), (Values{100, 200}));
    GeTensor *got[2] = {nullptr, nullptr};
    ASSERT_EQ(GeSessionCloneVariables(session.handle, names, 1, got), GE_SUCCESS);
    EXPECT_EQ(Content(Tensor::Adopt(got[0])), (Values{101, 201}));
    EXPECT_EQ(GeSessionCloneVariables(session.handle, unknown, 2, got), GE_NOT_FOUND);
    EXPECT_EQ(got[0], nullptr);
    EXPECT_EQ(GeSessionCloneVariables(session.handle, nullptr, 0, nullptr), GE_SUCCESS);
  }

  Values RunModel(GeModel * model, Values by) {
    GeRunContext *context = nullptr;
    EXPECT_EQ(GeRunContextCreate(model, &context), GE_SUCCESS);
    const int64_t dims[] = {2};
    GeTensorData in{}, out{};
    in.data_type = C_DT_FLOAT;
    in.format = in.origin_format = C_FORMAT_ND;
    in.rank = in.origin_rank = 1;
    in.dims = in.origin_dims = dims;
    in.data = by.data();
    in.size = by.size() * sizeof(float);
    EXPECT_EQ(GeRun(context, &in, 1, &out, 1), GE_SUCCESS) << GeLastErrorMessage();
    const auto *data = static_cast<const float *>(out.data);
    Values values(data, data + 2);
    GeRunContextDestroy(context);
    return values;
  }

  TEST_F(VariablesTest, OfOfflineModels) {
    const auto graph = Counter();
    CSession session;
    ASSERT_EQ(GeSessionAddGraph(session.handle, 1, graph->handle(), nullptr), GE_SUCCESS);
    EXPECT_EQ(session.Run(1, {5, 5}), (Values{15, 25}));
    void *data = nullptr;
    size_t size = 0;
    // Of a graph alone they start as the graph says, of a session's graph with the values that they have there.
    for (const float start : {10.0f, 15.0f}) {
      if (start == 10) ASSERT_EQ(GeOfflineBuild(graph->handle(), nullptr, &data, &size), GE_SUCCESS);
      else ASSERT_EQ(GeSessionOfflineBuild(session.handle, 1, &data, &size), GE_SUCCESS) << GeLastErrorMessage();
      GeModel *one = nullptr, *two = nullptr;
      ASSERT_EQ(GeCompileBuffer(data, size, nullptr, nullptr, &one), GE_SUCCESS) << GeLastErrorMessage();
      ASSERT_EQ(GeCompileBuffer(data, size, nullptr, nullptr, &two), GE_SUCCESS);
      EXPECT_EQ(GeModelInputCount(one), 1u);
      EXPECT_EQ(GeModelOutputCount(one), 1u);
      const char *name = nullptr;
      EXPECT_EQ(GeModelGetInput(one, 0, &name, nullptr), GE_SUCCESS);
      EXPECT_STREQ(name, "by");
      EXPECT_EQ(RunModel(one, {1, 2}), (Values{start + 1, start + 12}));
      EXPECT_EQ(RunModel(one, {1, 2}), (Values{start + 2, start + 14}));
      EXPECT_EQ(RunModel(two, {1, 2}), (Values{start + 1, start + 12}));  // each loaded model has its own
      GeModelDestroy(one);
      GeModelDestroy(two);
      GeBytesDestroy(data);
    }
    EXPECT_EQ(session.Run(1, {0, 0}), (Values{15, 25}));
  }

  TEST_F(VariablesTest, AModelOfASessionSharesThem) {
    GeModel *model = nullptr;
    {
      CSession session;
      ASSERT_EQ(GeSessionAddGraph(session.handle, 1, Counter()->handle(), nullptr), GE_SUCCESS);
      EXPECT_EQ(session.Run(1, {1, 1}), (Values{11, 21}));
      ASSERT_EQ(GeSessionRetainModel(session.handle, 1, &model), GE_SUCCESS);
      EXPECT_EQ(RunModel(model, {1, 1}), (Values{12, 22}));
      EXPECT_EQ(session.Run(1, {1, 1}), (Values{13, 23}));
    }
    EXPECT_EQ(RunModel(model, {1, 1}), (Values{14, 24}));  // the session is gone
    GeModelDestroy(model);
  }

}  // namespace
}  // namespace ge
