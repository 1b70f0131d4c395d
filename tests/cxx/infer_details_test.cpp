// Formats and bounds of dimensions: functions that a program registers for them, and what the library passes on.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ge/ge_api.h"
#include "graph/custom_op.h"
#include "graph/graph.h"
#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace ge {

using Range = std::vector<std::pair<int64_t, int64_t>>;

// ---- formats ----
Format g_seen = FORMAT_RESERVED, g_seen_optional = FORMAT_RESERVED;

// The output's channels lie the other way round; 'how' says otherwise.
REG_OP(CxxTurned)
    .INPUT(x, TensorType::ALL())
    .OPTIONAL_INPUT(z, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(how, String, "turn")
    .OP_END_FACTORY_REG(CxxTurned)

        static graphStatus TurnedShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  return GRAPH_SUCCESS;
}
static graphStatus TurnedFormat(gert::InferFormatContext *ctx) {
  const gert::StorageFormat *x = ctx->GetRequiredInputFormat(0), *z = ctx->GetOptionalInputFormat(1);
  g_seen = x->GetOriginFormat();
  if (z != nullptr) g_seen_optional = z->GetOriginFormat();
  const std::string how = ctx->GetAttrs()->GetStr(0);
  if (how == "fail" || ctx->GetInputFormat(2) != nullptr || ctx->GetOutputFormat(1) != nullptr) return GRAPH_FAILED;
  if (ctx->GetInputShape(0)->GetDimNum() != 4 || x->GetStorageFormat() != g_seen) return GRAPH_FAILED;
  if (how == "turn") ctx->GetOutputFormat(0)->SetOriginFormat(g_seen == FORMAT_NCHW ? FORMAT_NHWC : FORMAT_NCHW);
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxTurned).InferShape(TurnedShape).InferFormat(TurnedFormat);

// By an Operator, and nothing else registered.
REG_OP(CxxFormatted)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OUTPUT(z, TensorType::ALL())
    .OP_END_FACTORY_REG(CxxFormatted) IMPLEMT_INFERFORMAT_FUNC(CxxFormatted, FormattedFormat) {
  TensorDesc y = op.get_output_desc_y(), z = op.get_output_desc_z();
  if (op.get_input_desc_x().GetFormat() != op.get_input_desc_x().GetOriginFormat()) return GRAPH_FAILED;
  y.SetOriginFormat(op.get_input_desc_x().GetOriginFormat());
  z.SetFormat(FORMAT_CHWN);
  return op.update_output_desc_y(y) == GRAPH_SUCCESS ? op.update_output_desc_z(z) : GRAPH_FAILED;
}
INFER_FORMAT_FUNC_REG(CxxFormatted, FormattedFormat);

// ---- bounds ----
int g_ranges = 0;

// Twice as long; refuses less than `least`.
REG_OP(CxxTwice)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(least, Int, 0)
    .OP_END_FACTORY_REG(CxxTwice) static graphStatus TwiceShape(gert::InferShapeContext *ctx) {
  const gert::Shape &x = *ctx->GetInputShape(0);
  gert::Shape &y = *ctx->GetOutputShape(0);
  y = x;
  if (x.GetDim(0) >= 0 && x.GetDim(0) < *ctx->GetAttrs()->GetInt(0)) return GRAPH_FAILED;
  if (x.GetDim(0) >= 0) y.SetDim(0, 2 * x.GetDim(0));
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxTwice).InferShape(TwiceShape);

// Some of the elements: only a run knows how many.
REG_OP(CxxSome)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(how, String, "")
    .OP_END_FACTORY_REG(CxxSome) static graphStatus SomeShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = {-1, 1};
  return GRAPH_SUCCESS;
}
static graphStatus SomeRange(gert::InferShapeRangeContext *ctx) {
  ++g_ranges;
  const gert::Range<gert::Shape> *x = ctx->GetInputShapeRange(0);
  gert::Range<gert::Shape> *y = ctx->GetOutputShapeRange(0);
  if (static_cast<gert::CtInferShapeRangeContext *>(ctx)->GetInferenceContext() == nullptr) return GRAPH_FAILED;
  const std::string how = ctx->GetAttrs()->GetStr(0);
  if (how == "fail" || ctx->GetInputShapeRange(1) != nullptr || ctx->GetOutputShapeRange(1) != nullptr)
    return GRAPH_FAILED;
  if (ctx->GetRequiredInputTensorRange(0)->GetMax()->GetOriginShape() != *x->GetMax()) return GRAPH_FAILED;
  if (how == "rank") y->GetMin()->SetDimNum(0);
  if (how == "input") y->SetMin(const_cast<gert::Shape *>(x->GetMin()));
  if (how == "input") y->SetMax(const_cast<gert::Shape *>(x->GetMax()));
  if (!how.empty()) return GRAPH_SUCCESS;
  y->GetMin()->SetDim(0, 0);
  y->GetMax()->SetDim(0, x->GetMax()->GetDim(0) < 0 ? -1 : x->GetMax()->GetShapeSize());
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxSome).InferShape(SomeShape).InferShapeRange(SomeRange);

// A function of operators, which reads and writes bounds in descriptions: one more along dimension 0.
REG_OP(CxxOneMore)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(CxxOneMore) IMPLEMT_INFERFUNC(CxxOneMore, OneMoreInfer) {
  TensorDesc y = op.get_input_desc_x();
  std::vector<int64_t> dims = y.GetShape().GetDims();
  if (dims[0] >= 0) ++dims[0];
  y.SetShape(Shape(dims));
  y.SetOriginShape(Shape(dims));
  Range range;
  if (y.GetShapeRange(range) != GRAPH_SUCCESS) return GRAPH_FAILED;
  if (!range.empty()) range[0] = {range[0].first + 1, range[0].second < 0 ? -1 : range[0].second + 1};
  (void)y.SetShapeRange(range);
  return op.update_output_desc_y(y);
}
INFER_FUNC_REG(CxxOneMore, OneMoreInfer);

namespace {

Operator Input(const char *name, int64_t index, const TensorDesc &desc) {
  Operator data = OperatorFactory::CreateOperator(name, "Data");
  (void)data.UpdateInputDesc("x", desc);
  (void)data.UpdateOutputDesc("y", desc);
  (void)data.SetAttr("index", index);
  return data;
}
Operator Formatted(const std::vector<int64_t> &dims, Format format) {
  TensorDesc desc(Shape(dims), format, DT_FLOAT);
  desc.SetOriginFormat(format);
  return Input("x", 0, desc);
}
Operator Ranged(const std::vector<int64_t> &dims, const Range &range) {
  TensorDesc desc(Shape(dims), FORMAT_ND, DT_FLOAT);
  (void)desc.SetShapeRange(range);
  return Input("x", 0, desc);
}
Operator Relu(Operator &x) {
  Operator relu = OperatorFactory::CreateOperator("relu", "Relu");
  return relu.SetInput("x", x, "y");
}
bool Infer(const Graph &graph) { return GeGraphInfer(graph.handle(), nullptr, 0) == GE_SUCCESS; }
Graph GraphOf(const Operator &input, const std::vector<Operator> &outputs) {
  Graph graph("g");
  graph.SetInputs({input}).SetOutputs(outputs);
  return graph;
}
TensorDesc Output(const Graph &graph, const char *node, int32_t index = 0) {
  TensorDesc desc;
  GNodePtr found = graph.FindNodeByName(node);
  EXPECT_TRUE(found != nullptr && found->GetOutputDesc(index, desc) == GRAPH_SUCCESS) << node;
  return desc;
}
Range RangeOf(const Graph &graph, const char *node) {
  Range range;
  (void)Output(graph, node).GetShapeRange(range);
  return range;
}

TEST(InferFormat, FunctionsSeeTheLayoutOfProducersAndSayTheirOwn) {
  Operator x = Formatted({1, 2, 3, 4}, FORMAT_NCHW), relu = Relu(x);
  op::CxxTurned turned("turned"), again("again");
  turned.SetInput("x", relu, "y");
  again.set_input_x(turned).SetInput("z", relu, "y");
  again.set_attr_how("keep");
  const Graph graph = GraphOf(x, {again});
  g_seen_optional = FORMAT_RESERVED;
  ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
  EXPECT_EQ(g_seen, FORMAT_NHWC);           // of 'again': what 'turned' said
  EXPECT_EQ(g_seen_optional, FORMAT_NCHW);  // through Relu, which says nothing itself
  EXPECT_EQ(Output(graph, "turned").GetOriginFormat(), FORMAT_NHWC);
  EXPECT_EQ(Output(graph, "turned").GetFormat(), FORMAT_NHWC);
  EXPECT_EQ(Output(graph, "again").GetOriginFormat(), FORMAT_ND);
  ASSERT_TRUE(Infer(graph));  // the second time changes nothing
  EXPECT_EQ(Output(graph, "turned").GetOriginFormat(), FORMAT_NHWC);
}

TEST(InferFormat, OperatorsWithALayoutOfTheirOwnAreAnchorsAndOthersBreakTheChain) {
  struct {
    const char *type, *port;
    Format seen;
  } cases[] = {{"MaxPoolV3", "x", FORMAT_NHWC}, {"Transpose", "x", FORMAT_ND}, {"Identity", "x", FORMAT_NCHW}};
  for (const auto &one : cases) {
    Operator x = Formatted({2, 2, 2, 2}, FORMAT_NCHW), middle = OperatorFactory::CreateOperator("middle", one.type);
    middle.SetInput(one.port, x, "y");
    Operator order = OperatorFactory::CreateOperator("order", "Const");
    if (std::strcmp(one.type, "Transpose") == 0) {
      const int64_t perm[] = {0, 2, 1, 3};
      const TensorDesc desc(Shape({4}), FORMAT_ND, DT_INT64);
      order.SetAttr("value", Tensor(desc, reinterpret_cast<const uint8_t *>(perm), sizeof perm));
      (void)order.UpdateOutputDesc("y", desc);
      middle.SetInput("perm", order, "y");
    }
    if (std::strcmp(one.type, "MaxPoolV3") == 0) {
      middle.SetAttr("ksize", std::vector<int64_t>{1, 1, 1, 1}).SetAttr("strides", std::vector<int64_t>{1, 1, 1, 1});
      middle.SetAttr("data_format", AscendString("NHWC"));
    }
    op::CxxTurned turned("turned");
    turned.SetInput("x", middle, "y");
    g_seen = FORMAT_RESERVED;
    ASSERT_TRUE(Infer(GraphOf(x, {turned}))) << one.type << ": " << GeLastErrorMessage();
    EXPECT_EQ(g_seen, one.seen) << one.type;
  }
}

TEST(InferFormat, AFunctionThatFailsStopsInference) {
  Operator x = Formatted({1, 2, 3, 4}, FORMAT_NCHW);
  op::CxxTurned turned("turned");
  turned.set_input_x(x).set_attr_how("fail");
  ASSERT_FALSE(Infer(GraphOf(x, {turned})));
  EXPECT_NE(std::string(GeLastErrorMessage()).find("'turned'"), std::string::npos);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("function for formats failed"), std::string::npos);
}

TEST(InferFormat, FunctionsOfOperators) {
  Operator x = Formatted({1, 2, 3, 4}, FORMAT_NHWC);
  op::CxxFormatted op("op");
  op.set_input_x(x);
  const TensorDesc known(Shape({5}), FORMAT_ND, DT_INT8);
  (void)op.update_output_desc_y(known);
  const Graph graph = GraphOf(x, {op});
  ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
  EXPECT_EQ(Output(graph, "op").GetOriginFormat(), FORMAT_NHWC);
  EXPECT_EQ(Output(graph, "op", 1).GetFormat(), FORMAT_CHWN);
  // Without a function for shapes what was set stays.
  EXPECT_EQ(Output(graph, "op").GetShape().GetDims(), (std::vector<int64_t>{5}));
  EXPECT_EQ(Output(graph, "op").GetDataType(), DT_INT8);
}

TEST(ShapeRange, IsEvaluatedAtBothEnds) {
  Operator x = Ranged({-1, 3}, {{2, 8}, {1, 9}}), relu = Relu(x);
  op::CxxTwice twice("twice"), never("never");
  twice.SetInput("x", relu, "y");
  never.set_input_x(twice).set_attr_least(5);
  const Graph graph = GraphOf(x, {never});
  ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
  EXPECT_EQ(Output(graph, "twice").GetShape().GetDims(), (std::vector<int64_t>{-1, 3}));
  EXPECT_EQ(RangeOf(graph, "relu"), (Range{{2, 8}, {3, 3}}));  // a dimension that is known is its own bounds
  EXPECT_EQ(RangeOf(graph, "twice"), (Range{{4, 16}, {3, 3}}));
  EXPECT_TRUE(RangeOf(graph, "never").empty());  // refuses the least, so nothing is said
}

TEST(ShapeRange, ADimensionWithoutAnUpperBoundGivesOne) {
  Operator x = Ranged({-1}, {{3, -1}});
  op::CxxTwice twice("twice");
  twice.set_input_x(x);
  const Graph graph = GraphOf(x, {twice});
  ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
  EXPECT_EQ(RangeOf(graph, "twice"), (Range{{6, -1}}));
}

TEST(ShapeRange, NothingIsSaidWhereNothingIsKnown) {
  for (const Range &range : {Range{}, Range{{1, 2}, {1, 2}}, Range{{3, 2}}}) {  // none, another rank, nothing between
    Operator x = Ranged({-1}, range);
    op::CxxTwice twice("twice");
    op::CxxSome some("some");
    twice.set_input_x(x);
    some.set_input_x(x);
    const Graph graph = GraphOf(x, {twice, some});
    g_ranges = 0;
    ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
    EXPECT_TRUE(RangeOf(graph, "twice").empty());
    EXPECT_TRUE(RangeOf(graph, "some").empty());
    EXPECT_EQ(g_ranges, 0);
  }
  Operator x = Ranged({4}, {});  // all is known
  op::CxxTwice twice("twice");
  twice.set_input_x(x);
  const Graph graph = GraphOf(x, {twice});
  ASSERT_TRUE(Infer(graph));
  EXPECT_EQ(Output(graph, "twice").GetShape().GetDims(), (std::vector<int64_t>{8}));
  EXPECT_TRUE(RangeOf(graph, "twice").empty());
}

TEST(ShapeRange, FunctionsSayItWhereShapesDependOnValues) {
  const struct {
    std::vector<int64_t> dims;
    Range range, some;
    const char *how;
  } cases[] = {{{2, 3}, {}, {{0, 6}, {1, 1}}, ""},
               {{-1, 3}, {{1, 4}, {3, 3}}, {{0, 12}, {1, 1}}, ""},
               {{-1, 3}, {{1, -1}, {3, 3}}, {{0, -1}, {1, 1}}, ""},
               {{-1, 1}, {{1, 4}, {1, 1}}, {{1, 4}, {1, 1}}, "input"},
               {{-1, 3}, {{1, 4}, {3, 3}}, {}, "rank"}};
  for (const auto &one : cases) {
    Operator x = Ranged(one.dims, one.range);
    op::CxxSome some("some");
    some.set_input_x(x).set_attr_how(one.how);
    op::CxxTwice twice("twice");
    twice.set_input_x(some);
    const Graph graph = GraphOf(x, {twice});
    g_ranges = 0;
    ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
    EXPECT_EQ(g_ranges, 1);
    EXPECT_EQ(RangeOf(graph, "some"), one.some);
    if (one.some.empty()) continue;
    const auto [least, most] = one.some[0];  // from 0 to anything says nothing of twice as much
    EXPECT_EQ(RangeOf(graph, "twice"), most < 0 ? Range{} : (Range{{2 * least, 2 * most}, {1, 1}}));
  }
  Operator x = Ranged({2}, {});
  op::CxxSome some("some");
  some.set_input_x(x).set_attr_how("fail");
  ASSERT_FALSE(Infer(GraphOf(x, {some})));
  EXPECT_NE(std::string(GeLastErrorMessage()).find("function for ranges of shapes failed"), std::string::npos);
}

TEST(ShapeRange, FunctionsOfOperatorsCarryItInDescriptions) {
  const struct {
    std::vector<int64_t> dims;
    Range range, out;
  } cases[] = {{{-1, 3}, {{1, 4}, {3, 3}}, {{2, 5}, {3, 3}}},
               {{-1, 3}, {{1, -1}, {3, 3}}, {{2, -1}, {3, 3}}},
               {{-1, 3}, {}, {}},
               {{4, 3}, {}, {}}};
  for (const auto &one : cases) {
    Operator x = Ranged(one.dims, one.range);
    op::CxxOneMore more("more");
    more.set_input_x(x);
    const Graph graph = GraphOf(x, {more});
    ASSERT_TRUE(Infer(graph)) << GeLastErrorMessage();
    EXPECT_EQ(RangeOf(graph, "more"), one.out);
  }
}

TEST(ShapeRange, ThoseOfAnEarlierInferenceGo) {
  Operator x = Ranged({-1}, {{1, 4}}), relu = Relu(x);
  const Graph graph = GraphOf(x, {relu});
  ASSERT_TRUE(Infer(graph));
  EXPECT_EQ(RangeOf(graph, "relu"), (Range{{1, 4}}));
  const TensorDesc open(Shape({-1}), FORMAT_ND, DT_FLOAT);
  GNodePtr data = graph.FindNodeByName("x"), used = graph.FindNodeByName("relu");
  ASSERT_TRUE(data->UpdateOutputDesc(0, open) == GRAPH_SUCCESS && used->UpdateInputDesc(0, open) == GRAPH_SUCCESS);
  ASSERT_TRUE(Infer(graph));
  EXPECT_TRUE(RangeOf(graph, "relu").empty());
}

TEST(ShapeRange, OfAnOperatorAlone) {
  op::CxxTwice twice("twice");
  TensorDesc desc(Shape({-1}), FORMAT_ND, DT_FLOAT);
  (void)desc.SetShapeRange({{1, 5}});
  (void)twice.update_input_desc_x(desc);
  ASSERT_EQ(twice.InferShapeAndType(), GRAPH_SUCCESS);
  Range range;
  (void)twice.get_output_desc_y().GetShapeRange(range);
  EXPECT_EQ(range, (Range{{2, 10}}));
}

TEST(ShapeRange, GraphsWithRangesRun) {
  ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
  {
    Operator x = Ranged({-1, 2}, {{1, 8}, {2, 2}}), relu = Relu(x);
    const Graph graph = GraphOf(x, {relu});
    Session session(std::map<AscendString, AscendString>{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    for (int64_t rows : {1, 3}) {
      std::vector<float> values(static_cast<size_t>(rows) * 2, -1.0f);
      values.back() = 2.0f;
      const TensorDesc desc(Shape({rows, 2}), FORMAT_ND, DT_FLOAT);
      std::vector<Tensor> outputs;
      ASSERT_EQ(session.RunGraph(1, {Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * 4)},
                                 outputs),
                SUCCESS)
          << GeLastErrorMessage();
      std::vector<float> got(values.size()), expected(values.size(), 0.0f);
      expected.back() = 2.0f;
      ASSERT_EQ(outputs.at(0).GetSize(), got.size() * 4);
      std::memcpy(got.data(), outputs[0].GetData(), got.size() * 4);
      EXPECT_EQ(got, expected);
    }
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge
