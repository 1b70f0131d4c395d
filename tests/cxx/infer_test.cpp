// Inference and verification from C++: of an operator alone, by functions that a program registers, and of prototypes
// that differ from the library's.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ge/ge_utils.h"
#include "ge/model.h"
#include "graph/graph.h"
#include "graph/inference_context.h"
#include "graph/operator_reg.h"
#include "graph/resource_context.h"

namespace ge {

// Messages of the library's log, from before the static objects below.
std::string &Logged() {
  static std::string *text = [] {
    auto *made = new std::string;
    GeSetLogCallback([](void *user, int32_t, const char *message) { *static_cast<std::string *>(user) += message; },
                     made, GE_LOG_WARNING);
    return made;
  }();
  return *text;
}
static const bool g_logged = (Logged(), true);

int g_infers = 0, g_verifies = 0;

// y has the shape of x with its dimensions doubled by attribute `times`; pad's values are added where they are known.
REG_OP(CxxStretch)
    .INPUT(x, TensorType({DT_FLOAT, DT_INT8}))
    .OPTIONAL_INPUT(pad, TensorType({DT_INT64}))
    .DYNAMIC_INPUT(more, TensorType::ALL())
    .OUTPUT(y, TensorType({DT_FLOAT, DT_INT8}))
    .DYNAMIC_OUTPUT(rest, TensorType::ALL())
    .ATTR(times, Int, 2)
    .OP_END_FACTORY_REG(CxxStretch)

    // Without an inference function: the type of y follows from those of x and of all of more.
    REG_OP(CxxPromotes)
    .INPUT(x, "T1")
    .INPUT(other, "T2")
    .DYNAMIC_INPUT(more, "T3")
    .OUTPUT(y, "T4")
    .OUTPUT(z, "T2")
    .DATATYPE(T1, TensorType::ALL())
    .DATATYPE(T2, TensorType::ALL())
    .DATATYPE(T3, TensorType::ALL())
    .DATATYPE(T4, Promote({"T1", "T3"}))
    .OP_END_FACTORY_REG(CxxPromotes)

        IMPLEMT_COMMON_INFERFUNC(StretchInfer) {
  ++g_infers;
  TensorDesc desc = op.GetInputDescByName("x");
  std::vector<int64_t> dims = desc.GetShape().GetDims();
  int64_t times = 0;
  if (op.GetAttr("times", times) != GRAPH_SUCCESS) return GRAPH_FAILED;
  Tensor pad;
  const bool padded = op.GetInputConstData("pad", pad) == GRAPH_SUCCESS;
  const auto *values = reinterpret_cast<const int64_t *>(pad.GetData());
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = dims[i] < 0 ? -1 : dims[i] * times + (padded ? values[i] : 0);
  desc.SetShape(Shape(dims));
  desc.SetOriginShape(Shape(dims));
  if (op.GetInferenceContext() == nullptr) return GRAPH_FAILED;
  for (int32_t i = 0; i < op.GetDynamicOutputNum("rest"); ++i)
    (void)op.UpdateDynamicOutputDesc("rest", static_cast<uint32_t>(i), op.GetDynamicInputDesc("more", 0));
  return op.UpdateOutputDesc("y", desc);
}
COMMON_INFER_FUNC_REG(CxxStretch, StretchInfer);

IMPLEMT_VERIFIER(CxxStretch, StretchVerify) {
  ++g_verifies;
  return op.get_attr_times() > 0 ? GRAPH_SUCCESS : GRAPH_FAILED;
}
VERIFY_FUNC_REG(CxxStretch, StretchVerify);

// With the typed form of the function, and a verification only.
REG_OP(CxxSame)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(CxxSame) IMPLEMT_INFERFUNC(CxxSame, SameInfer) {
  return op.update_output_desc_y(op.get_input_desc_x());
}
INFER_FUNC_REG(CxxSame, SameInfer);

REG_OP(CxxVerified)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(CxxVerified) IMPLEMT_VERIFIER(CxxVerified, NeedsARank) {
  return op.get_input_desc_x().GetShape().GetDimNum() > 0 ? GRAPH_SUCCESS : GRAPH_FAILED;
}
VERIFY_FUNC_REG(CxxVerified, NeedsARank);

// Attributes of every type.
REG_OP(CxxEveryAttr)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(r_int, Int)
    .REQUIRED_ATTR(r_float, Float)
    .REQUIRED_ATTR(r_string, String)
    .REQUIRED_ATTR(r_bool, Bool)
    .REQUIRED_ATTR(r_tensor, Tensor)
    .REQUIRED_ATTR(r_type, Type)
    .REQUIRED_ATTR(r_named, NamedAttrs)
    .REQUIRED_ATTR(r_list_int, ListInt)
    .REQUIRED_ATTR(r_list_named, ListNamedAttrs)
    .REQUIRED_ATTR(r_list_tensor, ListTensor)
    .ATTR(o_int, Int, 3)
    .ATTR(o_float, Float, 0.5f)
    .ATTR(o_string, String, "text")
    .ATTR(o_bool, Bool, true)
    .ATTR(o_tensor, Tensor, Tensor())
    .ATTR(o_type, Type, DT_INT8)
    .ATTR(o_named, NamedAttrs, NamedAttrs())
    .ATTR(o_bytes, Bytes, {1, 2})
    .ATTR(o_list_int, ListInt, {1, 2})
    .ATTR(o_list_float, ListFloat, {1, 2})
    .ATTR(o_list_string, ListString, {"a", "b"})
    .ATTR(o_list_bool, ListBool, {true, false})
    .ATTR(o_list_type, ListType, {DT_INT8})
    .ATTR(o_list_tensor, ListTensor, {})
    .ATTR(o_list_list_int, ListListInt, {{1}, {2, 3}})
    .ATTR(o_list_named, ListNamedAttrs, {})
    .ATTR(o_ascend, AscendString, "text")
    .ATTR(o_list_ascend, ListAscendString, {"a"})
    .OP_END_FACTORY_REG(CxxEveryAttr)

    // The library's Relu has neither this attribute nor a second input.
    REG_OP(Relu)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(knee, Float, 0.0f)
    .OP_END_FACTORY_REG(Relu)

        namespace {
  Operator Constant(const std::vector<int64_t> &values) {
    TensorDesc desc(Shape({static_cast<int64_t>(values.size())}), FORMAT_ND, DT_INT64);
    Operator op = OperatorFactory::CreateOperator("c", "Const");
    op.SetAttr("value", Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * 8));
    (void)op.UpdateOutputDesc("y", desc);
    return op;
  }

  TEST(OperatorAlone, TheLibraryInfersBuiltInTypes) {
    Operator x = OperatorFactory::CreateOperator("x", "Data");
    Operator add = OperatorFactory::CreateOperator("a", "Add");
    ASSERT_EQ(add.UpdateInputDesc("x1", TensorDesc(Shape({4, 1}), FORMAT_ND, DT_FLOAT16)), GRAPH_SUCCESS);
    ASSERT_EQ(add.UpdateInputDesc("x2", TensorDesc(Shape({1, -1}), FORMAT_ND, DT_FLOAT16)), GRAPH_SUCCESS);
    ASSERT_EQ(add.InferShapeAndType(), GRAPH_SUCCESS);
    EXPECT_EQ(add.GetOutputDescByName("y").GetShape().GetDims(), (std::vector<int64_t>{4, -1}));
    EXPECT_EQ(add.GetOutputDescByName("y").GetDataType(), DT_FLOAT16);
    // Values of constant inputs count.
    Operator shape = Constant({6, -1}), reshape = OperatorFactory::CreateOperator("r", "Reshape");
    reshape.SetInput("shape", shape);
    ASSERT_EQ(reshape.UpdateInputDesc("x", TensorDesc(Shape({2, 3, 4}), FORMAT_ND, DT_FLOAT)), GRAPH_SUCCESS);
    ASSERT_EQ(reshape.InferShapeAndType(), GRAPH_SUCCESS);
    EXPECT_EQ(reshape.GetOutputDescByName("y").GetShape().GetDims(), (std::vector<int64_t>{6, 4}));
    // What cannot be is refused.
    ASSERT_EQ(add.UpdateInputDesc("x2", TensorDesc(Shape({3}), FORMAT_ND, DT_FLOAT16)), GRAPH_SUCCESS);
    ASSERT_EQ(add.UpdateInputDesc("x1", TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT16)), GRAPH_SUCCESS);
    EXPECT_EQ(add.InferShapeAndType(), GRAPH_FAILED);
    EXPECT_EQ(Operator().InferShapeAndType(), GRAPH_FAILED);
    EXPECT_EQ(Operator("n", "NoSuchType").InferShapeAndType(), GRAPH_FAILED);
  }

  TEST(OperatorAlone, UsersFunctionsAreCalled) {
    op::CxxStretch stretch("s");
    ASSERT_EQ(stretch.update_input_desc_x(TensorDesc(Shape({2, 3}), FORMAT_ND, DT_INT8)), GRAPH_SUCCESS);
    EXPECT_EQ(stretch.InferShapeAndType(), GRAPH_FAILED) << "the function wants a context";
    stretch.SetInferenceContext(InferenceContextPtr(InferenceContext::Create()));
    EXPECT_EQ(stretch.InferShapeAndType(), GRAPH_SUCCESS);
    EXPECT_EQ(stretch.get_output_desc_y().GetShape().GetDims(), (std::vector<int64_t>{4, 6}));
    EXPECT_EQ(stretch.VerifyAllAttr(), GRAPH_SUCCESS);
    stretch.set_attr_times(0);
    EXPECT_EQ(stretch.VerifyAllAttr(), GRAPH_FAILED);
  }

  TEST(LibraryInference, CallsWhatAProgramRegistered) {
    g_infers = g_verifies = 0;
    Operator x = OperatorFactory::CreateOperator("x", "Data"), pad = Constant({10, 0});
    x.SetAttr("index", 0);
    ASSERT_EQ(x.UpdateOutputDesc("y", TensorDesc(Shape({2, 3}), FORMAT_ND, DT_INT8)), GRAPH_SUCCESS);
    op::CxxStretch stretch("s");
    stretch.create_dynamic_input_more(1).create_dynamic_output_rest(2).set_attr_times(5);
    stretch.set_input_x(x).set_input_pad(pad).set_dynamic_input_more(0, x);
    op::CxxSame same("same");
    same.SetInput("x", stretch, "y");
    op::CxxVerified verified("verified");
    verified.set_input_x(same);
    Graph graph("g");
    graph.SetInputs({x}).SetOutputs({verified});
    ASSERT_EQ(GeUtils::InferShape(graph, {Shape({2, 3})}), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(g_infers, 1);
    EXPECT_EQ(g_verifies, 1);
    TensorDesc desc;
    ASSERT_EQ(graph.FindNodeByName("same")->GetOutputDesc(0, desc), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{20, 15}));
    EXPECT_EQ(desc.GetDataType(), DT_INT8);
    ASSERT_EQ(graph.FindNodeByName("s")->GetOutputDesc(2, desc), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
    // An unknown dimension stays one; a scalar is refused by a verification, which the message says.
    ASSERT_EQ(GeUtils::InferShape(graph, {Shape({2, -1})}), SUCCESS);
    ASSERT_EQ(graph.FindNodeByName("same")->GetOutputDesc(0, desc), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{20, -1}));
    EXPECT_NE(GeUtils::InferShape(graph, {Shape()}), SUCCESS);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("CxxVerified 'verified'"), std::string::npos)
        << GeLastErrorMessage();
    EXPECT_NE(std::string(GeLastErrorMessage()).find("verification function"), std::string::npos)
        << GeLastErrorMessage();
    EXPECT_NE(GeUtils::InferShape(graph, {}), SUCCESS);
  }

  TEST(Prototypes, AttributesOfEveryType) {
    op::CxxEveryAttr op("e");
    EXPECT_EQ(op.get_attr_o_int(), 3);
    EXPECT_EQ(op.get_attr_o_string(), "text");
    EXPECT_EQ(op.get_attr_o_bytes(), (std::vector<uint8_t>{1, 2}));
    EXPECT_EQ(op.get_attr_o_list_list_int(), (std::vector<std::vector<int64_t>>{{1}, {2, 3}}));
    AscendString text;
    EXPECT_EQ(op.get_attr_r_string(text), GRAPH_FAILED) << "required and not set";
    EXPECT_EQ(op.get_attr_o_string(text), GRAPH_SUCCESS);
    NamedAttrs named;
    AttrValue value;
    value.SetAttrValue(int64_t{42});
    named.SetName("f");
    ASSERT_EQ(named.SetAttr("n", value), GRAPH_SUCCESS);
    op.set_attr_r_named(named).set_attr_r_list_named({named, NamedAttrs()});
    AttrValue read;
    int64_t number = 0;
    ASSERT_EQ(op.get_attr_r_named().GetName(text), GRAPH_SUCCESS);
    EXPECT_EQ(text, "f");
    ASSERT_EQ(op.get_attr_r_named().GetAttr("n", read), GRAPH_SUCCESS);
    EXPECT_EQ(read.GetAttrValue(number), GRAPH_SUCCESS);
    EXPECT_EQ(number, 42);
    EXPECT_EQ(op.get_attr_r_list_named().size(), 2u);
    std::map<AscendString, AscendString> types;
    ASSERT_EQ(op.GetAllIrAttrNamesAndTypes(types), GRAPH_SUCCESS);
    EXPECT_EQ(types.size(), 28u);
    EXPECT_EQ(types["r_named"], "VT_NAMED_ATTRS");
    EXPECT_EQ(types["o_list_named"], "VT_LIST_NAMED_ATTRS");
    EXPECT_EQ(types["o_ascend"], "VT_STRING");
    const GeOpSchema *schema = nullptr;
    ASSERT_EQ(GeOpFind("CxxEveryAttr", &schema), GE_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(schema->attr_count, 28u);
    EXPECT_EQ(schema->attrs[6].value.type, C_VT_NAMED_ATTRS);
    Graph graph("g");
    EXPECT_NE(graph.AddNodeByOp(op).handle(), nullptr);
    // Defaults are the prototype's, whatever the first operator of the type was given.
    op::CxxStretch first("first");
    first.set_attr_times(9);
    GNode node = graph.AddNodeByOp(first);
    EXPECT_EQ(GeNodeSchema(node.handle())->attrs[0].value.i, 2);
  }

  TEST(Prototypes, OnesThatDifferFromTheLibrarysAreTold) {
    EXPECT_NE(Logged().find("operator type Relu is registered already with a different prototype"), std::string::npos);
    EXPECT_NE(Logged().find("input 'x' takes"), std::string::npos) << Logged();
    EXPECT_EQ(Logged().find("CxxSame"), std::string::npos);
    // A node of the class has what the class declares; compiling says that the library cannot do that.
    Graph graph("g");
    Operator x = OperatorFactory::CreateOperator("x", "Data");
    x.SetAttr("index", 0);
    (void)x.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT));
    op::Relu relu("r");
    relu.set_input_x(x).set_attr_knee(1.0f);
    graph.SetInputs({x}).SetOutputs({relu});
    float knee = 0;
    ASSERT_EQ(graph.FindNodeByName("r")->GetAttr("knee", knee), GRAPH_SUCCESS);
    EXPECT_EQ(knee, 1.0f);
    GeModel *model = nullptr;
    EXPECT_NE(GeCompile(graph.handle(), nullptr, &model), GE_SUCCESS);
    EXPECT_NE(std::string(GeLastErrorMessage()).find("knee"), std::string::npos) << GeLastErrorMessage();
  }

  TEST(Context, HoldsWhatFunctionsLeave) {
    struct Counted : ResourceContext {
      explicit Counted(int *count) : count_(count) {}
      ~Counted() override { ++*count_; }
      int *count_;
    };
    int gone = 0;
    auto loose = InferenceContext::Create();
    Counted mine(&gone);
    EXPECT_EQ(loose->SetResourceContext("k", &mine), GRAPH_FAILED) << "no manager";
    EXPECT_EQ(loose->GetResourceContext("k"), nullptr);
    {
      ResourceContextMgr manager;
      auto context = InferenceContext::Create(&manager);
      auto *first = new Counted(&gone);
      EXPECT_EQ(context->SetResourceContext("k", first), GRAPH_SUCCESS);
      EXPECT_EQ(InferenceContext::Create(&manager)->GetResourceContext("k"), first);
      EXPECT_EQ(context->SetResourceContext("k", new Counted(&gone)), GRAPH_SUCCESS);
      EXPECT_EQ(gone, 1);
      context->SetMarks(std::vector<AscendString>{"array"});
      std::vector<AscendString> marks;
      context->GetMarks(marks);
      EXPECT_EQ(marks, (std::vector<AscendString>{"array"}));
      context->SetOutputHandleShapesAndTypes({{ShapeAndType(Shape({1}), DT_INT8)}});
      EXPECT_EQ(context->GetOutputHandleShapesAndTypes()[0][0].GetDataType(), DT_INT8);
      EXPECT_EQ(context->AddChangedResourceKey("k"), GRAPH_SUCCESS);
      EXPECT_EQ(context->RegisterReliedOnResourceKey("r"), GRAPH_SUCCESS);
      EXPECT_EQ(context->GetChangedResourceKeys().size(), 1u);
      context->ClearChangedResourceKeys();
      EXPECT_TRUE(context->GetChangedResourceKeys().empty());
      EXPECT_EQ(context->GetReliedOnResourceKeys().count("r"), 1u);
    }
    EXPECT_EQ(gone, 2);
  }

}  // namespace
Graph PromotesOf(const std::vector<DataType> &types) {
  Graph graph("promotes");
  Operator op = OperatorFactory::CreateOperator("op", "CxxPromotes");
  op.DynamicInputRegister("more", static_cast<uint32_t>(types.size() - 2));
  std::vector<Operator> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    Operator data = OperatorFactory::CreateOperator(("x" + std::to_string(i)).c_str(), "Data");
    data.SetAttr("index", static_cast<int64_t>(i));
    (void)data.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, types[i]));
    op.SetInput(static_cast<uint32_t>(i), data, 0);
    inputs.push_back(data);
  }
  graph.SetInputs(inputs).SetOutputs(std::vector<Operator>{op});
  return graph;
}

TEST(Promote, GivesAnOutputTheTypeThatItsInputsHaveInCommon) {
  const struct {
    std::vector<DataType> inputs;
    DataType y;
  } kCases[] = {{{DT_INT8, DT_DOUBLE, DT_UINT8}, DT_INT16},
                {{DT_BF16, DT_DOUBLE, DT_INT64, DT_BOOL}, DT_BF16},
                {{DT_FLOAT16, DT_INT8, DT_BF16}, DT_FLOAT},
                {{DT_BOOL, DT_INT8, DT_COMPLEX64, DT_DOUBLE}, DT_COMPLEX128}};
  for (const auto &[inputs, expected] : kCases) {
    const Graph graph = PromotesOf(inputs);
    ASSERT_EQ(GeGraphInfer(graph.handle(), nullptr, 0), GE_SUCCESS) << GeLastErrorMessage();
    TensorDesc y;
    ASSERT_EQ(graph.FindNodeByName("op")->GetOutputDesc(0, y), GRAPH_SUCCESS);
    EXPECT_EQ(y.GetDataType(), expected);
  }
}

TEST(Promote, NamesInputsWithoutACommonType) {
  const Graph graph = PromotesOf({DT_UINT64, DT_FLOAT, DT_BOOL, DT_INT8});
  EXPECT_NE(GeGraphInfer(graph.handle(), nullptr, 0), GE_SUCCESS);
  const std::string message = GeLastErrorMessage();
  EXPECT_NE(message.find("CxxPromotes 'op': more[1] has data type DT_INT8 and x DT_UINT64: no type holds both"),
            message.npos)
      << message;
}

}  // namespace ge
