// Front-end plug-ins as tables of C functions: what the importer hands over, and what it refuses.
#include <gtest/gtest.h>

#include "ge/model.h"
#include "ge/parser_plugin.h"
#include "tests/parsers/onnx_writer.h"

namespace {

namespace w = onnx_writer;

std::string File(const w::Names &attrs, const std::string &type = "Half") {
  w::Graph g = w::ReluGraph();
  g.nodes = {w::Node(type, {"x", "", "x"}, {"y", "second"}, attrs, "", "my.domain")};
  return w::Model(g, 17, w::Bytes(8, w::Opset(1, "my.domain")));
}
std::string Import(const std::string &model) {
  GeGraph *graph = nullptr;
  std::string report;
  const GeStatus status = GeOnnxImportBuffer(
      model.data(), model.size(), nullptr,
      [](void *user, const char *text, size_t size) { static_cast<std::string *>(user)->append(text, size); }, &report,
      &graph);
  GeGraphDestroy(graph);
  return status == GE_SUCCESS ? "" : report;
}
GeStatus AddRelu(GeGraph *graph, GeNode **made) {
  GeNodeSpec spec{};
  spec.struct_size = sizeof spec;
  spec.type = "Relu";
  spec.name = "made";
  return GeGraphAddNode(graph, &spec, made);
}

class PluginTable : public ::testing::Test {
 protected:
  void Register() {
    static const char *const keys[] = {"my.domain::1::Half"};
    table_.struct_size = sizeof table_;
    table_.framework = GE_FRAMEWORK_ONNX;
    table_.type = "Relu";
    table_.origin_types = keys;
    table_.origin_type_count = 1;
    table_.user = this;
    table_.destroy = [](void *user) { ++static_cast<PluginTable *>(user)->destroyed_; };
    status_ = GeParserPluginRegister(&table_, &token_);
  }
  void TearDown() override {
    GeParserPluginUnregister(token_);
    EXPECT_EQ(destroyed_, 1);
  }
  GeParserPlugin table_{};
  GeStatus status_ = GE_SUCCESS;
  uint64_t token_ = 0;
  int destroyed_ = 0;

 public:  // the callbacks'
  std::string seen_;
  GeGraph *other_ = nullptr;
};

TEST_F(PluginTable, SeesTheNodeAsTheFileHasIt) {
  table_.parse = [](void *user, const GeFrontNode *node, GeGraph *graph, GeNode **made) {
    std::string &seen = static_cast<PluginTable *>(user)->seen_;
    seen = std::string(node->origin_type) + " " + node->name + " in";
    for (size_t i = 0; i < node->input_count; ++i) seen += std::string(" '") + node->inputs[i] + "'";
    seen += " out";
    for (size_t i = 0; i < node->output_count; ++i) seen += std::string(" '") + node->outputs[i] + "'";
    for (size_t i = 0; i < node->attr_count; ++i) {
      const GeAttrData &attr = node->attrs[i];
      seen += std::string(" ") + attr.name + ":" + std::to_string(attr.type);
      if (attr.type == C_VT_TENSOR) seen += "=" + std::to_string(static_cast<const float *>(attr.tensor->data)[1]);
      if (attr.type == C_VT_LIST_INT) seen += "=" + std::to_string(static_cast<const int64_t *>(attr.list)[1]);
    }
    seen += " " + std::string(static_cast<const char *>(node->message), node->message_size);
    return AddRelu(graph, made);
  };
  static const int32_t order[] = {0, 2, 1};
  const GeInputEdit edits[] = {{GE_INPUT_REORDER, 0, nullptr, 0, 0, order, 3},
                               {GE_INPUT_DROP_IF_TYPE, 1, "my.domain::1::Half", 0, 0, nullptr, 0},
                               {GE_INPUT_DROP_IF_TYPE, 1, "my.domain::1::Half", 0, 0, nullptr, 0}};
  table_.edits = edits;
  table_.edit_count = 3;
  Register();
  ASSERT_EQ(status_, GE_SUCCESS) << GeLastErrorMessage();
  const std::string attrs[] = {w::AttrInts("list", {4, 5}), w::AttrTensor("t", w::Floats("v", {2}, {1, 0.5f})),
                               w::AttrGraph("g", w::Graph().Encode())};
  const std::string report = Import(File({attrs[0], attrs[1], attrs[2]}));
  // Relu has one output only.
  EXPECT_NE(report.find("the node has 2 outputs, 'Relu' as its plug-in made it has 1"), std::string::npos) << report;
  EXPECT_NE(report.find("\"reason\": \"plugin\""), std::string::npos) << report;
  std::string message;
  for (const char *name : {"x", "", "x"}) message += w::Bytes(1, name);
  for (const char *name : {"y", "second"}) message += w::Bytes(2, name);
  message += w::Bytes(4, "my.domain::1::Half");
  for (const std::string &attr : attrs) message += w::Bytes(5, attr);
  message += w::Bytes(7, "my.domain");
  EXPECT_EQ(seen_, "my.domain::1::Half Half:y in 'x' '' 'x' out 'y' 'second' list:" + std::to_string(C_VT_LIST_INT) +
                       "=5 t:" + std::to_string(C_VT_TENSOR) + "=0.500000 " + message);
}

TEST_F(PluginTable, ANodeOfAnotherGraphIsRefused) {
  ASSERT_EQ(GeGraphCreate("other", &other_), GE_SUCCESS);
  table_.parse = [](void *user, const GeFrontNode *, GeGraph *, GeNode **made) {
    return AddRelu(static_cast<PluginTable *>(user)->other_, made);
  };
  Register();
  const std::string report = Import(File({}));
  EXPECT_NE(report.find("made a node of another graph"), std::string::npos) << report;
  GeGraphDestroy(other_);
}

TEST_F(PluginTable, NoNodeIsRefused) {
  table_.parse = [](void *, const GeFrontNode *, GeGraph *, GeNode **) { return GE_SUCCESS; };
  Register();
  const std::string report = Import(File({}));
  EXPECT_NE(report.find("made no node"), std::string::npos) << report;
}

TEST_F(PluginTable, ItsReasonIsTold) {
  table_.parse = [](void *, const GeFrontNode *, GeGraph *, GeNode **) {
    return GeSetLastError(GE_UNSUPPORTED, "alpha is too large");
  };
  Register();
  const std::string report = Import(File({}));
  EXPECT_NE(report.find("returned GE_UNSUPPORTED"), std::string::npos) << report;
  EXPECT_NE(report.find("alpha is too large"), std::string::npos) << report;
  EXPECT_NE(Import(File({}, "Quarter")).find("unknown operator 'my.domain:Quarter'"), std::string::npos);
}

TEST_F(PluginTable, EditsOfUnknownKindsAreRefused) {
  table_.parse = [](void *, const GeFrontNode *, GeGraph *, GeNode **) { return GE_SUCCESS; };
  const GeInputEdit edit = {3, 0, "name", 0, 0, nullptr, 0};
  table_.edits = &edit;
  table_.edit_count = 1;
  Register();
  EXPECT_EQ(status_, GE_PARAM_INVALID);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("kind of edit 0 is 3"), std::string::npos) << GeLastErrorMessage();
  EXPECT_EQ(token_, 0u);
}

}  // namespace
