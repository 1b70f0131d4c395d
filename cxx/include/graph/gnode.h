// GNode: a weak reference to a node of a graph. The graph owns the node; once either is gone every call fails.
#ifndef INC_GRAPH_GNODE_H_
#define INC_GRAPH_GNODE_H_

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ge/graph.h"
#include "graph/attr_value.h"
#include "graph/detail/language.h"
#include "graph/tensor.h"

namespace ge {

class Graph;
class GNode;
using GNodePtr = std::shared_ptr<GNode>;
using GraphPtr = std::shared_ptr<Graph>;

/// Exactly one pointer, so that an EsCNode can be used as one. It does not keep the graph alive.
class GNode {
 public:
  GNode() = default;
  explicit GNode(GeNode *handle)
      : handle_(handle != nullptr && GeNodeHandleRetain(handle) == GE_SUCCESS ? handle : nullptr) {}
  GNode(const GNode &other) : handle_(other.handle_) {
    if (handle_ != nullptr) (void)GeNodeHandleRetain(handle_);
  }
  GNode(GNode &&other) noexcept : handle_(detail::Exchange(other.handle_, nullptr)) {}
  GNode &operator=(GNode other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~GNode() { GeNodeHandleDestroy(handle_); }

  graphStatus GetType(AscendString &type) const { return Text(GeNodeType(handle_), type); }
  graphStatus GetName(AscendString &name) const { return Text(GeNodeName(handle_), name); }

  /// Producer and its output index; {nullptr, 0xFF} when not connected.
  std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(const int32_t index) const {
    GeNode *src = nullptr;
    int32_t port = 0;
    if (handle_ == nullptr || GeNodeGetInputSource(handle_, index, &src, &port) != GE_SUCCESS || src == nullptr)
      return {nullptr, 0xFF};
    return {std::make_shared<GNode>(src), port};
  }
  std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(const int32_t index) const {
    std::vector<std::pair<GNodePtr, int32_t>> consumers;
    if (handle_ == nullptr) return consumers;
    for (size_t i = 0; i < GeNodeConsumerCount(handle_, index); ++i) {
      GeNode *dst = nullptr;
      int32_t port = 0;
      if (GeNodeGetConsumer(handle_, index, i, &dst, &port) == GE_SUCCESS)
        consumers.emplace_back(std::make_shared<GNode>(dst), port);
    }
    return consumers;
  }
  std::vector<GNodePtr> GetInControlNodes() const { return Controls(GeNodeControlInputCount, GeNodeGetControlInput); }
  std::vector<GNodePtr> GetOutControlNodes() const {
    return Controls(GeNodeControlOutputCount, GeNodeGetControlOutput);
  }

  graphStatus GetInputConstData(const int32_t index, Tensor &data) const {
    GeNode *src = nullptr;
    int32_t port = 0;
    if (handle_ == nullptr || GeNodeGetInputSource(handle_, index, &src, &port) != GE_SUCCESS) return GRAPH_FAILED;
    if (src == nullptr) return GRAPH_NODE_WITHOUT_CONST_INPUT;
    std::string type = GeNodeType(src);
    // A subgraph's input may be a constant where the subgraph is called.
    GeAttrData number{};
    if (type == "Data" && GeNodeGetAttr(src, "index", &number) == GE_SUCCESS) {
      GeGraph *owner = nullptr, *caller = nullptr;
      GeNode *node = nullptr;
      if (GeNodeRetainGraph(src, &owner) == GE_SUCCESS) (void)GeGraphRetainCaller(owner, &caller, &node);
      std::unique_ptr<GeGraph, void (*)(GeGraph *)> held(owner, GeGraphDestroy), held_too(caller, GeGraphDestroy);
      if (node != nullptr && !Loops(GeNodeType(node))) {
        const int32_t port = static_cast<int32_t>(number.i) + FirstPassedOn(node);
        return GNode(node).GetInputConstData(port, data);
      }
    }
    if (type != "Const" && type != "Constant") return GRAPH_NODE_WITHOUT_CONST_INPUT;
    GeTensor *tensor = nullptr;
    if (GeNodeRetainAttrTensor(src, "value", &tensor) != GE_SUCCESS) return GRAPH_NODE_WITHOUT_CONST_INPUT;
    data = Tensor::Adopt(tensor);
    return GRAPH_SUCCESS;
  }

  /// A missing name is success with index -1.
  graphStatus GetInputIndexByName(const AscendString &name, int32_t &index) { return IndexByName(name, true, index); }
  graphStatus GetOutputIndexByName(const AscendString &name, int32_t &index) { return IndexByName(name, false, index); }
  graphStatus GetDynamicInputIndexesByName(const AscendString &name, std::vector<int32_t> &indexes) {
    return DynamicIndexes(name, true, indexes);
  }
  graphStatus GetDynamicOutputIndexesByName(const AscendString &name, std::vector<int32_t> &indexes) {
    return DynamicIndexes(name, false, indexes);
  }

  /// Inputs but optional ones that are neither connected nor described. Ports keep their index, so one after such a gap
  /// may have an index that is not below this.
  size_t GetInputsSize() const {
    size_t count = handle_ ? GeNodeInputCount(handle_) : 0;
    const GeOpSchema *schema = count > 0 ? GeNodeSchema(handle_) : nullptr;
    int32_t port = 0;
    for (size_t i = 0; schema != nullptr && i < schema->input_count; ++i) {
      int32_t instances = 1;
      if (schema->inputs[i].kind == GE_IR_DYNAMIC)
        (void)GeNodeGetDynamicInputCount(handle_, schema->inputs[i].name, &instances);
      else if (schema->inputs[i].kind == GE_IR_OPTIONAL && !InUse(port)) --count;
      port += instances;
    }
    return count;
  }
  size_t GetOutputsSize() const { return handle_ ? GeNodeOutputCount(handle_) : 0; }

  graphStatus GetInputDesc(const int32_t index, TensorDesc &desc) const {
    return Desc(GeNodeGetInputDesc, GeNodeGetInputAttr, index, desc);
  }
  graphStatus GetOutputDesc(const int32_t index, TensorDesc &desc) const {
    return Desc(GeNodeGetOutputDesc, GeNodeGetOutputAttr, index, desc);
  }
  graphStatus UpdateInputDesc(const int32_t index, const TensorDesc &desc) {
    return SetDesc(GeNodeSetInputDesc, GeNodeGetInputDesc, GeNodeSetInputAttr, index, desc);
  }
  graphStatus UpdateOutputDesc(const int32_t index, const TensorDesc &desc) {
    return SetDesc(GeNodeSetOutputDesc, GeNodeGetOutputDesc, GeNodeSetOutputAttr, index, desc);
  }

  template <class T>
  graphStatus GetAttr(const AscendString &name, T &value) const {
    if (name.GetLength() == 0) return GRAPH_PARAM_INVALID;
    GeAttrData data{};
    if (handle_ == nullptr || GeNodeGetAttr(handle_, name.GetString(), &data) != GE_SUCCESS) return GRAPH_FAILED;
    return detail::FromAttr(detail::FromData(data), value);
  }
  template <class T>
  graphStatus SetAttr(const AscendString &name, T &value) const {
    if (name.GetLength() == 0) return GRAPH_PARAM_INVALID;
    if (handle_ == nullptr) return GRAPH_FAILED;
    AttrValue held = detail::ToAttr(value);
    return Coarse(GeNodeSetAttr(handle_, detail::AttrView(name.GetString(), held).get()));
  }
  bool HasAttr(const AscendString &name) {
    GeAttrData data{};
    return handle_ != nullptr && GeNodeGetAttr(handle_, name.GetString(), &data) == GE_SUCCESS &&
           data.type != C_VT_NONE;
  }
  graphStatus SetInputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return PortAttr(GeNodeSetInputAttr, name, index, value);
  }
  graphStatus SetOutputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return PortAttr(GeNodeSetOutputAttr, name, index, value);
  }
  graphStatus GetInputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return ReadPortAttr(GeNodeGetInputAttr, name, index, value);
  }
  graphStatus GetOutputAttr(const AscendString &name, uint32_t index, AttrValue &value) const {
    return ReadPortAttr(GeNodeGetOutputAttr, name, index, value);
  }

  inline graphStatus GetSubgraph(uint32_t index, GraphPtr &graph) const;
  inline graphStatus GetALLSubgraphs(std::vector<GraphPtr> &subgraphs) const;
  inline graphStatus SetSubgraph(const AscendString &ir_name, const Graph &subgraph);
  inline graphStatus SetSubgraphs(const AscendString &ir_name, const std::vector<Graph> &subgraphs);

  GeNode *handle() const { return handle_; }

 private:
  bool InUse(int32_t port) const {
    GeNode *src = nullptr;
    int32_t src_port = 0;
    if (GeNodeGetInputSource(handle_, port, &src, &src_port) == GE_SUCCESS && src != nullptr) return true;
    GeTensorData desc{};
    return GeNodeGetInputDesc(handle_, port, &desc) == GE_SUCCESS && desc.data_type != C_DT_UNDEFINED;
  }
  static graphStatus Coarse(GeStatus status) { return status == GE_SUCCESS ? GRAPH_SUCCESS : GRAPH_FAILED; }
  graphStatus Text(const char *text, AscendString &out) const {
    if (*text == '\0') return GRAPH_FAILED;  // names and types are never empty: there is no such node (any more)
    out = AscendString(text);
    return GRAPH_SUCCESS;
  }
  template <class Count, class Get>
  std::vector<GNodePtr> Controls(Count count, Get get) const {
    std::vector<GNodePtr> nodes;
    if (handle_ == nullptr) return nodes;
    for (size_t i = 0; i < count(handle_); ++i) {
      GeNode *node = nullptr;
      if (get(handle_, i, &node) == GE_SUCCESS) nodes.push_back(std::make_shared<GNode>(node));
    }
    return nodes;
  }
  template <class Get, class GetAttr>
  graphStatus Desc(Get get, GetAttr get_attr, int32_t index, TensorDesc &desc) const {
    GeTensorData data{};
    if (handle_ == nullptr || get(handle_, index, &data) != GE_SUCCESS) return GRAPH_FAILED;
    desc = TensorDesc::From(data);
    GeAttrData details{};
    if ((data.flags & GE_TENSOR_HAS_DETAILS) != 0 &&
        get_attr(handle_, index, GE_TENSOR_DETAILS, &details) == GE_SUCCESS)
      detail::LoadDetails(details, desc);
    return GRAPH_SUCCESS;
  }
  template <class Set, class Get, class SetAttr>
  graphStatus SetDesc(Set set, Get get, SetAttr set_attr, int32_t index, const TensorDesc &desc) const {
    const GeTensorData data = desc.View();
    if (handle_ == nullptr || set(handle_, index, &data) != GE_SUCCESS) return GRAPH_FAILED;
    GeTensorData now{};
    const detail::DetailsView details(desc);
    const bool had = get(handle_, index, &now) == GE_SUCCESS && (now.flags & GE_TENSOR_HAS_DETAILS) != 0;
    return details.empty() && !had ? GRAPH_SUCCESS : Coarse(set_attr(handle_, index, details.get()));
  }
  template <class Set>
  graphStatus PortAttr(Set set, const AscendString &name, uint32_t index, const AttrValue &value) const {
    if (name.GetLength() == 0) return GRAPH_PARAM_INVALID;
    if (handle_ == nullptr) return GRAPH_FAILED;
    return Coarse(set(handle_, static_cast<int32_t>(index), detail::AttrView(name.GetString(), value).get()));
  }
  template <class Get>
  graphStatus ReadPortAttr(Get get, const AscendString &name, uint32_t index, AttrValue &value) const {
    if (name.GetLength() == 0) return GRAPH_PARAM_INVALID;
    GeAttrData data{};
    if (handle_ == nullptr || get(handle_, static_cast<int32_t>(index), name.GetString(), &data) != GE_SUCCESS)
      return GRAPH_FAILED;
    value = detail::FromData(data);
    return GRAPH_SUCCESS;
  }
  // Their bodies' inputs change from one iteration to the next.
  static bool Loops(const std::string &type) { return type == "While" || type == "StatelessWhile" || type == "For"; }
  // Of a control-flow node: the input that its subgraphs' input 0 gets, which is the first dynamic one.
  static int32_t FirstPassedOn(GeNode *node) {
    const GeOpSchema *schema = GeNodeSchema(node);
    for (size_t i = 0; schema != nullptr && i < schema->input_count; ++i)
      if (schema->inputs[i].kind == GE_IR_DYNAMIC) return static_cast<int32_t>(i);
    return 0;
  }
  // Names and numbers of all ports: instances of a dynamic one are called name0, name1, …
  graphStatus Ports(bool inputs, std::vector<std::pair<std::string, int32_t>> &ports) const {
    const GeOpSchema *schema = handle_ ? GeNodeSchema(handle_) : nullptr;
    if (schema == nullptr) return GRAPH_FAILED;
    const GeIrPort *irs = inputs ? schema->inputs : schema->outputs;
    size_t count = inputs ? schema->input_count : schema->output_count;
    int32_t port = 0;
    for (size_t i = 0; i < count; ++i) {
      if (irs[i].kind != GE_IR_DYNAMIC) {
        ports.emplace_back(irs[i].name, port++);
        continue;
      }
      int32_t instances = 0;
      (void)(inputs ? GeNodeGetDynamicInputCount(handle_, irs[i].name, &instances)
                    : GeNodeGetDynamicOutputCount(handle_, irs[i].name, &instances));
      for (int32_t k = 0; k < instances; ++k) ports.emplace_back(irs[i].name + std::to_string(k), port++);
    }
    return GRAPH_SUCCESS;
  }
  graphStatus IndexByName(const AscendString &name, bool inputs, int32_t &index) const {
    std::vector<std::pair<std::string, int32_t>> ports;
    graphStatus status = Ports(inputs, ports);
    if (status != GRAPH_SUCCESS) return status;
    index = -1;
    for (const auto &port : ports)
      if (port.first == name.GetString()) index = port.second;
    return GRAPH_SUCCESS;
  }
  graphStatus DynamicIndexes(const AscendString &name, bool inputs, std::vector<int32_t> &indexes) const {
    const GeOpSchema *schema = handle_ ? GeNodeSchema(handle_) : nullptr;
    if (schema == nullptr) return GRAPH_FAILED;
    std::vector<std::pair<std::string, int32_t>> ports;
    (void)Ports(inputs, ports);
    int32_t instances = 0;
    GeStatus status = inputs ? GeNodeGetDynamicInputCount(handle_, name.GetString(), &instances)
                             : GeNodeGetDynamicOutputCount(handle_, name.GetString(), &instances);
    if (status != GE_SUCCESS) return GRAPH_FAILED;
    indexes.clear();
    for (int32_t k = 0; k < instances; ++k)
      for (const auto &port : ports)
        if (port.first == std::string(name.GetString()) + std::to_string(k)) indexes.push_back(port.second);
    return GRAPH_SUCCESS;
  }
  GeNode *handle_ = nullptr;
};
static_assert(sizeof(GNode) == sizeof(void *), "an EsCNode is one pointer");

}  // namespace ge

#endif
