// What a program says of its operators by OP_TRAITS, and what becomes of operators of which it says nothing: nodes of
// them stay as they are, also where the library has an operator of the same type.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "register_custom_pass.h"

namespace ge {

#define TICK(Type) \
  REG_OP(Type).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(y, TensorType({DT_FLOAT})).OP_END_FACTORY_REG(Type)
TICK(CxxTick)
TICK(CxxPureTick)
TICK(CxxFoldTick)
TICK(CxxRandomTick)
TICK(CxxPlaceTick)
OP_TRAITS(CxxPureTick, GE_TRAIT_PURE);
OP_TRAITS(CxxFoldTick, GE_TRAIT_PURE | GE_TRAIT_FOLDABLE);
OP_TRAITS(CxxRandomTick, GE_TRAIT_RANDOM);
OP_TRAITS(CxxPlaceTick, GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE | GE_TRAIT_IN_PLACE);
OP_TRAITS(Sign, GE_TRAIT_PURE);  // of the program's own Sign

namespace {

/// y = 10 x + how often it has run.
template <int kNumber>
class Tick : public EagerExecuteOp, public ShapeInferOp {
 public:
  static int runs;
  static bool in_place;
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override { return ctx->SetOutputDataType(0, DT_FLOAT); }
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_FLOAT);
    if (y == nullptr) return GRAPH_FAILED;
    ++runs;
    in_place = x->GetAddr() == y->GetAddr();
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      y->GetData<float>()[i] = 10 * x->GetData<float>()[i] + static_cast<float>(runs);
    return GRAPH_SUCCESS;
  }
};
template <int kNumber>
int Tick<kNumber>::runs = 0;
template <int kNumber>
bool Tick<kNumber>::in_place = false;

template <int kNumber>
BaseCustomOp *Make() {
  return new Tick<kNumber>;
}
enum { kUnknown, kPure, kFold, kRandom, kPlace, kNeg, kSign, kReciprocal };
const CustomOpCreatorRegister g_unknown("CxxTick", &Make<kUnknown>), g_pure("CxxPureTick", &Make<kPure>),
    g_fold("CxxFoldTick", &Make<kFold>), g_random("CxxRandomTick", &Make<kRandom>),
    g_place("CxxPlaceTick", &Make<kPlace>), g_neg("Neg", &Make<kNeg>), g_sign("Sign", &Make<kSign>),
    g_reciprocal("Reciprocal", &Make<kReciprocal>);

/// Changes something late in the compile, while a test asks for it: every Sqrt becomes an Abs.
bool g_late_pass = false;
REGISTER_CUSTOM_PASS("late")
    .CustomPassFn([](GraphPtr &graph, CustomPassContext &) -> Status {
      for (GNode &node : graph->GetDirectNode()) {
        AscendString type;
        if (!g_late_pass || node.GetType(type) != GRAPH_SUCCESS || type != "Sqrt") continue;
        GNode abs = graph->AddNodeByOp(OperatorFactory::CreateOperator("late_abs", "Abs"));
        auto [source, port] = node.GetInDataNodesAndPortIndexs(0);
        if (source == nullptr || graph->AddDataEdge(*source, port, abs, 0) != GRAPH_SUCCESS) return FAILED;
        for (auto &[reader, reader_port] : node.GetOutDataNodesAndPortIndexs(0)) {
          if (graph->RemoveEdge(node, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
          if (graph->AddDataEdge(abs, 0, *reader, reader_port) != GRAPH_SUCCESS) return FAILED;
        }
        if (graph->RemoveNode(node) != GRAPH_SUCCESS) return FAILED;
      }
      return SUCCESS;
    })
    .Stage(CustomPassStage::kAfterBuiltinFusionPass);

Tensor Floats(std::vector<float> values) {
  return Tensor(TensorDesc(Shape({static_cast<int64_t>(values.size())}), FORMAT_ND, DT_FLOAT),
                reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}
Operator Input(int64_t extent = 2) {
  Operator data = OperatorFactory::CreateOperator("x", "Data");
  TensorDesc desc(Shape({extent}), FORMAT_ND, DT_FLOAT);
  (void)data.UpdateInputDesc("x", desc);
  (void)data.UpdateOutputDesc("y", desc);
  (void)data.SetAttr("index", static_cast<int64_t>(0));
  return data;
}
Operator Constant(const std::vector<float> &values) {
  Operator constant = OperatorFactory::CreateOperator("c", "Const");
  const Tensor tensor = Floats(values);
  (void)constant.SetAttr("value", tensor);
  (void)constant.UpdateOutputDesc("y", tensor.GetTensorDesc());
  return constant;
}
Operator Unary(const char *name, const char *type, const Operator &x) {
  Operator node = OperatorFactory::CreateOperator(name, type);
  node.SetInput("x", x, "y");
  return node;
}

class OpTraitsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS); }
  void TearDown() override { EXPECT_EQ(GEFinalize(), SUCCESS); }
  /// The outputs' values, in each of some runs. Inputs: x, and constants that nothing leads to from there.
  std::vector<std::vector<float>> Run(const std::vector<Operator> &inputs, const std::vector<Operator> &outputs,
                                      int runs = 1) {
    Graph graph("g");
    graph.SetInputs(inputs).SetOutputs(outputs);
    Session session(std::map<AscendString, AscendString>{});
    EXPECT_EQ(session.AddGraph(1, graph), SUCCESS);
    std::vector<std::vector<float>> values;
    for (int run = 0; run < runs; ++run) {
      std::vector<Tensor> made;
      EXPECT_EQ(session.RunGraph(1, {Floats({1, 2})}, made), SUCCESS) << GeLastErrorMessage();
      for (const Tensor &tensor : made) {
        std::vector<float> out(tensor.GetSize() / sizeof(float));
        std::memcpy(out.data(), tensor.GetData(), tensor.GetSize());
        values.push_back(out);
      }
    }
    return values;
  }
};

TEST_F(OpTraitsTest, EqualNodesOfAnUnknownOperatorStayTwo) {
  Operator x = Input();
  const auto made = Run({x}, {Unary("a", "CxxTick", x), Unary("b", "CxxTick", x)});
  EXPECT_EQ(Tick<kUnknown>::runs, 2);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_NE(made[0], made[1]);
  EXPECT_EQ(made[0][1] - made[0][0], 10);
}

TEST_F(OpTraitsTest, EqualNodesOfAPureOperatorBecomeOne) {
  Operator x = Input();
  const auto made = Run({x}, {Unary("a", "CxxPureTick", x), Unary("b", "CxxPureTick", x)});
  EXPECT_EQ(Tick<kPure>::runs, 1);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0], made[1]);
}

TEST_F(OpTraitsTest, RandomNodesAreNeverMergedNorFolded) {
  Operator x = Input(), c = Constant({5, 6});
  (void)Run({x, c}, {Unary("a", "CxxRandomTick", x), Unary("b", "CxxRandomTick", x), Unary("d", "CxxRandomTick", c)},
            2);
  EXPECT_EQ(Tick<kRandom>::runs, 6);
}

TEST_F(OpTraitsTest, OnlyAFoldableOperatorIsComputedAtCompileTime) {
  Operator x = Input(), c = Constant({5, 6});
  const int unknown = Tick<kUnknown>::runs, pure = Tick<kPure>::runs;
  const auto made = Run(
      {x, c},
      {Unary("f", "CxxFoldTick", c), Unary("p", "CxxPureTick", c), Unary("u", "CxxTick", c), Unary("y", "Abs", x)}, 3);
  EXPECT_EQ(Tick<kFold>::runs, 1);
  EXPECT_EQ(Tick<kPure>::runs, pure + 3);
  EXPECT_EQ(Tick<kUnknown>::runs, unknown + 3);
  EXPECT_EQ(made[0], (std::vector<float>{51, 61}));
  EXPECT_EQ(made[8], made[0]);
}

TEST_F(OpTraitsTest, AnInPlaceOperatorWritesOverItsInput) {
  Operator x = Input();
  const auto made = Run({x}, {Unary("q", "CxxPlaceTick", Unary("p", "Exp", x))});
  EXPECT_TRUE(Tick<kPlace>::in_place);
  EXPECT_NEAR(made[0][0], 10 * 2.7182818f + 1, 1e-4);
}

TEST_F(OpTraitsTest, ABuiltInTypeThatTheProgramTakesOver) {
  // The library's Neg would cancel out, be fused with its neighbours, or be computed at compile time.
  Operator x = Input(), c = Constant({5, 6});
  Operator first = Unary("n1", "Neg", Unary("a1", "Abs", x)), second = Unary("n2", "Neg", first);
  const auto made = Run({x, c}, {Unary("a2", "Abs", second), Unary("n3", "Neg", c)});
  EXPECT_EQ(Tick<kNeg>::runs, 3);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0][1] - made[0][0], 100);
  EXPECT_EQ(made[1][1] - made[1][0], 10);
}

TEST_F(OpTraitsTest, TraitsOfATakenOverTypeAreTheProgramsOwn) {
  Operator x = Input();
  const auto made = Run({x}, {Unary("a", "Sign", x), Unary("b", "Sign", x)});
  EXPECT_EQ(Tick<kSign>::runs, 1);
  EXPECT_EQ(made[0], (std::vector<float>{11, 21}));
  EXPECT_EQ(made[0], made[1]);
}

TEST_F(OpTraitsTest, NodesThatTheLibraryMadeStayItsOwnAfterALatePass) {
  // The library makes a Reciprocal of 1 / x before the late pass of the program does anything.
  Operator x = Input(), one = Constant({1});
  Operator quotient = OperatorFactory::CreateOperator("late_quotient", "RealDiv");
  quotient.SetInput("x1", one, "y").SetInput("x2", x, "y");
  Operator own = Unary("late_own", "Reciprocal", x);
  const int before = Tick<kReciprocal>::runs;
  g_late_pass = true;
  const auto made = Run({x, one}, {quotient, Unary("last", "Floor", Unary("s", "Sqrt", Unary("e", "Exp", own)))});
  g_late_pass = false;
  EXPECT_EQ(Tick<kReciprocal>::runs, before + 1);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0], (std::vector<float>{1, 0.5f}));
}

TEST_F(OpTraitsTest, ContradictionsAreRefused) {
  EXPECT_EQ(SetOpTraits("CxxContradiction", OpTraits(GE_TRAIT_RANDOM | GE_TRAIT_FOLDABLE)), GRAPH_FAILED);
  EXPECT_EQ(SetOpTraits("CxxPureTick", OpTraits(GE_TRAIT_EFFECT)), GRAPH_FAILED);
  EXPECT_EQ(SetOpTraits("CxxPureTick", OpTraits(GE_TRAIT_PURE)), GRAPH_SUCCESS);
}

}  // namespace
}  // namespace ge
