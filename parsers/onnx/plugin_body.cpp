#include "parsers/onnx/plugin_body.h"

#include <algorithm>
#include <unordered_set>

#include "core/support/error.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

/// Inputs of the operator in front of its dynamic one, which is what its subgraphs are fed by.
size_t FirstArgument(const Node &made) {
  size_t ports = 0;
  for (const IrPort &port : made.ir().inputs) {
    if (port.kind == GE_IR_DYNAMIC) return ports;
    ++ports;
  }
  return ports;
}

}  // namespace

void PluginBodies::Import(std::vector<Endpoint> &inputs) {
  std::unordered_set<std::string> there;
  for (const SubgraphRef &ref : made_.subgraphs()) there.insert(ref.ir_name.str());
  const size_t first = FirstArgument(made_);
  for (const IrGraph &graph : made_.ir().graphs) {
    if (graph.kind != GE_IR_REQUIRED || there.count(graph.name.str())) continue;
    const std::string name = graph.name.str();
    Onnx__AttributeProto *attr = c_.Attr(name.c_str());
    if (!attr || !attr->g) continue;
    if (inputs.size() < first)
      c_.Refuse(Reason::kPlugin,
                Str("the node has ", inputs.size(), " inputs, '", made_.type().view(), "' takes at least ", first));
    bodies_.push_back({graph.name, ImportOne(graph.name, attr->g, first, inputs)});
  }
}

GraphPtr PluginBodies::ImportOne(Symbol ir_name, Onnx__GraphProto *proto, size_t first, std::vector<Endpoint> &inputs) {
  Importer &importer = c_.importer();
  const std::string name = c_.name() + "/" + ir_name.str();
  if (c_.scope().depth + 1 > kMaxGraphDepth)
    c_.Refuse(Reason::kLimit, Str("graphs are nested deeper than ", kMaxGraphDepth, " levels"));
  GraphPtr graph = Graph::Create(importer.SubgraphName(name));
  importer.root()->AddSubgraph(graph);
  Scope scope;
  scope.graph = graph.get();
  scope.outer = &c_.scope();
  scope.call = c_.scope().call;
  scope.opsets = c_.scope().opsets;
  scope.depth = c_.scope().depth + 1;
  int64_t index = 0;
  for (size_t i = 0; i < proto->n_input; ++i) {
    const std::string input = proto->input[i]->name ? proto->input[i]->name : "";
    scope.values[input] = {importer.AddData(scope, input, index++, proto->input[i]->type), 0};
  }
  importer.ImportBody(scope, proto);
  const std::vector<Endpoint> outputs = importer.TensorOutputs(scope, proto, Str("'", name, "'"));
  if (outputs.size() != proto->n_output) c_.Refuse(Reason::kInvalidModel, Str("'", ir_name.view(), "' is incomplete"));
  for (const Capture &capture : scope.captures) {
    auto known = std::find_if(captured_.begin(), captured_.end(),
                              [&](const auto &other) { return other.first == capture.outer; });
    if (known == captured_.end()) {
      known = captured_.insert(captured_.end(), {capture.outer, static_cast<int64_t>(inputs.size() - first)});
      inputs.push_back(capture.outer);
    }
    graph->SetAttr(capture.data, "index", known->second);
  }
  importer.AddNetOutput(*graph, outputs);
  Finish(ir_name.str(), *graph, static_cast<int64_t>(first));
  return graph;
}

/// Lets the plug-in say which input and output of the operator those of the subgraph are.
void PluginBodies::Finish(const std::string &name, Graph &graph, int64_t first) {
  try {
    plugin_.FinishSubgraph(name, graph);
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    c_.Refuse(Reason::kPlugin, Str("subgraph '", name, "': ", e.what()));
  }
  static const Symbol index("index"), parent_index("_parent_node_index");
  for (Node *data : graph.Inputs()) {
    const AttrValue *parent = data->attrs().Find(parent_index);
    if (!parent) continue;
    const int64_t input = IntOf(parent, -1);
    if (input < first)
      c_.Refuse(Reason::kPlugin, Str("subgraph '", name, "': its plug-in feeds ", data->Label(), " by input ", input,
                                     " of '", made_.type().view(), "', expected ", first, " or more"));
    graph.SetAttr(data, index, input - first);
  }
  Node *net = graph.NetOutput();
  if (!net) return;
  std::vector<Endpoint> ordered(net->input_count());
  bool moved = false;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const TensorDesc *desc = net->explicit_input_desc(i);
    const AttrValue *parent = desc && desc->attrs ? desc->attrs->Find(parent_index) : nullptr;
    const int64_t output = parent ? IntOf(parent, -1) : static_cast<int64_t>(i);
    if (output < 0 || static_cast<size_t>(output) >= ordered.size() || ordered[static_cast<size_t>(output)])
      c_.Refuse(Reason::kPlugin, Str("subgraph '", name, "': its plug-in makes output ", i, " output ", output, " of '",
                                     made_.type().view(), "', expected each of 0 to ", ordered.size() - 1, " once"));
    ordered[static_cast<size_t>(output)] = net->input(i);
    moved |= static_cast<size_t>(output) != i;
  }
  for (size_t i = 0; moved && i < ordered.size(); ++i) graph.Reconnect(ordered[i], net, static_cast<int32_t>(i));
}

void PluginBodies::Attach(Node &node) {
  for (Body &body : bodies_) c_.scope().graph->AttachSubgraph(&node, body.ir_name, body.graph);
}

}  // namespace gec::onnx
