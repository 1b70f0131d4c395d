// Small ONNX models whose operators come from front-end plug-ins, and what running them gives.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ge/ge_api.h"
#include "parser/onnx_parser.h"
#include "tests/parsers/onnx_writer.h"

namespace plugin_models {

namespace w = onnx_writer;
using Values = std::vector<float>;

/// The operator set "my.domain", version 1, beside ONNX's.
inline std::string File(const w::Graph &graph, int64_t opset = 17, const std::string &more = "") {
  return w::Model(graph, opset, w::Bytes(8, w::Opset(1, "my.domain")) + more);
}

/// Float inputs of shape [size]; one node, named "node".
inline w::Graph OneNode(const std::string &type, const w::Names &inputs, const w::Names &attrs = {},
                        const std::string &domain = "my.domain", int64_t size = 2) {
  w::Graph g;
  for (const std::string &name : inputs)
    if (!name.empty()) g.inputs.push_back(w::Value(name, w::kFloat, {size}));
  g.outputs = {w::Value("y", w::kFloat, {size})};
  g.nodes = {w::Node(type, inputs, {"y"}, attrs, "node", domain)};
  return g;
}

inline ge::graphStatus Parse(const std::string &model, ge::Graph &graph) {
  return ge::aclgrphParseONNXFromMem(model.data(), model.size(), {}, graph);
}

/// The last error of an import that has to fail.
inline std::string Problem(const std::string &model) {
  ge::Graph graph("g");
  EXPECT_NE(Parse(model, graph), ge::GRAPH_SUCCESS);
  return GeLastErrorMessage();
}

inline ge::Tensor Floats(const Values &values) {
  const ge::TensorDesc desc(ge::Shape({static_cast<int64_t>(values.size())}), ge::FORMAT_ND, ge::DT_FLOAT);
  return ge::Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
}

inline Values Fed(const std::string &model, const std::vector<ge::Tensor> &inputs) {
  ge::Graph graph("g");
  EXPECT_EQ(Parse(model, graph), ge::GRAPH_SUCCESS) << GeLastErrorMessage();
  if (::testing::Test::HasFailure()) return {};
  ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
  std::vector<ge::Tensor> outputs;
  EXPECT_EQ(session.AddGraph(0, graph), ge::SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(session.RunGraph(0, inputs, outputs), ge::SUCCESS) << GeLastErrorMessage();
  if (outputs.empty()) return {};
  const auto *data = reinterpret_cast<const float *>(outputs[0].GetData());
  return Values(data, data + outputs[0].GetSize() / sizeof(float));
}
inline Values Results(const std::string &model, const std::vector<Values> &inputs) {
  std::vector<ge::Tensor> tensors;
  for (const Values &values : inputs) tensors.push_back(Floats(values));
  return Fed(model, tensors);
}

class Plugins : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}), 0u); }
  static void TearDownTestSuite() { ge::GEFinalize(); }
};

/// What the log says while it lives.
class LogText {
 public:
  LogText() {
    GeSetLogCallback([](void *user, int32_t, const char *text) { *static_cast<std::string *>(user) += text; }, &text_,
                     GE_LOG_WARNING);
  }
  ~LogText() { GeSetLogCallback(nullptr, nullptr, GE_LOG_WARNING); }
  const std::string &text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace plugin_models
