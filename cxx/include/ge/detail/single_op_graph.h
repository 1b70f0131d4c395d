// A graph of one operator, from descriptions of what goes in and out.
#ifndef INC_GE_DETAIL_SINGLE_OP_GRAPH_H_
#define INC_GE_DETAIL_SINGLE_OP_GRAPH_H_

#include <string>
#include <utility>
#include <vector>

#include "ge/op.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"

namespace ge {
namespace detail {

/// Ports of each port of a prototype when `count` of them are wanted: a dynamic one takes the surplus, optional ones at
/// the end go first. False when no distribution fits.
inline bool DistributePorts(const GeIrPort *ports, size_t total, size_t count, std::vector<size_t> &counts) {
  counts.assign(total, 1);
  size_t sum = total, dynamic = total;
  for (size_t i = 0; i < total; ++i) {
    if (ports[i].kind != GE_IR_DYNAMIC) continue;
    if (dynamic != total) return false;  // two: nobody says what belongs to which
    dynamic = i;
    counts[i] = 0;
    --sum;
  }
  for (size_t i = total; i > 0 && sum > count && ports[i - 1].kind != GE_IR_REQUIRED; --i) {
    if (counts[i - 1] == 0) continue;
    counts[i - 1] = 0;
    --sum;
  }
  if (sum < count && dynamic != total) {
    counts[dynamic] = count - sum;
    sum = count;
  }
  return sum == count;
}

inline graphStatus SingleOpGraph(const char_t *type, const std::vector<TensorDesc> &inputs,
                                 const std::vector<TensorDesc> &outputs, Graph &graph) {
  const GeOpSchema *schema = nullptr;
  if (GeOpFind(type, &schema) != GE_SUCCESS) return GRAPH_FAILED;
  std::vector<size_t> in, out;
  if (!DistributePorts(schema->inputs, schema->input_count, inputs.size(), in) ||
      !DistributePorts(schema->outputs, schema->output_count, outputs.size(), out)) {
    const std::string text = std::string(type) + ": " + std::to_string(inputs.size()) + " descriptions of inputs and " +
                             std::to_string(outputs.size()) + " of outputs do not fit its prototype";
    (void)GeSetLastError(GE_PARAM_INVALID, text.c_str());
    return GRAPH_PARAM_INVALID;
  }
  std::vector<int32_t> dynamic_in, dynamic_out;
  for (size_t i = 0; i < in.size(); ++i)
    if (schema->inputs[i].kind == GE_IR_DYNAMIC) dynamic_in.push_back(static_cast<int32_t>(in[i]));
  for (size_t i = 0; i < out.size(); ++i)
    if (schema->outputs[i].kind == GE_IR_DYNAMIC) dynamic_out.push_back(static_cast<int32_t>(out[i]));
  GeGraph *handle = nullptr;
  if (GeGraphCreate(type, &handle) != GE_SUCCESS) return GRAPH_FAILED;
  const Graph made = Graph::Adopt(handle);
  GeNodeSpec spec{};
  spec.struct_size = sizeof spec;
  spec.type = type;
  spec.name = type;
  spec.input_counts = dynamic_in.data();
  spec.input_counts_size = dynamic_in.size();
  spec.output_counts = dynamic_out.data();
  spec.output_counts_size = dynamic_out.size();
  GeNode *node = nullptr;
  if (GeGraphAddNode(handle, &spec, &node) != GE_SUCCESS) return GRAPH_FAILED;
  int32_t port = 0;
  size_t next = 0;
  for (size_t ir = 0; ir < in.size(); ++ir) {
    for (size_t i = 0; i < in[ir]; ++i, ++next) {
      const std::string name = "data_" + std::to_string(next);
      GeNodeSpec data{};
      data.struct_size = sizeof data;
      data.type = "Data";
      data.name = name.c_str();
      GeNode *source = nullptr;
      if (GeGraphAddNode(handle, &data, &source) != GE_SUCCESS) return GRAPH_FAILED;
      GNode view(source);
      auto index = static_cast<int64_t>(next);
      if (view.SetAttr("index", index) != GRAPH_SUCCESS || view.UpdateOutputDesc(0, inputs[next]) != GRAPH_SUCCESS ||
          GeGraphAddDataEdge(handle, source, 0, node, port + static_cast<int32_t>(i)) != GE_SUCCESS)
        return GRAPH_FAILED;
    }
    // An optional input that is absent has its port all the same.
    port += schema->inputs[ir].kind == GE_IR_DYNAMIC ? static_cast<int32_t>(in[ir]) : 1;
  }
  std::vector<GeNode *> nodes(outputs.size(), node);
  std::vector<int32_t> ports;
  GNode view(node);
  for (size_t i = 0; i < outputs.size(); ++i) {
    ports.push_back(static_cast<int32_t>(i));
    if (view.UpdateOutputDesc(static_cast<int32_t>(i), outputs[i]) != GRAPH_SUCCESS) return GRAPH_FAILED;
  }
  if (GeGraphSetOutputs(handle, nodes.data(), ports.data(), ports.size()) != GE_SUCCESS) return GRAPH_FAILED;
  graph = made;
  return GRAPH_SUCCESS;
}

}  // namespace detail
}  // namespace ge

#endif
