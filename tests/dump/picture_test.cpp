// Pictures of graphs: short names, blocks that repeat, the layout, and what comes of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/dump/dump.h"
#include "core/dump/graph_picture.h"
#include "core/dump/layers.h"
#include "core/dump/repeats.h"
#include "core/dump/short_names.h"
#include "core/ops/make_node.h"
#include "core/support/xml_text.h"

using namespace gec;

namespace {

constexpr double kWidth = 200, kSize = 10;

TEST(ShortNames, WhatMostBeginWithIsCutOnce) {
  const ShortNames made =
      Shorten({"bert/encoder/layer.0/q", "bert/encoder/layer.0/k", "bert/encoder/layer.1/q"}, kWidth, kSize);
  EXPECT_EQ(made.prefix, "bert/encoder/layer.");
  EXPECT_EQ(made.names, (std::vector<std::string>{"…0/q", "…0/k", "…1/q"}));
}

TEST(ShortNames, AFewNamesMayBeginElsewhere) {
  std::vector<std::string> names = {"other"};
  for (int i = 0; i < 20; ++i) names.push_back("model/decoder/node_" + std::to_string(i));
  const ShortNames made = Shorten(names, kWidth, kSize);
  EXPECT_EQ(made.prefix, "model/decoder/node_");
  EXPECT_EQ(made.names[0], "other");
  EXPECT_EQ(made.names[7], "…6");
}

TEST(ShortNames, NamesOfNothingInCommonStay) {
  const ShortNames made = Shorten({"a", "b", "ab_c"}, kWidth, kSize);
  EXPECT_EQ(made.prefix, "");
  EXPECT_EQ(made.names, (std::vector<std::string>{"a", "b", "ab_c"}));
}

TEST(ShortNames, TheEndStaysAndSoDoesWhatTellsNamesApart) {
  const std::string tail = "/a_very_long_end_of_a_name_that_all_of_them_share/MatMul";
  const ShortNames made = Shorten({"x/first" + tail, "x/second" + tail, "y" + tail}, kWidth, kSize);
  const std::set<std::string> different(made.names.begin(), made.names.end());
  EXPECT_EQ(different.size(), 3u);
  for (const std::string &name : made.names) {
    EXPECT_LE(TextWidth(name, kSize), kWidth) << name;
    EXPECT_EQ(name.substr(name.size() - 7), "/MatMul");
  }
  EXPECT_NE(made.names[0].find("first"), std::string::npos) << made.names[0];
}

TEST(ShortNames, DifferentNamesStayDifferent) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> names;
    const std::vector<std::string> parts = {"model", "encoder", "ünïcode", "層", "attention_output_dense",
                                            "0",     "1",       "x"};
    for (size_t i = 0, n = 2 + random() % 30; i < n; ++i) {
      std::string name;
      for (size_t k = 0, m = 1 + random() % 12; k < m; ++k) name += (k ? "/" : "") + parts[random() % parts.size()];
      names.push_back(name);
    }
    const ShortNames made = Shorten(names, kWidth, kSize);
    ASSERT_EQ(made.names.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      for (size_t k = 0; k < i; ++k)
        EXPECT_EQ(names[i] == names[k], made.names[i] == made.names[k]) << names[i] << " " << names[k];
      const std::string &shown = made.names[i];
      const std::string end = shown.size() > 8 ? shown.substr(shown.size() - 4) : "";
      EXPECT_EQ(end, end.empty() ? "" : names[i].substr(names[i].size() - 4));
    }
  }
}

TEST(XmlText, HoldsWhatXmlAllows) {
  EXPECT_EQ(XmlText("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(XmlText(std::string("a\0b\x01\x7f", 5)), "a b  ");
  EXPECT_EQ(XmlText("gr\xc3\xbc\xc3\x9f \xe5\xb1\xa4 \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f \xe5\xb1\xa4 \xf0\x9f\x98\x80");
  for (const char *broken :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbe", "\xe5\xb1"}) {
    const std::string text = XmlText(broken);
    EXPECT_EQ(text.substr(0, 3), "\xef\xbf\xbd") << broken;
    EXPECT_EQ(text.size() % 3, 0u);
  }
}

// ---- repeats ----

/// A chain of steps of these kinds, each reading the one before.
std::vector<RepeatStep> Chain(const std::string &kinds) {
  std::vector<RepeatStep> steps;
  for (size_t i = 0; i < kinds.size(); ++i)
    steps.push_back({static_cast<uint64_t>(kinds[i]), {{static_cast<int32_t>(i) - 1, 0}}});
  return steps;
}

TEST(Repeats, BlocksOfAChain) {
  const std::vector<Repeat> found = FindRepeats(Chain("xabcabcabcabcy"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period, 3u);
  EXPECT_EQ(found[0].count, 4u);
  EXPECT_EQ(found[0].begin, 1u);
  EXPECT_TRUE(FindRepeats(Chain("abcdefghij")).empty());
  EXPECT_TRUE(FindRepeats(Chain("xabcdabcdy")).empty());  // a block of four that comes twice is not worth a frame
}

TEST(Repeats, BlocksInsideOfBlocks) {
  const std::vector<Repeat> found = FindRepeats(Chain("sppppppqrtppppppqrtppppppqrte"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period, 9u);
  EXPECT_EQ(found[0].count, 3u);
  ASSERT_EQ(found[0].inner.size(), 1u);
  EXPECT_EQ(found[0].inner[0].period, 1u);
  EXPECT_EQ(found[0].inner[0].count, 6u);
}

TEST(Repeats, TheFirstBlockMayReadFromAfar) {
  std::vector<RepeatStep> steps = Chain("imabcabcabcabce");
  steps[2].sources = {{0, 0}};                                            // a of the first block reads i, not m
  for (size_t i = 4; i < 14; i += 3) steps[i].sources.push_back({1, 0});  // every c reads m
  const std::vector<Repeat> found = FindRepeats(steps);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].begin, 2u);
  EXPECT_EQ(found[0].count, 4u);
}

TEST(Repeats, BlocksThatReadOtherPlacesAreNoRepeat) {
  std::vector<RepeatStep> steps = Chain("xabcdabcdabcdy");
  ASSERT_EQ(FindRepeats(steps).size(), 1u);
  steps[7].sources.push_back({0, 0});  // only one of the three reads x
  for (const Repeat &r : FindRepeats(steps)) EXPECT_FALSE(r.begin <= 7 && 7 < r.end());
}

TEST(Repeats, OfManyStepsAreFoundInTime) {
  std::string kinds;
  for (int i = 0; i < 20000; ++i) kinds += static_cast<char>('a' + (i * i + i / 7) % 26);
  FindRepeats(Chain(kinds));  // ends, which the test's time limit sees to
  EXPECT_EQ(FindRepeats(Chain("x" + std::string(20000, 'a')))[0].count, 20000u);
}

// ---- layout ----

LayerDrawing RandomDrawing(std::mt19937 *random, size_t boxes, double density) {
  LayerDrawing d;
  for (size_t i = 0; i < boxes; ++i) {
    d.boxes.push_back({60 + static_cast<double>((*random)() % 160), 20 + static_cast<double>((*random)() % 90),
                       LayerDrawing::kFree, 0, 0, 0});
    for (size_t k = 0; k < i; ++k)
      if (static_cast<double>((*random)() % 1000) < 1000 * density / static_cast<double>(i - k))
        d.lines.push_back({k, i, -1, -1, {}, false, false});
  }
  return d;
}

TEST(Layout, BoxesDoNotMeetAndLinesGoAroundThem) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    LayerDrawing d = RandomDrawing(&random, 2 + random() % 60, 0.5);
    LayOut(&d);
    for (size_t i = 0; i < d.boxes.size(); ++i) {
      const LayerDrawing::Box &a = d.boxes[i];
      EXPECT_GE(a.x, -0.01);
      EXPECT_LE(a.x + a.width, d.width + 0.01);
      EXPECT_LE(a.y + a.height, d.height + 0.01);
      for (size_t k = 0; k < i; ++k) {
        const LayerDrawing::Box &b = d.boxes[k];
        const bool beside = a.x + a.width <= b.x + 0.01 || b.x + b.width <= a.x + 0.01;
        EXPECT_TRUE(beside || a.y + a.height <= b.y || b.y + b.height <= a.y);
      }
    }
    for (const LayerDrawing::Line &line : d.lines) {
      const LayerDrawing::Box &from = d.boxes[line.from], &to = d.boxes[line.to];
      EXPECT_LT(from.layer, to.layer);
      EXPECT_GE(line.points.front().x, from.x);
      EXPECT_LE(line.points.front().x, from.x + from.width);
      EXPECT_DOUBLE_EQ(line.points.back().y, to.y);
      for (size_t p = 2; p + 1 < line.points.size(); p += 2) {  // straight down through a layer
        const Point a = line.points[p], b = line.points[p + 1];
        EXPECT_EQ(a.x, b.x);
        for (const LayerDrawing::Box &box : d.boxes)
          EXPECT_FALSE(box.x < a.x && a.x < box.x + box.width && box.y < b.y && a.y < box.y + box.height);
      }
    }
  }
}

TEST(Layout, AChainIsStraightAndASourceStandsAboveItsReader) {
  LayerDrawing d;
  for (int i = 0; i < 6; ++i) d.boxes.push_back({100, 30, LayerDrawing::kFree, 0, 0, 0});
  d.lines = {{1, 2, -1, -1, {}, false, false},
             {2, 3, -1, -1, {}, false, false},
             {3, 4, -1, -1, {}, false, false},
             {4, 5, -1, -1, {}, false, false},
             {0, 5, -1, -1, {}, false, false}};
  LayOut(&d);
  for (int i = 2; i < 5; ++i) EXPECT_NEAR(d.boxes[i].x, d.boxes[1].x, 0.5);
  EXPECT_EQ(d.boxes[0].layer + 1, d.boxes[5].layer);
}

TEST(Layout, FewerLinesCrossThanInTheOrderOfTheGraph) {
  LayerDrawing d;  // two rows of five, each linked to the opposite end
  for (int i = 0; i < 10; ++i) d.boxes.push_back({50, 30, LayerDrawing::kFree, 0, 0, 0});
  for (size_t i = 0; i < 5; ++i) d.lines.push_back({i, 9 - i, -1, -1, {}, false, false});
  LayOut(&d);
  for (const LayerDrawing::Line &line : d.lines) EXPECT_NEAR(line.points.front().x, line.points.back().x, 0.5);
}

TEST(Layout, ACycleIsDrawnBackwards) {
  LayerDrawing d;
  for (int i = 0; i < 2; ++i) d.boxes.push_back({100, 30, LayerDrawing::kFree, 0, 0, 0});
  d.lines = {{0, 1, -1, -1, {}, false, false}, {1, 0, -1, -1, {}, false, false}};
  LayOut(&d);
  EXPECT_FALSE(d.lines[0].backwards);
  EXPECT_TRUE(d.lines[1].backwards);
}

// ---- pictures ----

Endpoint Apply(const GraphPtr &g, const char *type, const std::string &name, std::vector<Endpoint> inputs) {
  Node *node = MakeNode(*g, type, name);
  for (size_t i = 0; i < inputs.size(); ++i) g->Connect(inputs[i], node, static_cast<int32_t>(i));
  return {node, 0};
}

size_t Count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Blocks of four nodes; each also reads `mask`, which is made of an input.
GraphPtr Blocks(size_t count) {
  GraphPtr g = Graph::Create("blocks");
  Node *data = MakeNode(*g, "Data", "x"), *other = MakeNode(*g, "Data", "mask");
  g->SetAttr(other, "index", 1);
  Endpoint x{data, 0};
  const Endpoint mask = Apply(g, "Neg", "make_mask", {{other, 0}});
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "tower/layer." + std::to_string(i) + "/";
    const Endpoint a = Apply(g, "Relu", name + "act", {x}), b = Apply(g, "Neg", name + "neg", {a}),
                   c = Apply(g, "Mul", name + "scale", {b, mask});
    x = Apply(g, "Add", name + "sum", {c, x});
  }
  g->SetOutputs({Apply(g, "Tanh", "head", {x})});
  return g;
}

TEST(Picture, RepeatedBlocksAreDrawnOnce) {
  const std::vector<GraphPicture> pictures = DrawGraphs(*Blocks(12));
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].nodes, 2 + 1 + 4 * 12 + 1u);
  EXPECT_EQ(pictures[0].drawn, 2 + 1 + 4 + 1u);
  EXPECT_EQ(Count(pictures[0].content, "class=\"frame\""), 1u);
  EXPECT_NE(pictures[0].content.find(">× 12</text>"), std::string::npos);
  EXPECT_NE(pictures[0].content.find("tower/layer.0/…  to  tower/layer.11/…"), std::string::npos)
      << pictures[0].content;
  EXPECT_EQ(Count(pictures[0].content, ">…scale</text>"), 1u);
  EXPECT_EQ(Count(pictures[0].content, "class=\"e back\""), 1u);  // from one block to the next
}

TEST(Picture, BlocksThatDifferAreAllDrawn) {
  GraphPtr g = Blocks(6);
  for (int i : {0, 2, 4})
    g->SetOutputDesc(g->Find("tower/layer." + std::to_string(i) + "/neg"), 0, TensorDesc(C_DT_INT8, Shape{i + 1}));
  const GraphPicture picture = DrawGraphs(*g)[0];
  EXPECT_EQ(picture.drawn, picture.nodes);
}

TEST(Picture, WeightsMayDifferFromBlockToBlockButNotWhatSteers) {
  for (const bool steers : {false, true}) {
    GraphPtr g = Graph::Create("g");
    Endpoint x{MakeNode(*g, "Data", "x"), 0};
    for (int i = 0; i < 4; ++i) {
      const std::string name = "layer" + std::to_string(i);
      Node *c = steers ? MakeConst(*g, Tensor::Of<int32_t>(C_DT_INT32, Shape{1}, {i}), name + "c")
                       : MakeConst(*g, Tensor::Of<float>(C_DT_FLOAT, Shape{1}, {static_cast<float>(i)}), name + "c");
      x = Apply(g, "Add", name + "add", {Apply(g, "Relu", name + "act", {x}), {c, 0}});
    }
    g->SetOutputs({x});
    EXPECT_EQ(DrawGraphs(*g)[0].drawn, steers ? 9u : 3u);
  }
}

TEST(Picture, GraphsThatNodesCallFollowAndEqualOnesOnce) {
  GraphPtr g = Graph::Create("outer");
  Node *x = MakeNode(*g, "Data", "x");
  Endpoint value{x, 0};
  for (int i = 0; i < 2; ++i) {
    Node *choose = MakeNode(*g, "If", "choose" + std::to_string(i), {1}, {1});
    g->Connect({x, 0}, choose, 0);
    g->Connect(value, choose, 1);
    for (const char *branch : {"then_branch", "else_branch"}) {
      GraphPtr sub = Graph::Create(branch + std::to_string(i));
      Node *in = MakeNode(*sub, "Data", "in");
      sub->SetOutputs({Apply(sub, branch[0] == 't' ? "Relu" : "Neg", "inner", {{in, 0}})});
      g->AttachSubgraph(choose, branch, sub);
    }
    value = {choose, 0};
  }
  g->SetOutputs({value});
  const std::vector<GraphPicture> pictures = DrawGraphs(*g);
  ASSERT_EQ(pictures.size(), 5u);
  EXPECT_EQ(pictures[1].title, "then_branch0 — then_branch of If choose0");
  EXPECT_NE(pictures[2].content, "");
  EXPECT_EQ(pictures[3].content, "");
  EXPECT_EQ(pictures[3].note, "looks like then_branch0");
  EXPECT_EQ(pictures[4].note, "looks like else_branch0");
}

TEST(Picture, HostileNamesStayText) {
  GraphPtr g = Graph::Create("</svg><script>alert(1)</script>");
  Node *data = MakeNode(*g, "Data", "x\xff\x01");
  g->SetOutputs({Apply(g, "Relu", "<script>alert('2')</script>", {{data, 0}})});
  const std::string svg = DumpSvg(*g);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(Count(svg, "</svg>"), 1u);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
}

TEST(Picture, OfAConstantThatIsAnOutput) {
  GraphPtr g = Graph::Create("g");
  Node *c = MakeConst(*g, Tensor::Of<int32_t>(C_DT_INT32, Shape{2}, {1, 2}), "c"),
       *unread = MakeConst(*g, Tensor::Of<int32_t>(C_DT_INT32, Shape{2}, {1, 2}), "unread");
  g->SetOutputs({{c, 0}});
  const GraphPicture picture = DrawGraphs(*g)[0];
  EXPECT_EQ(picture.nodes, 1u);
  EXPECT_NE(picture.note.find("besides 1 constant that nothing reads"), std::string::npos) << picture.note;
  EXPECT_NE(picture.content.find(">output 0</text>"), std::string::npos);
  EXPECT_NE(unread, nullptr);
}

TEST(Picture, OfThousandsOfDifferentNodesIsMadeInTime) {
  GraphPtr g = Graph::Create("large");
  std::mt19937 random(5);
  std::vector<Endpoint> values = {{MakeNode(*g, "Data", "x"), 0}};
  for (int i = 0; i < 5000; ++i) {
    const auto any = [&] { return values[values.size() - 1 - std::min<size_t>(values.size() - 1, random() % 40)]; };
    values.push_back(random() % 3 ? Apply(g, "Relu", "n" + std::to_string(i), {any()})
                                  : Apply(g, "Add", "n" + std::to_string(i), {any(), any()}));
  }
  g->SetOutputs({values.back()});
  EXPECT_GT(DumpSvg(*g).size(), 1000000u);
}

TEST(Picture, OfHostileShapesIsMadeInTime) {
  GraphPtr star = Graph::Create("star");  // everything reads one value, and one node reads everything
  Endpoint x{MakeNode(*star, "Data", "x"), 0};
  std::vector<Endpoint> leaves;
  for (int i = 0; i < 20000; ++i) {
    leaves.push_back(Apply(star, i % 7 ? "Relu" : "Neg", "n" + std::to_string(i), {x}));
    star->SetOutputDesc(leaves.back().node, 0, TensorDesc(C_DT_FLOAT, Shape{i}));
  }
  Node *all = MakeNode(*star, "ConcatV2", "all", {static_cast<int32_t>(leaves.size())});
  for (size_t i = 0; i < leaves.size(); ++i) star->Connect(leaves[i], all, static_cast<int32_t>(i));
  star->SetOutputs({{all, 0}});
  EXPECT_GT(DumpSvg(*star).size(), 1000000u);

  GraphPtr nest = Graph::Create("nest");  // the first reads the last, the second the one before it, and so on
  std::vector<Endpoint> way = {{MakeNode(*nest, "Data", "x"), 0}};
  constexpr int kDepth = 4000;
  for (int i = 0; i < kDepth; ++i) {
    way.push_back(Apply(nest, "Relu", "down" + std::to_string(i), {way.back()}));
    nest->SetOutputDesc(way.back().node, 0, TensorDesc(C_DT_FLOAT, Shape{i}));
  }
  Endpoint y = way.back();
  for (int i = kDepth; i-- > 0;) y = Apply(nest, "Add", "up" + std::to_string(i), {y, way[static_cast<size_t>(i)]});
  nest->SetOutputs({y});
  const std::string svg = DumpSvg(*nest);
  EXPECT_LT(svg.size(), 60000000u);
  EXPECT_GT(Count(svg, "v12M"), 1000u);  // lines of which only the ends are drawn
}

TEST(Picture, OfANameOfAMegabyte) {
  GraphPtr g = Graph::Create("g");
  const std::string part(500000, 'a');
  Endpoint x{MakeNode(*g, "Data", "x"), 0};
  for (const char *name : {"1", "2", "3"}) x = Apply(g, "Relu", part + name + part + name + part, {x});
  g->SetOutputs({x});
  EXPECT_LT(Count(DumpSvg(*g), "<text"), 60u);
}

TEST(Picture, OfAnEmptyGraphAndOfACycle) {
  EXPECT_EQ(Count(DumpSvg(*Graph::Create("empty")), "</svg>"), 1u);
  GraphPtr g = Graph::Create("g");
  Node *a = MakeNode(*g, "Relu", "a"), *b = MakeNode(*g, "Relu", "b");
  g->Connect({a, 0}, b, 0);
  g->Connect({b, 0}, a, 0);
  EXPECT_EQ(Count(DumpSvg(*g), "<title>"), 2u);
}

}  // namespace
