// Many edges at once, and nodes that change their graph. What single steps do, and a model by hand, are the oracles.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "helpers.h"

namespace gec {
namespace {

using test::All;
using test::Binary;
using test::Ir;
using test::Unary;

Node *AddData(Graph &g, const std::string &name, int64_t index) {
  Node *data = g.AddNode(Ir("Data", {"x"}, {"y"}), name);
  g.SetAttr(data, "index", AttrValue(index));
  return data;
}

/// A graph at random, of which half the edges read one input: its list of uses is long.
struct RandomGraph {
  GraphPtr graph = Graph::Create("random");
  Node *hub = AddData(*graph, "hub", 0);
  std::vector<Node *> nodes;
  std::mt19937 random;

  /// Names repeat where there are fewer than nodes.
  RandomGraph(uint32_t seed, size_t count, size_t names) : random(seed) {
    for (size_t k = 0; k < count; ++k) {
      Node *node = graph->AddNode(Pick(2) ? Unary() : Binary(), "n" + std::to_string(k % names));
      for (size_t i = 0; i < node->input_count(); ++i) graph->Connect(AnyBefore(k), node, static_cast<int32_t>(i));
      graph->SetAttr(node, "number", AttrValue(static_cast<int64_t>(k)));
      if (Pick(4) == 0) graph->SetInputDesc(node, 0, TensorDesc(C_DT_INT8, {static_cast<int64_t>(k)}));
      nodes.push_back(node);
    }
    graph->SetOutputs({{nodes.back(), 0}});
  }
  size_t Pick(size_t n) { return random() % n; }
  Endpoint AnyBefore(size_t k) { return {k == 0 || Pick(2) ? hub : nodes[Pick(k)], 0}; }
};

/// The edges in any order.
std::multiset<std::string> Edges(const Graph &g) {
  std::multiset<std::string> edges;
  for (const Node *node : g.Nodes()) {
    for (size_t o = 0; o < node->output_count(); ++o)
      for (const Use &use : node->uses(o))
        edges.insert("use " + node->name() + " " + use.node->name() + " " + std::to_string(use.port));
    for (size_t i = 0; i < node->input_count(); ++i)
      if (node->input(i))
        edges.insert("in " + node->input(i).node->name() + " " + node->name() + " " + std::to_string(i));
  }
  return edges;
}

TEST(Rewire, DoesWhatSingleStepsDo) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph r(seed, 80, 80);
    const GraphPtr other = r.graph->Clone();
    std::vector<Rewiring> changes;
    for (size_t k = 1; k < r.nodes.size(); ++k) {
      Node *node = r.nodes[k];
      for (size_t i = 0; i < node->input_count(); ++i) {
        if (r.Pick(5) == 0) {  // some ports read nothing before
          r.graph->Disconnect(node, static_cast<int32_t>(i));
          other->Disconnect(other->Find(node->name()), static_cast<int32_t>(i));
        }
        if (r.Pick(3)) changes.push_back({{node, static_cast<int32_t>(i)}, r.AnyBefore(k)});
      }
    }
    std::shuffle(changes.begin(), changes.end(), r.random);
    for (const auto &[use, to] : changes)
      other->Reconnect({other->Find(to.node->name()), to.port}, other->Find(use.node->name()), use.port);
    const std::string before = All(*r.graph);
    {
      Transaction undone(*r.graph);
      r.graph->Rewire(changes);
      EXPECT_EQ(Edges(*r.graph), Edges(*other));
    }
    ASSERT_EQ(All(*r.graph), before);
    r.graph->Rewire(changes);
    EXPECT_EQ(Edges(*r.graph), Edges(*other));
  }
}

TEST(Rewire, RefusedInTheMiddleChangesNothing) {
  RandomGraph r(1, 60, 60);
  const std::string before = All(*r.graph);
  std::vector<Rewiring> changes;
  for (Node *node : r.nodes) changes.push_back({{node, 0}, {r.nodes[0], 0}});
  changes.erase(changes.begin());
  changes.push_back({{r.nodes[5], 2}, {r.hub, 0}});
  EXPECT_ERROR(GE_PARAM_INVALID, "input port 2 is out of range", r.graph->Rewire(changes));
  EXPECT_EQ(All(*r.graph), before);
}

/// Some of the nodes go to a graph of their own. What they read of others is read from its inputs; others read the hub
/// instead of them.
struct CutOut {
  RandomGraph &r;
  std::vector<Node *> moving;
  GraphPtr body;
  std::map<Node *, std::vector<Node *>> expected;  // who feeds each node

  CutOut(RandomGraph &graph, size_t one_of) : r(graph) {
    for (Node *node : r.nodes)
      if (r.Pick(one_of) == 0) moving.push_back(node);
  }
  bool Moves(Node *node) const { return std::find(moving.begin(), moving.end(), node) != moving.end(); }
  void Run() {
    body = Graph::Create("body");
    r.graph->AddSubgraph(body);
    std::map<Node *, Node *> inputs;
    std::vector<Rewiring> changes;
    for (Node *node : r.nodes) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        Node *from = node->input(i).node;
        Node *to = Moves(from) && !Moves(node) ? r.hub : from;
        if (Moves(node) && !Moves(from)) {
          const int64_t index = static_cast<int64_t>(inputs.size());
          Node *&data = inputs[from];
          if (!data) data = AddData(*body, "n1", index);
          to = data;
        }
        expected[node].push_back(to);
        if (to != from) changes.push_back({{node, static_cast<int32_t>(i)}, {to, 0}});
      }
    }
    r.graph->SetOutputs({{r.hub, 0}});
    r.graph->Rewire(changes);
    r.graph->MoveNodes({{&moving, body.get()}});
    if (!moving.empty()) body->SetOutputs({{moving.back(), 0}});
    else body->SetOutputs({{AddData(*body, "none", 0), 0}});
  }
  void Check() {
    r.graph->Verify();
    EXPECT_EQ(r.graph->node_count(), 1 + r.nodes.size() - moving.size());
    for (const auto &[node, feeding] : expected) {
      EXPECT_FALSE(node->removed());
      EXPECT_EQ(&node->graph(), Moves(node) ? body.get() : r.graph.get());
      EXPECT_EQ(node->graph().node(node->id()), node);
      for (size_t i = 0; i < feeding.size(); ++i) EXPECT_EQ(node->input(i).node, feeding[i]);
      EXPECT_EQ(node->Int("number", -1), std::find(r.nodes.begin(), r.nodes.end(), node) - r.nodes.begin());
    }
    for (const Graph *graph : {r.graph.get(), body.get()}) {
      std::map<std::string, Node *> first;
      for (Node *node : graph->Nodes()) first.emplace(node->name(), node);
      for (const auto &[name, node] : first) EXPECT_EQ(graph->Find(name), node);
      EXPECT_EQ(graph->has_repeated_names(), first.size() < graph->node_count());
      for (size_t i = 0; i < graph->node_count(); ++i) EXPECT_EQ(graph->NodeAt(i), graph->Nodes()[i]);
      EXPECT_EQ(graph->Clone()->node_count(), graph->node_count());
    }
  }
};

TEST(MoveNodes, KeepsNodesAndEdgesAndIsUndone) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph r(seed, 50, seed % 2 ? 50 : 20);
    const std::string before = All(*r.graph);
    CutOut cut(r, seed % 3 ? 2 : 12);  // many nodes, few nodes
    {
      Transaction undone(*r.graph);
      cut.Run();
      cut.Check();
    }
    ASSERT_EQ(All(*r.graph), before);
    for (Node *node : r.nodes) ASSERT_EQ(&node->graph(), r.graph.get());
    cut.expected.clear();
    cut.Run();
    cut.Check();
    // Both graphs are as usable as before.
    for (Node *node : cut.moving) cut.body->RemoveNode(node);
    r.graph->AddNode(Unary(), "n1");
    EXPECT_EQ(cut.body->CountOf("TestUnary") + cut.body->CountOf("TestBinary"), 0u);
  }
}

TEST(MoveNodes, WhatCannotMoveStays) {
  RandomGraph r(3, 40, 40);
  const GraphPtr body = Graph::Create("body"), other = Graph::Create("other");
  r.graph->AddSubgraph(body);
  const std::string before = All(*r.graph);
  const std::vector<Node *> all = r.nodes, one{r.nodes[7]}, twice{r.nodes[7], r.nodes[7]}, last{r.nodes.back()};
  EXPECT_ERROR(GE_GRAPH_INVALID, "without its neighbours", r.graph->MoveNodes({{&all, body.get()}}));
  EXPECT_EQ(All(*r.graph), before);
  EXPECT_ERROR(GE_GRAPH_INVALID, "'n7' moves from graph 'random' to graph 'body' without its neighbours",
               r.graph->MoveNodes({{&one, body.get()}}));
  EXPECT_ERROR(GE_PARAM_INVALID, "of another root graph", r.graph->MoveNodes({{&one, other.get()}}));
  EXPECT_ERROR(GE_PARAM_INVALID, "the same one", r.graph->MoveNodes({{&one, r.graph.get()}}));
  EXPECT_ERROR(GE_PARAM_INVALID, "cannot move twice", r.graph->MoveNodes({{&twice, body.get()}}));
  EXPECT_ERROR(GE_PARAM_INVALID, "given together", r.graph->MoveNodes({{&one, body.get()}, {&last, body.get()}}));
  EXPECT_EQ(All(*r.graph), before);
  Node *gone = r.graph->AddNode(Unary(), "gone");
  r.graph->RemoveNode(gone);
  const std::vector<Node *> removed{gone};
  EXPECT_ERROR(GE_BAD_STATE, "was removed", r.graph->MoveNodes({{&removed, body.get()}}));
  EXPECT_EQ(All(*r.graph), before);
}

/// Who ends first: the graph that made the nodes, the one they are in, or the holder of a handle.
TEST(MoveNodes, MemoryOutlivesWhoeverEndsFirst) {
  for (int order = 0; order < 4; ++order) {
    SCOPED_TRACE(order);
    auto r = std::make_unique<RandomGraph>(5, 200, 200);
    CutOut cut(*r, 2);
    cut.Run();
    GraphPtr body = cut.body;
    Node *node = cut.moving[3], *stays = r->hub;
    Graph &home = node->home();
    EXPECT_EQ(&home, r->graph.get());
    const bool held = order % 2;
    if (held) {
      home.HoldNodes();
      home.HoldNodes();
    }
    cut.body.reset();
    if (order < 2) {
      r.reset();
      EXPECT_FALSE(node->removed());
      EXPECT_EQ(&node->graph(), body.get());
      body->Verify();
      EXPECT_EQ(body->Clone()->node_count(), body->node_count());
      body.reset();
    } else {
      r->graph->RemoveSubgraph("body");
      body.reset();
      r->graph->Verify();
      r.reset();
    }
    if (!held) continue;
    for (Node *each : {node, stays}) {
      EXPECT_TRUE(each->removed());
      EXPECT_TRUE(each->graph().gone());
      each->home().DropNodes();
    }
  }
}

}  // namespace
}  // namespace gec
