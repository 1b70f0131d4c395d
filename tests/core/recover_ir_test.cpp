// Programs and libraries of different versions: every row of the compatibility table, in memory and through a file.
#include "core/ops/recover_ir.h"

#include <deque>
#include <optional>

#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/serialize/air.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

/// A prototype in short: "x w? d* -> y z* | k=1 n!" has optional and dynamic ports, an optional attribute k with the
/// integer default 1, one s~text with a text and a required one n. Lives until the process ends.
const GeOpSchema *Schema(const std::string &type, const std::string &text) {
  struct Store {
    std::deque<std::string> words;
    std::vector<GeIrPort> in, out;
    std::vector<GeIrAttr> attrs;
    GeOpSchema schema{};
  };
  static auto *all = new std::deque<Store>;
  Store &s = all->emplace_back();
  std::istringstream words(text);
  std::string word;
  int part = 0;
  while (words >> word) {
    if (word == "->" || word == "|") {
      part = word == "->" ? 1 : 2;
      continue;
    }
    if (part == 2) {
      GeIrAttr attr{};
      attr.value.type = C_VT_INT;
      attr.required = word.back() == '!';
      size_t equals = word.find_first_of("=~");
      if (!attr.required && word[equals] == '~') {
        attr.value.type = C_VT_STRING;
        attr.value.s = s.words.emplace_back(word.substr(equals + 1)).c_str();
        attr.value.count = s.words.back().size();
      } else if (!attr.required) {
        attr.value.i = std::stoll(word.substr(equals + 1));
      }
      attr.value.name = s.words.emplace_back(word.substr(0, attr.required ? word.size() - 1 : equals)).c_str();
      s.attrs.push_back(attr);
      continue;
    }
    int32_t kind = word.back() == '?' ? GE_IR_OPTIONAL : word.back() == '*' ? GE_IR_DYNAMIC : GE_IR_REQUIRED;
    if (kind != GE_IR_REQUIRED) word.pop_back();
    (part == 0 ? s.in : s.out).push_back({s.words.emplace_back(word).c_str(), kind, 0, "T"});
  }
  s.schema.struct_size = sizeof s.schema;
  s.schema.type = s.words.emplace_back(type).c_str();
  s.schema.inputs = s.in.data();
  s.schema.input_count = s.in.size();
  s.schema.outputs = s.out.data();
  s.schema.output_count = s.out.size();
  s.schema.attrs = s.attrs.data();
  s.schema.attr_count = s.attrs.size();
  return &s.schema;
}

struct Row {
  const char *name;
  const char *program, *installed;
  std::vector<const char *> connected;                // inputs that the program connects beside the required ones
  std::vector<std::pair<const char *, int64_t>> set;  // attributes that it sets
  std::vector<const char *> error = {};               // all of these in the message; empty: it must work
  int inputs = 0, outputs = 0;                        // ports afterwards
  std::vector<std::pair<const char *, int64_t>> reads = {};  // attributes as a kernel reads them afterwards
};

const Row kRows[] = {
    {"NoDifference", "x w? -> y | k=1", "x w? -> y | k=1", {"w"}, {{"k", 5}}, {}, 2, 1, {{"k", 5}}},
    // 1, 2: an optional attribute that only the program's version has
    {"NewAttrSet",
     "x -> y | k=1",
     "x -> y",
     {},
     {{"k", 5}},
     {"recover ir attr names failed.", "Forward compatibility failed", "optional attribute 'k' is set",
      "the program's version: k; the installed version: none"}},
    {"NewAttrAtDefault", "x -> y | a=3 k=1", "x -> y | a=3", {}, {}, {}, 1, 1, {{"a", 3}}},
    {"NewAttrSetToItsDefault", "x -> y | k=1", "x -> y", {}, {{"k", 1}}, {}, 1, 1},
    // 3: an optional attribute that only the installed version has; a changed default
    {"OldProgramWithoutAttr", "x -> y | a=3", "x -> y | a=3 k=7", {}, {{"a", 4}}, {}, 1, 1, {{"a", 4}, {"k", 7}}},
    {"ChangedDefault", "x -> y | a=3", "x -> y | a=9", {}, {}, {}, 1, 1, {{"a", 9}}},
    {"ChangedDefaultButSet", "x -> y | a=3", "x -> y | a=9", {}, {{"a", 4}}, {}, 1, 1, {{"a", 4}}},
    {"AttrBecameRequired", "x -> y | a=3", "x -> y | a!", {}, {}, {}, 1, 1, {{"a", 3}}},
    // 4: a required attribute that only the program's version has
    {"NewRequiredAttr",
     "x -> y | n!",
     "x -> y",
     {},
     {{"n", 1}},
     {"Forward compatibility failed", "does not have the required attribute 'n'", "n (required)"}},
    // 5, 6: an optional input that only the program's version has
    {"NewInputConnected",
     "x w? -> y",
     "x -> y",
     {"w"},
     {},
     {"recover ir input and output failed.", "Forward compatibility failed", "optional input 'w' is connected",
      "the program's version: x, w (optional); the installed version: x"}},
    {"NewInputNotConnected", "x w? -> y", "x -> y", {}, {}, {}, 1, 1},
    {"TwoNewInputsNotConnected", "x a? w? -> y | k=1", "x a? -> y", {"a"}, {}, {}, 2, 1},
    // 7: another input that only the program's version has
    {"NewRequiredInput",
     "x w -> y",
     "x -> y",
     {},
     {},
     {"Forward compatibility failed", "does not have the required input 'w'"}},
    {"NewDynamicInput",
     "x d* -> y",
     "x -> y",
     {},
     {},
     {"Forward compatibility failed", "does not have the dynamic input 'd'"}},
    // 8: an input that only the installed version has
    {"OldProgramWithoutInput", "x -> y", "x w? -> y", {}, {}, {}, 2, 1},
    {"OldProgramWithoutDynamicInput", "x -> y", "x d* -> y", {}, {}, {}, 1, 1},
    {"OldProgramWithoutInputAndAttr",
     "x d* -> y | a=3",
     "x d* w? -> y | a=3 k=7",
     {"d", "d"},
     {},
     {},
     4,
     1,
     {{"k", 7}}},
    // 9, 10: outputs
    {"NewOutput",
     "x -> y z",
     "x -> y",
     {},
     {},
     {"recover ir input and output failed.", "Compatibility failed", "does not have the output 'z'",
      "the program's version: y, z; the installed version: y"}},
    {"OldProgramWithoutOutput", "x -> y", "x -> y z", {}, {}, {}, 1, 2},
    {"OldProgramWithoutDynamicOutput", "x -> y", "x -> y z*", {}, {}, {}, 1, 1},
    // 11: order, name or kind of what both have
    {"AttrRenamed",
     "x -> y | a=1 b=2",
     "x -> y | a=1 c=2",
     {},
     {},
     {"Compatibility failed", "attribute 1 is 'b' and 'c'",
      "the program's version: a, b; the installed version: a, c"}},
    {"AttrsReordered", "x -> y | a=1 b=2", "x -> y | b=2 a=1", {}, {}, {"Compatibility failed", "attribute 0"}},
    {"AttrInsertedInFront", "x -> y | a=1", "x -> y | n=0 a=1", {}, {}, {"Compatibility failed", "'a' and 'n'"}},
    {"AttrType",
     "x -> y | k=1",
     "x -> y | k~one",
     {},
     {{"k", 5}},
     {"Compatibility failed", "attribute 'k' has type Int in the program's version and String in the installed one"}},
    {"InputRenamed", "x -> y", "v -> y", {}, {}, {"Compatibility failed", "input 0 is 'x' and 'v'"}},
    {"InputKind", "x w? -> y", "x w -> y", {"w"}, {}, {"Compatibility failed", "input 1 is 'w' (optional) and 'w'"}},
    {"OutputKind", "x -> y", "x -> y*", {}, {}, {"Compatibility failed", "output 0 is 'y' and 'y' (dynamic)"}},
    // 12: one grew while the other shrank
    {"AttrsGrewInputsShrank",
     "x -> y | k=1",
     "x w? -> y",
     {},
     {},
     {"Compatibility strategy derivation failed", "1 attributes and 1 inputs, the installed one 0 and 2"}},
    {"AttrsShrankInputsGrew", "x w? -> y", "x -> y | k=1", {}, {}, {"Compatibility strategy derivation failed"}},
};

void PrintTo(const Row &row, std::ostream *out) { *out << row.name; }

GraphPtr Program(const IrDef *ir, const Row &row, const std::string &node_name) {
  Net net;
  auto wanted = [&](Symbol name) {
    int32_t n = 0;
    for (const char *c : row.connected) n += name.view() == c;
    return n;
  };
  std::vector<int32_t> in, out;
  for (const IrPort &p : ir->inputs) {
    if (p.kind == GE_IR_DYNAMIC) in.push_back(wanted(p.name));
  }
  for (const IrPort &p : ir->outputs) {
    if (p.kind == GE_IR_DYNAMIC) out.push_back(0);
  }
  Endpoint x = net.Input({2, 3});
  Node *node = net.graph->AddNode(ir, node_name, in.data(), in.size(), out.data(), out.size());
  int32_t port = 0;
  for (const IrPort &p : ir->inputs) {
    int32_t count = p.kind == GE_IR_REQUIRED ? 1 : wanted(p.name);
    for (int32_t i = 0; i < count; ++i) net.graph->Connect(x, node, port + i);
    port += p.kind == GE_IR_DYNAMIC ? count : 1;
  }
  for (const auto &[name, value] : row.set) net.graph->SetAttr(node, Symbol(name), AttrValue(value));
  net.graph->AddControl(x.node, node);
  net.graph->SetOutputs({{node, 0}});
  net.graph->SetGraphAttr("by", AttrValue("the program"));
  return net.graph;
}

class RecoverIrRow : public testing::TestWithParam<Row> {
 protected:
  void Check(const Graph &graph) const {
    const Row &row = GetParam();
    const Node *node = graph.Find("the_node");
    EXPECT_EQ(node->input_count(), static_cast<size_t>(row.inputs));
    EXPECT_EQ(node->output_count(), static_cast<size_t>(row.outputs));
    EXPECT_EQ(&node->ir(), OpRegistry::Instance().Get(node->type().view()));
    for (const auto &[name, value] : row.reads) EXPECT_EQ(node->Int(Symbol(name), -1), value) << name;
    for (const auto &[name, value] : node->attrs()) EXPECT_TRUE(node->ir().FindAttr(name)) << name.view();
    ASSERT_EQ(node->control_inputs().size(), 1u);
    EXPECT_EQ(node->control_inputs()[0]->name(), "x0");
    ASSERT_EQ(graph.Outputs().size(), 1u);
    EXPECT_EQ(graph.Outputs()[0].node, node);
    EXPECT_EQ(*graph.attrs().Find("by"), AttrValue("the program"));
    // Every connection stayed on its port.
    size_t connected = 0;
    for (size_t i = 0; i < node->input_count(); ++i) connected += node->input(i) ? 1 : 0;
    size_t required = 0;
    for (const IrPort &p : node->ir().inputs) required += p.kind == GE_IR_REQUIRED;
    EXPECT_EQ(connected, required + row.connected.size());
    graph.Verify();
  }
};

TEST_P(RecoverIrRow, DecidesAsTheTableSays) {
  const Row &row = GetParam();
  const std::string type = std::string("Skew") + row.name;
  OpRegistry::Instance().Register(Schema(type, row.installed), nullptr);
  GraphPtr built = Program(InternSchema(Schema(type, row.program)), row, "the_node");
  std::string bytes = AirBytes(*built);
  GraphPtr loaded = Graph::Create("");
  LoadAirBytes(*loaded, bytes.data(), bytes.size());
  for (const GraphPtr &graph : {built, loaded}) {
    SCOPED_TRACE(graph == built ? "as built" : "from a file");
    std::string before = AirBytes(*graph);
    if (row.error.empty()) {
      GraphPtr recovered = RecoverIr(*graph);
      Check(recovered ? *recovered : *graph);
      EXPECT_FALSE(recovered && RecoverIr(*recovered));  // once is enough
    } else {
      try {
        RecoverIr(*graph);
        FAIL() << "it was accepted";
      } catch (const Error &e) {
        EXPECT_EQ(e.code(), GE_FAILED);
        EXPECT_NE(std::string(e.what()).find(type + " 'the_node'"), std::string::npos) << e.what();
        for (const char *part : row.error) EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      }
    }
    EXPECT_EQ(AirBytes(*graph), before);  // the program's graph is not touched
  }
}
INSTANTIATE_TEST_SUITE_P(Table, RecoverIrRow, testing::ValuesIn(kRows),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(RecoverIr, ANewRequiredInputIsRefusedByTheVerifier) {
  OpRegistry::Instance().Register(Schema("SkewNeedsMore", "x w -> y"), nullptr);
  Row row{};
  GraphPtr graph = RecoverIr(*Program(InternSchema(Schema("SkewNeedsMore", "x -> y")), row, "node"));
  ASSERT_TRUE(graph);
  try {
    graph->Verify();
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("input 'w' (port 1) is not connected"), std::string::npos) << e.what();
  }
}

TEST(RecoverIr, TypesThatNobodyRegisteredStay) {
  Row row{};
  EXPECT_FALSE(RecoverIr(*Program(InternSchema(Schema("SkewUnknown", "x w? -> y | k=1")), row, "node")));
}

// A program whose Relu has one attribute more than ours, in a subgraph of If, runs; setting the attribute is refused.
GraphPtr WithNewerRelu(std::optional<int64_t> level) {
  const IrDef &ours = *OpRegistry::Instance().Get("Relu");
  GeOpSchema schema = *ours.schema;
  std::vector<GeIrAttr> attrs(schema.attrs, schema.attrs + schema.attr_count);
  GeIrAttr extra{};
  extra.value.name = "level";
  extra.value.type = C_VT_INT;
  attrs.push_back(extra);
  schema.attrs = attrs.data();
  schema.attr_count = attrs.size();
  const IrDef *newer = InternSchema(&schema);

  auto branch = [&](const char *name, bool relu) {
    Net net(name);
    Endpoint x = net.Input({4}, C_DT_FLOAT, "bx");
    if (relu) {
      Node *node = net.graph->AddNode(newer, "the_relu");
      net.graph->Connect(x, node, 0);
      if (level) net.graph->SetAttr(node, "level", AttrValue(*level));
      x = {node, 0};
    }
    Node *end = MakeNode(*net.graph, "NetOutput", std::string("end_") + name, {1});
    net.graph->Connect(x, end, 0);
    return net.graph;
  };
  Net net("outer");
  Endpoint cond = net.Input({}, C_DT_BOOL), x = net.Input({4});
  Node *node = MakeNode(*net.graph, "If", "the_if", {1}, {1});
  net.graph->Connect(cond, node, 0);
  net.graph->Connect(x, node, 1);
  net.graph->AttachSubgraph(node, "then_branch", branch("then_graph", true));
  net.graph->AttachSubgraph(node, "else_branch", branch("else_graph", false));
  net.graph->SetOutputs({{node, 0}});
  return net.graph;
}

TEST(RecoverIr, ANewerProgramRuns) {
  GraphPtr graph = WithNewerRelu(std::nullopt);
  GraphPtr recovered = RecoverIr(*graph);
  ASSERT_TRUE(recovered);
  recovered->Verify();
  ASSERT_EQ(recovered->subgraphs().size(), 2u);
  EXPECT_EQ(recovered->FindSubgraph("then_graph")->Find("the_relu")->ir().attrs.size(),
            OpRegistry::Instance().Get("Relu")->attrs.size());
  EXPECT_EQ(recovered->Find("the_if")->subgraphs().size(), 2u);
  for (bool cond : {true, false}) {
    std::vector<Array> out = CompileAndRun(*graph, {Array::Bool(cond), Array::F({4}, {-1, 2, -3, 4})});
    EXPECT_EQ(out.at(0).Floats(), cond ? (std::vector<float>{0, 2, 0, 4}) : (std::vector<float>{-1, 2, -3, 4}));
  }
}

TEST(RecoverIr, ANewerProgramThatUsesTheNewAttributeIsRefused) {
  GraphPtr graph = WithNewerRelu(3);
  try {
    CompileAndRun(*graph, {Array::Bool(true), Array::F({4}, {-1, 2, -3, 4})});
    FAIL() << "it ran";
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("Relu 'the_relu'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("'level' is set"), std::string::npos) << e.what();
  }
}

TEST(RecoverIr, DescriptionsComeBack) {
  OpRegistry::Instance().Register(Schema("SkewFewer", "x -> y"), nullptr);
  Row row{};
  GraphPtr graph = Program(InternSchema(Schema("SkewFewer", "x w? -> y")), row, "node");
  GraphPtr recovered = RecoverIr(*graph);
  ASSERT_TRUE(recovered);
  recovered->SetOutputDesc(recovered->Find("node"), 0, TensorDesc(C_DT_INT8, {7, 5}));
  TakeOutputDescs(*recovered, *graph);
  EXPECT_EQ(graph->Find("node")->output_desc(0).shape, (Shape{7, 5}));
  EXPECT_EQ(graph->Find("node")->output_desc(0).dtype, C_DT_INT8);
  EXPECT_EQ(graph->Find("node")->input_count(), 2u);
  // Nodes of one name each get their own.
  Node *again = graph->AddNode(&graph->Find("node")->ir(), "node");
  recovered = RecoverIr(*graph);
  ASSERT_TRUE(recovered);
  std::vector<Node *> nodes = recovered->Nodes();
  recovered->SetOutputDesc(nodes.back(), 0, TensorDesc(C_DT_UINT8, {3}));
  TakeOutputDescs(*recovered, *graph);
  EXPECT_EQ(graph->Find("node")->output_desc(0).shape, (Shape{7, 5}));
  EXPECT_EQ(again->output_desc(0).shape, (Shape{3}));
}

}  // namespace
}  // namespace gec
