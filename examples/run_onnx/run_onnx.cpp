// Parses an ONNX file into a ge::Graph and runs it in a GeSession; every input is fed with 0.5.
//   run_onnx MODEL.onnx
#include <iostream>
#include <vector>

#include "ge/ge_api.h"
#include "parser/onnx_parser.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: run_onnx MODEL.onnx\n";
    return 2;
  }
  ge::Graph graph;
  if (ge::aclgrphParseONNX(argv[1], {}, graph) != ge::GRAPH_SUCCESS) {
    std::cerr << ge::GEGetErrorMsg() << "\n";
    return 1;
  }
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  std::vector<ge::Tensor> inputs, outputs;
  for (const ge::GNode &node : graph.GetDirectNode()) {
    ge::AscendString type;
    (void)node.GetType(type);
    if (type != "Data") continue;
    ge::TensorDesc desc;
    (void)node.GetOutputDesc(0, desc);
    std::vector<float> values(static_cast<size_t>(desc.GetShape().GetShapeSize()), 0.5f);
    inputs.emplace_back(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float));
  }
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    if (session.AddGraph(1, graph) != ge::SUCCESS || session.RunGraph(1, inputs, outputs) != ge::SUCCESS) {
      std::cerr << ge::GEGetErrorMsg() << "\n";
      return 1;
    }
    for (const ge::Tensor &output : outputs) {
      const auto *values = reinterpret_cast<const float *>(output.GetData());
      for (size_t k = 0; k < 4 && k < output.GetSize() / sizeof(float); ++k) std::cout << values[k] << " ";
      std::cout << "\n";
    }
  }
  return ge::GEFinalize() == ge::SUCCESS ? 0 : 1;
}
