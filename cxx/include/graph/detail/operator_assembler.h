// Turns linked operators into nodes of a graph.
#ifndef INC_GRAPH_DETAIL_OPERATOR_ASSEMBLER_H_
#define INC_GRAPH_DETAIL_OPERATOR_ASSEMBLER_H_

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/detail/operator_schema.h"
#include "graph/graph.h"
#include "graph/operator.h"

namespace ge {
namespace detail {

class OperatorAssembler {
 public:
  explicit OperatorAssembler(GeGraph *graph) : graph_(graph) {}

  GeNode *AddNode(const Operator &op) { return op.impl() ? Add(*op.impl()) : nullptr; }

  void Assemble(const std::vector<Operator> &inputs) {
    // Everything that is connected, in either direction, to what was listed.
    std::vector<std::shared_ptr<OperatorImpl>> found;
    std::unordered_map<OperatorImpl *, GeNode *> nodes;
    std::deque<std::shared_ptr<OperatorImpl>> queue;
    auto visit = [&](const std::shared_ptr<OperatorImpl> &op) {
      if (op && nodes.emplace(op.get(), nullptr).second) {
        found.push_back(op);
        queue.push_back(op);
      }
    };
    for (const Operator &op : inputs) visit(op.impl());
    while (!queue.empty()) {
      auto op = queue.front();
      queue.pop_front();
      for (const auto &[name, link] : op->links) visit(link.source);
      for (const auto &source : op->control_inputs) visit(source);
      for (const auto &consumer : op->consumers) visit(consumer.lock());
    }
    for (const auto &op : found) nodes[op.get()] = Add(*op);
    for (const auto &op : found) {
      GeNode *dst = nodes[op.get()];
      if (dst == nullptr) continue;
      std::vector<std::string> ports = op->Instances(true);
      for (const auto &[name, link] : op->links) {
        std::vector<std::string> outputs = link.source->Instances(false);
        auto dst_port = std::find(ports.begin(), ports.end(), name) - ports.begin();
        auto src_port = std::find(outputs.begin(), outputs.end(), link.output) - outputs.begin();
        if (GeNode *src = nodes[link.source.get()])
          (void)GeGraphAddDataEdge(graph_, src, static_cast<int32_t>(src_port), dst, static_cast<int32_t>(dst_port));
      }
      for (const auto &source : op->control_inputs)
        if (GeNode *src = nodes[source.get()]) (void)GeGraphAddControlEdge(graph_, src, dst);
    }
  }

 private:
  GeNode *Add(const OperatorImpl &op) {
    std::vector<int32_t> input_counts, output_counts;
    for (const OperatorPort &port : op.inputs)
      if (port.kind == GE_IR_DYNAMIC) input_counts.push_back(static_cast<int32_t>(port.instances));
    for (const OperatorPort &port : op.outputs)
      if (port.kind == GE_IR_DYNAMIC) output_counts.push_back(static_cast<int32_t>(port.instances));
    GeNodeSpec spec{};
    spec.struct_size = sizeof spec;
    spec.type = op.type.c_str();
    spec.name = op.name.c_str();
    spec.schema = SchemaCache::Instance().Get(op);
    spec.input_counts = input_counts.data();
    spec.input_counts_size = input_counts.size();
    spec.output_counts = output_counts.data();
    spec.output_counts_size = output_counts.size();
    GeNode *node = nullptr;
    if (GeGraphAddNode(graph_, &spec, &node) != GE_SUCCESS) return nullptr;
    for (const auto &[name, value] : op.attrs)
      if (!value.empty()) (void)GeNodeSetAttr(node, AttrView(name.c_str(), value).get());
    std::vector<std::string> outputs = op.Instances(false), inputs = op.Instances(true);
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto desc = op.output_descs.find(outputs[i]);
      if (desc == op.output_descs.end()) continue;
      GeTensorData data = desc->second.View();
      (void)GeNodeSetOutputDesc(node, static_cast<int32_t>(i), &data);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto desc = op.input_descs.find(inputs[i]);
      if (desc == op.input_descs.end()) continue;
      GeTensorData data = desc->second.View();
      (void)GeNodeSetInputDesc(node, static_cast<int32_t>(i), &data);
    }
    for (const auto &[name, builder] : op.subgraph_builders) {
      if (!builder) continue;
      Graph subgraph = builder();
      if (subgraph.handle() != nullptr) (void)GeNodeSetSubgraph(node, name.c_str(), subgraph.handle());
    }
    return node;
  }
  GeGraph *graph_;
};

inline void AssembleOperators(GeGraph *graph, const std::vector<Operator> &inputs) {
  OperatorAssembler(graph).Assemble(inputs);
}
inline GeNode *AddOperatorNode(GeGraph *graph, const Operator &op) { return OperatorAssembler(graph).AddNode(op); }

}  // namespace detail
}  // namespace ge

#endif
