// What the importer says about models that are broken or use what it does not have.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "ge/model.h"
#include "parsers/onnx/importer.h"
#include "parsers/onnx/limits.h"
#include "tests/parsers/onnx_writer.h"

using namespace gec;
namespace w = onnx_writer;

namespace {

struct Outcome {
  GeStatus code = GE_SUCCESS;
  std::string message, report;
};

Outcome Import(const std::string &model, const std::string &folder = "") {
  Outcome o;
  try {
    onnx::ImportBuffer(model.data(), model.size(), folder, [&](const std::string &json) { o.report = json; });
  } catch (const Error &e) {
    o.code = e.code();
    o.message = e.what();
  }
  return o;
}

w::Graph With(w::Names nodes, w::Names initializers = {}) {
  w::Graph g = w::ReluGraph();
  g.nodes = std::move(nodes);
  g.initializers = std::move(initializers);
  return g;
}

std::string Nested(size_t depth) {
  w::Graph inner;
  inner.outputs = {w::Value("x", w::kFloat, {})};
  for (size_t i = 0; i < depth; ++i) {
    w::Graph outer;
    outer.nodes = {
        w::Node("If", {"c"}, {"r"},
                {w::AttrGraph("then_branch", inner.Encode()), w::AttrGraph("else_branch", w::Graph().Encode())})};
    outer.outputs = {w::Value("r", w::kFloat, {})};
    inner = outer;
  }
  return w::Model(inner);
}

struct Case {
  const char *what;
  std::string model;
  GeStatus code;
  std::vector<const char *> says;
};

TEST(OnnxErrors, EachNamesThingValueAndLimit) {
  w::Graph no_output = w::ReluGraph();
  no_output.outputs.clear();
  w::Graph negative = w::ReluGraph();
  negative.inputs = {w::Bytes(1, "x") +
                     w::Bytes(2, w::Bytes(1, w::Num(1, 1) + w::Bytes(2, w::Bytes(1, w::Num(1, -5)))))};
  w::Graph huge = w::ReluGraph();
  huge.inputs = {w::Value("x", w::kFloat, {1 << 20, 1 << 20, 1 << 10})};
  w::Graph sequence = w::ReluGraph();
  sequence.inputs = {w::Bytes(1, "x") + w::Bytes(2, w::Bytes(4, ""))};
  w::Graph text = w::ReluGraph();
  text.inputs = {w::Value("x", w::kString, {2})};
  w::Graph untyped = w::ReluGraph();
  untyped.inputs = {w::Bytes(1, "x")};
  w::Graph ranks = w::ReluGraph();
  ranks.inputs = {w::Value("x", w::kFloat, std::vector<int64_t>(17, 1))};
  std::string recursive = w::Bytes(1, "F") + w::Bytes(4, "a") + w::Bytes(5, "b") +
                          w::Bytes(7, w::Node("F", {"a"}, {"b"}, {}, "", "mine")) + w::Bytes(10, "mine");
  const Case cases[] = {
      {"empty", "", GE_MODEL_INVALID, {"empty"}},
      {"no graph", w::Num(1, 8) + w::Bytes(8, w::Opset(17)), GE_MODEL_INVALID, {"holds no graph"}},
      {"group wire type", std::string("\x0b", 1), GE_MODEL_INVALID, {"byte 0", "wire type"}},
      {"field beyond the end", std::string("\x3a\x7f\x01", 3), GE_MODEL_INVALID, {"byte 0", "beyond the end"}},
      {"endless number", std::string(12, '\xff'), GE_MODEL_INVALID, {"ten bytes"}},
      {"nested too deep", Nested(onnx::kMaxGraphDepth + 1), GE_MODEL_INVALID, {"deeper than 64"}},
      {"no operator set",
       w::Num(1, 8) + w::Bytes(7, w::ReluGraph().Encode()),
       GE_MODEL_INVALID,
       {"imports no version"}},
      {"operator set of the future", w::Model(w::ReluGraph(), 999), GE_UNSUPPORTED, {"operator set 999", "1 to 28"}},
      {"no outputs", w::Model(no_output), GE_MODEL_INVALID, {"no outputs"}},
      {"unknown operator",
       w::Model(With({w::Node("Reluu", {"x"}, {"y"}, {}, "n1")})),
       GE_UNSUPPORTED,
       {"n1", "'Reluu'", "nearest: ", "Relu"}},
      {"foreign domain",
       w::Model(With({w::Node("Thing", {"x"}, {"y"}, {}, "n1", "acme")})),
       GE_UNSUPPORTED,
       {"acme:Thing"}},
      {"a sequence as a tensor",
       w::Model(With({w::Node("SequenceConstruct", {"x"}, {"y"})})),
       GE_MODEL_INVALID,
       {"output 'y'", "declared a tensor", "a sequence is computed"}},
      {"maps", w::Model(With({w::Node("ZipMap", {"x"}, {"y"}, {}, "", "ai.onnx.ml")})), GE_UNSUPPORTED, {"map type"}},
      {"operator newer than the model",
       w::Model(With({w::Node("Gelu", {"x"}, {"y"})}), 17),
       GE_UNSUPPORTED,
       {"version 17"}},
      {"node without type",
       w::Model(With({w::Bytes(1, "x") + w::Bytes(2, "y")})),
       GE_MODEL_INVALID,
       {"no operator type"}},
      {"undefined input",
       w::Model(With({w::Node("Relu", {"nowhere"}, {"y"})})),
       GE_MODEL_INVALID,
       {"'nowhere'", "not defined"}},
      {"absent input", w::Model(With({w::Node("Add", {"x"}, {"y"})})), GE_MODEL_INVALID, {"input 1 is missing"}},
      {"undefined output",
       w::Model(With({w::Node("Relu", {"x"}, {"z"})})),
       GE_MODEL_INVALID,
       {"output 'y'", "not defined"}},
      {"cycle",
       w::Model(With({w::Node("Add", {"x", "b"}, {"a"}, {}, "n1"), w::Node("Relu", {"a"}, {"b"}, {}, "n2"),
                      w::Node("Relu", {"a"}, {"y"}, {}, "n3")})),
       GE_MODEL_INVALID,
       {"cycle", "'n1'", "'n2'"}},
      {"cycle of one",
       w::Model(With({w::Node("Add", {"x", "y"}, {"y"}, {}, "n1")})),
       GE_MODEL_INVALID,
       {"cycle", "'n1'"}},
      {"defined twice",
       w::Model(With({w::Node("Relu", {"x"}, {"y"}), w::Node("Neg", {"x"}, {"y"})})),
       GE_MODEL_INVALID,
       {"'y' is defined twice"}},
      {"initializer twice",
       w::Model(With({w::Node("Relu", {"x"}, {"y"})}, {w::Floats("a", {}, {1}), w::Floats("a", {}, {2})})),
       GE_MODEL_INVALID,
       {"'a' is defined twice"}},
      {"attribute of another type",
       w::Model(With({w::Node("Softmax", {"x"}, {"y"}, {w::AttrFloat("axis", 1)}, "s")})),
       GE_MODEL_INVALID,
       {"'axis'", "expected INT"}},
      {"attribute that means nothing",
       w::Model(With({w::Node("Relu", {"x"}, {"y"}, {w::AttrInt("turbo", 1)})})),
       GE_UNSUPPORTED,
       {"'turbo'", "not understood"}},
      {"required attribute missing",
       w::Model(With({w::Node("Concat", {"x", "x"}, {"y"})})),
       GE_MODEL_INVALID,
       {"'axis' is missing"}},
      {"axis out of range",
       w::Model(With({w::Node("Softmax", {"x"}, {"y"}, {w::AttrInt("axis", 2)})})),
       GE_MODEL_INVALID,
       {"axis 2", "rank 2"}},
      {"too many outputs", w::Model(With({w::Node("Relu", {"x"}, {"y", "z"})})), GE_UNSUPPORTED, {"output 1 'z'"}},
      {"too many inputs", w::Model(With({w::Node("Relu", {"x", "x"}, {"y"})})), GE_UNSUPPORTED, {"input 1 'x'"}},
      {"a mode that is computed",
       w::Model(With({w::Node("Shape", {"x"}, {"s"}), w::Node("Dropout", {"x", "", "s"}, {"y"})}), 18),
       GE_UNSUPPORTED,
       {"must be constant"}},
      {"raw data too short",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})}, {w::Tensor("a", w::kFloat, {3}, "12345678")})),
       GE_MODEL_INVALID,
       {"'a'", "8 bytes", "12"}},
      {"typed data too short",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})},
                     {w::Num(1, 3) + w::Num(2, w::kFloat) + w::Bytes(8, "a") + w::Float(4, 1)})),
       GE_MODEL_INVALID,
       {"'a'", "1 values", "3"}},
      {"negative dimension",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})}, {w::Tensor("a", w::kFloat, {-1}, "")})),
       GE_MODEL_INVALID,
       {"dimension 0 is -1"}},
      {"absurd size",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})}, {w::Tensor("a", w::kFloat, {int64_t{1} << 40}, "")})),
       GE_MODEL_INVALID,
       {"'a'", "limit"}},
      {"overflowing product",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})},
                     {w::Tensor("a", w::kFloat, {int64_t{1} << 40, int64_t{1} << 40}, "")})),
       GE_MODEL_INVALID,
       {"64 bits"}},
      {"rank of a constant",
       w::Model(
           With({w::Node("Relu", {"a"}, {"y"})}, {w::Tensor("a", w::kFloat, std::vector<int64_t>(17, 1), "1234")})),
       GE_MODEL_INVALID,
       {"rank 17", "16"}},
      {"unknown element type",
       w::Model(With({w::Node("Relu", {"a"}, {"y"})}, {w::Tensor("a", 77, {1}, "1234")})),
       GE_UNSUPPORTED,
       {"type 77"}},
      {"a third truth",
       w::Model(With({w::Node("Not", {"a"}, {"y"})}, {w::Tensor("a", w::kBool, {1}, "\x02")})),
       GE_MODEL_INVALID,
       {"bool value 0 is 2"}},
      {"negative input dimension", w::Model(negative), GE_MODEL_INVALID, {"'x'", "dimension 0 is -5"}},
      {"huge input", w::Model(huge), GE_MODEL_INVALID, {"'x'", "limit"}},
      {"rank of an input", w::Model(ranks), GE_MODEL_INVALID, {"rank 17", "16"}},
      {"sequence input", w::Model(sequence), GE_UNSUPPORTED, {"'x'", "a type that is not supported"}},
      {"text input", w::Model(text), GE_UNSUPPORTED, {"'x' is a text tensor", "takes tensors"}},
      {"input without type", w::Model(untyped), GE_MODEL_INVALID, {"'x' has no element type"}},
      {"shapes that do not fit",
       w::Model(With({w::Node("Add", {"x", "a"}, {"y"}, {}, "sum")}, {w::Floats("a", {5}, {1, 2, 3, 4, 5})})),
       GE_MODEL_INVALID,
       {"sum", "inference"}},
      {"function that calls itself",
       w::Model(With({w::Node("F", {"x"}, {"y"}, {}, "", "mine")}), 17, w::Bytes(25, recursive)),
       GE_MODEL_INVALID,
       {"'mine:F' calls itself"}},
      {"branches of different size",
       w::Model(With({w::Node(
           "If", {"x"}, {"y"},
           {w::AttrGraph("then_branch", w::Graph().Encode()), w::AttrGraph("else_branch", w::Graph().Encode())})})),
       GE_MODEL_INVALID,
       {"then_branch has 0 outputs"}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.what);
    Outcome o = Import(c.model);
    EXPECT_EQ(GeStatusName(o.code), std::string(GeStatusName(c.code))) << o.message;
    for (const char *text : c.says)
      EXPECT_NE(o.message.find(text), std::string::npos) << "no \"" << text << "\" in: " << o.message;
    EXPECT_EQ(o.report.rfind("{\"problems\": [{\"node\": ", 0), 0u) << o.report;
  }
}

TEST(OnnxErrors, AllProblemsAreReportedAtOnce) {
  w::Graph g = With({w::Node("Foo", {"x"}, {"a"}, {}, "first"),
                     w::Node("Softmax", {"a"}, {"b"}, {w::AttrInt("axis", 1)}, "behind it"),
                     w::Node("Identity", {"b"}, {"c"}, {w::AttrInt("turbo", 1)}, "third"),
                     w::Node("Bar\"\n\xff", {"c"}, {"y"}, {}, "fourth")},
                    {w::Ints("i", {0})});
  Outcome o = Import(w::Model(g));
  EXPECT_EQ(o.code, GE_UNSUPPORTED);
  EXPECT_EQ(o.message.rfind("3 problems in the ONNX model", 0), 0u) << o.message;
  EXPECT_EQ(o.report,
            "{\"problems\": ["
            "{\"node\": \"first\", \"operator\": \"Foo\", \"opset\": 17, \"reason\": \"unknown_operator\", \"detail\": "
            "\"unknown operator "
            "'Foo'\", \"nearest\": " +
                o.report.substr(o.report.find("\"nearest\": ") + 11,
                                o.report.find(']') - o.report.find("\"nearest\": ") - 10) +
                "}, {\"node\": \"third\", \"operator\": \"Identity\", \"opset\": 17, \"reason\": \"unsupported_use\", "
                "\"detail\": "
                "\"attribute 'turbo' is not understood\", \"nearest\": []}, "
                "{\"node\": \"fourth\", \"operator\": \"Bar\\\"\\u000a?\", \"opset\": 17, \"reason\": "
                "\"unknown_operator\", \"detail\": "
                "\"unknown operator 'Bar\\\"\\u000a?'\", \"nearest\": []}], \"total\": 3}");
}

TEST(OnnxErrors, EveryPrefixIsRefusedOrSound) {
  w::Graph g =
      With({w::Node("Add", {"x", "a"}, {"s"}, {}, "add"), w::Node("Softmax", {"s"}, {"y"}, {w::AttrInt("axis", 1)})},
           {w::Floats("a", {3}, {1, 2, 3})});
  std::string model = w::Bytes(8, w::Opset(17)) + w::Num(1, 8) + w::Bytes(7, g.Encode());
  EXPECT_EQ(Import(model).code, GE_SUCCESS);
  for (size_t n = 0; n < model.size(); ++n) {
    Outcome o = Import(model.substr(0, n));
    EXPECT_EQ(GeStatusName(o.code), std::string("GE_MODEL_INVALID")) << n << ": " << o.message;
  }
}

TEST(OnnxErrors, RandomBytesAreRefused) {
  std::mt19937 random(20240601);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 300 + 1, '\0');
    for (char &c : bytes) c = static_cast<char>(random());
    EXPECT_NE(Import(bytes).code, GE_SUCCESS);
  }
}

TEST(OnnxErrors, FilesThatCannotBeRead) {
  GeGraph *graph = reinterpret_cast<GeGraph *>(1);
  EXPECT_EQ(GeOnnxImport("/no/such/file.onnx", nullptr, nullptr, &graph), GE_PATH_INVALID);
  EXPECT_EQ(graph, nullptr);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("/no/such/file.onnx"), std::string::npos);
  EXPECT_EQ(GeOnnxImport("/", nullptr, nullptr, &graph), GE_PATH_INVALID);
  EXPECT_EQ(GeOnnxImport(nullptr, nullptr, nullptr, &graph), GE_PARAM_INVALID);
  EXPECT_EQ(GeOnnxImport("x", nullptr, nullptr, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeOnnxImportBuffer(nullptr, 5, nullptr, nullptr, nullptr, &graph), GE_PARAM_INVALID);
  EXPECT_EQ(GeOnnxDescribe(nullptr, nullptr), GE_PARAM_INVALID);
}

TEST(OnnxErrors, ReportReachesTheCaller) {
  std::string model = w::Model(With({w::Node("Foo", {"x"}, {"y"})})), report;
  GeGraph *graph = nullptr;
  GeTextFn collect = [](void *user, const char *text, size_t n) { static_cast<std::string *>(user)->append(text, n); };
  EXPECT_EQ(GeOnnxImportBuffer(model.data(), model.size(), nullptr, collect, &report, &graph), GE_UNSUPPORTED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_NE(report.find("\"total\": 1}"), std::string::npos);
}

// ---- external data ----

class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/ge_onnx_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    root_ = pattern;
    folder_ = root_ / "model";
    std::filesystem::create_directories(folder_ / "sub");
    Put(folder_ / "w.bin", Content());
    Put(folder_ / "sub" / "w.bin", Content());
    Put(root_ / "secret.bin", Content());
    std::filesystem::create_symlink(root_ / "secret.bin", folder_ / "link.bin");
    std::filesystem::create_symlink("w.bin", folder_ / "near.bin");
    std::filesystem::create_directory_symlink(root_, folder_ / "up");
    std::filesystem::create_hard_link(root_ / "secret.bin", folder_ / "hard.bin");
    ASSERT_EQ(mkfifo((folder_ / "pipe.bin").c_str(), 0600), 0);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  static void Put(const std::filesystem::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  static std::string Content() {
    std::vector<float> values(4096);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    return w::Raw(values);
  }
  static std::string ModelWith(const std::vector<std::pair<std::string, std::string>> &entries, int64_t n = 3) {
    return w::Model(With({w::Node("Relu", {"a"}, {"y"})}, {w::ExternalTensor("a", w::kFloat, {n}, entries)}));
  }
  std::filesystem::path root_, folder_;
};

TEST_F(ExternalData, IsReadWhereItBelongs) {
  struct Good {
    const char *location, *offset;
    int64_t n;
    float first;
  };
  for (const Good &g : {Good{"w.bin", "0", 3, 0}, Good{"w.bin", "4", 3, 1}, Good{"sub/w.bin", "64", 3, 16},
                        Good{"./sub//w.bin", "0", 3, 0}, Good{"w.bin", "0", 4096, 0}, Good{"w.bin", "4096", 2048, 1024},
                        Good{"w.bin", "16384", 0, 0}}) {
    SCOPED_TRACE(g.location + std::string(" at ") + g.offset);
    std::string model = ModelWith({{"location", g.location}, {"offset", g.offset}}, g.n);
    GraphPtr graph;
    ASSERT_NO_THROW(graph = onnx::ImportBuffer(model.data(), model.size(), folder_));
    TensorPtr value = ConstantInput(*graph->Outputs()[0].node, 0);
    ASSERT_TRUE(value);
    ASSERT_EQ(value->bytes(), static_cast<uint64_t>(g.n) * 4);
    for (int64_t i = 0; i < g.n; ++i) ASSERT_EQ(value->as<float>()[i], g.first + static_cast<float>(i));
  }
}

TEST_F(ExternalData, FilesLoadFromTheirOwnFolder) {
  Put(folder_ / "net.onnx", ModelWith({{"location", "w.bin"}, {"length", "12"}}));
  EXPECT_NO_THROW(onnx::ImportFile(folder_ / "net.onnx"));
}

TEST_F(ExternalData, StaysInsideTheFolder) {
  struct Bad {
    std::vector<std::pair<std::string, std::string>> entries;
    GeStatus code;
    const char *says;
  };
  const Bad cases[] = {
      {{{"location", (root_ / "secret.bin").string()}}, GE_PATH_INVALID, "absolute"},
      {{{"location", "../secret.bin"}}, GE_PATH_INVALID, "'..'"},
      {{{"location", "sub/../../secret.bin"}}, GE_PATH_INVALID, "'..'"},
      {{{"location", "sub/../w.bin"}}, GE_PATH_INVALID, "'..'"},
      {{{"location", "link.bin"}}, GE_PATH_INVALID, "links"},
      {{{"location", "near.bin"}}, GE_PATH_INVALID, "links"},
      {{{"location", "up/secret.bin"}}, GE_PATH_INVALID, "links"},
      {{{"location", "hard.bin"}}, GE_PATH_INVALID, "hard links"},
      {{{"location", "sub"}}, GE_PATH_INVALID, "is a directory"},
      {{{"location", "sub/"}}, GE_PATH_INVALID, "folder"},
      {{{"location", "."}}, GE_PATH_INVALID, "folder"},
      {{{"location", ""}}, GE_PATH_INVALID, "empty"},
      {{{"location", "pipe.bin"}}, GE_PATH_INVALID, "regular file"},
      {{{"location", "none.bin"}}, GE_PATH_INVALID, "none.bin"},
      {{}, GE_MODEL_INVALID, "no location"},
      {{{"location", "w.bin"}, {"offset", "16380"}}, GE_MODEL_INVALID, "beyond the end"},
      {{{"location", "w.bin"}, {"offset", "18446744073709551615"}}, GE_MODEL_INVALID, "beyond the end"},
      {{{"location", "w.bin"}, {"offset", "99999999999999999999"}}, GE_MODEL_INVALID, "offset"},
      {{{"location", "w.bin"}, {"offset", "-4"}}, GE_MODEL_INVALID, "offset"},
      {{{"location", "w.bin"}, {"offset", "4x"}}, GE_MODEL_INVALID, "offset"},
      {{{"location", "w.bin"}, {"length", "8"}}, GE_MODEL_INVALID, "8 bytes"},
  };
  for (const Bad &b : cases) {
    SCOPED_TRACE(b.entries.empty() ? "nothing" : b.entries[0].second + " " + b.entries.back().second);
    Outcome o = Import(ModelWith(b.entries), folder_);
    EXPECT_EQ(GeStatusName(o.code), std::string(GeStatusName(b.code))) << o.message;
    EXPECT_NE(o.message.find(b.says), std::string::npos) << o.message;
  }
  EXPECT_EQ(Import(ModelWith({{"location", "w.bin"}})).code, GE_PATH_INVALID);  // from memory, without a folder
}

}  // namespace
