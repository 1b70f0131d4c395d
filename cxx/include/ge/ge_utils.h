// GeUtils: questions about a graph that is not compiled.
#ifndef INC_EXTERNAL_GE_GE_UTILS_H_
#define INC_EXTERNAL_GE_GE_UTILS_H_

#include <map>
#include <string>
#include <vector>

#include "ge/engine.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"
#include "graph/tensor.h"

namespace ge {

class GeUtils {
 public:
  /// Gives the graph's inputs these shapes, by index, and infers every node; nothing is optimised. As many shapes as
  /// inputs.
  static Status InferShape(const Graph &graph, const std::vector<Shape> &input_shape) {
    std::vector<GNode> inputs(input_shape.size());
    size_t count = 0;
    for (GNode &node : graph.GetDirectNode()) {
      AscendString type;
      int64_t index = 0;
      if (node.GetType(type) != GRAPH_SUCCESS || !IsInput(type)) continue;
      ++count;
      if (node.GetAttr("index", index) != GRAPH_SUCCESS || index < 0 ||
          static_cast<size_t>(index) >= input_shape.size())
        return Refuse("an input of the graph has no index below the number of shapes");
      inputs[static_cast<size_t>(index)] = node;
    }
    if (count != input_shape.size()) return Refuse("the number of shapes is not the number of inputs of the graph");
    std::vector<TensorDesc> descs(inputs.size());
    std::vector<GeTensorData> views;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].GetOutputDesc(0, descs[i]) != GRAPH_SUCCESS) return Refuse("an input index occurs twice");
      descs[i].SetShape(input_shape[i]);
      descs[i].SetOriginShape(input_shape[i]);
      views.push_back(descs[i].View());
    }
    return GeGraphInfer(graph.handle(), views.data(), views.size()) == GE_SUCCESS ? SUCCESS : FAILED;
  }
  /// True when the main compute engine takes the node as its descriptions are now; else the reason is told. The status
  /// tells of the call only.
  static Status CheckNodeSupportOnAicore(const GNode &node, bool &is_supported, AscendString &unsupported_reason) {
    is_supported = false;
    const GeOpSchema *schema = GeNodeSchema(node.handle());
    if (schema == nullptr) return Refuse("the node is not of a valid graph");
    GeOpDesc op{};
    op.struct_size = sizeof op;
    op.type = GeNodeType(node.handle());
    op.name = GeNodeName(node.handle());
    std::vector<GeTensorData> inputs(GeNodeInputCount(node.handle())), outputs(node.GetOutputsSize());
    for (size_t i = 0; i < inputs.size(); ++i) {
      GeNode *source = nullptr;
      int32_t port = -1;
      (void)GeNodeGetInputSource(node.handle(), static_cast<int32_t>(i), &source, &port);
      if (GeNodeGetInputDesc(node.handle(), static_cast<int32_t>(i), &inputs[i]) != GE_SUCCESS) return FAILED;
      if (source == nullptr && inputs[i].rank == GE_UNKNOWN_RANK) inputs[i].data_type = C_DT_UNDEFINED;
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      if (GeNodeGetOutputDesc(node.handle(), static_cast<int32_t>(i), &outputs[i]) != GE_SUCCESS) return FAILED;
    std::map<std::string, GeAttrData> sorted;  // what is set goes before defaults
    for (size_t i = 0; i < GeNodeAttrCount(node.handle()); ++i) {
      GeAttrData attr{};
      if (GeNodeGetAttrAt(node.handle(), i, &attr) == GE_SUCCESS) sorted.emplace(attr.name, attr);
    }
    for (size_t i = 0; i < schema->attr_count; ++i)
      if (schema->attrs[i].required == 0) sorted.emplace(schema->attrs[i].value.name, schema->attrs[i].value);
    std::vector<GeAttrData> attrs;
    for (const auto &attr : sorted) attrs.push_back(attr.second);
    const std::vector<int32_t> input_counts = Counts(node, *schema, true), output_counts = Counts(node, *schema, false);
    op.inputs = inputs.data();
    op.input_count = inputs.size();
    op.outputs = outputs.data();
    op.output_count = outputs.size();
    op.attrs = attrs.data();
    op.attr_count = attrs.size();
    op.ir_input_counts = input_counts.data();
    op.ir_input_total = input_counts.size();
    op.ir_output_counts = output_counts.data();
    op.ir_output_total = output_counts.size();
    const GeStatus status = GeEngineCheck("AIcoreEngine", &op);
    is_supported = status == GE_SUCCESS;
    unsupported_reason = AscendString(is_supported ? "" : GeLastErrorMessage());
    return is_supported || status == GE_UNSUPPORTED ? SUCCESS : FAILED;
  }

 private:
  static std::vector<int32_t> Counts(const GNode &node, const GeOpSchema &schema, bool input) {
    std::vector<int32_t> counts;
    const GeIrPort *ports = input ? schema.inputs : schema.outputs;
    for (size_t i = 0; i < (input ? schema.input_count : schema.output_count); ++i) {
      int32_t count = 1;
      if (ports[i].kind == GE_IR_DYNAMIC)
        (void)(input ? GeNodeGetDynamicInputCount(node.handle(), ports[i].name, &count)
                     : GeNodeGetDynamicOutputCount(node.handle(), ports[i].name, &count));
      counts.push_back(count);
    }
    return counts;
  }
  static bool IsInput(const AscendString &type) {
    for (const char *input : {"Data", "RefData", "AippData", "AnnData", "AnyData"})
      if (type == input) return true;
    return false;
  }
  static Status Refuse(const char *text) {
    (void)GeSetLastError(GE_PARAM_INVALID, text);
    return PARAM_INVALID;
  }
};

}  // namespace ge

#endif
