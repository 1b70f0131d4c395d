// The C++ builder member by member: constants of every type, attribute tensors, converters, hand-written nodes, misuse.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <type_traits>

#include "es_all_ops.h"
#include "es_c_graph_builder.h"
#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_tensor_like.h"

namespace ge {
namespace es {
namespace {

// What may and may not be written; 2.4 of the interface.
static_assert(std::is_convertible_v<int64_t, EsTensorLike> && std::is_convertible_v<float, EsTensorLike>);
static_assert(std::is_convertible_v<std::nullptr_t, EsTensorLike> &&
              std::is_convertible_v<EsTensorHolder, EsTensorLike>);
static_assert(!std::is_convertible_v<int, EsTensorLike> && !std::is_convertible_v<double, EsTensorLike>);
static_assert(!std::is_copy_constructible_v<EsTensorLike> && !std::is_move_constructible_v<EsTensorLike>);
static_assert(!std::is_copy_constructible_v<EsGraphBuilder> && std::is_move_constructible_v<EsGraphBuilder>);
static_assert(std::is_copy_constructible_v<EsTensorHolder> && sizeof(EsTensorHolder) == sizeof(void *));

template <class T>
std::vector<T> ConstValues(const Graph &graph, const char *name, DataType type, const std::vector<int64_t> &dims) {
  GNodePtr node = graph.FindNodeByName(name);
  Tensor value;
  if (node == nullptr || node->GetAttr("value", value) != GRAPH_SUCCESS) {
    ADD_FAILURE() << name;
    return {};
  }
  EXPECT_EQ(value.GetTensorDesc().GetDataType(), type) << name;
  EXPECT_EQ(value.GetTensorDesc().GetShape().GetDims(), dims) << name;
  EXPECT_EQ(value.GetTensorDesc().GetFormat(), FORMAT_ND) << name;
  const T *data = reinterpret_cast<const T *>(value.GetData());
  return std::vector<T>(data, data + value.GetSize() / sizeof(T));
}

TEST(Constants, OfEveryType) {
  EsGraphBuilder b("constants");
  (void)b.CreateConst(std::vector<int64_t>{1, INT64_MIN}, {2, 1});
  (void)b.CreateConst(std::vector<int32_t>{-1}, {});
  (void)b.CreateConst(std::vector<uint64_t>{UINT64_MAX}, {1});
  (void)b.CreateConst(std::vector<uint32_t>{UINT32_MAX, 0}, {1, 2});
  (void)b.CreateConst(std::vector<float>{0.5f}, {1, 1, 1});
  (void)b.CreateVector(std::vector<uint32_t>{3, 4});
  (void)b.CreateScalar(uint64_t{5});
  (void)b.CreateScalar(0);
  // Any element type by the typed form.
  (void)b.CreateConst<uint16_t>({0x3c00, 0xc000}, {2}, DT_FLOAT16);
  (void)b.CreateConstV2<uint8_t>({1, 0}, {2}, DT_BOOL);
  (void)b.CreateConst<double>({1e300}, {}, DT_DOUBLE);
  std::unique_ptr<Graph> graph = b.BuildAndReset();
  ASSERT_NE(graph, nullptr);
  const Graph &g = *graph;
  EXPECT_EQ(ConstValues<int64_t>(g, "Const_0", DT_INT64, {2, 1}), (std::vector<int64_t>{1, INT64_MIN}));
  EXPECT_EQ(ConstValues<int32_t>(g, "Const_1", DT_INT32, {}), std::vector<int32_t>{-1});
  EXPECT_EQ(ConstValues<uint64_t>(g, "Const_2", DT_UINT64, {1}), std::vector<uint64_t>{UINT64_MAX});
  EXPECT_EQ(ConstValues<uint32_t>(g, "Const_3", DT_UINT32, {1, 2}), (std::vector<uint32_t>{UINT32_MAX, 0}));
  EXPECT_EQ(ConstValues<float>(g, "Const_4", DT_FLOAT, {1, 1, 1}), std::vector<float>{0.5f});
  EXPECT_EQ(ConstValues<uint32_t>(g, "Const_5", DT_UINT32, {2}), (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(ConstValues<uint64_t>(g, "Const_6", DT_UINT64, {}), std::vector<uint64_t>{5});
  EXPECT_EQ(ConstValues<int32_t>(g, "Const_7", DT_INT32, {}), std::vector<int32_t>{0});
  EXPECT_EQ(ConstValues<uint16_t>(g, "Const_8", DT_FLOAT16, {2}), (std::vector<uint16_t>{0x3c00, 0xc000}));
  EXPECT_EQ(ConstValues<uint8_t>(g, "Const_9", DT_BOOL, {2}), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(ConstValues<double>(g, "Const_10", DT_DOUBLE, {}), std::vector<double>{1e300});
}

TEST(Inputs, ArraysVectorsAndVariables) {
  EsGraphBuilder b("inputs");
  auto [x, y] = b.CreateInputs<2>();
  std::vector<EsTensorHolder> more = b.CreateInputs(2, 2);
  ASSERT_EQ(more.size(), 2u);
  EsTensorHolder variable = b.CreateVariable(7, "weights");
  std::unique_ptr<Graph> graph = b.BuildAndReset({x, y, more[1]});
  ASSERT_NE(graph, nullptr);
  for (const char *name : {"input_0", "input_1", "input_2", "input_3", "weights", "NetOutput_inputs"})
    EXPECT_NE(graph->FindNodeByName(name), nullptr) << name;
  int64_t index = 0;
  EXPECT_EQ(variable.GetProducer()->GetAttr("index", index), GRAPH_SUCCESS);
  EXPECT_EQ(index, 7);
}

TEST(Attributes, OfGraphTensorAndNode) {
  EsGraphBuilder b("attributes");
  EsTensorHolder y = Relu(b.CreateInput(0));
  EXPECT_EQ(b.SetAttr("i", int64_t{1}), SUCCESS);
  EXPECT_EQ(b.SetAttr("s", "text"), SUCCESS);
  EXPECT_EQ(b.SetAttr("b", true), SUCCESS);
  EXPECT_EQ(y.SetAttr("i", int64_t{2}), SUCCESS);
  EXPECT_EQ(y.SetAttr("s", "tensor"), SUCCESS);
  EXPECT_EQ(y.SetAttr("b", false), SUCCESS);
  EXPECT_EQ(y.SetAttrForNode("i", int64_t{3}), SUCCESS);
  EXPECT_EQ(y.SetAttrForNode("s", "node"), SUCCESS);
  EXPECT_EQ(y.SetAttrForNode("b", true), SUCCESS);
  EXPECT_NE(b.SetAttr(nullptr, true), SUCCESS);
  EXPECT_NE(EsTensorHolder().SetAttr("i", int64_t{0}), SUCCESS);
  EXPECT_NE(EsTensorHolder().SetAttrForNode("i", int64_t{0}), SUCCESS);
  EXPECT_NE(EsTensorHolder().AddControlEdge({y}), SUCCESS);
  EXPECT_EQ(y.AddControlEdge({}), SUCCESS);
  EXPECT_EQ(EsTensorHolder().GetProducerOutIndex(), 0);
  EXPECT_EQ(EsTensorHolder().GetProducer(), nullptr);
  std::unique_ptr<Graph> graph = b.BuildAndReset({y});
  ASSERT_NE(graph, nullptr);
  EXPECT_NE(b.SetAttr("late", true), SUCCESS);
  int64_t i = 0;
  bool flag = false;
  AscendString s;
  AttrValue held;
  EXPECT_EQ(graph->GetAttr("i", held), GRAPH_SUCCESS);
  EXPECT_EQ(held.GetAttrValue(i), GRAPH_SUCCESS);
  EXPECT_EQ(graph->GetAttr("s", held), GRAPH_SUCCESS);
  EXPECT_EQ(held.GetAttrValue(s), GRAPH_SUCCESS);
  EXPECT_EQ(i, 1);
  EXPECT_STREQ(s.GetString(), "text");
  GNodePtr node = graph->FindNodeByName("Relu_0");
  EXPECT_EQ(node->GetAttr("i", i), GRAPH_SUCCESS);
  EXPECT_EQ(node->GetAttr("s", s), GRAPH_SUCCESS);
  EXPECT_EQ(node->GetAttr("b", flag), GRAPH_SUCCESS);
  EXPECT_EQ(i, 3);
  EXPECT_STREQ(s.GetString(), "node");
  EXPECT_TRUE(flag);
}

TEST(Tensors, FromMemoryAndFile) {
  EsGraphBuilder b("tensors");
  std::unique_ptr<Tensor> ints = b.CreateTensor(std::vector<int16_t>{1, -2}, {2}, DT_INT16);
  ASSERT_NE(ints, nullptr);
  EXPECT_EQ(ints->GetSize(), 4u);
  std::unique_ptr<Tensor> bools = b.CreateBoolTensor({true, false, true}, {3});
  ASSERT_NE(bools, nullptr);
  EXPECT_EQ(bools->GetTensorDesc().GetDataType(), DT_BOOL);
  for (DataType type : {DT_STRING, DT_DOUBLE, DT_BF16, DT_COMPLEX64}) {
    EXPECT_EQ(b.CreateTensor(std::vector<int64_t>{1}, {1}, type), nullptr) << type;
    EXPECT_NE(std::string(GeLastErrorMessage()).find("E10001"), std::string::npos);
  }
  // The function that copies by the element's size, and constants made with it, take any type.
  const double doubles[] = {1, 2};
  const int64_t two[] = {2};
  EXPECT_NE(CreateTensor(doubles, two, 1, DT_DOUBLE), nullptr);
  EXPECT_NE(b.CreateConst(std::vector<double>{1, 2}, {2}, DT_DOUBLE).GetCTensorHolder(), nullptr);
  const float values[] = {1, 2, 3};
  const int64_t dims[] = {3};
  std::unique_ptr<Tensor> free_function = CreateTensor(values, dims, 1, DT_FLOAT);
  ASSERT_NE(free_function, nullptr);
  EXPECT_EQ(free_function->GetTensorDesc().GetOriginShape().GetDims(), std::vector<int64_t>{3});
  EXPECT_EQ(CreateTensor(values, nullptr, 0, DT_FLOAT)->GetSize(), 4u);

  const std::string path = testing::TempDir() + "es_tensor.bin";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(values), sizeof values);
  std::unique_ptr<Tensor> file =
      CreateTensorFromFile<float>(path.c_str(), {2}, DT_FLOAT);  // what is left over is ignored
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(reinterpret_cast<const float *>(file->GetData())[1], 2.0f);
  EXPECT_EQ(CreateTensorFromFile<float>(path.c_str(), {4}, DT_FLOAT), nullptr);
  EXPECT_EQ(CreateTensorFromFile<double>(path.c_str(), {1}, DT_DOUBLE), nullptr);
  std::remove(path.c_str());
  EXPECT_EQ(CreateTensorFromFile<float>(path.c_str(), {2}, DT_FLOAT), nullptr);
  EXPECT_NE(std::string(GeLastErrorMessage()).find(path), std::string::npos);
  EXPECT_NE(Const(b, std::move(ints)).GetCTensorHolder(), nullptr);
}

TEST(Constants, MayBeEmpty) {
  EsGraphBuilder b("empty");
  const std::vector<EsTensorHolder> all = {b.CreateVector(std::vector<int64_t>{}),
                                           b.CreateConst(std::vector<float>{}, {2, 0, 3}),
                                           EsTensorLike(std::vector<int64_t>{}).ToTensorHolder(b.GetCGraphBuilder()),
                                           EsTensorLike(std::vector<float>{}).ToTensorHolder(b.GetCGraphBuilder())};
  for (const EsTensorHolder &each : all) {
    ASSERT_NE(each.GetCTensorHolder(), nullptr) << GeLastErrorMessage();
    TensorDesc desc;
    ASSERT_EQ(each.GetProducer()->GetOutputDesc(0, desc), GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetShape().GetShapeSize(), 0);
  }
  EXPECT_EQ(b.CreateConst(std::vector<float>{}, {2}).GetCTensorHolder(), nullptr);
}

TEST(Converters, KeepOrderAndCounts) {
  EsGraphBuilder b("converters");
  auto [x, y] = b.CreateInputs<2>();
  std::vector<EsCTensorHolder *> raw = TensorsToEsCTensorHolders({x, EsTensorHolder(), y});
  EXPECT_EQ(raw, (std::vector<EsCTensorHolder *>{x.GetCTensorHolder(), nullptr, y.GetCTensorHolder()}));
  EXPECT_EQ(DataTypesToEsCDataTypes({DT_INT8, DT_BF16}), (std::vector<C_DataType>{C_DT_INT8, C_DT_BF16}));
  const std::vector<std::vector<int64_t>> rows = {{1, 2}, {}, {3}};
  auto [pointers, counts] = ListListTypeToPtrAndCounts(rows);
  EXPECT_EQ(counts, (std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(pointers[2][0], 3);
}

TEST(ResolveBuilder, TakesTheFirstFromLeftToRight) {
  EsGraphBuilder a("a"), b("b");
  EsTensorHolder x = a.CreateInput(0), y = b.CreateInput(0);
  EXPECT_EQ(ResolveBuilder(), nullptr);
  EXPECT_EQ(ResolveBuilder(EsTensorLike(nullptr), y, x), b.GetCGraphBuilder());
  EXPECT_EQ(ResolveBuilder(std::vector<EsTensorHolder>{EsTensorHolder(), x}, y), a.GetCGraphBuilder());
  EXPECT_EQ(ResolveBuilder(EsTensorLike(int64_t{1}), &b), b.GetCGraphBuilder());
  EXPECT_EQ(EsTensorLike(2.0f).ToTensorHolder(nullptr).GetCTensorHolder(), nullptr);
}

TEST(Misuse, IsToldClearly) {
  EsGraphBuilder a("a"), b("b");
  EsTensorHolder x = a.CreateInput(0), y = b.CreateInput(0);
  auto told = [](const char *text) { return std::string(GeLastErrorMessage()).find(text) != std::string::npos; };
  EXPECT_EQ((x + y).GetCTensorHolder(), nullptr);
  EXPECT_TRUE(told("operator Add: input 'x2' belongs to another graph builder")) << GeLastErrorMessage();
  EXPECT_NE(x.AddControlEdge({y}), SUCCESS);
  EXPECT_TRUE(told("belongs to another graph builder")) << GeLastErrorMessage();
  EXPECT_EQ(Relu(EsTensorHolder()).GetCTensorHolder(), nullptr);
  EXPECT_TRUE(told("input 'x' is null")) << GeLastErrorMessage();
  EXPECT_EQ(a.BuildAndReset({EsTensorHolder(), x}), nullptr);  // results of SetOutput are ignored, the build says it
  EXPECT_TRUE(told("output 0 is missing")) << GeLastErrorMessage();
}

TEST(CGraphBuilder, FaceOfTheHandle) {
  EsGraphBuilder b("face");
  EsCGraphBuilder *c = b.GetCGraphBuilder();
  EsCTensorHolder *x = c->AppendGraphInput("x");
  EsCTensorHolder *y = c->AddGraphInput(1, "y", "RefData", C_DT_INT8);
  ASSERT_TRUE(x != nullptr && y != nullptr);
  EXPECT_EQ(c->GetTensorHolderFromNode(x->GetProducer(), 0), nullptr);  // inputs have their holder already
  EXPECT_STREQ(c->GenerateNodeName("Some").GetString(), "Some_0");
  EsTensorHolder relu = Relu(x);
  EsCTensorHolder *again = c->GetTensorHolderFromNode(*relu.GetProducer(), 0);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->GetOutIndex(), 0);
  EXPECT_EQ(&again->GetOwnerBuilder(), c);
  EXPECT_EQ(again->SetStorageFormat(FORMAT_NC1HWC0), SUCCESS);
  EXPECT_EQ(again->SetOriginFormat(FORMAT_NCHW), SUCCESS);
  EXPECT_EQ(again->SetOriginShape(ge::Shape({2, 3})), SUCCESS);
  EXPECT_EQ(again->SetStorageShape(ge::Shape({3, 2})), SUCCESS);
  TensorDesc desc;
  EXPECT_EQ(relu.GetProducer()->GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetFormat(), FORMAT_NC1HWC0);
  EXPECT_EQ(desc.GetOriginFormat(), FORMAT_NCHW);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(desc.GetOriginShape().GetDims(), (std::vector<int64_t>{2, 3}));
  bool deleted = false;
  auto *object = new int(1);
  EXPECT_EQ(c->AddResource(std::unique_ptr<int>(object),
                           [&](void *p) {
                             deleted = true;
                             delete static_cast<int *>(p);
                           }),
            object);
  EXPECT_EQ(c->SetGraphOutput(again, 0), SUCCESS);
  std::unique_ptr<Graph> graph = c->BuildGraphAndReset();
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(c->GetGraph(), nullptr);
  EXPECT_FALSE(deleted);
  { EsGraphBuilder end = std::move(b); }
  EXPECT_TRUE(deleted);
}

TEST(CompliantNodeBuilder, EveryKindOfPortAndAttribute) {
  using B = CompliantNodeBuilder;
  EsGraphBuilder b("hand");
  Graph *graph = b.GetCGraphBuilder()->GetGraph();
  ASSERT_NE(graph, nullptr);
  GNode node =
      B(graph)
          .OpType("TestEverything")
          .Name("every")
          .IrDefInputsV2(
              {{"x", B::kEsIrInputRequired, "T"}, {"d", B::kEsIrInputDynamic, ""}, {"o", B::kEsIrInputOptional, ""}})
          .IrDefOutputsV2({{"y", B::kEsIrOutputRequired, ""}, {"z", B::kEsIrOutputDynamic, ""}})
          .IrDefAttrsV2(
              {{"i", B::kEsAttrRequired, "Int", CreateFrom(int64_t{5})},
               {"f", B::kEsAttrOptional, "VT_FLOAT", CreateFrom(0.5f)},
               {"s", B::kEsAttrOptional, "String", CreateFrom(AscendString("text"))},
               {"t", B::kEsAttrOptional, "Type", CreateFrom(DT_INT8)},
               {"li", B::kEsAttrOptional, "ListInt", CreateFrom(std::vector<int64_t>{1, 2})},
               {"lb", B::kEsAttrOptional, "ListBool", CreateFrom(std::vector<bool>{true, false})},
               {"ll", B::kEsAttrOptional, "ListListInt", CreateFrom(std::vector<std::vector<int64_t>>{{1}, {}})},
               {"left", B::kEsAttrOptional, "Int", CreateFromIfNotEqual(int64_t{3}, int64_t{3})}})
          .InstanceDynamicInputNum("d", 2)
          .InstanceDynamicOutputNum("z", 2)
          .InstanceOutputDataType("y", DT_INT8)
          .InstanceOutputShape("z1", {4, 5})
          .InstanceOutputFormat("z1", FORMAT_NCHW)
          .Build();
  AscendString name;
  ASSERT_EQ(node.GetName(name), GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "every");
  EXPECT_EQ(node.GetInputsSize(), 3u);  // the optional one has no use
  EXPECT_EQ(node.GetOutputsSize(), 3u);
  TensorDesc desc;
  EXPECT_EQ(node.GetOutputDesc(0, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetDataType(), DT_INT8);
  EXPECT_EQ(node.GetOutputDesc(2, desc), GRAPH_SUCCESS);
  EXPECT_EQ(desc.GetShape().GetDims(), (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(desc.GetOriginFormat(), FORMAT_NCHW);
  EXPECT_TRUE(node.HasAttr("i") && node.HasAttr("f") && node.HasAttr("lb"));
  EXPECT_FALSE(node.HasAttr("left"));
  std::vector<int64_t> list;
  EXPECT_EQ(node.GetAttr("li", list), GRAPH_SUCCESS);
  EXPECT_EQ(list, (std::vector<int64_t>{1, 2}));
  // A null graph: an empty node. A name may repeat; the first node is found.
  AscendString none;
  EXPECT_NE(B(nullptr).OpType("TestEverything").Name("n").Build().GetName(none), GRAPH_SUCCESS);
  EXPECT_EQ(B(graph).OpType("TestEmpty").Name("every").IrDefAttrsV2({}).Build().GetName(none), GRAPH_SUCCESS);
  EXPECT_STREQ(none.GetString(), "every");
  EXPECT_EQ(graph->FindNodeByName("every")->GetInputsSize(), 3u);
  EXPECT_TRUE(ValuesEqual(0.1f, 0.1000005f));
  EXPECT_FALSE(ValuesEqual(std::vector<float>{1}, std::vector<float>{1, 2}));
}

TEST(GNode, OptionalInputsCountWhenTheyAreUsed) {
  using B = CompliantNodeBuilder;
  EsGraphBuilder b("gap");
  auto [x, y] = b.CreateInputs<2>();
  Graph &graph = *b.GetCGraphBuilder()->GetGraph();
  GNode node = B(&graph)
                   .OpType("TestGap")
                   .Name("gap")
                   .IrDefInputs({{"a", B::kEsIrInputRequired, ""},
                                 {"o", B::kEsIrInputOptional, ""},
                                 {"d", B::kEsIrInputDynamic, ""},
                                 {"p", B::kEsIrInputOptional, ""}})
                   .IrDefOutputs({{"z", B::kEsIrOutputRequired, ""}})
                   .InstanceDynamicInputNum("d", 2)
                   .Build();
  EXPECT_EQ(node.GetInputsSize(), 3u);
  ASSERT_EQ(AddEdgeAndUpdatePeerDesc(graph, *x.GetProducer(), 0, node, 4), GRAPH_SUCCESS);
  EXPECT_EQ(node.GetInputsSize(), 4u);
  // Ports keep their index: the one that is left out stays where it is.
  int32_t index = -1;
  EXPECT_EQ(node.GetInputIndexByName("p", index), GRAPH_SUCCESS);
  EXPECT_EQ(index, 4);
  ASSERT_NE(node.GetInDataNodesAndPortIndexs(4).first, nullptr);
  EXPECT_EQ(node.GetInDataNodesAndPortIndexs(1).first, nullptr);
  EXPECT_EQ(node.GetInDataNodesAndPortIndexs(1).second, 0xFF);
  TensorDesc desc;
  EXPECT_EQ(node.GetInputDesc(1, desc), GRAPH_SUCCESS);
  EXPECT_EQ(node.GetInputDesc(5, desc), GRAPH_FAILED);
  EXPECT_EQ(node.UpdateInputDesc(1, TensorDesc(ge::Shape({2}), FORMAT_ND, DT_FLOAT)), GRAPH_SUCCESS);
  EXPECT_EQ(node.GetInputsSize(), 5u);  // described

  // A loop as programs write it reads what is connected.
  EsTensorHolder conv = Conv2D(x, y, nullptr, nullptr, {1, 1, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(conv.GetProducer()->GetInputsSize(), 2u);
  std::vector<std::string> names;
  for (size_t i = 0; i < conv.GetProducer()->GetInputsSize(); ++i) {
    AscendString name;
    const auto source = conv.GetProducer()->GetInDataNodesAndPortIndexs(static_cast<int32_t>(i));
    ASSERT_NE(source.first, nullptr);
    EXPECT_EQ(source.first->GetName(name), GRAPH_SUCCESS);
    names.push_back(name.GetString());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"input_0", "input_1"}));
}

std::unique_ptr<Graph> Body(const char *name, const std::function<EsTensorHolder(EsTensorHolder)> &make,
                            int64_t inputs = 1) {
  EsGraphBuilder b(name);
  std::vector<EsTensorHolder> in = b.CreateInputs(static_cast<size_t>(inputs));
  return b.BuildAndReset({make(in.back())});
}

TEST(Subgraphs, NestedCaseAndFor) {
  EsGraphBuilder inner("inner_case");
  EsTensorHolder in = inner.CreateInput(0);
  std::vector<std::unique_ptr<Graph>> branches;
  branches.push_back(Body("inner_a", [](EsTensorHolder x) { return Relu(x); }));
  branches.push_back(Body("inner_b", [](EsTensorHolder x) { return Neg(x); }));
  std::vector<EsTensorHolder> picked = Case(inner.CreateScalar(1), {in}, 1, std::move(branches));
  ASSERT_EQ(picked.size(), 1u) << GeLastErrorMessage();
  std::unique_ptr<Graph> body = inner.BuildAndReset(picked);
  ASSERT_NE(body, nullptr);

  EsGraphBuilder outer("outer");
  EsTensorHolder cond = outer.CreateInput(0), x = outer.CreateInput(1);
  std::vector<EsTensorHolder> out =
      If(cond, {x}, 1, std::move(body), Body("else_body", [](EsTensorHolder v) { return Relu(v); }));
  ASSERT_EQ(out.size(), 1u) << GeLastErrorMessage();
  EsTensorHolder zero = outer.CreateScalar(0), three = outer.CreateScalar(3), one = outer.CreateScalar(1);
  std::vector<EsTensorHolder> loop =
      For(zero, three, one, {out[0]}, 1, Body("loop", [](EsTensorHolder v) { return Neg(v); }));
  ASSERT_EQ(loop.size(), 1u) << GeLastErrorMessage();
  // As many inputs as the operator has dynamic ones: for For too.
  EXPECT_TRUE(For(zero, three, one, {out[0]}, 1,
                  Body(
                      "counted", [](EsTensorHolder v) { return Neg(v); }, 2))
                  .empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("Data index 1 is out of range, the operator passes 1 inputs"),
            std::string::npos)
      << GeLastErrorMessage();
  std::unique_ptr<Graph> graph = outer.BuildAndReset(loop);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->GetAllSubgraphs().size(), 5u);  // nested ones moved to the root
  for (const char *name : {"inner_case", "inner_a", "inner_b", "else_body", "loop"})
    EXPECT_NE(graph->GetSubGraph(name), nullptr) << name;
  size_t all = graph->GetDirectNode().size();
  for (const GraphPtr &sub : graph->GetAllSubgraphs()) all += sub->GetDirectNode().size();
  EXPECT_EQ(graph->GetAllNodes().size(), all);
  GraphPtr loop_body = graph->GetSubGraph("loop");
  EXPECT_EQ(loop_body->GetAllNodes().size(), loop_body->GetDirectNode().size());
  all = 0;  // of a subgraph: its own, and those of the graphs that its nodes call
  for (const char *name : {"inner_case", "inner_a", "inner_b"}) all += graph->GetSubGraph(name)->GetDirectNode().size();
  EXPECT_EQ(graph->GetSubGraph("inner_case")->GetAllNodes().size(), all);
}

// Names of nested subgraphs count: they move to the root.
TEST(Subgraphs, RepeatedNamesFailTheBuild) {
  auto same = [](EsTensorHolder v) { return v; };
  EsGraphBuilder inner("inner");
  EsTensorHolder flag = inner.CreateInput(0), in = inner.CreateInput(1);
  std::vector<EsTensorHolder> picked = If(flag, {in}, 1, Body("twice", same), Body("once", same));
  ASSERT_EQ(picked.size(), 1u);
  std::unique_ptr<Graph> body = inner.BuildAndReset(picked);
  ASSERT_NE(body, nullptr);
  EsGraphBuilder outer("outer");
  EsTensorHolder cond = outer.CreateInput(0), x = outer.CreateInput(1);
  std::vector<EsTensorHolder> first = If(cond, {x}, 1, Body("twice", same), Body("other", same));
  std::vector<EsTensorHolder> second = If(cond, {cond, x}, 1, std::move(body), Body("last", same));
  ASSERT_EQ(second.size(), 1u) << GeLastErrorMessage();
  EXPECT_EQ(outer.BuildAndReset({first[0], second[0]}), nullptr);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("E18888"), std::string::npos) << GeLastErrorMessage();
  EXPECT_NE(std::string(GeLastErrorMessage()).find("the name 'twice' is taken"), std::string::npos)
      << GeLastErrorMessage();
}

TEST(Subgraphs, WrongCountsAreRefused) {
  EsGraphBuilder b("wrong");
  EsTensorHolder cond = b.CreateInput(0), x = b.CreateInput(1);
  auto same = [](EsTensorHolder v) { return v; };
  EXPECT_TRUE(If(cond, {x}, 2, Body("t", same), Body("e", same)).empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("it has 1 outputs, the operator has 2"), std::string::npos)
      << GeLastErrorMessage();
  EXPECT_TRUE(If(cond, {x}, 1, Body("t2", same, 2), Body("e2", same)).empty());
  EXPECT_NE(std::string(GeLastErrorMessage()).find("Data index 1 is out of range"), std::string::npos)
      << GeLastErrorMessage();
  EXPECT_TRUE(If(cond, {x}, 1, nullptr, Body("e3", same)).empty());
}

}  // namespace
}  // namespace es
}  // namespace ge
