// What the smaller headers of the C++ interface promise: names of types, nodes by port name, summaries, buffers,
// descriptions.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "es_all_ops.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "ge/ge_allocator.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_error_codes.h"
#include "ge/ge_utils.h"
#include "graph/graph_buffer.h"
#include "graph/named_io_node_builder.h"
#include "graph/utils/type_utils.h"
#include "register/register_error_codes.h"
#include "register/register_fmk_types.h"
#include "register/register_types.h"

using namespace ge;

namespace {

TEST(TypeUtils, NamesBothWays) {
  EXPECT_EQ(TypeUtils::DataTypeToSerialString(DT_FLOAT16), "DT_FLOAT16");
  EXPECT_EQ(TypeUtils::DataTypeToSerialString(DT_BF16), "DT_BFLOAT16");
  EXPECT_EQ(TypeUtils::DataTypeToSerialString(static_cast<DataType>(99)), "UNDEFINED");
  EXPECT_EQ(TypeUtils::DataTypeToAscendString(DT_INT8), "DT_INT8");
  EXPECT_EQ(TypeUtils::SerialStringToDataType("DT_BFLOAT16"), DT_BF16);
  EXPECT_EQ(TypeUtils::SerialStringToDataType("DT_BF16"), DT_UNDEFINED);
  EXPECT_EQ(TypeUtils::SerialStringToDataType("DT_FLOAT32"), DT_FLOAT);
  EXPECT_EQ(TypeUtils::SerialStringToDataType("RESERVED"), DT_UNDEFINED);
  EXPECT_EQ(TypeUtils::AscendStringToDataType("DT_UINT2"), DT_UINT2);
  for (int i = 0; i < DT_MAX; ++i) {
    if (i == 5) continue;
    auto type = static_cast<DataType>(i);
    EXPECT_EQ(TypeUtils::SerialStringToDataType(TypeUtils::DataTypeToSerialString(type)), type) << i;
  }
  for (int i = 0; i < FORMAT_END; ++i) {
    auto format = static_cast<Format>(i);
    EXPECT_EQ(TypeUtils::SerialStringToFormat(TypeUtils::FormatToSerialString(format)), format) << i;
  }
  EXPECT_EQ(TypeUtils::FormatToSerialString(FORMAT_RESERVED), "FORMAT_RESERVED");
  EXPECT_EQ(TypeUtils::FormatToSerialString(static_cast<Format>(200)), "RESERVED");
  auto grouped = static_cast<Format>(GetFormatFromSub(FORMAT_FRACTAL_Z, 16));
  EXPECT_EQ(TypeUtils::FormatToSerialString(grouped), "FRACTAL_Z:16");
  EXPECT_EQ(TypeUtils::SerialStringToFormat("FRACTAL_Z:16"), grouped);
  for (const char *bad : {"FRACTAL_Z:", "FRACTAL_Z:x", "FRACTAL_Z:65536", "FRACTAL_Z:-1", "NOPE:1", "UNDEFINED"})
    EXPECT_EQ(TypeUtils::SerialStringToFormat(bad), FORMAT_RESERVED) << bad;
  EXPECT_EQ(TypeUtils::SerialStringToFormat("FRACTAL_Z:65535"), GetFormatFromSub(FORMAT_FRACTAL_Z, 65535));
  EXPECT_EQ(TypeUtils::DataFormatToFormat(AscendString("NHWC")), FORMAT_NHWC);
  EXPECT_EQ(TypeUtils::DataFormatToFormat("HWCN"), FORMAT_RESERVED);
  uint32_t length = 0;
  EXPECT_TRUE(TypeUtils::GetDataTypeLength(DT_DOUBLE, length));
  EXPECT_EQ(length, 8u);
  EXPECT_FALSE(TypeUtils::GetDataTypeLength(DT_STRING, length));
}

TEST(Formats, WordsArePacked) {
  const int32_t word = GetFormatFromSubAndC0(FORMAT_NC1HWC0, 0x1234, 5);
  EXPECT_EQ(word, 3 | 0x1234 << 8 | 5 << 24);
  EXPECT_EQ(GetPrimaryFormat(word), FORMAT_NC1HWC0);
  EXPECT_EQ(GetSubFormat(word), 0x1234);
  EXPECT_TRUE(HasSubFormat(word) && HasC0Format(word));
  EXPECT_EQ(GetC0Format(word), 5);
  EXPECT_EQ(GetC0Value(word), 16);
  EXPECT_EQ(GetC0Value(FORMAT_ND), -1);
  EXPECT_STREQ(GetFormatName(FORMAT_NCHW), "NCHW");
  EXPECT_STREQ(GetFormatName(FORMAT_FRACTAL_ZZ), "UNKNOWN");
  EXPECT_STREQ(GetFormatName(FORMAT_HASHTABLE_LOOKUP_KEYS), "LOOKUP_KEYS");
  EXPECT_STREQ(GetFormatName(FORMAT_END), "UNKNOWN");
}

TEST(Codes, HaveTheirNumbers) {
  EXPECT_EQ(domi::SCOPE_NOT_CHANGED, 50397385u);
  EXPECT_EQ(ACL_ERROR_GE_PARAM_INVALID, 145000u);
  EXPECT_EQ(ACL_ERROR_GE_REDEPLOYING, 545602u);
  EXPECT_EQ(domi::ImplyType::BUILDIN, domi::ImplyType::BUILTIN);
  EXPECT_EQ(static_cast<int>(domi::ONNX), 5);
  EXPECT_EQ(static_cast<int>(domi::DOMI_TENSOR_RESERVED), 16);
}

TEST(NamedIoNodeBuilder, GivesTheNodeItsPorts) {
  Graph graph("g");
  AscendString error("left from before");
  std::unique_ptr<GNode> concat = NamedIoNodeBuilder(graph)
                                      .Type("ConcatV2")
                                      .Name("c")
                                      .AddInput("x1", TensorDesc(Shape({2}), FORMAT_ND, DT_INT8))
                                      .AddInput("x0")
                                      .AddInput("concat_dim")
                                      .AddOutput("y", TensorDesc(Shape({4}), FORMAT_ND, DT_INT8))
                                      .Attr("N", AttrValue())
                                      .Build(error);
  ASSERT_NE(concat, nullptr) << error.GetString();
  EXPECT_EQ(error, "");
  EXPECT_EQ(concat->GetInputsSize(), 3u);
  TensorDesc desc;
  ASSERT_EQ(concat->GetInputDesc(1, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{2}));
  ASSERT_EQ(concat->GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetDataType(), DT_INT8);

  auto refused = [&](NamedIoNodeBuilder &builder, const char *part) {
    EXPECT_EQ(builder.Build(error), nullptr) << part;
    EXPECT_NE(std::string(error.GetString()).find(part), std::string::npos) << error.GetString();
  };
  NamedIoNodeBuilder unknown(graph), taken(graph), empty(graph), port(graph), twice(graph), gap(graph), wrong(graph);
  refused(unknown.Type("NoSuchType").Name("n"), "not registered");
  refused(taken.Type("Add").Name("c"), "taken");
  refused(empty.Type("Add").Name(""), "name is empty");
  refused(port.Type("Add").Name("n").AddInput("x3"), "input 'x3' does not belong");
  refused(twice.Type("Add").Name("n").AddOutput("y").AddOutput("y"), "output 'y' is given twice");
  refused(gap.Type("ConcatV2").Name("n").AddInput("x1"), "'x0' is missing");
  refused(wrong.Type("Add").Name("n").AddInput(nullptr), "empty name");
  EXPECT_EQ(graph.GetDirectNode().size(), 1u);
}

TEST(GraphBuffer, CarriesAGraph) {
  es::EsGraphBuilder b("carried");
  std::unique_ptr<Graph> graph = b.BuildAndReset({es::Relu(b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 3}))});
  ASSERT_NE(graph, nullptr);
  GraphBuffer buffer;
  EXPECT_EQ(buffer.GetData(), nullptr);
  ASSERT_EQ(graph->SaveToMem(buffer), GRAPH_SUCCESS);
  Graph read, also("also");
  ASSERT_EQ(read.LoadFromMem(buffer), GRAPH_SUCCESS);
  ASSERT_EQ(also.LoadFromSerializedModelArray(buffer.GetData(), buffer.GetSize()), GRAPH_SUCCESS);
  EXPECT_EQ(read.GetName(), "carried");
  EXPECT_EQ(read.GetDirectNode().size(), graph->GetDirectNode().size());
  EXPECT_NE(read.FindNodeByName("x"), nullptr);
  EXPECT_EQ(also.LoadFromMem(buffer.GetData(), buffer.GetSize() / 2), GRAPH_FAILED);
  EXPECT_EQ(also.LoadFromMem(nullptr, 0), GRAPH_FAILED);
  EXPECT_EQ(also.GetName(), "carried");
}

TEST(Graph, FindsOperatorsAndParents) {
  Operator data = OperatorFactory::CreateOperator("x", "Data"), add = OperatorFactory::CreateOperator("a", "Add");
  add.SetInput("x1", data).SetInput("x2", data).SetAttr("mine", 7);
  Graph graph("g"), other("other");
  graph.SetInputs({data}).SetOutputs({add});
  Operator found;
  ASSERT_EQ(graph.FindOpByName("a", found), GRAPH_SUCCESS);
  int64_t mine = 0;
  EXPECT_EQ(found.GetAttr("mine", mine), GRAPH_SUCCESS);
  EXPECT_EQ(mine, 7);
  EXPECT_EQ(found.GetOpType(), "Add");
  EXPECT_EQ(graph.FindOpByName("b", found), GRAPH_FAILED);
  EXPECT_EQ(found.GetName(), "NULL");
  std::vector<Operator> adds;
  ASSERT_EQ(graph.FindOpByType("Add", adds), GRAPH_SUCCESS);
  EXPECT_EQ(adds.size(), 1u);
  EXPECT_NE(graph.GetName(), other.GetName()) << "both can be held at once";
  EXPECT_EQ(graph.GetParentGraph(), nullptr);
  EXPECT_EQ(graph.GetParentNode(), nullptr);

  es::EsGraphBuilder b("root"), inner("branch_a"), inner_too("branch_b");
  es::EsTensorHolder x = inner.CreateInput(0), y = inner_too.CreateInput(0);
  auto branch_a = inner.BuildAndReset({es::Relu(x)}), branch_b = inner_too.BuildAndReset({es::Neg(y)});
  es::EsTensorHolder cond = b.CreateInput(0), value = b.CreateScalar(2.0f);
  auto root = b.BuildAndReset({es::If(cond, {value}, 1, std::move(branch_a), std::move(branch_b))[0]});
  ASSERT_NE(root, nullptr);
  GraphPtr branch = root->GetSubGraph("branch_b");
  ASSERT_NE(branch, nullptr);
  ASSERT_NE(branch->GetParentGraph(), nullptr);
  EXPECT_EQ(branch->GetParentGraph()->GetName(), "root");
  AscendString type;
  ASSERT_NE(branch->GetParentNode(), nullptr);
  ASSERT_EQ(branch->GetParentNode()->GetType(type), GRAPH_SUCCESS);
  EXPECT_EQ(type, "If");
  // The branch's input is a constant where the branch is called.
  for (const GNode &node : branch->GetDirectNode()) {
    Tensor constant;
    if (node.GetType(type) != GRAPH_SUCCESS || !(type == "Neg")) continue;
    ASSERT_EQ(node.GetInputConstData(0, constant), GRAPH_SUCCESS);
    EXPECT_EQ(*reinterpret_cast<const float *>(constant.GetData()), 2.0f);
  }
}

TEST(Attributes, OnesLeftAtTheirDefaultAreNotThere) {
  es::EsGraphBuilder b("b");
  es::EsTensorHolder x = b.CreateInput(0), y = b.CreateInput(1);
  GNode plain = *es::MatMulV2(x, y).GetProducer(), flipped = *es::MatMulV2(x, y, nullptr, nullptr, true).GetProducer();
  bool flag = true;
  EXPECT_EQ(plain.GetAttr("transpose_x1", flag), GRAPH_FAILED);
  EXPECT_TRUE(flag) << "untouched";
  EXPECT_FALSE(plain.HasAttr("transpose_x1"));
  flag = false;
  EXPECT_EQ(flipped.GetAttr("transpose_x1", flag), GRAPH_SUCCESS);
  EXPECT_TRUE(flag);
  // An Operator has its defaults as values, and so has the node made of it.
  Operator op = OperatorFactory::CreateOperator("m", "MatMulV2");
  EXPECT_EQ(op.GetAttr("transpose_x1", flag), GRAPH_SUCCESS);
  EXPECT_FALSE(flag);
  Graph graph("g");
  GNode node = graph.AddNodeByOp(op);
  flag = true;
  EXPECT_EQ(node.GetAttr("transpose_x1", flag), GRAPH_SUCCESS);
  EXPECT_FALSE(flag);
}

TEST(TensorDesc, NodesAndTensorsKeepAllOfIt) {
  TensorDesc desc(Shape({-1, 3}), FORMAT_NCHW, DT_INT8);
  desc.SetName("n");
  desc.SetSize(64);
  desc.SetRealDimCnt(2);
  desc.SetPlacement(kPlacementDevice);
  desc.SetExpandDimsRule(AscendString("1100"));
  ASSERT_EQ(desc.SetShapeRange({{1, 5}, {3, -1}}), GRAPH_SUCCESS);
  auto same = [&](const TensorDesc &read) {
    AscendString name, rule;
    std::vector<std::pair<int64_t, int64_t>> range;
    EXPECT_EQ(read.GetName(name), GRAPH_SUCCESS);
    EXPECT_EQ(name, "n");
    EXPECT_EQ(read.GetSize(), 64);
    EXPECT_EQ(read.GetRealDimCnt(), 2);
    EXPECT_EQ(read.GetPlacement(), kPlacementDevice);
    EXPECT_EQ(read.GetExpandDimsRule(rule), GRAPH_SUCCESS);
    EXPECT_EQ(rule, "1100");
    EXPECT_EQ(read.GetShapeRange(range), GRAPH_SUCCESS);
    EXPECT_EQ(range, (std::vector<std::pair<int64_t, int64_t>>{{1, 5}, {3, -1}}));
  };
  Operator op = OperatorFactory::CreateOperator("a", "Add");
  ASSERT_EQ(op.UpdateOutputDesc("y", desc), GRAPH_SUCCESS);
  ASSERT_EQ(op.UpdateInputDesc("x1", desc), GRAPH_SUCCESS);
  Graph graph("g");
  GNode node = graph.AddNodeByOp(op);
  TensorDesc read;
  ASSERT_EQ(node.GetOutputDesc(0, read), GRAPH_SUCCESS);
  same(read);
  ASSERT_EQ(node.GetInputDesc(0, read), GRAPH_SUCCESS);
  same(read);
  // Replaced as a whole.
  ASSERT_EQ(node.UpdateOutputDesc(0, TensorDesc(Shape({1}))), GRAPH_SUCCESS);
  ASSERT_EQ(node.GetOutputDesc(0, read), GRAPH_SUCCESS);
  EXPECT_EQ(read.GetSize(), 0);
  EXPECT_EQ(read.GetPlacement(), kPlacementHost);
  Tensor tensor(desc);
  same(tensor.GetTensorDesc());
  EXPECT_EQ(tensor.GetPlacement(), kPlacementDevice);
  EXPECT_EQ(tensor.SetPlacement(kPlacementEnd), GRAPH_FAILED);
}

TEST(Tensor, ShapeChangesInPlace) {
  std::vector<float> values(6, 1.0f);
  Tensor tensor(TensorDesc(Shape({6})), reinterpret_cast<const uint8_t *>(values.data()), 24);
  Tensor same = tensor;
  ASSERT_EQ(tensor.SetShapeDimNum(2), GRAPH_SUCCESS);
  EXPECT_EQ(tensor.IsValid(), GRAPH_FAILED) << "6 x 0 elements, 24 bytes";
  ASSERT_EQ(tensor.SetShapeDim(0, 2), GRAPH_SUCCESS);
  ASSERT_EQ(tensor.SetShapeDim(1, 3), GRAPH_SUCCESS);
  EXPECT_EQ(tensor.SetShapeDim(2, 3), GRAPH_FAILED);
  EXPECT_EQ(tensor.IsValid(), GRAPH_SUCCESS);
  EXPECT_EQ(same.GetShapeDim(1), 3);
  EXPECT_EQ(same.GetSize(), 24u);
  EXPECT_EQ(reinterpret_cast<const float *>(same.GetData())[5], 1.0f);
  ASSERT_EQ(tensor.SetOriginShapeDimNum(1), GRAPH_SUCCESS);
  ASSERT_EQ(tensor.SetOriginShapeDim(0, 6), GRAPH_SUCCESS);
  EXPECT_EQ(tensor.GetOriginShapeDimNum(), 1u);
  EXPECT_EQ(tensor.GetOriginShapeDim(0), 6);
  EXPECT_EQ(tensor.GetShapeDimNum(), 2u);
}

TEST(RunTimeTensor, FollowingDataLiesBehind) {
  size_t total = 0;
  auto block = gert::Tensor::CreateFollowing(3, DT_FLOAT, total);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(total, sizeof(gert::Tensor) + 12);
  auto *tensor = reinterpret_cast<gert::Tensor *>(block.get());
  EXPECT_EQ(tensor->GetAddr(), block.get() + sizeof(gert::Tensor));
  EXPECT_EQ(tensor->GetSize(), 12u);
  EXPECT_EQ(tensor->GetPlacement(), gert::kFollowing);
  tensor->GetData<float>()[2] = 1;
  EXPECT_EQ(gert::Tensor::CreateFollowing(3, DT_STRING, total), nullptr);
}

class Counting : public Allocator {
 public:
  MemBlock *Malloc(size_t size) override {
    ++existing;
    return new MemBlock(*this, std::malloc(size), size);
  }
  void Free(MemBlock *block) override {
    --existing;
    std::free(block->GetAddr());
    delete block;
  }
  int existing = 0;
};

TEST(Allocator, BlocksAreCounted) {
  Counting allocator;
  MemBlock *block = allocator.MallocAdvise(16, nullptr);
  EXPECT_EQ(block->GetCount(), 1u);
  EXPECT_EQ(block->AddCount(), 2u);
  EXPECT_EQ(block->GetSize(), 16u);
  block->Free();
  EXPECT_EQ(allocator.existing, 1);
  block->Free();
  EXPECT_EQ(allocator.existing, 0);
}

TEST(Summary, TellsWhatCompilingCameTo) {
  ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
  {
    es::EsGraphBuilder b("summed");
    es::EsTensorHolder x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {8, 64});
    es::EsTensorHolder w = b.CreateConst(std::vector<float>(4096, 0.5f), {64, 64});
    auto graph = b.BuildAndReset({es::Relu(es::Relu(es::MatMul(es::MatMul(x, w), w)))});
    es::EsGraphBuilder c("unknown");
    auto dynamic = c.BuildAndReset({es::Relu(c.CreateInput(0, "x", DT_INT32, FORMAT_ND, {-1, 2}))});
    std::map<AscendString, AscendString> none;
    Session session(none);
    ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
    ASSERT_EQ(session.AddGraph(2, *dynamic), SUCCESS);
    EXPECT_EQ(session.GetCompiledGraphSummary(1), nullptr) << "not compiled";
    ASSERT_EQ(session.CompileGraph(1), SUCCESS);
    ASSERT_EQ(session.CompileGraph(2), SUCCESS);
    CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(1);
    ASSERT_NE(summary, nullptr);
    EXPECT_TRUE(summary->IsStatic());
    size_t size = 0;
    EXPECT_EQ(summary->GetConstMemorySize(size), SUCCESS);
    EXPECT_GE(size, 4096u * 4);
    EXPECT_EQ(summary->GetFeatureMemorySize(size), SUCCESS);
    EXPECT_GE(size, 8u * 64 * 4) << "the first product is not an output";
    ASSERT_EQ(summary->GetAllFeatureMemoryTypeSize().size(), 1u);
    EXPECT_EQ(summary->GetAllFeatureMemoryTypeSize()[0]->GetSize(), size);
    EXPECT_EQ(summary->GetFixedFeatureMemorySize(size), SUCCESS);
    EXPECT_EQ(size, 0u);
    std::vector<Shape> shapes;
    std::vector<DataType> types;
    EXPECT_EQ(summary->GetOutputShapes(shapes), SUCCESS);
    EXPECT_EQ(summary->GetOutputDtypes(types), SUCCESS);
    ASSERT_EQ(shapes.size(), 1u);
    EXPECT_EQ(shapes[0].GetDims(), (std::vector<int64_t>{8, 64}));
    EXPECT_EQ(types, (std::vector<DataType>{DT_FLOAT}));
    summary = session.GetCompiledGraphSummary(2);
    ASSERT_NE(summary, nullptr);
    EXPECT_FALSE(summary->IsStatic());
    EXPECT_EQ(summary->GetFeatureMemorySize(size), FAILED);
    EXPECT_EQ(summary->GetOutputShapes(shapes), SUCCESS);
    EXPECT_EQ(shapes[0].GetDims(), (std::vector<int64_t>{-1, 2}));
    EXPECT_EQ(session.GetCompiledGraphSummary(3), nullptr);
    // The sessions of both generations can be named without ge:: by programs that use the namespace.
    GeSession second(none);
    EXPECT_EQ(second.GetCompiledGraphSummary(1), nullptr);
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

TEST(RegisteredIr, IsTextOfThePrototype) {
  using List = std::vector<std::pair<AscendString, AscendString>>;
  List inputs, outputs, attrs;
  ASSERT_EQ(GetRegisteredIrDef("ConcatV2", inputs, outputs, attrs), SUCCESS);
  EXPECT_EQ(inputs, (List{{"x", "dynamic"}, {"concat_dim", "required"}}));
  EXPECT_EQ(outputs, (List{{"y", "required"}}));
  EXPECT_EQ(attrs, (List{{"N", "VT_INT"}}));
  EXPECT_EQ(GetRegisteredIrDef("NoSuchType", inputs, outputs, attrs), FAILED);
  EXPECT_EQ(GetRegisteredIrDef(nullptr, inputs, outputs, attrs), FAILED);
}

TEST(GeUtils, AsksTheMainEngine) {
  es::EsGraphBuilder b("g");
  es::EsTensorHolder x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {8, 64}),
                     y = es::MatMulV2(x, x, nullptr, nullptr, false, true);
  auto graph = b.BuildAndReset({y});
  ASSERT_EQ(GeUtils::InferShape(*graph, {Shape({8, 64})}), SUCCESS);
  bool supported = false;
  AscendString reason;
  ASSERT_EQ(GeUtils::CheckNodeSupportOnAicore(*y.GetProducer(), supported, reason), SUCCESS) << GeLastErrorMessage();
  EXPECT_TRUE(supported) << reason.GetString();
  TensorDesc desc;
  GNode data = *x.GetProducer();
  ASSERT_EQ(GeUtils::CheckNodeSupportOnAicore(data, supported, reason), SUCCESS);
  EXPECT_FALSE(supported);
  EXPECT_NE(reason.GetLength(), 0u);
  EXPECT_NE(GeUtils::CheckNodeSupportOnAicore(GNode(), supported, reason), SUCCESS);
}

}  // namespace
