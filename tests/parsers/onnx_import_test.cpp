// What a sound ONNX model becomes.
#include "parsers/onnx/importer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/dump/dump.h"
#include "core/ops/infer.h"
#include "tests/parsers/onnx_writer.h"

using namespace gec;
namespace w = onnx_writer;

namespace {

GraphPtr Import(const std::string &model) { return onnx::ImportBuffer(model.data(), model.size(), ""); }
GraphPtr Import(const w::Graph &graph, int64_t opset = 17) { return Import(w::Model(graph, opset)); }

std::vector<std::string> Types(const Graph &graph) {
  std::vector<std::string> types;
  for (Node *node : graph.TopologicalOrder()) {
    if (!IsConstType(node->type())) types.push_back(node->type().str());
  }
  return types;
}

// The shape of the only output after inference.
std::string OutputShape(const GraphPtr &graph) {
  InferGraph(*graph);
  Endpoint e = graph->Outputs().at(0);
  return e.node->output_desc(static_cast<size_t>(e.port)).shape.str();
}

TEST(OnnxImport, NamesAndDescriptionsSurvive) {
  w::Graph g = w::ReluGraph();
  g.inputs = {w::Value("images", w::kFloat, {-1, 3, 8}), w::Value("ids", w::kInt64, {4})};
  g.nodes = {w::Node("Relu", {"images"}, {"a"}, {}, "block/act"), w::Node("Neg", {"a"}, {"y"})};
  g.name = "net";
  GraphPtr graph = Import(g);
  EXPECT_EQ(graph->name(), "net");
  ASSERT_EQ(graph->Inputs().size(), 2u);
  EXPECT_EQ(graph->Inputs()[0]->name(), "images");
  EXPECT_EQ(graph->Inputs()[0]->output_desc(0).shape, (Shape{-1, 3, 8}));
  EXPECT_EQ(graph->Inputs()[0]->output_desc(0).format, C_FORMAT_ND);
  EXPECT_EQ(graph->Inputs()[1]->name(), "ids");
  EXPECT_EQ(graph->Inputs()[1]->output_desc(0).dtype, C_DT_INT64);
  Node *act = graph->Find("block/act");
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->type().view(), "Relu");
  EXPECT_EQ(act->OriginText(), "block/act");
  Node *neg = graph->Find("Neg:y");  // it has no name of its own
  ASSERT_NE(neg, nullptr);
  EXPECT_EQ(neg->OriginText(), "Neg:y");
  ASSERT_NE(graph->attrs().Find("_output_names"), nullptr);
  EXPECT_EQ(*graph->attrs().Find("_output_names"), AttrValue(AttrValue::ListString{"y"}));
}

TEST(OnnxImport, EqualNodeNamesAreMadeUnique) {
  w::Graph g = w::ReluGraph();
  g.nodes = {w::Node("Relu", {"x"}, {"a"}, {}, "same"), w::Node("Relu", {"a"}, {"b"}, {}, "same"),
             w::Node("Relu", {"b"}, {"y"}, {}, "x")};
  GraphPtr graph = Import(g);
  size_t relus = 0;
  for (Node *node : graph->Nodes()) {
    if (node->type().view() != "Relu") continue;
    ++relus;
    EXPECT_TRUE(node->OriginText() == "same" || node->OriginText() == "x");
  }
  EXPECT_EQ(relus, 3u);
  EXPECT_EQ(graph->Find("x")->type().view(), "Data");
}

TEST(OnnxImport, InitializerThatIsAlsoAnInputIsAConstant) {
  w::Graph g = w::ReluGraph();
  g.inputs.push_back(w::Value("b", w::kFloat, {3}));
  g.initializers = {w::Floats("b", {3}, {1, 2, 3})};
  g.nodes = {w::Node("Add", {"x", "b"}, {"y"})};
  GraphPtr graph = Import(g);
  EXPECT_EQ(graph->Inputs().size(), 1u);
  Node *add = graph->Outputs()[0].node;
  TensorPtr b = ConstantInput(*add, 1);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->as<float>()[2], 3.0f);
}

TEST(OnnxImport, NodesMayComeInAnyOrder) {
  w::Graph g = w::ReluGraph();
  g.nodes = {w::Node("Neg", {"b"}, {"y"}), w::Node("Abs", {"a"}, {"b"}), w::Node("Relu", {"x"}, {"a"})};
  EXPECT_EQ(Types(*Import(g)), (std::vector<std::string>{"Data", "Relu", "Abs", "Neg", "NetOutput"}));
}

struct TypedCase {
  const char *what;
  int onnx_type;
  int32_t ge_type;
  std::string typed, raw;  // the same values, as a typed field and as raw bytes
};

std::string Packed(int field, const std::vector<int64_t> &values) {
  std::string body;
  for (int64_t v : values) body += w::Varint(static_cast<uint64_t>(v));
  return w::Bytes(field, body);
}

TEST(OnnxImport, TypedAndRawContentAreTheSame) {
  const TypedCase cases[] = {
      {"float", w::kFloat, C_DT_FLOAT, w::Bytes(4, w::Raw<float>({1.5f, -2, 3})), w::Raw<float>({1.5f, -2, 3})},
      {"float unpacked", w::kFloat, C_DT_FLOAT, w::Float(4, 1) + w::Float(4, 2) + w::Float(4, 3),
       w::Raw<float>({1, 2, 3})},
      {"double", w::kDouble, C_DT_DOUBLE, w::Bytes(10, w::Raw<double>({1.5, -2, 3})), w::Raw<double>({1.5, -2, 3})},
      {"int64", w::kInt64, C_DT_INT64, Packed(7, {1, -2, 3}), w::Raw<int64_t>({1, -2, 3})},
      {"int32", w::kInt32, C_DT_INT32, Packed(5, {1, -2, 3}), w::Raw<int32_t>({1, -2, 3})},
      {"int16", w::kInt16, C_DT_INT16, Packed(5, {1, -2, 3}), w::Raw<int16_t>({1, -2, 3})},
      {"int8", w::kInt8, C_DT_INT8, Packed(5, {1, -2, 3}), w::Raw<int8_t>({1, -2, 3})},
      {"uint8", w::kUint8, C_DT_UINT8, Packed(5, {1, 200, 3}), w::Raw<uint8_t>({1, 200, 3})},
      {"uint16", w::kUint16, C_DT_UINT16, Packed(5, {1, 60000, 3}), w::Raw<uint16_t>({1, 60000, 3})},
      {"uint32", w::kUint32, C_DT_UINT32, Packed(11, {1, 4000000000, 3}), w::Raw<uint32_t>({1, 4000000000u, 3})},
      {"uint64", w::kUint64, C_DT_UINT64, Packed(11, {1, 1ll << 62, 3}), w::Raw<uint64_t>({1, 1ull << 62, 3})},
      {"bool", w::kBool, C_DT_BOOL, Packed(5, {1, 0, 1}), w::Raw<uint8_t>({1, 0, 1})},
      {"float16", w::kFloat16, C_DT_FLOAT16, Packed(5, {0x3c00, 0xc000, 0}), w::Raw<uint16_t>({0x3c00, 0xc000, 0})},
  };
  for (const TypedCase &c : cases) {
    SCOPED_TRACE(c.what);
    for (bool typed : {true, false}) {
      w::Graph g = w::ReluGraph();
      std::string head = w::Num(1, 3) + w::Num(2, c.onnx_type) + w::Bytes(8, "c");
      g.initializers = {head + (typed ? c.typed : w::Bytes(9, c.raw))};
      g.outputs = {w::Value("y", c.onnx_type, {3})};
      g.nodes = {w::Node("Identity", {"c"}, {"y"})};
      GraphPtr graph = Import(g);
      TensorPtr value = ConstantInput(*graph->Outputs()[0].node, 0);
      ASSERT_TRUE(value);
      EXPECT_EQ(value->desc.dtype, c.ge_type);
      EXPECT_EQ(value->desc.shape, Shape{3});
      ASSERT_EQ(value->bytes(), c.raw.size());
      EXPECT_EQ(std::string(static_cast<const char *>(value->data()), value->bytes()), c.raw);
    }
  }
}

TEST(OnnxImport, LargeContentIsAlignedForVectorKernels) {
  for (bool raw : {true, false}) {
    std::vector<float> values(5000, 0.25f);
    w::Graph g = w::ReluGraph();
    std::string head = w::Num(1, 5000) + w::Num(2, w::kFloat) + w::Bytes(8, "c");
    g.initializers = {head + w::Bytes(raw ? 9 : 4, w::Raw(values))};
    g.nodes = {w::Node("Identity", {"c"}, {"y"})};
    TensorPtr value = ConstantInput(*Import(g)->Outputs()[0].node, 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(value->data()) % 64, 0u);
    EXPECT_EQ(value->as<float>()[4999], 0.25f);
  }
}

// Large raw content is not decoded but copied straight from the model's bytes, wherever tensors stand.
TEST(OnnxImport, LargeRawContentKeepsItsPlace) {
  auto numbers = [](float first) {
    std::vector<float> v(3000);
    for (size_t i = 0; i < v.size(); ++i) v[i] = first + static_cast<float>(i);
    return v;
  };
  w::Graph g = w::ReluGraph();
  g.initializers = {w::Floats("a", {3000}, numbers(0)), w::Floats("small", {2}, {7, 8}),
                    w::Floats("b", {50, 60}, numbers(1e4f))};
  w::Graph then_graph, else_graph;
  then_graph.initializers = {w::Floats("t", {3000}, numbers(2e4f))};
  then_graph.nodes = {w::Node("Add", {"t", "a"}, {"then_y"})};
  then_graph.outputs = {w::Value("then_y", w::kFloat, {3000})};
  else_graph.nodes = {w::Node("Constant", {}, {"e"}, {w::AttrTensor("value", w::Floats("", {3000}, numbers(3e4f)))}),
                      w::Node("Identity", {"e"}, {"else_y"})};
  else_graph.outputs = {w::Value("else_y", w::kFloat, {3000})};
  g.inputs.push_back(w::Value("c", w::kBool, {}));
  g.nodes = {
      w::Node("If", {"c"}, {"y"},
              {w::AttrGraph("then_branch", then_graph.Encode()), w::AttrGraph("else_branch", else_graph.Encode())}),
      w::Node("Identity", {"b"}, {"z"}), w::Node("Identity", {"small"}, {"s"})};
  g.outputs = {w::Value("y", w::kFloat, {3000}), w::Value("z", w::kFloat, {50, 60}), w::Value("s", w::kFloat, {2})};
  GraphPtr graph = Import(g);
  std::set<float> firsts;
  auto look = [&](const Graph &in) {
    for (Node *node : in.Nodes()) {
      TensorPtr t = ConstantOf({node, 0});
      if (!t || t->desc.dtype != C_DT_FLOAT || t->bytes() != 12000) continue;
      firsts.insert(t->as<float>()[0]);
      for (int i = 0; i < 3000; ++i) ASSERT_EQ(t->as<float>()[i], t->as<float>()[0] + static_cast<float>(i));
    }
  };
  look(*graph);
  for (const GraphPtr &sub : graph->subgraphs()) look(*sub);
  EXPECT_EQ(firsts, (std::set<float>{0, 1e4f, 2e4f, 3e4f}));
  EXPECT_EQ(ConstantInput(*graph->Outputs()[2].node, 0)->as<float>()[1], 8);
  EXPECT_EQ(ConstantInput(*graph->Outputs()[1].node, 0)->desc.shape, (Shape{50, 60}));
}

// The field that says where content was put is the importer's own: what a file writes there counts for nothing.
TEST(OnnxImport, AFileCannotSayWhereContentLies) {
  w::Graph g = w::ReluGraph();
  std::vector<float> values(3000, 1.5f);
  for (int64_t number : {0, 1, 77}) {
    g.initializers = {w::Floats("a", {3000}, values),
                      w::Num(1, 3000) + w::Num(2, w::kFloat) + w::Bytes(8, "b") + w::Num(100000, number)};
    g.nodes = {w::Node("Add", {"a", "b"}, {"y"})};
    try {
      Import(g);
      FAIL() << "tensor b has no content";
    } catch (const Error &e) {
      EXPECT_NE(std::string(e.what()).find("tensor 'b'"), std::string::npos) << e.what();
    }
  }
}

// The same operation in the way an old and a new version of the operator set say it.
struct VersionCase {
  const char *what;
  int64_t opset;
  w::Names nodes, initializers;
  std::string shape;  // of y, with x [2, 1, 6] float
  const char *type;   // operator behind y
};

TEST(OnnxImport, VersionsOfOperators) {
  const VersionCase cases[] = {
      {"Squeeze attribute",
       11,
       {w::Node("Squeeze", {"x"}, {"y"}, {w::AttrInts("axes", {1})})},
       {},
       "[2, 6]",
       "SqueezeV3"},
      {"Squeeze input", 13, {w::Node("Squeeze", {"x", "a"}, {"y"})}, {w::Ints("a", {1})}, "[2, 6]", "SqueezeV3"},
      {"Unsqueeze attribute",
       11,
       {w::Node("Unsqueeze", {"x"}, {"y"}, {w::AttrInts("axes", {0, 2})})},
       {},
       "[1, 2, 1, 1, 6]",
       "UnsqueezeV3"},
      {"Unsqueeze input",
       13,
       {w::Node("Unsqueeze", {"x", "a"}, {"y"})},
       {w::Ints("a", {0, 2})},
       "[1, 2, 1, 1, 6]",
       "UnsqueezeV3"},
      {"ReduceSum attribute",
       11,
       {w::Node("ReduceSum", {"x"}, {"y"}, {w::AttrInts("axes", {-1}), w::AttrInt("keepdims", 0)})},
       {},
       "[2, 1]",
       "ReduceSum"},
      {"ReduceSum input",
       13,
       {w::Node("ReduceSum", {"x", "a"}, {"y"}, {w::AttrInt("keepdims", 0)})},
       {w::Ints("a", {-1})},
       "[2, 1]",
       "ReduceSum"},
      {"ReduceMean attribute until 17",
       17,
       {w::Node("ReduceMean", {"x"}, {"y"}, {w::AttrInts("axes", {0})})},
       {},
       "[1, 1, 6]",
       "ReduceMean"},
      {"ReduceMean input since 18",
       18,
       {w::Node("ReduceMean", {"x", "a"}, {"y"})},
       {w::Ints("a", {0})},
       "[1, 1, 6]",
       "ReduceMean"},
      {"ReduceMax over everything", 13, {w::Node("ReduceMax", {"x"}, {"y"})}, {}, "[1, 1, 1]", "ReduceMax"},
      {"ReduceSum without axes does nothing",
       13,
       {w::Node("ReduceSum", {"x"}, {"y"}, {w::AttrInt("noop_with_empty_axes", 1)})},
       {},
       "[2, 1, 6]",
       "Identity"},
      {"Clip attributes",
       6,
       {w::Node("Clip", {"x"}, {"y"}, {w::AttrFloat("min", 0), w::AttrFloat("max", 6)})},
       {},
       "[2, 1, 6]",
       "ClipByValueV2"},
      {"Clip inputs",
       11,
       {w::Node("Clip", {"x", "lo", "hi"}, {"y"})},
       {w::Floats("lo", {}, {0}), w::Floats("hi", {}, {6})},
       "[2, 1, 6]",
       "ClipByValueV2"},
      {"Clip of one side",
       11,
       {w::Node("Clip", {"x", "", "hi"}, {"y"})},
       {w::Floats("hi", {}, {6})},
       "[2, 1, 6]",
       "Minimum"},
      {"Slice attributes",
       9,
       {w::Node("Slice", {"x"}, {"y"},
                {w::AttrInts("starts", {1}), w::AttrInts("ends", {-1}), w::AttrInts("axes", {2})})},
       {},
       "[2, 1, 4]",
       "StridedSliceV2"},
      {"Slice inputs, backwards",
       10,
       {w::Node("Slice", {"x", "s", "e", "a", "t"}, {"y"})},
       {w::Ints("s", {-1}), w::Ints("e", {-100}), w::Ints("a", {2}), w::Ints("t", {-2})},
       "[2, 1, 3]",
       "StridedSliceV2"},
      {"Pad attributes",
       9,
       {w::Node("Pad", {"x"}, {"y"}, {w::AttrInts("pads", {0, 1, 0, 0, 0, 2})})},
       {},
       "[2, 2, 8]",
       "PadV3"},
      {"Pad inputs", 11, {w::Node("Pad", {"x", "p"}, {"y"})}, {w::Ints("p", {0, 1, 0, 0, 0, 2})}, "[2, 2, 8]", "PadV3"},
      {"Pad with axes",
       18,
       {w::Node("Pad", {"x", "p", "", "a"}, {"y"})},
       {w::Ints("p", {1, 2}), w::Ints("a", {-1})},
       "[2, 1, 9]",
       "PadV3"},
      {"Pad that cuts",
       11,
       {w::Node("Pad", {"x", "p"}, {"y"})},
       {w::Ints("p", {0, 0, -1, 0, 0, -2})},
       "[2, 1, 3]",
       "PadV3"},
      {"Split attribute",
       11,
       {w::Node("Split", {"x"}, {"y", "z"}, {w::AttrInt("axis", 2), w::AttrInts("split", {4, 2})})},
       {},
       "[2, 1, 4]",
       "SplitV"},
      {"Split input",
       13,
       {w::Node("Split", {"x", "s"}, {"y", "z"}, {w::AttrInt("axis", 2)})},
       {w::Ints("s", {4, 2})},
       "[2, 1, 4]",
       "SplitV"},
      {"Split evenly", 13, {w::Node("Split", {"x"}, {"y", "z"}, {w::AttrInt("axis", -1)})}, {}, "[2, 1, 3]", "SplitV"},
      {"Split unevenly",
       18,
       {w::Node("Split", {"x"}, {"a", "b", "c", "y"}, {w::AttrInt("axis", -1), w::AttrInt("num_outputs", 4)})},
       {},
       "[2, 1, 0]",
       "SplitV"},
      {"Softmax of a flattened matrix",
       11,
       {w::Node("Softmax", {"x"}, {"y"}, {w::AttrInt("axis", 1)})},
       {},
       "[2, 1, 6]",
       "Reshape"},
      {"Softmax along an axis",
       13,
       {w::Node("Softmax", {"x"}, {"y"}, {w::AttrInt("axis", 1)})},
       {},
       "[2, 1, 6]",
       "SoftmaxV2"},
      {"TopK attribute", 9, {w::Node("TopK", {"x"}, {"y", "i"}, {w::AttrInt("k", 2)})}, {}, "[2, 1, 2]", "TopKV2"},
      {"TopK input", 11, {w::Node("TopK", {"x", "k"}, {"y", "i"})}, {w::Ints("k", {2})}, "[2, 1, 2]", "TopKV2"},
      {"Reshape attribute",
       1,
       {w::Node("Reshape", {"x"}, {"y"}, {w::AttrInts("shape", {0, -1})})},
       {},
       "[2, 6]",
       "Reshape"},
      {"Reshape input",
       13,
       {w::Node("Reshape", {"x", "s"}, {"y"})},
       {w::Ints("s", {3, 0, -1})},
       "[3, 1, 4]",
       "Reshape"},
      {"Upsample attribute",
       7,
       {w::Node("Upsample", {"x4"}, {"y"},
                {w::Bytes(1, "scales") + w::Float(7, 1) + w::Float(7, 1) + w::Float(7, 2) + w::Float(7, 2) +
                 w::Num(20, 6)})},
       {w::Floats("x4", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})},
       "[1, 1, 4, 6]",
       "Resize"},
      {"Upsample input",
       9,
       {w::Node("Upsample", {"x4", "s"}, {"y"})},
       {w::Floats("x4", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w::Floats("s", {4}, {1, 1, 2, 2})},
       "[1, 1, 4, 6]",
       "Resize"},
      {"Resize scales",
       10,
       {w::Node("Resize", {"x4", "s"}, {"y"})},
       {w::Floats("x4", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w::Floats("s", {4}, {1, 1, 2, 2})},
       "[1, 1, 4, 6]",
       "Resize"},
      {"Resize sizes",
       13,
       {w::Node("Resize", {"x4", "", "", "s"}, {"y"})},
       {w::Floats("x4", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w::Ints("s", {1, 1, 5, 7})},
       "[1, 1, 5, 7]",
       "Resize"},
      {"Resize sizes of axes",
       18,
       {w::Node("Resize", {"x4", "", "", "s"}, {"y"}, {w::AttrInts("axes", {3, 2})})},
       {w::Floats("x4", {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w::Ints("s", {7, 5})},
       "[1, 1, 5, 7]",
       "Resize"},
      {"Cast by name", 1, {w::Node("Cast", {"x"}, {"y"}, {w::AttrText("to", "int32")})}, {}, "[2, 1, 6]", "Cast"},
      {"Cast by number", 13, {w::Node("Cast", {"x"}, {"y"}, {w::AttrInt("to", w::kInt32)})}, {}, "[2, 1, 6]", "Cast"},
      {"Add with an old axis",
       6,
       {w::Node("Add", {"x", "b"}, {"y"}, {w::AttrInt("broadcast", 1), w::AttrInt("axis", 0)})},
       {w::Floats("b", {2}, {1, 2})},
       "[2, 1, 6]",
       "Add"},
      {"Shape with an end",
       15,
       {w::Node("Shape", {"x"}, {"y"}, {w::AttrInt("start", -2)})},
       {},
       "[2]",
       "StridedSliceV2"},
  };
  for (const VersionCase &c : cases) {
    SCOPED_TRACE(c.what);
    w::Graph g;
    g.inputs = {w::Value("x", w::kFloat, {2, 1, 6})};
    g.outputs = {w::Bytes(1, "y")};
    g.nodes = c.nodes;
    g.initializers = c.initializers;
    GraphPtr graph;
    ASSERT_NO_THROW(graph = Import(g, c.opset));
    EXPECT_EQ(OutputShape(graph), c.shape);
    EXPECT_EQ(graph->Outputs()[0].node->type().view(), c.type);
  }
}

TEST(OnnxImport, ConvolutionAttributes) {
  struct Case {
    const char *what;
    std::vector<int64_t> x, kernel;
    w::Names attrs;
    const char *shape;
    std::vector<int64_t> pads;
  };
  const Case cases[] = {
      {"explicit pads",
       {1, 2, 9, 9},
       {4, 2, 3, 3},
       {w::AttrInts("pads", {0, 1, 2, 3}), w::AttrInts("strides", {2, 1})},
       "[1, 4, 5, 11]",
       {0, 2, 1, 3}},
      {"same, odd one behind",
       {1, 2, 9, 8},
       {4, 2, 3, 3},
       {w::AttrText("auto_pad", "SAME_UPPER"), w::AttrInts("strides", {2, 2})},
       "[1, 4, 5, 4]",
       {1, 1, 0, 1}},
      {"same, odd one before",
       {1, 2, 9, 8},
       {4, 2, 3, 3},
       {w::AttrText("auto_pad", "SAME_LOWER"), w::AttrInts("strides", {2, 2})},
       "[1, 4, 5, 4]",
       {1, 1, 1, 0}},
      {"one dimension", {1, 2, 9}, {4, 2, 3}, {w::AttrInts("pads", {1, 1})}, "[1, 4, 9]", {0, 0, 1, 1}},
      {"groups", {1, 2, 9, 9}, {4, 1, 3, 3}, {w::AttrInt("group", 2)}, "[1, 4, 7, 7]", {0, 0, 0, 0}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.what);
    int64_t n = 1;
    for (int64_t d : c.kernel) n *= d;
    w::Graph g;
    g.inputs = {w::Value("x", w::kFloat, c.x)};
    g.outputs = {w::Bytes(1, "y")};
    g.initializers = {w::Floats("k", c.kernel, std::vector<float>(static_cast<size_t>(n), 1.0f))};
    g.nodes = {w::Node("Conv", {"x", "k"}, {"y"}, c.attrs, "conv")};
    GraphPtr graph = Import(g);
    EXPECT_EQ(OutputShape(graph), c.shape);
    for (Node *node : graph->Nodes()) {
      if (node->type().view() != "Conv2D") continue;
      EXPECT_EQ(node->Ints("pads"), c.pads);
    }
  }
}

TEST(OnnxImport, IfCapturesOuterValues) {
  w::Graph then_branch, else_branch, g;
  then_branch.nodes = {w::Node("Add", {"x", "shared"}, {"t"})};
  then_branch.outputs = {w::Value("t", w::kFloat, {3})};
  else_branch.nodes = {w::Node("Mul", {"late", "shared"}, {"e"})};
  else_branch.outputs = {w::Value("e", w::kFloat, {3})};
  g.inputs = {w::Value("c", w::kBool, {}), w::Value("x", w::kFloat, {3})};
  g.initializers = {w::Floats("shared", {3}, {1, 2, 3})};
  g.nodes = {w::Node("Neg", {"x"}, {"late"}), w::Node("If", {"c"}, {"y"},
                                                      {w::AttrGraph("then_branch", then_branch.Encode()),
                                                       w::AttrGraph("else_branch", else_branch.Encode())},
                                                      "choose")};
  g.outputs = {w::Value("y", w::kFloat, {3})};
  GraphPtr graph = Import(g);
  EXPECT_EQ(OutputShape(graph), "[3]");
  Node *node = graph->Find("choose");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->type().view(), "If");
  ASSERT_EQ(node->input_count(), 3u);  // the constant is copied into the branches
  EXPECT_EQ(node->input(1).node->name(), "x");
  EXPECT_EQ(node->input(2).node->OriginText(), "Neg:late");
  ASSERT_EQ(node->subgraphs().size(), 2u);
  EXPECT_EQ(node->subgraph(0)->Inputs().at(0)->Int("index"), 0);
  EXPECT_EQ(node->subgraph(1)->Inputs().at(0)->Int("index"), 1);
}

w::Graph LoopGraph(const std::vector<int64_t> &trips, bool scan, const std::string &condition) {
  w::Graph body, g;
  body.inputs = {w::Value("i", w::kInt64, {}), w::Value("go", w::kBool, {}), w::Value("v", w::kFloat, {3})};
  body.nodes = {w::Node("Identity", {"go"}, {"go_on"}), w::Node("Add", {"v", "step"}, {"v_next"}),
                w::Node("Neg", {"v"}, {"seen"})};
  body.outputs = {w::Value("go_on", w::kBool, {}), w::Value("v_next", w::kFloat, {3})};
  if (scan) body.outputs.push_back(w::Value("seen", w::kFloat, {3}));
  g.inputs = {w::Value("x", w::kFloat, {3}), w::Value("step", w::kFloat, {3})};
  g.initializers = {w::Tensor("trips", w::kInt64, {}, w::Raw(trips))};
  w::Names out = {"y"};
  g.outputs = {w::Value("y", w::kFloat, {3})};
  if (scan) {
    out.push_back("all");
    g.outputs.push_back(w::Bytes(1, "all"));
  }
  g.nodes = {w::Node("Loop", {"trips", condition, "x"}, out, {w::AttrGraph("body", body.Encode())}, "loop")};
  return g;
}

TEST(OnnxImport, LoopBecomesWhile) {
  GraphPtr graph = Import(LoopGraph({5}, false, ""));
  EXPECT_EQ(OutputShape(graph), "[3]");
  Node *loop = graph->Find("loop");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->type().view(), "While");
  EXPECT_EQ(loop->input_count(), 5u);  // iteration, trips, condition, x, step
  EXPECT_EQ(loop->output_count(), 5u);
}

TEST(OnnxImport, LoopThatCollectsIsWrittenOut) {
  GraphPtr graph = Import(LoopGraph({4}, true, ""));
  InferGraph(*graph);
  std::vector<Endpoint> outputs = graph->Outputs();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].node->output_desc(0).shape, Shape{3});
  EXPECT_EQ(outputs[1].node->output_desc(0).shape, (Shape{4, 3}));
  std::vector<std::string> types = Types(*graph);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Add"), 4);
  EXPECT_EQ(std::count(types.begin(), types.end(), "While"), 0);
}

std::string Function(const std::string &name, const w::Names &in, const w::Names &out, const w::Names &attrs,
                     const w::Names &nodes) {
  std::string f = w::Bytes(1, name);
  for (const auto &n : in) f += w::Bytes(4, n);
  for (const auto &n : out) f += w::Bytes(5, n);
  for (const auto &n : attrs) f += w::Bytes(6, n);
  for (const auto &n : nodes) f += w::Bytes(7, n);
  return f + w::Bytes(9, w::Opset(17)) + w::Bytes(10, "mine");
}

TEST(OnnxImport, FunctionsAreWrittenOut) {
  w::Graph g = w::ReluGraph();
  g.nodes = {w::Node("Twice", {"x"}, {"y"}, {w::AttrFloat("slope", 0.25f)}, "call", "mine")};
  std::string inner = Function("Twice", {"a"}, {"c"}, {"slope"},
                               {w::Node("LeakyRelu", {"a"}, {"b"}, {w::AttrRef("alpha", 1, "slope")}, "first"),
                                w::Node("Neg", {"b"}, {"c"}, {}, "second")});
  GraphPtr graph = Import(w::Model(g, 17, w::Bytes(8, w::Opset(1, "mine")) + w::Bytes(25, inner)));
  EXPECT_EQ(Types(*graph), (std::vector<std::string>{"Data", "LeakyRelu", "Neg", "NetOutput"}));
  Node *first = graph->Find("call/first");
  ASSERT_NE(first, nullptr);
  EXPECT_FLOAT_EQ(first->Float("negative_slope"), 0.25f);
}

TEST(OnnxImport, DescribeListsOperatorsInOrder) {
  std::string text = onnx::DescribeOperators();
  EXPECT_NE(text.find(":Conv 1\n"), std::string::npos);
  EXPECT_NE(text.find(":Softmax 1\n:Softmax 13\n"), std::string::npos);
  EXPECT_NE(text.find("com.microsoft:Gelu 1\n"), std::string::npos);
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 150);
}

}  // namespace
