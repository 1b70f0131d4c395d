// Ten thousand damaged graphs: each is imported or refused, never more than that. Seeded, so that a failure repeats.
#include <gtest/gtest.h>

#include <random>

#include "ge/graph.h"
#include "ge/scope_fusion.h"
#include "ge/tensorflow.h"
#include "tests/parsers/tensorflow_writer.h"

namespace w = tf_writer;

namespace {

constexpr int kMutants = 10000;
constexpr uint32_t kSeed = 11;

const char kText[] = R"(
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: [1] } } } }
node { name: "y" op: "Mean" input: "x" input: "a" attr { key: "keep_dims" value { b: true } } }
versions { producer: 27 }
)";

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  seeds.push_back(w::Input("x", {2, 4}) + w::Floats("w", {4, 3}, std::vector<float>(12, 0.5f)) +
                  w::Floats("b", {3}, {1, 2, 3}) +
                  w::Node("m", "MatMul", {"x", "w"}, {w::AttrBool("transpose_a", false)}) +
                  w::Node("y", "BiasAdd", {"m", "b"}) + w::Node("z", "Softmax", {"y"}));
  seeds.push_back(w::Input("x", {1, 8, 8, 3}) + w::Floats("k", {3, 3, 3, 4}, std::vector<float>(108, 0.1f)) +
                  w::Node("c", "Conv2D", {"x", "k"},
                          {w::AttrInts("strides", {1, 2, 2, 1}), w::AttrText("padding", "SAME"),
                           w::AttrText("data_format", "NHWC")}) +
                  w::Floats("s", {4}, {1, 2, 3, 4}) +
                  w::Node("n", "FusedBatchNormV3", {"c", "s", "s", "s", "s"}, {w::AttrBool("is_training", false)}) +
                  w::Node("p", "MaxPool", {"n:0"},
                          {w::AttrInts("ksize", {1, 2, 2, 1}), w::AttrInts("strides", {1, 2, 2, 1}),
                           w::AttrText("padding", "VALID")}) +
                  w::Ints("axes", {2}, {1, 2}) + w::Node("y", "Mean", {"p", "axes"}, {w::AttrBool("keep_dims", true)}));
  seeds.push_back(w::Input("x", {2, 6}) + w::Ints("d", {}, {1}) +
                  w::Node("s", "Split", {"d", "x"}, {w::AttrInt("num_split", 2)}) +
                  w::Node("t", "ConcatV2", {"s:1", "s", "d", "^x"}, {w::AttrInt("N", 2)}) + w::Ints("b", {2}, {0, 1}) +
                  w::Ints("e", {2}, {2, 5}) + w::Ints("q", {2}, {1, 2}) +
                  w::Node("y", "StridedSlice", {"t", "b", "e", "q"}, {w::AttrInt("begin_mask", 1)}) +
                  w::Node("u", "Unpack", {"y"}, {w::AttrInt("num", 2), w::AttrInt("axis", 0)}));
  seeds.push_back(
      w::Input("x", {3}) + w::Node("n", "PartitionedCall", {"x"}, {w::AttrFunc("f", "negate")}) +
      w::Input("c", {}, w::kBool) +
      w::Node("y", "If", {"c", "n"}, {w::AttrFunc("then_branch", "negate"), w::AttrFunc("else_branch", "twice")}) +
      w::Library({w::Function("negate", {{"a", w::kFloat}}, {{"r", w::kFloat}}, {w::NodeBody("n", "Neg", {"a"}, {})},
                              {"n:y:0"}),
                  w::Function("twice", {{"a", w::kFloat}}, {{"r", w::kFloat}},
                              {w::NodeBody("s", "Add", {"a", "a"}, {})}, {"s:z:0"})}));
  const std::string one = w::NodeBody(
      "one", "Const", {},
      {w::AttrType("dtype", w::kInt32), w::Attr("value", w::Bytes(8, w::Tensor(w::kInt32, {}, w::Raw<int32_t>({1}))))});
  const std::vector<w::Argument> state = {{"i", w::kInt32}, {"v", w::kFloat}};
  seeds.push_back(w::Ints("zero", {}, {0}) + w::Input("x", {2}) +
                  w::Node("y", "While", {"zero", "x"}, {w::AttrFunc("cond", "more"), w::AttrFunc("body", "step")}) +
                  w::Library({w::Function("more", state, {{"r", w::kBool}},
                                          {one, w::NodeBody("l", "LessEqual", {"i", "one:output:0"}, {})}, {"l:z:0"}),
                              w::Function("step", state, {{"ri", w::kInt32}, {"rv", w::kFloat}},
                                          {one, w::NodeBody("a", "AddV2", {"i", "one:output:0"}, {}),
                                           w::NodeBody("m", "Mul", {"v", "v"}, {})},
                                          {"a:z:0", "m:z:0"})}));
  seeds.emplace_back(kText);
  return seeds;
}

std::string Mutate(std::string bytes, std::mt19937 &random, const std::vector<std::string> &seeds) {
  auto below = [&](size_t n) { return n ? static_cast<size_t>(random() % n) : 0; };
  for (size_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
    const size_t at = below(bytes.size());
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
        const std::string piece = bytes.substr(at, 1 + below(40));
        bytes.insert(below(bytes.size()), piece);
        break;
      }
      default: {  // a piece of another graph
        const std::string &other = seeds[below(seeds.size())];
        const size_t from = below(other.size()), length = 1 + below(40);
        bytes.replace(at, std::min(length, bytes.size() - at), other.substr(from, length));
      }
    }
  }
  return bytes;
}

GeStatus Import(const std::string &graph, size_t *reported, GeGraph **out) {
  GeTextFn count = [](void *user, const char *, size_t n) { *static_cast<size_t *>(user) += n; };
  return GeTensorFlowImportBuffer(graph.data(), graph.size(), nullptr, 0, count, reported, out);
}

void EveryMutant(const std::vector<std::string> &seeds, int mutants) {
  std::mt19937 random(kSeed);
  int imported = 0, refused = 0;
  for (int i = 0; i < mutants; ++i) {
    const std::string model = Mutate(seeds[random() % seeds.size()], random, seeds);
    GeGraph *graph = nullptr;
    size_t reported = 0;
    const GeStatus status = Import(model, &reported, &graph);
    if (status == GE_SUCCESS) {
      ++imported;
      ASSERT_NE(graph, nullptr);
      EXPECT_EQ(GeGraphVerify(graph), GE_SUCCESS) << "mutant " << i << ": " << GeLastErrorMessage();
      GeGraphInfer(graph, nullptr, 0);  // may refuse
      GeGraphDestroy(graph);
    } else {
      ++refused;
      EXPECT_EQ(graph, nullptr);
      EXPECT_TRUE(status == GE_MODEL_INVALID || status == GE_UNSUPPORTED)
          << "mutant " << i << ": " << GeStatusName(status) << " " << GeLastErrorMessage();
      EXPECT_GT(reported, 0u) << "mutant " << i;
    }
  }
  // Both kinds must occur, or the mutations test nothing.
  EXPECT_GT(imported, mutants / 50);
  EXPECT_GT(refused, mutants / 4);
}

TEST(TensorFlowMutation, DamagedGraphsAreImportedOrRefused) {
  const std::vector<std::string> seeds = Seeds();
  for (size_t i = 0; i < seeds.size(); ++i) {  // the undamaged ones are sound
    GeGraph *graph = nullptr;
    size_t reported = 0;
    ASSERT_EQ(Import(seeds[i], &reported, &graph), GE_SUCCESS) << i << ": " << GeLastErrorMessage();
    ASSERT_EQ(GeGraphInfer(graph, nullptr, 0), GE_SUCCESS) << i << ": " << GeLastErrorMessage();
    GeGraphDestroy(graph);
  }
  EveryMutant(seeds, kMutants);
}

/// Replaces each node that reads something, and whose attributes are few, by one that reads the same first value.
GeStatus ReplaceSome(void *user, const GeFrontNode *const *nodes, size_t count, GeGraph *,
                     GeStatus (*replace)(void *, const GeScopeFusion *), void *sink) {
  for (size_t i = 0; i < count; ++i) {
    const GeFrontNode &node = *nodes[i];
    if (node.input_count == 0 || node.attr_count > 1 || node.name[0] == '\0') continue;
    const std::string value = std::string(node.name) + ":0";
    const GeScopeNode made{node.name, "Identity", nullptr, node.inputs, 1};
    const GeScopeOutput output{value.c_str(), value.c_str()};
    const GeScopeFusion fusion{sizeof fusion, "scope/", &node.name, 1, &made, 1, &output, 1};
    if (replace(sink, &fusion) != GE_SUCCESS) return GE_FAILED;
    ++*static_cast<size_t *>(user);
  }
  return GE_SUCCESS;
}

TEST(TensorFlowMutation, DamagedGraphsWithScopeFusion) {
  size_t replaced = 0;
  const GeScopePass pass{sizeof pass, "ReplaceSome", 1, 0, &ReplaceSome, nullptr, &replaced};
  uint64_t token = 0;
  ASSERT_EQ(GeScopePassRegister(&pass, &token), GE_SUCCESS);
  EveryMutant(Seeds(), kMutants);
  GeScopeFusionUnregister(token);
  EXPECT_GT(replaced, size_t{kMutants} / 10);
}

}  // namespace
