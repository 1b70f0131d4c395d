// From a graph of FlowNodes to units and the queues between them. Flow graphs inside others become part of them.
#include <algorithm>
#include <map>

#include "core/support/context.h"
#include "runtime/flow/flow.h"
#include "runtime/flow/function.h"
#include "runtime/flow/function_work.h"
#include "runtime/flow/point.h"

namespace gec {
namespace {

using Sources = std::vector<FlowSource *>;

FlowAlignSpec AlignOf(const Graph &graph) {
  FlowAlignSpec align;
  align.most = graph.attrs().Int("_dflow_inputs_align_cache", 0);
  align.timeout = graph.attrs().Int("_dflow_inputs_align_timeout", -1);
  align.drop = graph.attrs().Bool("_dflow_inputs_align_drop", false);
  return align;
}

bool IsFlowGraph(const Graph &graph) { return graph.attrs().Bool("_dflow_is_flow_graph", false); }

class FlowBuilder {
 public:
  FlowBuilder(Flow &flow, const Options &options) : flow_(flow), options_(options) {}

  void Build(const Graph &graph) {
    Sources inputs;
    for (size_t i = 0; i < graph.Inputs().size(); ++i) inputs.push_back(flow_.NewInput());
    flow_.net.catches = graph.attrs().Bool("_dflow_exception_catch", false);
    align_ = AlignOf(graph);
    const Sources outputs = IsFlowGraph(graph) ? AddGraph(graph, "", inputs) : AddModel(graph, inputs);
    for (FlowSource *output : outputs) flow_.AddOutput(output);
    if (inputs.empty() || outputs.empty())
      Fail(GE_GRAPH_INVALID, "data-flow graph '", graph.name(), "' has ", inputs.size(), " inputs and ", outputs.size(),
           " outputs, expected one of each at least");
  }

 private:
  // The connections of a node's process point.
  struct Wired {
    std::vector<FlowUnitInput> inputs;
    size_t output_count = 0;
  };

  Sources AddModel(const Graph &graph, const Sources &inputs) {
    const auto model = FlowModel::Compile(graph, options_, {});
    return AddUnit("graph '" + graph.name() + "'", InputsOf(inputs), model->output_count(),
                   std::make_unique<GraphWork>(model));
  }

  static std::vector<FlowUnitInput> InputsOf(const Sources &sources) {
    std::vector<FlowUnitInput> inputs;
    for (FlowSource *source : sources) inputs.push_back({source, {}});
    return inputs;
  }

  Sources AddUnit(const std::string &label, const std::vector<FlowUnitInput> &inputs, size_t output_count,
                  std::unique_ptr<FlowWork> work) {
    Sources outputs;
    for (size_t i = 0; i < output_count; ++i) outputs.push_back(flow_.NewSource());
    flow_.AddUnit(std::make_unique<FlowUnit>(flow_.net, label, inputs, align_, outputs, std::move(work)));
    return outputs;
  }

  // Outputs of a flow graph whose inputs are the sources.
  Sources AddGraph(const Graph &graph, const std::string &path, const Sources &inputs) {
    std::map<std::pair<const Node *, int32_t>, FlowSource *> sources;
    const std::vector<Node *> data = graph.Inputs();
    if (data.size() != inputs.size())
      Fail(GE_GRAPH_INVALID, "data-flow graph '", graph.name(), "' has ", data.size(), " inputs, ", inputs.size(),
           " come to it");
    for (size_t i = 0; i < data.size(); ++i) sources[{data[i], 0}] = inputs[i];
    for (const Node *node : graph.TopologicalOrder()) {
      if (IsDataType(node->type()) || node->type().view() == "NetOutput") continue;
      if (node->type().view() != "FlowNode")
        Fail(GE_UNSUPPORTED, node->Label(),
             " is neither FlowData nor FlowNode: it cannot be part of a data-flow graph");
      std::vector<FlowUnitInput> wires;
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Endpoint from = node->input(i);
        if (!from) Fail(GE_GRAPH_INVALID, node->Label(), ": input ", i, " is not connected");
        wires.push_back({Known(sources, from), FlowBatchOf(*node, i)});
      }
      const ContextScope scope("FlowNode", node->name());
      const Sources made = AddNode(*node, path + node->name(), wires);
      for (size_t i = 0; i < made.size(); ++i) sources[{node, static_cast<int32_t>(i)}] = made[i];
    }
    Sources outputs;
    for (const Endpoint from : graph.Outputs()) outputs.push_back(Known(sources, from));
    return outputs;
  }

  static FlowSource *Known(const std::map<std::pair<const Node *, int32_t>, FlowSource *> &sources, Endpoint from) {
    auto at = sources.find({from.node, from.port});
    if (at == sources.end() || at->second == nullptr)
      Fail(GE_GRAPH_INVALID, from.node->Label(), ": no process point is mapped to output ", from.port);
    return at->second;
  }

  Sources AddNode(const Node &node, const std::string &path, const std::vector<FlowUnitInput> &inputs) {
    if (inputs.empty()) Fail(GE_GRAPH_INVALID, "it has no inputs");
    Sources outputs(node.output_count(), nullptr);
    for (const FlowPoint &point : FlowPointsOf(node)) {
      const ContextScope scope("process point", point.name);
      const std::vector<FlowUnitInput> wires = Map(point, inputs);
      size_t count = point.outputs.empty() ? outputs.size() : 0;
      for (const auto &[port, own] : point.outputs) count = std::max<size_t>(count, own + 1);
      const Sources made = AddPoint(node, point, path, wires, count);
      auto connect = [&](size_t port, size_t own) {
        if (own >= made.size())
          Fail(GE_GRAPH_INVALID, "output ", port, " is mapped to output ", own, " of the process point, it has ",
               made.size());
        if (outputs[port] != nullptr) Fail(GE_GRAPH_INVALID, "output ", port, " has two sources");
        outputs[port] = made[own];
      };
      for (const auto &[port, own] : point.outputs) connect(port, own);
      if (!point.outputs.empty()) continue;
      for (size_t i = 0; i < outputs.size(); ++i) connect(i, i);
    }
    return outputs;
  }

  static std::vector<FlowUnitInput> Map(const FlowPoint &point, const std::vector<FlowUnitInput> &inputs) {
    if (point.inputs.empty()) return inputs;
    std::vector<FlowUnitInput> wires;
    for (const auto &[port, own] : point.inputs) {
      if (own >= inputs.size() + point.inputs.size())
        Fail(GE_GRAPH_INVALID, "there is no input ", own, ", ", point.inputs.size(), " are mapped");
      if (wires.size() <= own) wires.resize(own + 1, FlowUnitInput{nullptr, {}});
      if (wires[own].source != nullptr) Fail(GE_GRAPH_INVALID, "input ", own, " has two sources");
      wires[own] = inputs.at(port);
    }
    for (size_t i = 0; i < wires.size(); ++i)
      if (wires[i].source == nullptr) Fail(GE_GRAPH_INVALID, "nothing is mapped to input ", i);
    return wires;
  }

  static const Graph &SubgraphOf(const Node &node, const FlowPoint &point, const std::string &key) {
    for (const auto &[its_key, name] : point.subgraphs) {
      if (its_key != key) continue;
      for (size_t i = 0; i < node.subgraphs().size(); ++i)
        if (node.subgraphs()[i].ir_name.view() == name && node.subgraph(i) != nullptr) return *node.subgraph(i);
    }
    Fail(GE_GRAPH_INVALID, key.empty() ? "it has no graph" : "closure '" + key + "' has no graph");
  }

  Sources AddPoint(const Node &node, const FlowPoint &point, const std::string &path,
                   const std::vector<FlowUnitInput> &inputs, size_t output_count) {
    const std::string label = "FlowNode '" + path + "', process point '" + point.name + "'";
    const FlowConfig config = ReadFlowConfig(point.config);
    if (point.kind == FlowPoint::kFunction) return AddFunctions(node, point, config, label, inputs, output_count);
    const Graph &graph = SubgraphOf(node, point, "");
    if (point.kind == FlowPoint::kFlowGraph) {
      Sources sources;
      for (const FlowUnitInput &input : inputs) {
        if (input.batch.kind != FlowBatchSpec::kNone)
          Fail(GE_UNSUPPORTED, "messages for a data-flow graph inside another are not put together to batches");
        sources.push_back(input.source);
      }
      return AddGraph(graph, path + "/", sources);
    }
    const auto model = FlowModel::Compile(graph, options_, config);
    if (model->input_count() != inputs.size())
      Fail(GE_GRAPH_INVALID, "its graph has ", model->input_count(), " inputs, ", inputs.size(), " come to it");
    return AddUnit(label, inputs, model->output_count(), std::make_unique<GraphWork>(model));
  }

  std::shared_ptr<FlowCallable> Callable(const Graph &graph, const FlowPoint::Closure &closure) {
    if (closure.kind == FlowPoint::kFunction)
      Fail(GE_UNSUPPORTED, "closure '", closure.key, "' is a function: functions can call graphs and data-flow graphs");
    const ContextScope scope("closure", closure.key);
    const FlowConfig config = ReadFlowConfig(closure.config);
    std::shared_ptr<FlowCallable> callable;
    if (closure.kind == FlowPoint::kFlowGraph) {
      Options all = options_;
      all.Merge(config.options);
      // A graph of its own: what it calls comes along.
      callable = std::make_shared<CalledFlow>(Flow::Create(*graph.Clone(), all));
    } else {
      callable = FlowModel::Compile(graph, options_, config);
    }
    flow_.AddCallable(callable);
    return callable;
  }

  Sources AddFunctions(const Node &node, const FlowPoint &point, const FlowConfig &config, const std::string &label,
                       const std::vector<FlowUnitInput> &inputs, size_t output_count) {
    auto check = [](const char *what, int64_t said, size_t count) {
      if (said >= 0 && static_cast<size_t>(said) != count)
        Fail(GE_GRAPH_INVALID, what, " is ", said, ", the node connects ", count);
    };
    check("input_num", config.input_num, inputs.size());
    check("output_num", config.output_num, output_count);
    auto state = std::make_shared<FlowPointState>();
    state->name = point.name;
    state->params = point.params;
    state->input_count = inputs.size();
    state->output_count = output_count;
    state->work_path = config.library.substr(0, config.library.find_last_of('/') + 1);
    if (state->work_path.size() > 1) state->work_path.pop_back();
    for (const FlowPoint::Closure &closure : point.closures)
      state->callables[closure.key] = Callable(SubgraphOf(node, point, closure.key), closure);
    if (!config.library.empty()) FlowFunctions::Instance().Load(config.library);
    std::vector<FlowConfig::Function> functions = config.functions;
    if (functions.empty()) functions.push_back({point.name, {}, {}, false});
    Sources outputs;
    for (size_t i = 0; i < output_count; ++i) outputs.push_back(flow_.NewSource());
    for (const FlowConfig::Function &function : functions) AddFunction(function, config, state, label, inputs, outputs);
    return outputs;
  }

  void AddFunction(const FlowConfig::Function &spec, const FlowConfig &config,
                   const std::shared_ptr<FlowPointState> &state, const std::string &label,
                   const std::vector<FlowUnitInput> &inputs, const Sources &outputs) {
    const ContextScope scope("function", spec.name);
    const FlowFunctionPtr function = FlowFunctions::Instance().Find(config.library, spec.name);
    const bool streams = config.functions.empty() ? function->streams() : spec.streams;
    const std::vector<uint32_t> ports = spec.inputs.empty() ? Flow::All(inputs.size()) : spec.inputs;
    std::vector<FlowUnitInput> wires;
    for (const uint32_t port : ports) {
      if (port >= inputs.size()) Fail(GE_GRAPH_INVALID, "inputs_index has ", port, ", there are ", inputs.size());
      wires.push_back(inputs[port]);
      if (streams && inputs[port].batch.kind != FlowBatchSpec::kNone)
        Fail(GE_UNSUPPORTED, "messages for a function that takes queues are not put together to batches");
    }
    for (const uint32_t port : spec.outputs)
      if (port >= outputs.size()) Fail(GE_GRAPH_INVALID, "outputs_index has ", port, ", there are ", outputs.size());
    auto work = std::make_unique<FunctionWork>(state, function, ports, spec.outputs, streams);
    flow_.AddUnit(std::make_unique<FlowUnit>(flow_.net, label + ", function '" + spec.name + "'", wires, align_,
                                             outputs, std::move(work)));
  }

  Flow &flow_;
  const Options &options_;
  FlowAlignSpec align_;
};

}  // namespace

std::unique_ptr<Flow> Flow::Create(const Graph &graph, const Options &options) {
  const GraphPtr own = graph.Clone();
  own->Verify();
  auto flow = std::make_unique<Flow>();
  FlowBuilder(*flow, options).Build(*own);
  for (auto &unit : flow->units_) unit->Start();
  return flow;
}

}  // namespace gec
