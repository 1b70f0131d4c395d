// A front-end plug-in: what stands for an operator of an ONNX model. Here ONNX's own Relu of operator set 17 becomes a
// LeakyRelu; an operator of a domain of your own is registered the same way ("my.domain::1::MyRelu"). A library below
// <folder on ASCEND_CUSTOM_OPP_PATH>/framework/onnx may hold the registration, too: then every program that imports
// finds it.
//   c++ -std=c++17 write_a_plugin.cpp -lge
#include <cstdio>
#include <map>

#include "ge/ge_api.h"
#include "parser/onnx_parser.h"
#include "register/register.h"

// The attributes of the model's node are those of `node`.
static domi::Status ParseRelu(const ge::Operator &node, ge::Operator &op) {
  float slope = 0.1f;
  (void)node.GetAttr("slope", slope);
  op.SetAttr("negative_slope", slope);
  return domi::SUCCESS;
}
REGISTER_CUSTOM_OP("LeakyRelu")
    .FrameworkType(domi::ONNX)
    .OriginOpType("ai.onnx::17::Relu")
    .ParseParamsByOperatorFn(ParseRelu);

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  ge::Graph graph("model");
  if (ge::aclgrphParseONNX(argv[1], {}, graph) != ge::GRAPH_SUCCESS) {
    std::fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  for (const ge::GNode &node : graph.GetDirectNode()) {
    ge::AscendString type;
    if (node.GetType(type) == ge::GRAPH_SUCCESS) std::printf("%s ", type.GetString());
  }
  std::printf("\n");
  return 0;
}
