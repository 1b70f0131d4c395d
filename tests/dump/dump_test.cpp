// The dump formats, to the letter.
#include "core/dump/dump.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/ops/make_node.h"
#include "ge/graph.h"

using namespace gec;

namespace {

TensorPtr Int32s(const std::vector<int32_t> &values) {
  return Tensor::Of<int32_t>(C_DT_INT32, Shape{static_cast<int64_t>(values.size())}, values);
}

Endpoint Data(const GraphPtr &g, const char *name, int64_t index) {
  Node *node = MakeNode(*g, "Data", name);
  g->SetAttr(node, "index", index);
  return {node, 0};
}

Endpoint Apply(const GraphPtr &g, const char *type, const char *name, std::vector<Endpoint> inputs) {
  Node *node = MakeNode(*g, type, name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) g->Connect(inputs[i], node, static_cast<int32_t>(i));
  }
  return {node, 0};
}

GraphPtr Branch(const char *name, const char *op, int outputs) {
  GraphPtr g = Graph::Create(name);
  Endpoint x = Data(g, "input_0", 0);
  std::vector<Endpoint> ends;
  for (int i = 0; i < outputs; ++i) ends.push_back(Apply(g, op, op, {x}));
  g->SetOutputs(ends);
  return g;
}

TEST(DumpReadable, GraphWithSubgraphs) {
  GraphPtr g = Graph::Create("outer");
  Endpoint x = Data(g, "input_0", 0);
  Endpoint c{MakeConst(*g, Int32s({1, 2, 3}), "Const_0"), 0};
  Endpoint sum = Apply(g, "Add", "Add_1", {x, c});
  Node *choose = MakeNode(*g, "If", "If_2", {1}, {2});
  g->Connect(sum, choose, 0);
  g->Connect(c, choose, 1);
  g->AttachSubgraph(choose, "then_branch", Branch("t", "Relu", 2));
  g->AttachSubgraph(choose, "else_branch", Branch("e", "Neg", 2));
  g->SetOutputs({{choose, 0}});
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"outer\"):\n"
            "  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %Const_0 : [#users=1] = Node[type=Const] (attrs = {value: [1 2 3]})\n"
            "  %Add_1 : [#users=1] = Node[type=Add] (inputs = (x1=%input_0, x2=%Const_0))\n"
            "  %If_2 : [#users=2] = Node[type=If] (inputs = (cond=%Add_1, input_0=%Const_0), attrs = {then_branch: %t, "
            "else_branch: %e})\n"
            "  %ret : [#users=1] = get_element[node=%If_2](0)\n"
            "  %ret_1 : [#users=0] = get_element[node=%If_2](1)\n"
            "\n"
            "  return (%ret)\n"
            "\n"
            "graph(\"t\"):\n"
            "  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %Relu : [#users=1] = Node[type=Relu] (inputs = (x=%input_0))\n"
            "  %Relu_1 : [#users=1] = Node[type=Relu] (inputs = (x=%input_0))\n"
            "\n"
            "  return (output_0=%Relu, output_1=%Relu_1)\n"
            "\n"
            "graph(\"e\"):\n"
            "  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %Neg : [#users=1] = Node[type=Neg] (inputs = (x=%input_0))\n"
            "  %Neg_1 : [#users=1] = Node[type=Neg] (inputs = (x=%input_0))\n"
            "\n"
            "  return (output_0=%Neg, output_1=%Neg_1)");
}

TEST(DumpReadable, NetOutputIsTheReturnLine) {
  GraphPtr g = Graph::Create("g");
  Endpoint x = Data(g, "x", 0);
  Endpoint r = Apply(g, "Relu", "r", {x});
  Node *net = MakeNode(*g, "NetOutput", "NetOutput", {2});
  g->Connect(r, net, 0);
  g->Connect(x, net, 1);
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"g\"):\n"
            "  %x : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %r : [#users=1] = Node[type=Relu] (inputs = (x=%x))\n"
            "\n"
            "  return (output_0=%r, output_1=%x)");
}

TEST(DumpReadable, NothingToTellLeavesEmptyParentheses) {
  GraphPtr g = Graph::Create("g");
  MakeNode(*g, "NoOp", "idle");
  Node *a = MakeNode(*g, "Relu", "a"), *b = MakeNode(*g, "Relu", "b");
  g->AddControl(a, b);           // control edges are not shown
  g->SetAttr(a, "_private", 1);  // nor are attributes that the prototype does not have
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"g\"):\n"
            "  %idle : [#users=0] = Node[type=NoOp] ()\n"
            "  %a : [#users=1] = Node[type=Relu] ()\n"
            "  %b : [#users=1] = Node[type=Relu] ()");
}

TEST(DumpReadable, PortsAreNamedAsThePrototypeSays) {
  GraphPtr g = Graph::Create("g");
  Endpoint x = Data(g, "x", 0), w = Data(g, "w", 1), i = Data(g, "i", 2);
  Node *conv = MakeNode(*g, "Conv2D", "conv");
  g->Connect(x, conv, 0);
  g->Connect(w, conv, 1);
  g->SetAttr(conv, "strides", AttrValue::ListInt{1, 1, 2, 2});
  g->SetAttr(conv, "pads", AttrValue::ListInt{0, 0, 0, 0});
  g->SetAttr(conv, "groups", 2);
  Node *cat = MakeNode(*g, "ConcatV2", "cat", {2});
  g->Connect({conv, 0}, cat, 0);
  g->Connect(x, cat, 1);
  g->Connect(i, cat, 2);
  g->SetAttr(cat, "N", 2);
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"g\"):\n"
            "  %x : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %w : [#users=1] = Node[type=Data] (attrs = {index: 1})\n"
            "  %i : [#users=1] = Node[type=Data] (attrs = {index: 2})\n"
            "  %conv : [#users=1] = Node[type=Conv2D] (inputs = (x=%x, filter=%w), attrs = {strides: {1, 1, 2, 2}, "
            "pads: {0, 0, 0, 0}, groups: 2})\n"
            "  %cat : [#users=1] = Node[type=ConcatV2] (inputs = (x_0=%conv, x_1=%x, concat_dim=%i), attrs = {N: 2})");
}

TEST(DumpReadable, ACycleIsStillShown) {
  GraphPtr g = Graph::Create("g");
  Node *a = MakeNode(*g, "Relu", "a"), *b = MakeNode(*g, "Relu", "b");
  g->Connect({a, 0}, b, 0);
  g->Connect({b, 0}, a, 0);
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"g\"):\n"
            "  %a : [#users=1] = Node[type=Relu] (inputs = (x=%b))\n"
            "  %b : [#users=1] = Node[type=Relu] (inputs = (x=%a))");
}

TEST(DumpReadable, Values) {
  using L = AttrValue;
  struct Case {
    AttrValue value;
    const char *text;
  };
  const Case cases[] = {
      {AttrValue(int64_t{-5}), "-5"},
      {AttrValue(0.5f), "0.500000"},
      {AttrValue(true), "true"},
      {AttrValue(false), "false"},
      {AttrValue("text"), "\"text\""},
      {AttrValue(""), ""},
      {AttrValue(DataTypeValue{C_DT_FLOAT}), "DT_FLOAT"},
      {L::ListInt{1, -2}, "{1, -2}"},
      {L::ListFloat{1, 0.25f}, "{1.000000, 0.250000}"},
      {L::ListBool{1, 0}, "{true, false}"},
      {L::ListString{"", "test", ""}, "{\"test\"}"},
      {L::ListString{"a", "b"}, "{\"a\", \"b\"}"},
      {L::ListString{}, ""},
      {L::ListString{""}, ""},
      {L::ListType{{C_DT_INT64}, {C_DT_BF16}}, "{DT_INT64, DT_BF16}"},
      {L::ListListInt{{0, 1}, {2, 3}}, "{{0, 1}, {2, 3}}"},
      {L::ListListFloat{{0.5f}, {}}, "{{0.500000}, {}}"},
      {AttrValue(Int32s({1, 2, 3, 4, 5, 6})), "[1 2 3 4 5 6]"},
      {AttrValue(Int32s({0, 1, 2, 3, 4, 5, 6})), "[0 1 2 ... 4 5 6]"},
      {AttrValue(Int32s({7})), "[7]"},
      {AttrValue(Int32s({})), "<empty>"},
      {AttrValue(std::make_shared<Tensor>()), "<empty>"},
      {AttrValue(Tensor::Of<float>(C_DT_FLOAT, Shape{2}, {1, 0.1f})), "[1.000000 0.100000]"},
      {AttrValue(Tensor::Of<double>(C_DT_DOUBLE, Shape{}, {2.5})), "[2.500000]"},
      {AttrValue(Tensor::Of<int8_t>(C_DT_INT8, Shape{2}, {-1, 65})), "[-1 65]"},
      {AttrValue(Tensor::Of<uint8_t>(C_DT_BOOL, Shape{2}, {1, 0})), "[true false]"},
      {AttrValue(Tensor::Of<uint64_t>(C_DT_COMPLEX64, Shape{1}, {0})), "<not_supported>"},
  };
  for (const Case &c : cases) EXPECT_EQ(ReadableValue(c.value), c.text);
}

GraphPtr Small() {
  GraphPtr g = Graph::Create("g\"1");
  Endpoint x = Data(g, "x", 0);
  g->SetOutputDesc(x.node, 0, TensorDesc(C_DT_FLOAT, Shape{2, -1}));
  Endpoint r = Apply(g, "Relu", "r", {x});
  g->SetOutputDesc(r.node, 0, TensorDesc(C_DT_FLOAT, Shape::UnknownRank()));
  g->SetOrigins(r.node, {"act"});
  g->SetOutputs({r});
  return g;
}

TEST(DumpTxt, Exact) {
  EXPECT_EQ(DumpTxt(*Small()), R"(version: 1
producer: "OpenGE"
graph {
  name: "g\"1"
  node {
    name: "x"
    type: "Data"
    input: ""
    attr {
      key: "index"
      value {
        type: 4
        i: 0
      }
    }
    output_desc {
      dtype: 0
      format: 2
      origin_format: 2
      shape {
        dim: 2
        dim: -1
      }
    }
  }
  node {
    name: "r"
    type: "Relu"
    input: "x:0"
    output_desc {
      dtype: 0
      format: 2
      origin_format: 2
      shape {
        unknown_rank: true
      }
    }
    origin: "act"
  }
  output: "r:0"
}
)");
}

TEST(DumpOnnx, Exact) {
  EXPECT_EQ(DumpOnnx(*Small()), R"(ir_version: 8
producer_name: "OpenGE"
graph {
  node {
    input: "x:0"
    output: "r:0"
    name: "r"
    op_type: "Relu"
    domain: "ge"
  }
  name: "g\"1"
  input {
    name: "x:0"
    type {
      tensor_type {
        elem_type: 1
        shape {
          dim {
            dim_value: 2
          }
          dim {
          }
        }
      }
    }
  }
  output {
    name: "r:0"
    type {
      tensor_type {
        elem_type: 1
      }
    }
  }
}
opset_import {
  domain: "ge"
  version: 1
}
)");
}

TEST(DumpDot, Exact) {
  EXPECT_EQ(
      DumpDot(*Small()),
      "digraph \"g\\\"1\" {\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f3f6fb\", fontname=\"Helvetica\", fontsize=10];\n"
      "  edge [fontname=\"Helvetica\", fontsize=8];\n"
      "  n0_0 [label=\"Data\\nx\\nFLOAT [2, -1]\", fillcolor=\"#dff0d8\"];\n"
      "  n0_1 [label=\"Relu\\nr\\nFLOAT [?]\"];\n"
      "  n0_0 -> n0_1;\n"
      "}\n");
}

TEST(DumpSvg, ShowsEveryNodeOnceAndIsClosed) {
  GraphPtr g = Small();
  Node *add = Apply(g, "Add", "a<b&c", {g->Outputs()[0], {MakeConst(*g, Int32s({1, 2}), "c"), 0}}).node;
  g->SetOutputs({{add, 0}});
  std::string svg = DumpSvg(*g);
  auto count = [&](const std::string &text) {
    size_t n = 0;
    for (size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count("<title>"),
            4u);  // two nodes, an input, an output; the constant is written into the box that reads it
  EXPECT_EQ(count("x2 = [1 2]"), 1u);
  EXPECT_EQ(count("a&lt;b&amp;c"), 3u);  // tooltips of the node and of the output, and label
  EXPECT_EQ(count("class=\"tip\""), 3u);
  EXPECT_EQ(count("a<b"), 0u);
}

TEST(Dump, UnknownFormatIsRefused) {
  for (int32_t format : {-1, 5, 100}) {
    try {
      Dump(*Small(), format);
      FAIL();
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), GE_PARAM_INVALID);
    }
  }
}

// The folder is chosen once per process; each choice is tried in a process of its own.
std::string FolderWith(const char *variable, const std::string &value, const std::string &work) {
  int pipes[2];
  if (pipe(pipes) != 0) return "pipe";
  pid_t child = fork();
  if (child == 0) {
    for (const char *name : {"NPU_COLLECT_PATH", "DUMP_GRAPH_PATH", "ASCEND_WORK_PATH"}) unsetenv(name);
    if (variable) setenv(variable, value.c_str(), 1);
    std::string result;
    try {
      if (chdir(work.c_str()) != 0) _exit(1);
      std::string first = DumpToFile(*Small(), GE_DUMP_READABLE, "a/b c");
      std::string second = DumpToFile(*Small(), GE_DUMP_READABLE, "");
      std::string other = DumpToFile(*Small(), GE_DUMP_ONNX, "x", 7);
      std::string txt = DumpToFile(*Small(), GE_DUMP_TXT, "x");
      result = first + "\n" + second + "\n" + other + "\n" + txt;
      for (const std::string &path : {first, second, other, txt}) {
        if (!std::filesystem::is_regular_file(path)) result += "\nmissing " + path;
      }
      std::ifstream in(first);
      std::stringstream text;
      text << in.rdbuf();
      if (text.str() != DumpReadable(*Small())) result += "\nother content";
    } catch (const Error &e) {
      result = e.what();
    }
    if (write(pipes[1], result.data(), result.size()) < 0) _exit(1);
    _exit(0);
  }
  close(pipes[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) > 0;) result.append(buffer, static_cast<size_t>(n));
  close(pipes[0]);
  // The process id is part of some folders.
  std::string pid = std::to_string(child);
  for (size_t at; (at = result.find(pid)) != std::string::npos;) result.replace(at, pid.size(), "PID");
  return result;
}

TEST(DumpToFile, NamesAndFolders) {
  char pattern[] = "/tmp/ge_dump_XXXXXX";
  ASSERT_NE(mkdtemp(pattern), nullptr);
  std::string root = pattern;
  auto names = [](const std::string &folder) {
    return folder + "ge_readable_00000000_graph_0_a_b_c.txt\n" + folder + "ge_readable_00000001_graph_0_.txt\n" +
           folder + "ge_onnx_00000000_graph_7_x.pbtxt\n" + folder + "ge_proto_00000000_graph_0_x.txt";
  };
  EXPECT_EQ(FolderWith(nullptr, "", root), names(""));
  EXPECT_EQ(FolderWith("ASCEND_WORK_PATH", root + "/work", root), names(root + "/work/"));
  EXPECT_EQ(FolderWith("DUMP_GRAPH_PATH", root + "/dump/", root), names(root + "/dump/pid_PID_deviceid_0/"));
  EXPECT_EQ(FolderWith("NPU_COLLECT_PATH", root + "/npu", root), names(root + "/npu/extra-info/graph/PID_0/"));
  EXPECT_NE(FolderWith("ASCEND_WORK_PATH", "/proc/nowhere", root).find("/proc/nowhere"), std::string::npos);
  std::filesystem::remove_all(root);
}

TEST(DumpToFile, LongSuffixesAreCut) {
  char pattern[] = "/tmp/ge_dump_XXXXXX";
  ASSERT_NE(mkdtemp(pattern), nullptr);
  std::string root = pattern, suffix;
  for (int i = 0; i < 200; ++i) suffix += "ä";
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    setenv("NPU_COLLECT_PATH", root.c_str(), 1);
    try {
      std::string path = DumpToFile(*Small(), GE_DUMP_TXT, suffix);
      bool whole =
          path.substr(path.size() - 6) == "ä.txt" && std::filesystem::path(path).filename().string().size() < 256;
      _exit(whole && std::filesystem::is_regular_file(path) ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::filesystem::remove_all(root);
}

}  // namespace
