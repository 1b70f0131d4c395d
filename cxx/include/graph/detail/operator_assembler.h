// Turns linked operators into nodes of a graph.
#ifndef INC_GRAPH_DETAIL_OPERATOR_ASSEMBLER_H_
#define INC_GRAPH_DETAIL_OPERATOR_ASSEMBLER_H_

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/detail/factory_table.h"
#include "graph/detail/graph_class.h"
#include "graph/detail/operator_class.h"
#include "graph/detail/operator_schema.h"

namespace ge {
namespace detail {

class OperatorAssembler {
 public:
  explicit OperatorAssembler(GeGraph *graph) : graph_(graph) {}

  GeNode *AddNode(const Operator &op) { return op.impl() ? Add(*op.impl()) : nullptr; }

  /// A graph of the operator alone, its inputs fed as it knows them: descriptions and constants.
  GeNode *AddAlone(const OperatorImpl &op) {
    GeNode *node = Add(op);
    if (node == nullptr) return nullptr;
    const std::vector<std::string> ports = op.Instances(true);
    for (size_t i = 0; i < ports.size(); ++i) {
      const OperatorImpl *source = nullptr;
      auto link = op.links.find(ports[i]);
      if (link != op.links.end()) source = link->second.source.get();
      auto desc = op.input_descs.find(ports[i]);
      const TensorDesc *known = desc != op.input_descs.end() ? &desc->second : nullptr;
      if (known == nullptr && source != nullptr) {
        auto produced = source->output_descs.find(link->second.output);
        if (produced != source->output_descs.end()) known = &produced->second;
      }
      const bool constant = source != nullptr && (source->type == "Const" || source->type == "Constant");
      if (!constant && known == nullptr) continue;  // an optional input that is absent, or one nothing is known of
      GeNodeSpec spec{};
      spec.struct_size = sizeof spec;
      spec.type = constant ? "Const" : "Data";
      GeNode *feed = nullptr;
      if (GeGraphAddNode(graph_, &spec, &feed) != GE_SUCCESS) return nullptr;
      AttrValue value;
      if (constant) {
        auto held = source->attrs.find("value");
        if (held != source->attrs.end()) value = held->second;
      } else {
        value.SetAttrValue(static_cast<int64_t>(i));
      }
      const AttrView attr(constant ? "value" : "index", value);
      if (!value.empty() && GeNodeSetAttr(feed, attr.get()) != GE_SUCCESS) return nullptr;
      if (known != nullptr && GNode(feed).UpdateOutputDesc(0, *known) != GRAPH_SUCCESS) return nullptr;
      if (GeGraphAddDataEdge(graph_, feed, 0, node, static_cast<int32_t>(i)) != GE_SUCCESS) return nullptr;
    }
    return node;
  }

  void Assemble(const std::vector<Operator> &inputs) {
    // Everything that is connected, in either direction, to what was listed.
    std::vector<std::shared_ptr<OperatorImpl>> found;
    std::map<const void *, void *> nodes;  // OperatorImpl → GeNode
    auto node_of = [&](const OperatorImpl *op) { return static_cast<GeNode *>(nodes[op]); };
    auto visit = [&](const std::shared_ptr<OperatorImpl> &op) {
      if (op && nodes.emplace(op.get(), nullptr).second) found.push_back(op);
    };
    for (const Operator &op : inputs) visit(op.impl());
    for (size_t i = 0; i < found.size(); ++i) {
      const std::shared_ptr<OperatorImpl> op = found[i];
      for (const auto &link : op->links) visit(link.second.source);
      for (const auto &source : op->control_inputs) visit(source);
      for (const auto &consumer : op->consumers) visit(consumer.lock());
    }
    for (const auto &op : found) nodes[op.get()] = Add(*op);
    for (const auto &op : found) {
      GeNode *dst = node_of(op.get());
      if (dst == nullptr) continue;
      std::vector<std::string> ports = op->Instances(true);
      for (const auto &link : op->links) {
        std::vector<std::string> outputs = link.second.source->Instances(false);
        auto dst_port = std::find(ports.begin(), ports.end(), link.first) - ports.begin();
        auto src_port = std::find(outputs.begin(), outputs.end(), link.second.output) - outputs.begin();
        if (GeNode *src = node_of(link.second.source.get()))
          (void)GeGraphAddDataEdge(graph_, src, static_cast<int32_t>(src_port), dst, static_cast<int32_t>(dst_port));
      }
      for (const auto &source : op->control_inputs)
        if (GeNode *src = node_of(source.get())) (void)GeGraphAddControlEdge(graph_, src, dst);
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
    if (GeGraphAddNode(graph_, &spec, &node) != GE_SUCCESS) {
      Log(op, GE_LOG_ERROR, GeLastErrorMessage());
      return nullptr;
    }
    for (const auto &attr : op.attrs) {
      if (attr.second.empty()) continue;
      const int32_t kind = attr.second.impl->kind();
      if (kind == C_VT_NAMED_ATTRS || kind == C_VT_LIST_NAMED_ATTRS) {
        Log(op, GE_LOG_WARNING,
            "attribute '" + attr.first + "' stays with the operator: nodes hold no named attributes");
      } else if (GeNodeSetAttr(node, AttrView(attr.first.c_str(), attr.second).get()) != GE_SUCCESS) {
        Log(op, GE_LOG_ERROR, GeLastErrorMessage());
        (void)GeGraphRemoveNode(graph_, node);
        return nullptr;
      }
    }
    std::vector<std::string> outputs = op.Instances(false), inputs = op.Instances(true);
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto desc = op.output_descs.find(outputs[i]);
      if (desc != op.output_descs.end()) (void)GNode(node).UpdateOutputDesc(static_cast<int32_t>(i), desc->second);
      SetPortAttrs(op.output_attrs, outputs[i], GeNodeSetOutputAttr, node, i);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto desc = op.input_descs.find(inputs[i]);
      if (desc != op.input_descs.end()) (void)GNode(node).UpdateInputDesc(static_cast<int32_t>(i), desc->second);
      SetPortAttrs(op.input_attrs, inputs[i], GeNodeSetInputAttr, node, i);
    }
    for (const auto &entry : op.subgraph_builders) {
      if (!entry.second) continue;
      Graph subgraph = entry.second();
      auto named = op.subgraph_names.find(entry.first);
      if (subgraph.handle() != nullptr && named != op.subgraph_names.end())
        (void)GeGraphSetName(subgraph.handle(), named->second.c_str());
      if (subgraph.handle() != nullptr && GeNodeSetSubgraph(node, entry.first.c_str(), subgraph.handle()) != GE_SUCCESS)
        Log(op, GE_LOG_ERROR, GeLastErrorMessage());
    }
    return node;
  }
  static void Log(const OperatorImpl &op, int32_t level, const std::string &text) {
    GeLogMessage(level, (op.type + " '" + op.name + "': " + text).c_str());
  }
  template <class Set>
  static void SetPortAttrs(const NameMap<NameMap<AttrValue>> &all, const std::string &port, Set set, GeNode *node,
                           size_t index) {
    auto attrs = all.find(port);
    if (attrs == all.end()) return;
    for (const auto &attr : attrs->second)
      if (!attr.second.empty())
        (void)set(node, static_cast<int32_t>(index), AttrView(attr.first.c_str(), attr.second).get());
  }
  GeGraph *graph_;
};

/// The library's inference for the operator alone; what it finds goes to the output descriptions.
inline graphStatus InferAlone(OperatorImpl &op) {
  const GeOpSchema *registered = nullptr;
  if (GeOpFind(op.type.c_str(), &registered) != GE_SUCCESS) {
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    return GRAPH_FAILED;
  }
  Graph graph("infer_" + op.name);
  GeNode *node = graph.handle() != nullptr ? OperatorAssembler(graph.handle()).AddAlone(op) : nullptr;
  if (node == nullptr || GeGraphInfer(graph.handle(), nullptr, 0) != GE_SUCCESS) {
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    return GRAPH_FAILED;
  }
  const std::vector<std::string> outputs = op.Instances(false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorDesc found;
    if (GNode(node).GetOutputDesc(static_cast<int32_t>(i), found) != GRAPH_SUCCESS) return GRAPH_FAILED;
    TensorDesc &desc = op.output_descs[outputs[i]];
    desc.SetShape(found.GetShape());
    desc.SetOriginShape(found.GetOriginShape());
    desc.SetDataType(found.GetDataType());
    std::vector<std::pair<int64_t, int64_t>> range;
    if (found.GetShapeRange(range) == GRAPH_SUCCESS && !range.empty()) (void)desc.SetShapeRange(range);
    if (found.GetOriginFormat() == desc.GetOriginFormat()) continue;
    desc.SetFormat(found.GetFormat());
    desc.SetOriginFormat(found.GetOriginFormat());
  }
  return GRAPH_SUCCESS;
}

inline void AssembleOperators(GeGraph *graph, const std::vector<Operator> &inputs) {
  OperatorAssembler(graph).Assemble(inputs);
}
/// Every declared attribute has a value and no dimension is below -2.
inline graphStatus VerifyDeclared(const OperatorImpl &op) {
  auto refuse = [&](const std::string &text) {
    GeLogMessage(GE_LOG_ERROR, (op.type + " '" + op.name + "': " + text).c_str());
    return GRAPH_FAILED;
  };
  for (const OperatorAttr &attr : op.ir_attrs) {
    auto value = op.attrs.find(attr.name);
    if (value == op.attrs.end() || value->second.empty()) {
      if (attr.required) return refuse("required attribute '" + attr.name + "' is not set");
    }
  }
  for (const auto *descs : {&op.input_descs, &op.output_descs})
    for (const auto &named : *descs)
      for (int64_t dim : named.second.GetShape().GetDims())
        if (dim < UNKNOWN_DIM_NUM)
          return refuse("'" + named.first + "' has dimension " + std::to_string(dim) + ", expected -2 or more");
  return GRAPH_SUCCESS;
}

inline GeNode *AddOperatorNode(GeGraph *graph, const Operator &op) { return OperatorAssembler(graph).AddNode(op); }

}  // namespace detail

inline graphStatus Operator::InferShapeAndType() {
  if (!impl_) return GRAPH_FAILED;
  InferShapeFunc infer = impl_->infer;
  if (!infer) infer = detail::FactoryTable::Find(&detail::FactoryTable::infer_shape, impl_->type);
  return infer ? infer(*this) : detail::InferAlone(*impl_);
}

inline graphStatus Operator::VerifyAllAttr(bool disable_common_verifier) {
  if (!impl_) return GRAPH_FAILED;
  if (!disable_common_verifier && detail::VerifyDeclared(*impl_) != GRAPH_SUCCESS) return GRAPH_FAILED;
  VerifyFunc verify = impl_->verify;
  if (!verify) verify = detail::FactoryTable::Find(&detail::FactoryTable::verify, impl_->type);
  return verify ? verify(*this) : GRAPH_SUCCESS;
}

template <class Names>
graphStatus Operator::GetAllIrAttrNamesAndTypes(Names &names_and_types) const {
  if (!impl_) return GRAPH_FAILED;
  for (const detail::OperatorAttr &attr : impl_->ir_attrs) {
    auto value = impl_->attrs.find(attr.name);
    const int32_t type = value != impl_->attrs.end() ? value->second.impl->kind() : detail::AttrTypeFromName(attr.type);
    names_and_types[AscendString(attr.name.c_str())] = AscendString(detail::AttrTypeName(type));
  }
  return GRAPH_SUCCESS;
}

}  // namespace ge

#endif
