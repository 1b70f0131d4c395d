// Edits, order, verification, copies.
#include <random>

#include "core/ops/make_node.h"
#include "helpers.h"

namespace gec {
namespace {

using test::All;
using test::Binary;
using test::Ir;
using test::Mix;
using test::Unary;

Node *AddData(Graph &g, const std::string &name, int64_t index) {
  Node *data = g.AddNode(Ir("Data", {"x"}, {"y"}), name);
  g.SetAttr(data, "index", AttrValue(index));
  return data;
}

struct Diamond : ::testing::Test {
  GraphPtr g = Graph::Create("diamond");
  Node *data = AddData(*g, "data", 0);
  Node *left = g->AddNode(Unary(), "left");
  Node *right = g->AddNode(Unary(), "right");
  Node *join = g->AddNode(Binary(), "join");
  void SetUp() override {
    g->Connect({data, 0}, left, 0);
    g->Connect({data, 0}, right, 0);
    g->Connect({left, 0}, join, 0);
    g->Connect({right, 0}, join, 1);
    g->SetOutputs({{join, 0}});
  }
};

TEST_F(Diamond, IsValid) {
  g->Verify();
  EXPECT_EQ(g->Inputs(), (std::vector<Node *>{data}));
  EXPECT_EQ(data->uses(0).size(), 2u);
  EXPECT_EQ(data->total_uses(), 2u);
  EXPECT_EQ(join->Label(), "TestBinary 'join'");
}

// By their index, and those with one index in the order in which they were made; few and many of them.
TEST(Inputs, ComeInTheOrderOfTheirIndex) {
  std::mt19937 random(5);
  for (int count = 0; count <= 24; ++count) {
    GraphPtr g = Graph::Create("inputs");
    std::vector<std::vector<Node *>> by_index(static_cast<size_t>(count) + 1);
    for (int i = 0; i < count; ++i) {
      const size_t index = std::uniform_int_distribution<size_t>(0, static_cast<size_t>(count))(random);
      Node *node = g->AddNode(Ir(i % 2 ? "Data" : "RefData", {"x"}, {"y"}), "input" + std::to_string(i));
      g->SetAttr(node, "index", AttrValue(static_cast<int64_t>(index)));
      by_index[index].push_back(node);
      g->AddNode(Unary(), "between" + std::to_string(i));
    }
    std::vector<Node *> expected;
    for (const std::vector<Node *> &nodes : by_index) expected.insert(expected.end(), nodes.begin(), nodes.end());
    EXPECT_EQ(g->Inputs(), expected) << count;
  }
}

TEST_F(Diamond, ReplaceUsesMovesEverything) {
  g->SetOutputs({{left, 0}, {join, 0}});
  g->ReplaceUses({left, 0}, {data, 0});
  EXPECT_TRUE(left->uses(0).empty());
  EXPECT_EQ(join->input(0), (Endpoint{data, 0}));
  EXPECT_EQ(g->Outputs()[0], (Endpoint{data, 0}));
  g->RemoveNode(left);
  g->Verify();
}

TEST_F(Diamond, RemovedOutputLeavesAGap) {
  g->RemoveNode(join);
  EXPECT_FALSE(g->Outputs()[0]);
  EXPECT_TRUE(left->uses(0).empty());
  EXPECT_ERROR(GE_GRAPH_INVALID, "output 0 is not connected", g->Verify());
  EXPECT_TRUE(join->removed());
  EXPECT_ERROR(GE_BAD_STATE, "was removed", g->SetAttr(join, "k", AttrValue(1)));
}

TEST_F(Diamond, UniqueNamesAndRenaming) {
  EXPECT_EQ(g->UniqueName("fresh"), "fresh");
  EXPECT_EQ(g->UniqueName("left"), "left_1");
  g->AddNode(Unary(), "left_1");
  EXPECT_EQ(g->UniqueName("left"), "left_2");
  g->RenameNode(left, "links");
  EXPECT_EQ(g->Find("left"), nullptr);
  EXPECT_EQ(g->Find("links"), left);
  for (int i = 0; i < 1000; ++i) g->RenameNode(left, "n" + std::to_string(i));  // erased names do not pile up
  EXPECT_EQ(g->Find("n999"), left);
  EXPECT_EQ(g->Find("n5"), nullptr);
}

TEST_F(Diamond, NamesMayRepeat) {
  EXPECT_FALSE(g->has_repeated_names());
  Node *again = g->AddNode(Unary(), "left");
  EXPECT_TRUE(g->has_repeated_names());
  EXPECT_EQ(g->Find("left"), left);  // the first
  EXPECT_EQ(g->UniqueName("left"), "left_1");
  g->Connect({right, 0}, again, 0);
  g->Verify();
  GraphPtr copy = g->Clone();
  EXPECT_EQ(All(*copy), All(*g));
  EXPECT_TRUE(copy->has_repeated_names());
  EXPECT_EQ(copy->Find("left")->id(), left->id());
  g->Disconnect(join, 0);
  g->RemoveNode(left);
  EXPECT_EQ(g->Find("left"), again);
  EXPECT_FALSE(g->has_repeated_names());
  g->RenameNode(join, "left");
  EXPECT_EQ(g->Find("left"), join);  // made before `again`
  g->RenameNode(join, "join");
  EXPECT_EQ(g->Find("left"), again);
  g->RemoveNode(again);
  EXPECT_EQ(g->Find("left"), nullptr);
}

TEST_F(Diamond, ReconnectReplacesTheEdge) {
  g->Reconnect({data, 0}, join, 0);
  EXPECT_EQ(join->input(0), (Endpoint{data, 0}));
  EXPECT_TRUE(left->uses(0).empty());
  EXPECT_ERROR(GE_PARAM_INVALID, "output port 4", g->Reconnect({data, 4}, join, 0));
  EXPECT_EQ(join->input(0), (Endpoint{data, 0}));
}

TEST_F(Diamond, Lineage) {
  Node *fused = g->AddNode(Binary(), "fused");
  g->InheritOrigins(fused, {left, right}, "FuseThem");
  EXPECT_EQ(fused->OriginText(), "left,right");
  Node *again = g->AddNode(Unary(), "again");
  g->InheritOrigins(again, {fused, join}, "Later");
  EXPECT_EQ(again->OriginText(), "left,right,join");
  EXPECT_EQ(again->passes(), (PassNames{"FuseThem", "Later"}));
  EXPECT_EQ(join->OriginText(), "join");
}

TEST(DynamicInputs, ResizeShiftsPortsAndUses) {
  GraphPtr g = Graph::Create("g");
  Node *data = AddData(*g, "data", 0);
  int32_t in[] = {2, 1}, out[] = {1};
  Node *mix = g->AddNode(Mix(), "mix", in, 2, out, 1);
  EXPECT_EQ(mix->InputRange(1), (std::pair<int32_t, int32_t>(1, 2)));
  EXPECT_EQ(mix->InputRange(2), (std::pair<int32_t, int32_t>(3, 1)));
  EXPECT_EQ(mix->InputRange(3), (std::pair<int32_t, int32_t>(4, 1)));
  for (int32_t p = 0; p < 5; ++p) g->Connect({data, 0}, mix, p);
  g->SetInputDesc(mix, 4, TensorDesc(C_DT_INT8, {4}));
  g->ResizeDynamicInput(mix, 1, 5);
  EXPECT_EQ(mix->input_count(), 8u);
  EXPECT_FALSE(mix->input(3));
  EXPECT_EQ(mix->input(7), (Endpoint{data, 0}));
  ASSERT_NE(mix->explicit_input_desc(7), nullptr);
  EXPECT_EQ(mix->explicit_input_desc(7)->dtype, C_DT_INT8);
  EXPECT_EQ(mix->explicit_input_desc(4), nullptr);
  for (int32_t p = 3; p < 6; ++p) g->Connect({data, 0}, mix, p);
  EXPECT_ERROR(GE_BAD_STATE, "connected", g->ResizeDynamicInput(mix, 1, 4));
  EXPECT_ERROR(GE_PARAM_INVALID, "not dynamic", g->ResizeDynamicInput(mix, 0, 4));
  g->SetOutputs({{mix, 0}});
  g->Verify();
  for (int32_t p = 1; p < 6; ++p) g->Disconnect(mix, p);
  g->ResizeDynamicInput(mix, 1, 0);
  EXPECT_EQ(mix->input_count(), 3u);
  EXPECT_EQ(mix->explicit_input_desc(2)->dtype, C_DT_INT8);
  g->Verify();
}

TEST(Order, CreationOrderBreaksTies) {
  GraphPtr g = Graph::Create("g");
  std::vector<Node *> n;
  for (int i = 0; i < 6; ++i) n.push_back(g->AddNode(Unary(), "n" + std::to_string(i)));
  EXPECT_EQ(g->TopologicalOrder(), n);
  g->Connect({n[5], 0}, n[1], 0);
  g->AddControl(n[4], n[0]);
  EXPECT_EQ(g->TopologicalOrder(), (std::vector<Node *>{n[4], n[0], n[5], n[1], n[2], n[3]}));
}

TEST(Order, YoungerProducersComeFirst) {
  // Nodes 0 to 2 stand in a valid order; node 3 reads the youngest, node 4 the one before.
  GraphPtr g = Graph::Create("g");
  std::vector<Node *> n;
  for (int i = 0; i < 6; ++i) n.push_back(g->AddNode(Unary(), "n" + std::to_string(i)));
  g->Connect({n[0], 0}, n[1], 0);
  g->Connect({n[1], 0}, n[2], 0);
  g->Connect({n[5], 0}, n[3], 0);
  g->Connect({n[3], 0}, n[4], 0);
  EXPECT_EQ(g->TopologicalOrder(), (std::vector<Node *>{n[0], n[1], n[2], n[5], n[3], n[4]}));
  // An edge that only says who waits counts as well, and a node that reads itself is a cycle.
  g->AddControl(n[4], n[1]);
  EXPECT_EQ(g->TopologicalOrder(), (std::vector<Node *>{n[0], n[5], n[3], n[4], n[1], n[2]}));
  g->Reconnect({n[1], 0}, n[1], 0);
  EXPECT_ERROR(GE_GRAPH_INVALID, "cycle", g->TopologicalOrder());
}

TEST(Order, CycleIsNamedInTheDirectionOfTheData) {
  GraphPtr g = Graph::Create("loop");
  Node *a = g->AddNode(Unary(), "a"), *b = g->AddNode(Unary(), "b"), *c = g->AddNode(Unary(), "c");
  g->Connect({a, 0}, b, 0);
  g->Connect({b, 0}, c, 0);
  g->Connect({c, 0}, a, 0);
  EXPECT_ERROR(GE_GRAPH_INVALID, "graph 'loop' has a cycle: 'b' -> 'c' -> 'a' -> 'b'", g->TopologicalOrder());
  g->Disconnect(a, 0);
  g->AddControl(c, a);
  EXPECT_ERROR(GE_GRAPH_INVALID, "cycle", g->TopologicalOrder());
  Node *self = g->AddNode(Unary(), "self");
  g->RemoveControl(c, a);
  g->Connect({self, 0}, self, 0);
  EXPECT_ERROR(GE_GRAPH_INVALID, "'self' -> 'self'", g->TopologicalOrder());
}

TEST(Order, DeepChainsDoNotRecurse) {
  GraphPtr g = Graph::Create("deep");
  constexpr int kNodes = 100000;
  std::vector<Node *> n;
  for (int i = 0; i < kNodes; ++i) n.push_back(g->AddNode(Unary(), "n" + std::to_string(i)));
  // The last created comes first: the whole chain is on the path at once.
  for (int i = 0; i + 1 < kNodes; ++i) g->Connect({n[static_cast<size_t>(i + 1)], 0}, n[static_cast<size_t>(i)], 0);
  std::vector<Node *> order = g->TopologicalOrder();
  ASSERT_EQ(order.size(), static_cast<size_t>(kNodes));
  EXPECT_EQ(order.front(), n.back());
  EXPECT_EQ(order.back(), n.front());
}

// ---- every rule of Verify ----

TEST_F(Diamond, VerifyWantsRequiredInputs) {
  g->Disconnect(join, 1);
  EXPECT_ERROR(GE_GRAPH_INVALID, "graph 'diamond': TestBinary 'join': input 'x2' (port 1) is not connected",
               g->Verify());
}

TEST_F(Diamond, VerifyWantsDenseInputIndexes) {
  Node *second = AddData(*g, "second", 0);
  EXPECT_ERROR(GE_GRAPH_INVALID, "index 0 is also that of", g->Verify());
  g->SetAttr(second, "index", AttrValue(2));
  EXPECT_ERROR(GE_GRAPH_INVALID, "index is 2, expected 1", g->Verify());
  g->SetAttr(second, "index", AttrValue(-1));
  EXPECT_ERROR(GE_GRAPH_INVALID, "index is -1", g->Verify());
  g->SetAttr(second, "index", AttrValue(1));
  g->Verify();
}

TEST_F(Diamond, VerifyWantsOneNetOutput) {
  int32_t one = 1;
  const IrDef *net = Ir("NetOutput", {"x*"}, {});
  Node *first = g->AddNode(net, "net", &one, 1);
  EXPECT_EQ(g->NetOutput(), first);
  EXPECT_ERROR(GE_GRAPH_INVALID, "NetOutput 'net': input 'x'", g->Verify());
  g->Connect({join, 0}, first, 0);
  g->Verify();
  Node *second = g->AddNode(net, "net2", &one, 1);
  g->Connect({join, 0}, second, 0);
  EXPECT_ERROR(GE_GRAPH_INVALID, "2 NetOutput nodes", g->Verify());
  g->RemoveNode(first);
  EXPECT_EQ(g->NetOutput(), second);
  g->Verify();
}

TEST_F(Diamond, VerifyChecksAttributes) {
  GeIrAttr attrs[2] = {};
  attrs[0].value.name = "need";
  attrs[0].value.type = C_VT_INT;
  attrs[0].required = 1;
  attrs[1].value.name = "may";
  attrs[1].value.type = C_VT_FLOAT;
  GeOpSchema schema{};
  schema.struct_size = sizeof schema;
  schema.type = "TestAttrs";
  schema.attrs = attrs;
  schema.attr_count = 2;
  Node *node = g->AddNode(InternSchema(&schema), "n");
  EXPECT_ERROR(GE_GRAPH_INVALID, "required attribute 'need' is not set", g->Verify());
  g->SetAttr(node, "need", AttrValue(1.0f));
  EXPECT_ERROR(GE_GRAPH_INVALID, "attribute 'need' has type 2, its prototype says 4", g->Verify());
  g->SetAttr(node, "need", AttrValue(1));
  g->Verify();
}

struct Calling : Diamond {
  const IrDef *call_ir = Ir("TestCall", {"v*"}, {"z*"}, {"body", "cases*"});
  Node *call = nullptr;
  GraphPtr body = Graph::Create("body");
  Node *inner = AddData(*body, "inner", 0);
  void SetUp() override {
    Diamond::SetUp();
    int32_t one = 1;
    call = g->AddNode(call_ir, "call", &one, 1, &one, 1);
    g->Connect({join, 0}, call, 0);
    body->SetOutputs({{inner, 0}});
  }
};

TEST_F(Calling, VerifyChecksSubgraphs) {
  EXPECT_ERROR(GE_GRAPH_INVALID, "TestCall 'call': subgraph 'body' is missing", g->Verify());
  g->AttachSubgraph(call, "body", body);
  g->Verify();
  body->SetOutputs({{inner, 0}, {inner, 0}});
  EXPECT_ERROR(GE_GRAPH_INVALID, "subgraph 'body' has 2 outputs, the node has 1", g->Verify());
  body->SetOutputs({{inner, 0}});
  body->SetAttr(inner, "index", AttrValue(1));
  EXPECT_ERROR(GE_GRAPH_INVALID, "Data 'inner' has index 1, the node passes 1 inputs", g->Verify());
  body->SetAttr(inner, "index", AttrValue(0));
  Node *broken = body->AddNode(Unary(), "broken");
  EXPECT_ERROR(GE_GRAPH_INVALID, "graph 'body': TestUnary 'broken'", g->Verify());
  body->RemoveNode(broken);
  g->RemoveSubgraph("body");
  EXPECT_ERROR(GE_GRAPH_INVALID, "names 'body', which the root graph lacks", g->Verify());
}

TEST_F(Calling, AttachingAgainReplaces) {
  g->AttachSubgraph(call, "body", body);
  GraphPtr other = Graph::Create("other");
  g->AttachSubgraph(call, "body", other);
  EXPECT_EQ(g->FindSubgraph("body"), nullptr);
  EXPECT_EQ(call->subgraph(0), other.get());
  EXPECT_EQ(body->parent(), nullptr);
  EXPECT_EQ(other->parent(), g.get());
  EXPECT_EQ(&other->root(), g.get());
}

TEST_F(Calling, SubgraphSurvivesItsRoot) {
  g->AttachSubgraph(call, "body", body);
  g.reset();
  EXPECT_EQ(body->parent(), nullptr);
  EXPECT_EQ(body->node_count(), 1u);
}

TEST_F(Calling, CloneIsEqualAndIndependent) {
  g->AttachSubgraph(call, "body", body);
  g->SetGraphAttr("k", AttrValue(5));
  g->SetInputDesc(join, 1, TensorDesc(C_DT_INT8, {3}));
  g->SetOutputAttr(left, 0, "p", AttrValue(1));
  g->AddControl(data, join);
  g->InheritOrigins(join, {left}, "pass");
  GraphPtr copy = g->Clone();
  EXPECT_EQ(All(*copy), All(*g));
  copy->Verify();
  std::string before = All(*g);
  copy->SetOutputAttr(copy->Find("left"), 0, "p", AttrValue(2));
  copy->FindSubgraph("body")->RemoveNode(copy->FindSubgraph("body")->Find("inner"));
  copy->RemoveNode(copy->Find("right"));
  EXPECT_EQ(All(*g), before);
  // Ids are dense in the copy.
  g->RemoveNode(right);
  GraphPtr dense = g->Clone("dense");
  EXPECT_EQ(dense->id_limit(), dense->node_count());
  EXPECT_EQ(dense->name(), "dense");
  // The copy of a subgraph takes along what it calls.
  Node *deep = body->AddNode(call_ir, "deep");
  body->AttachSubgraph(deep, "body", Graph::Create("deepest"));
  GraphPtr of_body = body->Clone();
  EXPECT_EQ(of_body->parent(), nullptr);
  ASSERT_EQ(of_body->subgraphs().size(), 1u);
  EXPECT_EQ(of_body->subgraphs()[0]->name(), "deepest");
}

TEST(Constants, AreSharedAndFound) {
  GraphPtr g = Graph::Create("g");
  auto value = Tensor::Of<int64_t>(C_DT_INT64, {2}, {3, 4});
  Node *c = MakeConst(*g, value, "c");
  EXPECT_EQ(ConstantOf({c, 0}), value);
  EXPECT_EQ(c->output_desc(0).shape, (Shape{2}));
  GraphPtr copy = g->Clone();
  EXPECT_EQ(ConstantOf({copy->Find("c"), 0}), value);
  Node *data = AddData(*g, "d", 0);
  EXPECT_EQ(ConstantOf({data, 0}), nullptr);
  EXPECT_EQ(ConstantOf({}), nullptr);
}

TEST(Constants, VerifyWantsTheValueThatTheDescriptionTells) {
  GraphPtr g = Graph::Create("g");
  auto value = Tensor::Of<int64_t>(C_DT_INT64, {2}, {3, 4});
  Node *c = MakeConst(*g, value, "c");
  g->SetOutputs({{c, 0}});
  g->Verify();
  const auto described = [&](int32_t type, Shape shape) { g->SetOutputDesc(c, 0, TensorDesc(type, std::move(shape))); };
  described(C_DT_INT64, {1000000});
  EXPECT_ERROR(GE_GRAPH_INVALID, "Const 'c': its value is DT_INT64[2], its output is described as DT_INT64[1000000]",
               g->Verify());
  described(C_DT_INT32, {2});
  EXPECT_ERROR(GE_GRAPH_INVALID, "its output is described as DT_INT32[2]", g->Verify());
  described(C_DT_INT64, {1, 2});
  EXPECT_ERROR(GE_GRAPH_INVALID, "its output is described as DT_INT64[1, 2]", g->Verify());
  described(C_DT_INT32, Shape::UnknownRank());
  EXPECT_ERROR(GE_GRAPH_INVALID, "its output is described as DT_INT32[?]", g->Verify());
  // What says nothing else is filled in by inference: a part of the description, or the one of a new node.
  for (const Shape &open : {Shape{-1}, Shape::UnknownRank()}) {
    described(C_DT_INT64, open);
    g->Verify();
  }
  g->SetOutputDesc(c, 0, TensorDesc());
  g->Verify();

  const auto holds = [&](TensorDesc desc, std::shared_ptr<Buffer> content) {
    g->SetAttr(c, "value", AttrValue(TensorPtr(std::make_shared<Tensor>(std::move(desc), std::move(content)))));
  };
  described(C_DT_FLOAT, {1000});
  holds(TensorDesc(C_DT_FLOAT, {1000}), nullptr);
  EXPECT_ERROR(GE_GRAPH_INVALID, "Const 'c': the constant has no value", g->Verify());
  holds(TensorDesc(C_DT_FLOAT, {1000}), Buffer::Allocate(64));
  EXPECT_ERROR(GE_GRAPH_INVALID, "its value is DT_FLOAT[1000] of 4000 bytes, its content has 64", g->Verify());
  holds(TensorDesc(C_DT_FLOAT, {-1}), Buffer::Allocate(4000));
  EXPECT_ERROR(GE_GRAPH_INVALID, "its value is DT_FLOAT[-1], which leaves dimensions open", g->Verify());
  holds(TensorDesc(C_DT_STRING, {1}), Buffer::Allocate(16));
  EXPECT_ERROR(GE_GRAPH_INVALID, "DT_STRING[1], whose type has no fixed size", g->Verify());
  // No elements need no content, where the description has none either.
  holds(TensorDesc(C_DT_FLOAT, {0, 3}), nullptr);
  described(C_DT_FLOAT, {0, 3});
  g->Verify();
  described(C_DT_FLOAT, {2, 3});
  EXPECT_ERROR(GE_GRAPH_INVALID, "Const 'c': the constant has no value", g->Verify());
  g->RemoveAttr(c, "value");
  EXPECT_ERROR(GE_GRAPH_INVALID, "Const 'c': the constant has no value", g->Verify());
}

TEST(Constants, VerifyLooksIntoBodies) {
  GraphPtr g = Graph::Create("g"), body = Graph::Create("body");
  Node *call = g->AddNode(Ir("TestHolder", {}, {}, {"body"}), "call");
  MakeNode(*body, "Const", "inner");
  g->AttachSubgraph(call, "body", body);
  EXPECT_ERROR(GE_GRAPH_INVALID, "graph 'body': Const 'inner': the constant has no value", g->Verify());
}

TEST(Scale, HubsAndWideNodesStayLinear) {
  GraphPtr g = Graph::Create("hub");
  Node *hub = AddData(*g, "hub", 0), *other = g->AddNode(Unary(), "other");
  g->Connect({hub, 0}, other, 0);
  constexpr int32_t kUsers = 100000;
  int32_t counts[] = {kUsers, 0};
  Node *wide = g->AddNode(Mix(), "wide", counts, 2);
  for (int32_t p = 0; p <= kUsers; ++p) g->Connect({hub, 0}, wide, p);
  g->SetOutputs({{wide, 0}});
  g->Verify();
  // A list exchanged as a whole: done one by one this would take minutes.
  g->ReplaceUses({hub, 0}, {other, 0});
  g->Disconnect(other, 0);
  g->Connect({hub, 0}, other, 0);
  EXPECT_EQ(other->uses(0).size(), static_cast<size_t>(kUsers) + 1);
  EXPECT_EQ(hub->uses(0).size(), 1u);
}

/// Finds the subgraph by a search through all of them.
Graph *Searched(const Graph &root, const std::string &name) {
  for (const GraphPtr &sub : root.subgraphs())
    if (sub->name() == name) return sub.get();
  return nullptr;
}

// Random attaching, removing, renaming and undoing: a name finds what a search through all graphs finds.
TEST(Subgraphs, NamesAreFoundWhateverHappenedToThem) {
  std::mt19937 random(7);
  const auto number = [&](size_t below) { return random() % below; };
  GraphPtr root = Graph::Create("root");
  std::vector<GraphPtr> loose;
  const auto step = [&] {
    const std::string name = Str("g", number(40));
    const size_t count = root->subgraphs().size();
    switch (number(4)) {
      case 0: {
        GraphPtr graph = !loose.empty() && number(2) ? loose.back() : Graph::Create(name);
        if (!loose.empty() && graph == loose.back()) loose.pop_back();
        if (graph->subgraphs().empty() && number(4) == 0 && !Searched(*root, "nested " + graph->name()))
          graph->AddSubgraph(Graph::Create("nested " + graph->name()));
        if (!Searched(*root, graph->name())) {
          root->AddSubgraph(graph);
        } else {
          EXPECT_ANY_THROW(root->AddSubgraph(graph));
        }
        break;
      }
      case 1:
        if (count) loose.push_back(root->RemoveSubgraph(root->subgraphs()[number(count)]->name()));
        break;
      case 2:
        if (!count) break;
        if (Graph &graph = *root->subgraphs()[number(count)]; !Searched(*root, name)) {
          graph.set_name(name);
        } else if (graph.name() != name) {
          EXPECT_ANY_THROW(graph.set_name(name));
        }
        break;
      default:
        if (!Searched(*root, name)) {
          EXPECT_ANY_THROW(root->RemoveSubgraph(name));
        }
    }
    for (int k = 0; k < 40; ++k)
      for (const std::string &each : {Str("g", k), Str("nested g", k)})
        ASSERT_EQ(root->FindSubgraph(each), Searched(*root, each)) << each;
  };
  for (int round = 0; round < 300; ++round) {
    const bool undone = number(3) == 0;
    const std::vector<GraphPtr> before = loose;
    {
      Transaction all(*root);
      for (int k = 0; k < 6; ++k) ASSERT_NO_FATAL_FAILURE(step());
      if (!undone) all.Commit();
    }
    if (undone) loose = before;
    for (int k = 0; k < 40; ++k) ASSERT_EQ(root->FindSubgraph(Str("g", k)), Searched(*root, Str("g", k)));
  }
}

}  // namespace
}  // namespace gec
