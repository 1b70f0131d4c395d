// What a transaction undoes is as if it had never been.
#include <map>
#include <random>

#include "helpers.h"

namespace gec {
namespace {

using test::All;
using test::Binary;
using test::Ir;
using test::Mix;
using test::OnlyDynamic;
using test::Unary;

struct Small : ::testing::Test {
  GraphPtr g = Graph::Create("small");
  GraphPtr sub = Graph::Create("sub");
  Node *data = g->AddNode(Ir("Data", {"x"}, {"y"}), "data");
  Node *a = g->AddNode(Unary(), "a");
  Node *b = g->AddNode(Binary(), "b");
  Node *mix = nullptr;
  Node *call = nullptr;
  void SetUp() override {
    int32_t in[] = {2, 1}, out[] = {2}, one[] = {1};
    mix = g->AddNode(Mix(), "mix", in, 2, out, 1);
    call = g->AddNode(Ir("TestCall", {"v*"}, {"z*"}, {"body", "cases*"}), "call", one, 1, one, 1);
    g->Connect({data, 0}, a, 0);
    g->Connect({a, 0}, b, 0);
    g->Connect({data, 0}, b, 1);
    g->Connect({b, 0}, mix, 1);
    g->Connect({b, 0}, mix, 3);
    g->Connect({mix, 1}, call, 0);
    g->AddControl(data, mix);
    g->AddControl(a, mix);
    g->SetAttr(a, "k", AttrValue(1));
    g->SetInputDesc(mix, 2, TensorDesc(C_DT_INT8, {2}));
    g->SetOutputs({{b, 0}, {mix, 0}});
    sub->AddNode(Unary(), "inner");
    g->AttachSubgraph(call, "body", sub);
  }
  // Runs `edit` in a transaction that is not committed, and in one that is.
  template <class Edit>
  void Check(Edit &&edit) {
    std::string before = All(*g);
    {
      Transaction t(*g);
      EXPECT_FALSE(t.changed());
      edit();
      EXPECT_TRUE(t.changed());
      EXPECT_NE(All(*g), before);
    }
    EXPECT_EQ(All(*g), before);
    std::string after;
    {
      Transaction t(*g);
      edit();
      after = All(*g);
      t.Commit();
      EXPECT_FALSE(t.changed());
    }
    EXPECT_EQ(All(*g), after);
  }
};

TEST_F(Small, AddNode) {
  // Ids are never used again, so the text is compared without them: a fresh graph each.
  std::string before = All(*g);
  Node *gone = nullptr;
  {
    Transaction t(*g);
    gone = g->AddNode(Unary(), "new");
    g->Connect({a, 0}, gone, 0);
    NodeParts parts;
    Endpoint inputs[] = {{gone, 0}, {gone, 0}};
    parts.inputs = inputs;
    parts.attrs.Set("k", AttrValue(2));
    g->AddNode(Binary(), "newer", std::move(parts));
  }
  EXPECT_EQ(All(*g), before);
  EXPECT_TRUE(gone->removed());
  EXPECT_EQ(g->Find("new"), nullptr);
  g->AddNode(Unary(), "new");
}

TEST_F(Small, RemoveNode) {
  Check([&] {
    if (!b->removed()) g->RemoveNode(b);
  });
}
// Gaps that readers left in a long list are there again when a rewiring of the list is undone.
TEST_F(Small, RewiringAListWithGaps) {
  std::vector<Node *> readers;
  for (int i = 0; i < 40; ++i) {
    readers.push_back(g->AddNode(Unary(), "reader" + std::to_string(i)));
    g->Connect({data, 0}, readers.back(), 0);
  }
  const std::vector<Use> uses(data->uses(0).begin(), data->uses(0).end());
  {
    Transaction undone(*g);
    g->Disconnect(readers[20], 0);
    g->Rewire({{{readers[5], 0}, {a, 0}}});
    EXPECT_EQ(data->use_count(0), uses.size() - 2);
  }
  EXPECT_EQ(data->use_count(0), uses.size());
  EXPECT_EQ(data->total_uses(), uses.size());
  EXPECT_EQ(std::vector<Use>(data->uses(0).begin(), data->uses(0).end()), uses);
}
// A rewrite leaves nodes behind that go in one step: bare, with content, with inputs from one tensor twice, and none.
TEST_F(Small, RemoveWhatNobodyReads) {
  Node *alone = g->AddNode(Unary(), "alone");
  NodeParts parts;
  const Endpoint inputs[] = {{data, 0}, {data, 0}};
  parts.inputs = inputs;
  Node *twice = g->AddNode(Binary(), "twice", std::move(parts));
  Node *told = g->AddNode(Unary(), "told");
  g->Connect({data, 0}, told, 0);
  g->SetAttr(told, "k", AttrValue(1));
  g->SetInputDesc(told, 0, TensorDesc(C_DT_INT8, {2}));
  Node *behind = g->AddNode(Unary(), "behind");
  g->Connect({data, 0}, behind, 0);
  std::vector<Use> uses(data->uses(0).begin(), data->uses(0).end());
  const std::vector<Node *> gone{alone, twice, told};
  auto remove = [&] {
    for (Node *node : gone)
      if (!node->removed()) g->RemoveNode(node);
  };
  {
    Transaction outer(*g);
    {
      Transaction inner(*g);
      remove();
      EXPECT_EQ(data->use_count(0), uses.size() - 3);
      EXPECT_EQ(g->Find("twice"), nullptr);
      g->AddNode(Unary(), "twice");
    }
    EXPECT_EQ(std::vector<Use>(data->uses(0).begin(), data->uses(0).end()), uses);
    EXPECT_EQ(g->Find("twice"), twice);
    EXPECT_EQ(told->Int("k"), 1);
    outer.Commit();
  }
  Check(remove);
  for (Node *node : gone) EXPECT_TRUE(node->removed());
  EXPECT_TRUE(told->attrs().empty());
  EXPECT_EQ(data->use_count(0), uses.size() - 3);
}
TEST_F(Small, RemoveNodeWithSubgraph) {
  Check([&] {
    if (!call->removed()) g->RemoveNode(call);
  });
}
TEST_F(Small, Rename) {
  std::string before = All(*g);
  {
    Transaction t(*g);
    g->RenameNode(a, "z");
    g->RenameNode(b, "a");
    g->set_name("other");
    sub->set_name("lower");
  }
  EXPECT_EQ(All(*g), before);
  EXPECT_EQ(g->Find("a"), a);
  EXPECT_EQ(g->Find("z"), nullptr);
}
// Whatever is added, removed, renamed and undone: a name finds the first node that has it.
TEST(Names, FindTheFirstThroughEveryChange) {
  std::mt19937 random(5);
  GraphPtr g = Graph::Create("names");
  auto check = [&] {
    std::map<std::string, Node *> first;
    const std::vector<Node *> nodes = g->Nodes();
    for (Node *node : nodes) first.emplace(node->name(), node);
    for (int n = 0; n < 8; ++n) {
      auto known = first.find("n" + std::to_string(n));
      ASSERT_EQ(g->Find("n" + std::to_string(n)), known == first.end() ? nullptr : known->second) << n;
    }
    ASSERT_EQ(g->has_repeated_names(), first.size() != nodes.size());
  };
  auto edit = [&] {
    const std::string name = "n" + std::to_string(random() % 8);
    Node *some = g->NodeAt(g->node_count() ? random() % g->node_count() : 0);
    const uint32_t what = random() % 4;
    if (!some || what < 2) g->AddNode(Unary(), name);
    else if (what == 2) g->RemoveNode(some);
    else g->RenameNode(some, name);
    check();
  };
  for (int round = 0; round < 300; ++round) {
    const std::string before = All(*g);
    bool kept = random() % 2 == 0;
    {
      Transaction all(*g);
      for (uint32_t n = random() % 12; n > 0; --n) edit();
      if (kept) all.Commit();
    }
    check();
    if (!kept) {
      ASSERT_EQ(All(*g), before);
    }
    while (g->node_count() > 20) g->RemoveNode(g->NodeAt(random() % g->node_count()));
    check();
  }
}

TEST_F(Small, Edges) {
  Check([&] {
    if (b->input(0)) g->Disconnect(b, 0);
    g->Reconnect({data, 0}, b, 0);
    g->Reconnect({a, 0}, b, 1);
    if (!mix->input(2)) g->Connect({a, 0}, mix, 2);
  });
}
TEST_F(Small, ReplaceUses) {
  Check([&] {
    g->ReplaceUses({b, 0}, {data, 0});
    g->ReplaceUses({a, 0}, {data, 0});
  });
}
TEST_F(Small, ControlEdges) {
  Check([&] {
    g->AddControl(b, call);
    if (!a->control_outputs().empty()) g->RemoveControl(a, mix);
    g->AddControl(data, call);
  });
}
TEST_F(Small, Resize) {
  Check([&] {
    g->ResizeDynamicInput(mix, 1, 4);
    g->ResizeDynamicInput(mix, 2, 3);
    if (mix->input(1)) g->Disconnect(mix, 1);
    g->ResizeDynamicInput(mix, 1, 0);
  });
}
TEST_F(Small, Content) {
  Check([&] {
    g->SetAttr(a, "k", AttrValue(2));
    g->SetAttr(a, "aa", AttrValue("text"));
    if (a->attrs().Has("k")) g->RemoveAttr(a, "k");
    g->SetOutputDesc(a, 0, TensorDesc(C_DT_INT64, {7}));
    g->SetInputDesc(a, 0, TensorDesc(C_DT_INT64, {8}));
    g->SetInputDesc(mix, 2, TensorDesc(C_DT_INT64, {9}));
    g->SetOutputAttr(b, 0, "p", AttrValue(3));
    g->SetInputAttr(b, 0, "p", AttrValue(4));
    g->SetOrigins(a, {"x", "y"});
    g->InheritOrigins(b, {a}, "pass");
    g->SetGraphAttr("graph", AttrValue(5));
    g->SetOutputs({{a, 0}});
  });
}
TEST_F(Small, Subgraphs) {
  std::string before = All(*g);
  GraphPtr other = Graph::Create("other"), nested = Graph::Create("nested");
  other->AddSubgraph(nested);
  {
    Transaction t(*g);
    sub->AddNode(Unary(), "more");
    g->AttachSubgraph(call, "body", other);
    sub->AddNode(Unary(), "even after it left");
    other->AddNode(Unary(), "there");
    g->RemoveSubgraph("nested");
    EXPECT_EQ(g->subgraphs().size(), 1u);
  }
  EXPECT_EQ(All(*g), before);
  EXPECT_EQ(other->parent(), nullptr);
  EXPECT_EQ(other->node_count(), 0u);
  EXPECT_EQ(nested->parent(), other.get());
  EXPECT_EQ(call->subgraph(0), sub.get());
}

TEST_F(Small, NestedTransactions) {
  std::string before = All(*g);
  {
    Transaction outer(*g);
    g->SetAttr(a, "k", AttrValue(2));
    std::string middle = All(*g);
    {
      Transaction inner(*g);
      g->RemoveNode(b);
    }
    EXPECT_EQ(All(*g), middle);
    {
      Transaction inner(*sub);  // of the same root
      sub->AddNode(Unary(), "kept for now");
      g->RemoveNode(b);
      inner.Commit();
    }
    EXPECT_NE(All(*g), middle);
  }
  EXPECT_EQ(All(*g), before);
  EXPECT_EQ(b->attrs().size(), 0u);
}

TEST_F(Small, FailedCompoundEditChangesNothing) {
  std::string before = All(*g);
  EXPECT_ERROR(GE_PARAM_INVALID, "belongs to graph", g->SetOutputs({{a, 0}, {sub->Find("inner"), 0}}));
  GraphPtr clash = Graph::Create("sub");
  EXPECT_ERROR(GE_PARAM_INVALID, "is taken", g->AttachSubgraph(call, "cases0", clash));
  Endpoint inputs[] = {{a, 0}, {sub->Find("inner"), 0}};
  NodeParts parts;
  parts.inputs = inputs;
  EXPECT_ERROR(GE_PARAM_INVALID, "belongs to graph", g->AddNode(Binary(), "half", std::move(parts)));
  EXPECT_EQ(All(*g), before);
  EXPECT_EQ(g->Find("half"), nullptr);
  g->AddNode(Binary(), "half");
}

TEST_F(Small, TransactionOfItsOwnBlocksAttaching) {
  GraphPtr other = Graph::Create("other");
  Transaction t(*other);
  EXPECT_ERROR(GE_BAD_STATE, "transaction of its own", g->AddSubgraph(other));
}

// Both directions of every edge agree, names are found, counts are right.
// The names in topological order, or why there is none.
std::vector<std::string> OrderOf(const Graph &g) {
  std::vector<std::string> names;
  try {
    for (const Node *n : g.TopologicalOrder()) names.push_back(n->name());
  } catch (const Error &) {
    names = {"cycle"};
  }
  return names;
}

// A transaction remembers the order; a copy of the graph knows nothing of that.
void CheckOrder(const Graph &g) {
  std::vector<std::string> got = OrderOf(g);
  ASSERT_EQ(got, OrderOf(*g.Clone()));
}

void CheckInvariants(const Graph &g) {
  CheckOrder(g);
  size_t edges = 0, uses = 0;
  std::vector<Node *> nodes = g.Nodes();
  ASSERT_EQ(nodes.size(), g.node_count());
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node *n = nodes[i];
    Node *first = g.Find(n->name());
    ASSERT_TRUE(first == n || (first && first->id() < n->id() && first->name() == n->name()));
    ASSERT_EQ(g.NodeAt(i), n);
    ASSERT_EQ(static_cast<size_t>(n->InputRange(n->ir().inputs.size()).first), n->input_count());
    for (size_t p = 0; p < n->input_count(); ++p) edges += n->input(p) ? 1 : 0;
    for (size_t o = 0; o < n->output_count(); ++o) {
      for (const Use &u : n->uses(o)) {
        ++uses;
        ASSERT_FALSE(u.node->removed());
        ASSERT_EQ(u.node->input(static_cast<size_t>(u.port)), (Endpoint{n, static_cast<int32_t>(o)}));
      }
    }
    for (Node *c : n->control_inputs())
      ASSERT_NE(std::find(c->control_outputs().begin(), c->control_outputs().end(), n), c->control_outputs().end());
  }
  ASSERT_EQ(edges, uses);
}

class Editor {
 public:
  Editor(Graph &g, uint32_t seed) : g_(g), random_(seed) {}

  // One random edit; edits that do not apply are refused and change nothing.
  void Step() {
    try {
      Edit();
    } catch (const Error &) {
    }
  }

 private:
  size_t Below(size_t n) { return n ? random_() % n : 0; }
  Node *Any() {
    std::vector<Node *> nodes = g_.Nodes();
    return nodes.empty() ? nullptr : nodes[Below(nodes.size())];
  }
  Endpoint AnyOutput() {
    Node *n = Any();
    return n ? Endpoint{n, static_cast<int32_t>(Below(n->output_count() + 1))} : Endpoint();
  }
  void Edit() {
    Node *n = Any();
    int32_t counts[] = {static_cast<int32_t>(Below(4)), static_cast<int32_t>(Below(4))};
    int32_t port = n ? static_cast<int32_t>(Below(n->input_count() + 1)) : 0;
    std::string name = "n" + std::to_string(Below(60));
    switch (Below(20)) {
      case 0:
        g_.AddNode(Unary(), name);
        break;
      case 1:
        g_.AddNode(Binary(), name);
        break;
      case 2:
        g_.AddNode(Mix(), name, counts, 2, counts, 1);
        break;
      case 3: {
        Endpoint inputs[] = {AnyOutput(), AnyOutput()};
        NodeParts parts;
        parts.inputs = inputs;
        parts.attrs.Set("made", AttrValue(1));
        g_.AddNode(Binary(), name, std::move(parts));
        break;
      }
      case 4:
        if (Below(3) == 0) g_.RemoveNode(n);
        break;
      case 5:
        g_.RenameNode(n, name);
        break;
      case 6:
      case 7:
      case 8:
        g_.Connect(AnyOutput(), n, port);
        break;
      case 9:
        g_.Disconnect(n, port);
        break;
      case 10:
        g_.Reconnect(AnyOutput(), n, port);
        break;
      case 11:
        g_.ReplaceUses(AnyOutput(), AnyOutput());
        break;
      case 12:
        g_.AddControl(n, Any());
        break;
      case 13:
        g_.RemoveControl(n, Any());
        break;
      case 14:
        g_.ResizeDynamicInput(n, Below(4), counts[0]);
        break;
      case 15:
        g_.SetAttr(n, Symbol("a" + std::to_string(Below(4))), AttrValue(static_cast<int64_t>(Below(9))));
        break;
      case 16:
        g_.RemoveAttr(n, Symbol("a" + std::to_string(Below(4))));
        break;
      case 17:
        g_.SetInputDesc(n, static_cast<size_t>(port), TensorDesc(C_DT_INT8, {static_cast<int64_t>(Below(5))}));
        break;
      case 18:
        g_.SetOutputAttr(n, 0, "p", AttrValue(static_cast<int64_t>(Below(9))));
        break;
      case 19:
        g_.SetOutputs({AnyOutput(), AnyOutput()});
        break;
    }
  }
  Graph &g_;
  std::mt19937 random_;
};

TEST(DynamicInputs, DescriptionsOfAllPortsComeBack) {
  GraphPtr g = Graph::Create("g");
  const int32_t two = 2;
  Node *n = g->AddNode(OnlyDynamic(), "n", &two, 1);
  g->SetInputDesc(n, 0, TensorDesc(C_DT_INT8, {1}));
  g->SetInputDesc(n, 1, TensorDesc(C_DT_INT32, {2}));
  {
    Transaction dropped(*g);
    g->ResizeDynamicInput(n, 0, 0);
    EXPECT_EQ(n->explicit_input_desc(0), nullptr);
  }
  ASSERT_EQ(n->input_count(), 2u);
  ASSERT_NE(n->explicit_input_desc(0), nullptr);
  ASSERT_NE(n->explicit_input_desc(1), nullptr);
  EXPECT_EQ(n->explicit_input_desc(0)->dtype, C_DT_INT8);
  EXPECT_EQ(n->explicit_input_desc(1)->dtype, C_DT_INT32);
  g->ResizeDynamicInput(n, 0, 0);
  g->ResizeDynamicInput(n, 0, 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(n->explicit_input_desc(i), nullptr);
}

TEST(Fuzz, RollbackRestoresAnyGraph) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    GraphPtr g = Graph::Create("fuzz");
    Editor editor(*g, seed);
    for (int i = 0; i < 60; ++i) editor.Step();
    CheckInvariants(*g);
    std::string before = All(*g);
    {
      Transaction outer(*g);
      for (int i = 0; i < 30; ++i) {
        editor.Step();
        CheckOrder(*g);
      }
      std::string middle = All(*g);
      {
        Transaction inner(*g);
        for (int i = 0; i < 30; ++i) editor.Step();
        CheckInvariants(*g);
      }
      ASSERT_EQ(All(*g), middle) << "seed " << seed;
      {
        Transaction inner(*g);
        for (int i = 0; i < 10; ++i) editor.Step();
        inner.Commit();
      }
    }
    ASSERT_EQ(All(*g), before) << "seed " << seed;
    CheckInvariants(*g);
    // The graph is as usable as before.
    for (int i = 0; i < 30; ++i) editor.Step();
    CheckInvariants(*g);
    ASSERT_EQ(g->Clone()->node_count(), g->node_count());
  }
}

// A log of several megabytes, of records with and without something to free.
TEST(LongLogs, AreUndoneInPartsAndFreed) {
  constexpr int kNodes = 30000;
  GraphPtr g = Graph::Create("long");
  Node *last = g->AddNode(Ir("Data", {"x"}, {"y"}), "data");
  std::vector<Node *> chain;
  for (int i = 0; i < kNodes; ++i) {
    chain.push_back(g->AddNode(Unary(), "n" + std::to_string(i)));
    g->Connect({last, 0}, chain.back(), 0);
    last = chain.back();
  }
  const auto value = std::make_shared<const Tensor>();
  const long owners = value.use_count();
  const std::string before = All(*g);
  auto shorten = [&](size_t to) {
    for (size_t i = chain.size(); i-- > to;) {
      if (chain[i]->removed()) continue;
      if (i % 16 == 0) {
        g->SetAttr(chain[i], "value", AttrValue(value));
        g->SetAttr(chain[i], "value", AttrValue(1));  // the log keeps the one before
        g->RenameNode(chain[i], "renamed" + std::to_string(i));
      }
      g->RemoveNode(chain[i]);
    }
  };
  {
    Transaction all(*g);
    shorten(20000);
    const std::string middle = All(*g);
    {
      Transaction part(*g);
      shorten(0);
      EXPECT_EQ(g->node_count(), 1u);
    }
    EXPECT_EQ(All(*g), middle);
    EXPECT_GT(value.use_count(), owners);
    shorten(10000);
  }
  EXPECT_EQ(All(*g), before);
  EXPECT_EQ(value.use_count(), owners);
  {
    Transaction all(*g);
    shorten(1);
    all.Commit();
  }
  EXPECT_EQ(value.use_count(), owners);
  EXPECT_EQ(g->node_count(), 2u);
}

// Many readers of one tensor: what leaves the middle of their list must not be seen as a gap, nor change the order.
TEST(LongLists, KeepTheOrderOfReaders) {
  constexpr int32_t kReaders = 200;
  GraphPtr g = Graph::Create("hub");
  Node *hub = g->AddNode(Ir("Data", {"x"}, {"y"}), "hub"), *other = g->AddNode(Ir("Data", {"x"}, {"y"}), "other");
  std::vector<Node *> readers;
  for (int32_t i = 0; i < kReaders; ++i) {
    readers.push_back(g->AddNode(Unary(), "reader" + std::to_string(i)));
    g->Connect({hub, 0}, readers.back(), 0);
  }
  const std::string before = All(*g);
  std::mt19937 random(3);
  for (bool commit : {false, true}) {
    ASSERT_EQ(All(*g), before);
    std::vector<Node *> want = readers;
    Transaction t(*g);
    for (int step = 0; step < 150; ++step) {
      const size_t at = std::uniform_int_distribution<size_t>(0, want.size() - 1)(random);
      Node *leaves = want[at];
      want.erase(want.begin() + static_cast<std::ptrdiff_t>(at));
      Transaction nested(*g);
      g->Disconnect(leaves, 0);
      if (step % 5 == 0) {  // not for good
        want.insert(want.begin() + static_cast<std::ptrdiff_t>(at), leaves);
        continue;
      }
      if (step % 3 == 0) {  // back as the last one
        g->Connect({hub, 0}, leaves, 0);
        want.push_back(leaves);
      } else if (step % 2 == 0) {
        g->Connect({other, 0}, leaves, 0);
      }
      nested.Commit();
      ASSERT_EQ(hub->use_count(0), want.size());
      if (step % 7 != 0) continue;
      std::vector<Node *> got;
      for (const Use &use : hub->uses(0)) got.push_back(use.node);
      ASSERT_EQ(got, want) << step;
    }
    if (!commit) continue;  // all of it is undone
    t.Commit();
    std::vector<Node *> got;
    for (const Use &use : hub->uses(0)) got.push_back(use.node);
    EXPECT_EQ(got, want);
  }
}

}  // namespace
}  // namespace gec
