// Ten thousand damaged models: each is imported or refused, never more than that. Seeded, so that a failure repeats.
#include <gtest/gtest.h>

#include <random>

#include "core/ops/infer.h"
#include "ge/model.h"
#include "tests/parsers/onnx_writer.h"

namespace w = onnx_writer;

namespace {

constexpr int kMutants = 10000;
constexpr uint32_t kSeed = 7;

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  auto add = [&](w::Names nodes, w::Names initializers, std::vector<int64_t> x = {2, 3, 4, 4}, int64_t opset = 17) {
    w::Graph g;
    g.inputs = {w::Value("x", w::kFloat, std::move(x))};
    g.outputs = {w::Value("y", w::kFloat, {})};
    g.nodes = std::move(nodes);
    g.initializers = std::move(initializers);
    seeds.push_back(w::Model(g, opset));
  };
  std::vector<float> kernel(27, 0.5f), matrix(12, 1.0f);
  add({w::Node("Conv", {"x", "k", "b"}, {"c"}, {w::AttrInts("pads", {1, 1, 1, 1}), w::AttrInts("strides", {2, 2})},
               "conv"),
       w::Node("Relu", {"c"}, {"r"}), w::Node("GlobalAveragePool", {"r"}, {"y"})},
      {w::Floats("k", {1, 3, 3, 3}, kernel), w::Floats("b", {1}, {1})});
  add({w::Node("Gemm", {"x", "m", "b"}, {"g"}, {w::AttrInt("transB", 1), w::AttrFloat("alpha", 2)}),
       w::Node("Softmax", {"g"}, {"y"}, {w::AttrInt("axis", -1)})},
      {w::Floats("m", {3, 4}, matrix), w::Floats("b", {3}, {1, 2, 3})}, {2, 4});
  add({w::Node("Shape", {"x"}, {"s"}), w::Node("Slice", {"s", "z", "o"}, {"h"}),
       w::Node("Concat", {"h", "n"}, {"t"}, {w::AttrInt("axis", 0)}), w::Node("Reshape", {"x", "t"}, {"q"}),
       w::Node("Transpose", {"q"}, {"y"}, {w::AttrInts("perm", {1, 0})})},
      {w::Ints("z", {0}), w::Ints("o", {1}), w::Ints("n", {-1})});
  add({w::Node("Split", {"x", "s"}, {"a", "b"}, {w::AttrInt("axis", 1)}), w::Node("Pad", {"a", "p"}, {"c"}),
       w::Node("ReduceMean", {"c"}, {"y"}, {w::AttrInts("axes", {1, 2})})},
      {w::Ints("s", {1, 2}), w::Ints("p", {0, 0, 1, 0, 0, 0, 1, 0})});
  add({w::Node("LSTM", {"x", "w", "r"}, {"o"}, {w::AttrInt("hidden_size", 2)}), w::Node("Squeeze", {"o", "a"}, {"y"})},
      {w::Floats("w", {1, 8, 4}, std::vector<float>(32, 0.1f)), w::Floats("r", {1, 8, 2}, std::vector<float>(16, 0.1f)),
       w::Ints("a", {1})},
      {3, 1, 4});
  add({w::Node("Resize", {"x", "", "s"}, {"y"}, {w::AttrText("mode", "linear")})}, {w::Floats("s", {4}, {1, 1, 2, 2})});
  add({w::Node("Gather", {"x", "i"}, {"a"}, {w::AttrInt("axis", 2)}), w::Node("TopK", {"a", "k"}, {"t", "u"}),
       w::Node("Einsum", {"t", "t"}, {"y"}, {w::AttrText("equation", "abcd,abcd->ab")})},
      {w::Ints("i", {1, -1}), w::Ints("k", {2})});
  w::Graph then_branch, else_branch, body;
  then_branch.nodes = {w::Node("Neg", {"x"}, {"t"})};
  then_branch.outputs = {w::Value("t", w::kFloat, {})};
  else_branch.nodes = {w::Node("Abs", {"x"}, {"e"})};
  else_branch.outputs = {w::Value("e", w::kFloat, {})};
  add({w::Node("If", {"c"}, {"y"},
               {w::AttrGraph("then_branch", then_branch.Encode()), w::AttrGraph("else_branch", else_branch.Encode())})},
      {w::Tensor("c", w::kBool, {}, "\x01")});
  body.inputs = {w::Value("i", w::kInt64, {}), w::Value("go", w::kBool, {}), w::Value("v", w::kFloat, {})};
  body.nodes = {w::Node("Identity", {"go"}, {"on"}), w::Node("Add", {"v", "x"}, {"n"}), w::Node("Relu", {"n"}, {"s"})};
  body.outputs = {w::Value("on", w::kBool, {}), w::Value("n", w::kFloat, {})};
  add({w::Node("Loop", {"m", "", "x"}, {"y"}, {w::AttrGraph("body", body.Encode())})},
      {w::Tensor("m", w::kInt64, {}, w::Raw<int64_t>({3}))});
  body.outputs.push_back(w::Value("s", w::kFloat, {}));
  add({w::Node("Loop", {"m", "", "x"}, {"f", "y"}, {w::AttrGraph("body", body.Encode())})},
      {w::Tensor("m", w::kInt64, {}, w::Raw<int64_t>({3}))});
  std::string function = w::Bytes(1, "F") + w::Bytes(4, "a") + w::Bytes(5, "b") + w::Bytes(6, "alpha") +
                         w::Bytes(7, w::Node("Elu", {"a"}, {"b"}, {w::AttrRef("alpha", 1, "alpha")})) +
                         w::Bytes(9, w::Opset(17)) + w::Bytes(10, "mine");
  w::Graph call = w::ReluGraph();
  call.nodes = {w::Node("F", {"x"}, {"y"}, {w::AttrFloat("alpha", 2)}, "", "mine")};
  seeds.push_back(w::Model(call, 17, w::Bytes(25, function)));
  return seeds;
}

std::string Mutate(std::string bytes, std::mt19937 &random, const std::vector<std::string> &seeds) {
  auto below = [&](size_t n) { return n ? static_cast<size_t>(random() % n) : 0; };
  for (size_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
    size_t at = below(bytes.size());
    switch (random() % 8) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2: {  // the ends of the number range
        static const unsigned char kEnds[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
        bytes[at] = static_cast<char>(kEnds[random() % 5]);
        break;
      }
      case 3:
        bytes.erase(at, 1 + below(8));
        break;
      case 4:
        bytes.insert(at, 1 + below(8), static_cast<char>(random()));
        break;
      case 5:
        bytes.resize(at);
        break;
      case 6: {  // a piece of itself somewhere else
        std::string piece = bytes.substr(at, 1 + below(40));
        bytes.insert(below(bytes.size()), piece);
        break;
      }
      default: {  // a piece of another model
        const std::string &other = seeds[below(seeds.size())];
        size_t from = below(other.size()), length = 1 + below(40);
        bytes.replace(at, std::min(length, bytes.size() - at), other.substr(from, length));
      }
    }
  }
  return bytes;
}

TEST(OnnxMutation, DamagedModelsAreImportedOrRefused) {
  std::vector<std::string> seeds = Seeds();
  for (size_t i = 0; i < seeds.size(); ++i) {  // the undamaged ones are sound
    GeGraph *graph = nullptr;
    ASSERT_EQ(GeOnnxImportBuffer(seeds[i].data(), seeds[i].size(), nullptr, nullptr, nullptr, &graph), GE_SUCCESS)
        << i << ": " << GeLastErrorMessage();
    ASSERT_EQ(GeGraphInfer(graph, nullptr, 0), GE_SUCCESS) << i << ": " << GeLastErrorMessage();
    GeGraphDestroy(graph);
  }
  std::mt19937 random(kSeed);
  int imported = 0, refused = 0;
  for (int i = 0; i < kMutants; ++i) {
    std::string model = Mutate(seeds[random() % seeds.size()], random, seeds);
    GeGraph *graph = nullptr;
    size_t reported = 0;
    GeTextFn count = [](void *user, const char *, size_t n) { *static_cast<size_t *>(user) += n; };
    GeStatus status = GeOnnxImportBuffer(model.data(), model.size(), nullptr, count, &reported, &graph);
    if (status == GE_SUCCESS) {
      ++imported;
      ASSERT_NE(graph, nullptr);
      EXPECT_EQ(GeGraphVerify(graph), GE_SUCCESS) << "mutant " << i << ": " << GeLastErrorMessage();
      GeGraphInfer(graph, nullptr, 0);  // may refuse
      GeGraphDestroy(graph);
    } else {
      ++refused;
      EXPECT_EQ(graph, nullptr);
      EXPECT_TRUE(status == GE_MODEL_INVALID || status == GE_UNSUPPORTED || status == GE_PATH_INVALID)
          << "mutant " << i << ": " << GeStatusName(status) << " " << GeLastErrorMessage();
      EXPECT_GT(reported, 0u) << "mutant " << i;
    }
  }
  // Both kinds must occur, or the mutations test nothing.
  EXPECT_GT(imported, kMutants / 50);
  EXPECT_GT(refused, kMutants / 4);
}

}  // namespace
