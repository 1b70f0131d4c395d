#include "runtime/flow/graph_work.h"

#include "core/support/context.h"
#include "runtime/new_outputs.h"

namespace gec {
namespace {

// Raw data is what the model's input says it is, where the sizes agree.
GeTensorData InputOf(const FlowMessage &message, const ModelPort &port) {
  if (!message.tensor) Fail(GE_DATA_MISMATCH, "input '", port.name, "' got a message without data");
  GeTensorData data = message.tensor->View();
  if (message.type != GE_FLOW_RAW) return data;
  if (!port.desc.known() || port.desc.bytes() != data.size)
    Fail(GE_DATA_MISMATCH, "input '", port.name, "' got ", data.size, " raw bytes, expected a tensor of shape ",
         port.desc.shape.str());
  GeTensorData said = port.desc.View();
  said.data = data.data;
  said.size = data.size;
  return said;
}

}  // namespace

std::shared_ptr<FlowModel> FlowModel::Compile(const Graph &graph, const Options &options, const FlowConfig &config) {
  const GraphPtr copy = graph.Clone();
  const std::vector<Node *> inputs = copy->Inputs();
  if (!config.inputs.empty() && config.inputs.size() != inputs.size())
    Fail(GE_GRAPH_INVALID, "inputs_tensor_desc has ", config.inputs.size(), " entries, graph '", copy->name(), "' has ",
         inputs.size(), " inputs");
  for (size_t i = 0; i < config.inputs.size(); ++i) copy->SetOutputDesc(inputs[i], 0, config.inputs[i]);
  Options all = options;
  all.Merge(config.options);
  ContextScope scope("compiling graph", copy->name());
  return std::make_shared<FlowModel>(Model::Compile(*copy, all));
}

std::vector<FlowMessage> FlowModel::Call(std::vector<FlowMessage> inputs, int32_t) {
  if (inputs.size() != input_count())
    Fail(GE_DATA_MISMATCH, "the graph has ", input_count(), " inputs, ", inputs.size(), " were given");
  // Inputs that the graph writes back are copied first, because messages are shared.
  for (const VariableBinding::Ref &ref : model_->bound().refs) {
    TensorPtr &given = inputs[ref.input].tensor;
    if (given) given = std::make_shared<Tensor>(given->desc, Buffer::Copy(given->data(), given->bytes()));
  }
  std::vector<GeTensorData> in;
  for (size_t i = 0; i < inputs.size(); ++i) in.push_back(InputOf(inputs[i], model_->inputs()[i]));
  std::unique_ptr<RunContext> context;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      context = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!context) context = std::make_unique<RunContext>(model_);
  std::vector<FlowMessage> outputs;
  const FlowMessage head = HeadOf(inputs);
  for (std::shared_ptr<Tensor> &tensor : RunToNewOutputs(*context, in.data(), in.size())) {
    outputs.push_back(head);
    outputs.back().tensor = std::move(tensor);
  }
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(context));
  return outputs;
}

void GraphWork::Run(FlowUnit &unit, std::vector<FlowMessage> inputs) {
  std::vector<FlowMessage> outputs = model_->Call(std::move(inputs), -1);
  for (size_t i = 0; i < outputs.size(); ++i) unit.Emit(i, std::move(outputs[i]));
}

}  // namespace gec
