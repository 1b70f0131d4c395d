// The parsers. aclgrphParseONNX and its options, on a small model written on the spot: p = a - b, q = relu(p), r = -q;
// outputs "q_out", "r_out".
#include "parser/onnx_parser.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "ge/ge_api.h"
#include "parser/caffe_parser.h"
#include "parser/tensorflow_parser.h"
#include "tests/parsers/onnx_writer.h"

namespace {

using ge::AscendString;
using Options = std::map<AscendString, AscendString>;
namespace w = onnx_writer;

std::string ModelBytes() {
  w::Graph g;
  g.name = "net";
  g.inputs = {w::Value("a", w::kFloat, {-1, 2}), w::Value("b", w::kFloat, {-1, 2})};
  g.outputs = {w::Value("q_out", w::kFloat, {-1, 2}), w::Value("r_out", w::kFloat, {-1, 2})};
  g.nodes = {w::Node("Sub", {"a", "b"}, {"p"}, {}, "sub"), w::Node("Relu", {"p"}, {"q_out"}, {}, "relu"),
             w::Node("Neg", {"q_out"}, {"r_out"}, {}, "neg")};
  return w::Model(g, 17);
}

ge::graphStatus Parse(const Options &options, ge::Graph &graph) {
  std::string bytes = ModelBytes();
  return ge::aclgrphParseONNXFromMem(bytes.data(), bytes.size(), options, graph);
}

ge::Tensor Floats(std::vector<float> values) {
  ge::TensorDesc desc(ge::Shape({static_cast<int64_t>(values.size()) / 2, 2}), ge::FORMAT_ND, ge::DT_FLOAT);
  return ge::Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}

std::vector<std::vector<float>> Values(const ge::Graph &graph, const std::vector<ge::Tensor> &inputs) {
  ge::Session session(Options{});
  std::vector<ge::Tensor> outputs;
  EXPECT_EQ(session.AddGraph(0, graph), ge::SUCCESS) << ge::GEGetErrorMsg();
  EXPECT_EQ(session.RunGraph(0, inputs, outputs), ge::SUCCESS) << ge::GEGetErrorMsg();
  std::vector<std::vector<float>> values;
  for (ge::Tensor &t : outputs) {
    const auto *data = reinterpret_cast<const float *>(t.GetData());
    values.emplace_back(data, data + t.GetSize() / sizeof(float));
  }
  return values;
}

class Parser : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(ge::GEInitialize(Options{}), ge::SUCCESS); }
  static void TearDownTestSuite() { ge::GEFinalize(); }

  void Refused(const char *key, const char *value, const std::string &said) {
    ge::Graph graph("before");
    EXPECT_NE(Parse({{key, value}}, graph), ge::GRAPH_SUCCESS) << key << "=" << value;
    EXPECT_NE(std::string(GeLastErrorMessage()).find(said), std::string::npos) << GeLastErrorMessage();
    AscendString name;
    EXPECT_EQ(graph.GetName(name), ge::GRAPH_SUCCESS);
    EXPECT_STREQ(name.GetString(), "before");  // the graph is replaced by a sound one or not at all
  }
};

TEST_F(Parser, FileBecomesAGraph) {
  std::string path = ::testing::TempDir() + "parser_test.onnx";
  std::ofstream(path, std::ios::binary) << ModelBytes();
  ge::Graph graph("g");
  ASSERT_EQ(ge::aclgrphParseONNX(path.c_str(), Options{}, graph), ge::SUCCESS) << GeLastErrorMessage();
  std::remove(path.c_str());
  EXPECT_EQ(Values(graph, {Floats({1, 5}), Floats({3, 2})}), (std::vector<std::vector<float>>{{0, 3}, {0, -3}}));
}

TEST_F(Parser, MissingFileAndNullAreRefused) {
  ge::Graph graph("g");
  EXPECT_NE(ge::aclgrphParseONNX("/no/such/file.onnx", Options{}, graph), ge::SUCCESS);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("/no/such/file.onnx"), std::string::npos);
  EXPECT_EQ(ge::aclgrphParseONNX(nullptr, Options{}, graph), ge::GRAPH_FAILED);
  EXPECT_EQ(ge::aclgrphParseONNXFromMem(nullptr, 10, Options{}, graph), ge::GRAPH_FAILED);
}

TEST_F(Parser, Name) {
  ge::Graph graph("g");
  ASSERT_EQ(Parse({{ge::ir_option::OUTPUT, "renamed"}}, graph), ge::GRAPH_SUCCESS);
  AscendString name;
  ASSERT_EQ(graph.GetName(name), ge::GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "renamed");
}

TEST_F(Parser, InputOrder) {
  ge::Graph graph("g");
  ASSERT_EQ(Parse({{ge::ir_option::INPUT_DATA_NAMES, "b,a"}}, graph), ge::GRAPH_SUCCESS);
  EXPECT_EQ(Values(graph, {Floats({3, 2}), Floats({1, 5})}), (std::vector<std::vector<float>>{{0, 3}, {0, -3}}));
  Refused(ge::ir_option::INPUT_DATA_NAMES, "b", "names 1 of the graph's 2 inputs");
  Refused(ge::ir_option::INPUT_DATA_NAMES, "b,b", "twice");
  Refused(ge::ir_option::INPUT_DATA_NAMES, "b,zz", "'a', 'b'");
}

TEST_F(Parser, InputShape) {
  for (const char *text : {"a:3,2;b:3,2", "3,2;3,2", "a:1~4,2;b:-1,2;"}) {
    ge::Graph graph("g");
    ASSERT_EQ(Parse({{ge::ir_option::INPUT_SHAPE, text}}, graph), ge::GRAPH_SUCCESS) << GeLastErrorMessage();

    GeNode *found = nullptr;
    ASSERT_EQ(GeGraphFindNode(graph.handle(), "a", &found), GE_SUCCESS);
    GeTensorData desc{};
    ASSERT_EQ(GeNodeGetOutputDesc(found, 0, &desc), GE_SUCCESS);
    ASSERT_EQ(desc.rank, 2);
    EXPECT_EQ(desc.dims[0], std::string(text).find('~') == std::string::npos ? 3 : -1);
    EXPECT_EQ(desc.dims[1], 2);
  }
  Refused(ge::ir_option::INPUT_SHAPE, "zz:1,2", "no input 'zz'");
  Refused(ge::ir_option::INPUT_SHAPE, "a:1,x", "'x'");
  Refused(ge::ir_option::INPUT_SHAPE, "a:1,-2", "'-2'");
  Refused(ge::ir_option::INPUT_SHAPE, "a:4~2,2", "'2' is not a number from 4 on");
  Refused(ge::ir_option::INPUT_SHAPE, "1,2", "1 shapes without names");
  Refused(ge::ir_option::INPUT_SHAPE, "a:99999999999999999999,2", "99999999999999999999");
}

TEST_F(Parser, OutNodes) {
  const std::vector<ge::Tensor> inputs = {Floats({1, 5}), Floats({3, 2})};
  ge::Graph graph("g");
  ASSERT_EQ(Parse({{ge::ir_option::OUT_NODES, "r_out;sub:0"}}, graph), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Values(graph, inputs), (std::vector<std::vector<float>>{{0, -3}, {-2, 3}}));
  ge::Graph one("g");
  ASSERT_EQ(Parse({{ge::ir_option::OUT_NODES, "relu:0"}}, one), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(Values(one, inputs), (std::vector<std::vector<float>>{{0, 3}}));
  Refused(ge::ir_option::OUT_NODES, "relu:1", "has 1 outputs");
  Refused(ge::ir_option::OUT_NODES, "zz:0", "no node 'zz'");
  Refused(ge::ir_option::OUT_NODES, "zz", "neither node:port nor the name of an output");
}

TEST_F(Parser, HalfInput) {
  ge::Graph graph("g");
  ASSERT_EQ(Parse({{ge::ir_option::INPUT_FP16_NODES, "a"}}, graph), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  const uint16_t half[] = {0x3c00, 0x4500};  // 1, 5
  ge::TensorDesc desc(ge::Shape({1, 2}), ge::FORMAT_ND, ge::DT_FLOAT16);
  ge::Tensor a(desc, reinterpret_cast<const uint8_t *>(half), sizeof half);
  EXPECT_EQ(Values(graph, {a, Floats({3, 2})}), (std::vector<std::vector<float>>{{0, 3}, {0, -3}}));
  Refused(ge::ir_option::INPUT_FP16_NODES, "sub", "no input 'sub'");
}

TEST_F(Parser, LayoutsAndUnknownKeys) {
  ge::Graph graph("g");
  EXPECT_EQ(Parse({{ge::ir_option::IS_INPUT_ADJUST_HW_LAYOUT, "false,false"}}, graph), ge::GRAPH_SUCCESS);
  Refused(ge::ir_option::IS_OUTPUT_ADJUST_HW_LAYOUT, "true,false", "keep plain layouts");
  Refused("no_such_option", "1", "no_such_option");
  EXPECT_EQ(ge::ir_option::ir_parser_suppported_options.count(ge::ir_option::INPUT_SHAPE), 1u);
  EXPECT_STREQ(ge::ir_option::LOG_LEVEL, "log");
}

// The formats that are not read: what is wrong with a call is told, and the graph stays.
class UnreadFormats : public Parser {
 protected:
  void SetUp() override {
    std::ofstream(path_, std::ios::binary) << "node { name: 'x' op: 'Placeholder' }";
    std::ofstream(empty_, std::ios::binary);
    GeClearLastError();
  }
  void TearDown() override {
    std::remove(path_.c_str());
    std::remove(empty_.c_str());
  }
  void Said(ge::graphStatus status, GeStatus code, std::initializer_list<std::string> words) {
    EXPECT_EQ(status, ge::GRAPH_FAILED);
    EXPECT_EQ(GeLastErrorCode(), code) << GeLastErrorMessage();
    for (const std::string &word : words)
      EXPECT_NE(std::string(GeLastErrorMessage()).find(word), std::string::npos)
          << word << ": " << GeLastErrorMessage();
    AscendString name;
    EXPECT_EQ(graph_.GetName(name), ge::GRAPH_SUCCESS);
    EXPECT_STREQ(name.GetString(), "before");
    GeClearLastError();
  }
  const std::string path_ = ::testing::TempDir() + "parser_test.pb",
                    empty_ = ::testing::TempDir() + "parser_test_empty";
  const Options good_{{ge::ir_option::OUT_NODES, "x:0"}, {ge::ir_option::ENABLE_SCOPE_FUSION_PASSES, "A,B"}};
  ge::Graph graph_{"before"};
};

// (x - 1) * 2, as text.
constexpr char kTensorFlow[] = R"(
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
node { name: "sub" op: "Sub" input: "x" input: "one" }
node { name: "y" op: "AddV2" input: "sub" input: "sub" }
)";

TEST_F(UnreadFormats, TensorFlow) {
  const char *path = path_.c_str();
  Said(ge::aclgrphParseTensorFlow(nullptr, graph_), GE_PARAM_INVALID, {"GeTensorFlowImport", "path"});
  Said(ge::aclgrphParseTensorFlow("/no/such/net.pb", graph_), GE_PATH_INVALID, {"'/no/such/net.pb'", "No such file"});
  Said(ge::aclgrphParseTensorFlow("/", graph_), GE_PATH_INVALID, {"'/'", "is a directory"});
  Said(ge::aclgrphParseTensorFlow(empty_.c_str(), graph_), GE_MODEL_INVALID, {empty_, "is empty"});
  Said(ge::aclgrphParseTensorFlow(path, graph_), GE_MODEL_INVALID, {path_, "has no outputs"});
  Said(ge::aclgrphParseTensorFlow(path, {{"no_such", "1"}}, graph_), GE_OPTION_INVALID,
       {"'no_such'", "known are enable_scope_fusion_passes, "});
  Said(ge::aclgrphParseTensorFlow(path, {{AscendString(nullptr), "1"}}, graph_), GE_OPTION_INVALID, {"''"});
  std::ofstream(path_, std::ios::binary) << kTensorFlow;
  Said(ge::aclgrphParseTensorFlow(path, {{ge::ir_option::OUT_NODES, "zz:0"}}, graph_), GE_OPTION_INVALID, {"'zz'"});
  ASSERT_EQ(ge::aclgrphParseTensorFlow(path, graph_), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  AscendString name;
  EXPECT_EQ(graph_.GetName(name), ge::GRAPH_SUCCESS);
  EXPECT_EQ(std::string(name.GetString()).rfind("parser_test_2", 0), 0u) << name.GetString();
  EXPECT_EQ(Values(graph_, {Floats({3, 5})}), (std::vector<std::vector<float>>{{4, 8}}));
  const Options options{{ge::ir_option::OUT_NODES, "sub:0;y:0"},
                        {ge::ir_option::INPUT_SHAPE, "x:1,2"},
                        {ge::ir_option::INPUT_DATA_NAMES, "x"},
                        {ge::ir_option::OUTPUT, "net"},
                        {ge::ir_option::ENABLE_SCOPE_FUSION_PASSES, "A,B"}};
  ASSERT_EQ(ge::aclgrphParseTensorFlow(path, options, graph_), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(graph_.GetName(name), ge::GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "net");
  EXPECT_EQ(Values(graph_, {Floats({3, 5})}), (std::vector<std::vector<float>>{{2, 4}, {4, 8}}));
}

TEST_F(UnreadFormats, Caffe) {
  const char *path = path_.c_str();
  Said(ge::aclgrphParseCaffe(path, path, graph_), GE_UNSUPPORTED,
       {"'" + path_ + "', '" + path_ + "'", "ONNX and TensorFlow models only", "Caffe"});
  Said(ge::aclgrphParseCaffe(path, path, good_, graph_), GE_UNSUPPORTED, {path_});
  Said(ge::aclgrphParseCaffe(nullptr, path, graph_), GE_PARAM_INVALID, {"aclgrphParseCaffe", "model_file is null"});
  Said(ge::aclgrphParseCaffe(path, nullptr, graph_), GE_PARAM_INVALID, {"weights_file is null"});
  Said(ge::aclgrphParseCaffe(path, "/no/such/net.caffemodel", graph_), GE_PATH_INVALID,
       {"weights_file '/no/such/net.caffemodel'"});
  Said(ge::aclgrphParseCaffe(path, path, {{"no_such", "1"}}, graph_), GE_OPTION_INVALID, {"'no_such'"});
}

}  // namespace
