// A C++ program that has never heard of Python, by GE's C++ interface. Its arguments are steps, as those of steps.c:
// run (a session of its own), initialize, finalize, offline-initialize, offline-finalize, offline-build.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/ge_api.h"
#include "ge/ge_ir_build.h"

namespace {

using OptionMap = std::map<ge::AscendString, ge::AscendString>;
std::string seen;

class Look : public ge::fusion::FusionBasePass {
 public:
  ge::Status Run(ge::GraphPtr &graph, ge::CustomPassContext &) override {
    seen.clear();
    for (ge::GNode &node : graph->GetDirectNode()) {
      ge::AscendString type;
      (void)node.GetType(type);
      const std::string name = type.GetString();
      if (name != "Data" && name != "NetOutput" && name != "Const") seen += (seen.empty() ? "" : " ") + name;
    }
    return ge::NOT_CHANGED;
  }
};
REG_FUSION_PASS(Look).Stage(ge::CustomPassStage::kAfterInferShape);

auto Net() {
  ge::es::EsGraphBuilder b("net");
  auto x = b.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {2});
  return b.BuildAndReset({ge::es::Relu(ge::es::Abs(ge::es::Abs(x)) * b.CreateScalar(1.0f))});
}

std::string Said(bool is_done) { return is_done ? "ok" : ge::GEGetErrorMsg(); }

std::string Run() {
  seen.clear();
  ge::Session session(OptionMap{});
  const std::vector<float> in = {-3, 2};
  ge::Tensor tensor(ge::TensorDesc(ge::Shape({2}), ge::FORMAT_ND, ge::DT_FLOAT),
                    reinterpret_cast<const uint8_t *>(in.data()), 8);
  std::vector<ge::Tensor> outputs;
  if (session.AddGraph(1, *Net()) != ge::SUCCESS || session.RunGraph(1, {tensor}, outputs) != ge::SUCCESS)
    return "error: " + ge::GEGetErrorMsg();
  float out[2];
  std::memcpy(out, outputs.at(0).GetData(), sizeof out);
  return "types: " + seen + "; values: " + std::to_string(static_cast<int>(out[0])) + " " +
         std::to_string(static_cast<int>(out[1]));
}

std::string Build() {
  seen.clear();
  ge::ModelBufferData model;
  if (ge::aclgrphBuildModel(*Net(), OptionMap{}, model) != ge::GRAPH_SUCCESS) return "error: " + ge::GEGetErrorMsg();
  return "types: " + seen;
}

std::string Step(const std::string &step) {
  OptionMap none;
  if (step == "run") return Run();
  if (step == "initialize") return Said(ge::GEInitialize(none) == ge::SUCCESS);
  if (step == "finalize") return Said(ge::GEFinalize() == ge::SUCCESS);
  if (step == "offline-initialize") return Said(ge::aclgrphBuildInitialize(none) == ge::GRAPH_SUCCESS);
  if (step == "offline-build") return Build();
  if (step != "offline-finalize") return "unknown step";
  ge::aclgrphBuildFinalize();
  return "ok";
}

}  // namespace

int main(int count, char **words) {
  for (int i = 1; i < count; ++i) std::cout << Step(words[i]) << std::endl;
}
