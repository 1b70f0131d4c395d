// Graph: a handle to a graph; copies are further views of the same one.
#ifndef INC_GRAPH_DETAIL_GRAPH_CLASS_H_
#define INC_GRAPH_DETAIL_GRAPH_CLASS_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ge/graph.h"
#include "graph/detail/language.h"
#include "graph/detail/library_table.h"
#include "graph/detail/operator_class.h"
#include "graph/gnode.h"
#include "graph/graph_buffer.h"

namespace ge {

using ConstGraphPtr = std::shared_ptr<const Graph>;

namespace detail {  // operator_assembler.h
void AssembleOperators(GeGraph *graph, const std::vector<Operator> &inputs);
GeNode *AddOperatorNode(GeGraph *graph, const Operator &op);
Operator OperatorOfNode(const GNode &node);
}  // namespace detail

/// Exactly one pointer, so that an EsCGraph can be used as one.
class Graph {
 public:
  enum class DumpFormat : uint32_t { kOnnx = 0, kTxt = 1, kReadable = 2 };

  Graph() = default;
  explicit Graph(const char_t *name) {
    if (name != nullptr) (void)GeGraphCreate(name, &handle_);
  }
  explicit Graph(const std::string &name) : Graph(name.c_str()) {}
  Graph(const Graph &other) {
    if (other.handle_ != nullptr) (void)GeGraphRetain(other.handle_, &handle_);
  }
  Graph(Graph &&other) noexcept : handle_(detail::Exchange(other.handle_, nullptr)) {}
  Graph &operator=(Graph other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Graph() { GeGraphDestroy(handle_); }
  static Graph Adopt(GeGraph *handle) {
    Graph graph;
    graph.handle_ = handle;
    return graph;
  }

  /// Collects everything reachable from the listed operators and builds the nodes.
  Graph &SetInputs(const std::vector<Operator> &inputs) {
    if (handle_ == nullptr || inputs.empty() || GeGraphNodeCount(handle_) != 0) return *this;
    detail::AssembleOperators(handle_, inputs);
    return *this;
  }
  Graph &SetOutputs(const std::vector<Operator> &outputs) {
    std::vector<std::pair<Operator, std::vector<size_t>>> all;
    for (const Operator &op : outputs) all.emplace_back(op, std::vector<size_t>{});
    return SetOutputs(all);
  }
  /// An empty index list means all outputs of the operator.
  Graph &SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>> &outputs) {
    std::vector<GeNode *> nodes;
    std::vector<int32_t> ports;
    for (const auto &output : outputs) {
      AscendString name;
      GeNode *node = nullptr;
      if (handle_ == nullptr || output.first.GetName(name) != GRAPH_SUCCESS ||
          GeGraphFindNode(handle_, name.GetString(), &node) != GE_SUCCESS)
        continue;
      if (output.second.empty()) {
        for (size_t i = 0; i < GeNodeOutputCount(node); ++i) Add(nodes, ports, node, i);
      } else {
        for (size_t i : output.second) Add(nodes, ports, node, i);
      }
    }
    if (handle_ != nullptr) (void)GeGraphSetOutputs(handle_, nodes.data(), ports.data(), nodes.size());
    return *this;
  }
  Graph &SetOutputs(const std::vector<std::pair<Operator, AscendString>> &outputs) {
    std::vector<GeNode *> nodes;
    std::vector<int32_t> ports;
    for (const auto &output : outputs) {
      AscendString name;
      GeNode *node = nullptr;
      if (handle_ == nullptr || output.first.GetName(name) != GRAPH_SUCCESS ||
          GeGraphFindNode(handle_, name.GetString(), &node) != GE_SUCCESS)
        return *this;
      int32_t index = -1;
      (void)GNode(node).GetOutputIndexByName(output.second, index);
      if (index < 0) return *this;
      Add(nodes, ports, node, static_cast<size_t>(index));
    }
    if (handle_ != nullptr) (void)GeGraphSetOutputs(handle_, nodes.data(), ports.data(), nodes.size());
    return *this;
  }
  graphStatus SetOutputs(const std::vector<std::pair<GNode, int32_t>> &outputs) {
    std::vector<GeNode *> nodes;
    std::vector<int32_t> ports;
    for (const auto &output : outputs) Add(nodes, ports, output.first.handle(), static_cast<size_t>(output.second));
    return handle_ ? Coarse(GeGraphSetOutputs(handle_, nodes.data(), ports.data(), nodes.size())) : GRAPH_FAILED;
  }
  /// Nodes that must run although they produce no graph output.
  Graph &SetTargets(const std::vector<Operator> &targets) {
    for (const Operator &op : targets) {
      AscendString name;
      GeNode *node = nullptr;
      if (handle_ == nullptr || op.GetName(name) != GRAPH_SUCCESS ||
          GeGraphFindNode(handle_, name.GetString(), &node) != GE_SUCCESS)
        continue;
      bool keep = true;
      (void)GNode(node).SetAttr("_is_target", keep);
    }
    return *this;
  }
  bool IsValid() const { return handle_ != nullptr; }
  graphStatus SetValid() { return handle_ ? GRAPH_SUCCESS : GRAPH_FAILED; }

  /// One operator of each name: a second is refused, and the graph stays as it is.
  graphStatus AddOp(const Operator &op) {
    AscendString name;
    (void)op.GetName(name);
    if (handle_ == nullptr || FindNodeByName(name) != nullptr) return GRAPH_FAILED;
    return detail::AddOperatorNode(handle_, op) ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  /// Operators that AddOp and SetInputs brought in are nodes at once: what is found is a copy of a node's attributes
  /// and descriptions.
  graphStatus FindOpByName(const char_t *name, Operator &op) const {
    GeNode *node = nullptr;
    if (handle_ == nullptr || name == nullptr || GeGraphFindNode(handle_, name, &node) != GE_SUCCESS) {
      op = Operator("NULL", "");
      return GRAPH_FAILED;
    }
    op = detail::OperatorOfNode(GNode(node));
    return GRAPH_SUCCESS;
  }
  graphStatus FindOpByName(const std::string &name, Operator &op) const { return FindOpByName(name.c_str(), op); }
  graphStatus FindOpByType(const char_t *type, std::vector<Operator> &ops) const {
    if (handle_ == nullptr || type == nullptr) return GRAPH_FAILED;
    for (const GNode &node : GetDirectNode()) {
      AscendString its_type;
      if (node.GetType(its_type) == GRAPH_SUCCESS && its_type == type) ops.push_back(detail::OperatorOfNode(node));
    }
    return GRAPH_SUCCESS;
  }
  graphStatus FindOpByType(const std::string &type, std::vector<Operator> &ops) const {
    return FindOpByType(type.c_str(), ops);
  }
  graphStatus GetAllOpName(std::vector<AscendString> &names) const {
    if (handle_ == nullptr) return GRAPH_FAILED;
    for (const GNode &node : GetDirectNode()) {
      AscendString name;
      (void)node.GetName(name);
      names.push_back(name);
    }
    return GRAPH_SUCCESS;
  }

  graphStatus GetName(AscendString &name) const {
    if (handle_ == nullptr) return GRAPH_FAILED;
    name = AscendString(GeGraphName(handle_));
    return GRAPH_SUCCESS;
  }

  GE_OF_THIS_LIBRARY const std::string &GetName() const {
    static auto *names = new detail::NameMap<std::string>;  // of this program's kind of std::string
    static auto *mutex = new detail::Mutex;
    detail::Lock lock(*mutex);
    const std::string now = handle_ != nullptr ? GeGraphName(handle_) : "";
    names->emplace(now, now);
    return names->find(now)->second;
  }
  /// Marks the graph for loop sinking; kept as attribute "need_iteration".
  void SetNeedIteration(bool need_iteration) {
    AttrValue value;
    value.SetAttrValue(need_iteration);
    (void)SetAttr("need_iteration", value);
  }

  /// Own nodes and those of subgraphs.
  std::vector<GNode> GetAllNodes() const {
    std::vector<GNode> nodes = GetDirectNode();
    const std::string own = handle_ != nullptr ? GeGraphName(handle_) : "";
    std::vector<std::pair<std::string, GraphPtr>> subgraphs;
    bool is_root = true;
    for (const GraphPtr &subgraph : GetAllSubgraphs()) {
      subgraphs.emplace_back(GeGraphName(subgraph->handle_), subgraph);
      is_root = is_root && subgraphs.back().first != own;
    }
    auto take = [&nodes](GraphPtr &graph) {
      if (graph == nullptr) return;
      for (GNode &inner : graph->GetDirectNode()) nodes.push_back(inner);
      graph = nullptr;
    };
    for (auto &named : subgraphs)
      if (is_root) take(named.second);
      else if (named.first == own) named.second = nullptr;
    // Every graph lists all subgraphs of the root: one of them takes those that its own nodes call.
    for (size_t i = 0; !is_root && i < nodes.size(); ++i) {
      const GeNode *node = nodes[i].handle();
      for (size_t k = 0; k < GeNodeSubgraphCount(node); ++k) {
        const char *ir_name = nullptr, *called = nullptr;
        if (GeNodeGetSubgraphName(node, k, &ir_name, &called) != GE_SUCCESS) continue;
        for (auto &named : subgraphs)
          if (named.first == called) take(named.second);
      }
    }
    return nodes;
  }
  std::vector<GNode> GetDirectNode() const {
    std::vector<GNode> nodes;
    if (handle_ == nullptr) return nodes;
    size_t count = GeGraphNodeCount(handle_);
    nodes.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      GeNode *node = nullptr;
      if (GeGraphGetNode(handle_, i, &node) == GE_SUCCESS) nodes.emplace_back(node);
    }
    return nodes;
  }
  graphStatus RemoveNode(GNode &node) {
    return handle_ && node.handle() ? Coarse(GeGraphRemoveNode(handle_, node.handle())) : GRAPH_FAILED;
  }
  graphStatus RemoveNode(GNode &node, bool contain_subgraph) {
    if (handle_ == nullptr || node.handle() == nullptr) return GRAPH_FAILED;
    if (GeGraphRemoveNode(handle_, node.handle()) == GE_SUCCESS) return GRAPH_SUCCESS;
    if (!contain_subgraph) return GRAPH_FAILED;
    for (const GraphPtr &subgraph : GetAllSubgraphs())
      if (GeGraphRemoveNode(subgraph->handle_, node.handle()) == GE_SUCCESS) return GRAPH_SUCCESS;
    return GRAPH_FAILED;
  }
  GNode AddNodeByOp(const Operator &op) { return handle_ ? GNode(detail::AddOperatorNode(handle_, op)) : GNode(); }
  graphStatus AddDataEdge(GNode &src, const int32_t src_port, GNode &dst, const int32_t dst_port) {
    if (!handle_ || !src.handle() || !dst.handle()) return GRAPH_FAILED;
    return Coarse(GeGraphAddDataEdge(handle_, src.handle(), src_port, dst.handle(), dst_port));
  }
  graphStatus AddControlEdge(GNode &src, GNode &dst) {
    if (!handle_ || !src.handle() || !dst.handle()) return GRAPH_FAILED;
    return Coarse(GeGraphAddControlEdge(handle_, src.handle(), dst.handle()));
  }
  graphStatus RemoveEdge(GNode &src, const int32_t src_port, GNode &dst, const int32_t dst_port) {
    if (!handle_ || !src.handle() || !dst.handle()) return GRAPH_FAILED;
    return Coarse(GeGraphRemoveEdge(handle_, src.handle(), src_port, dst.handle(), dst_port));
  }
  GNodePtr FindNodeByName(const AscendString &name) const {
    GeNode *node = nullptr;
    if (handle_ == nullptr || GeGraphFindNode(handle_, name.GetString(), &node) != GE_SUCCESS) return nullptr;
    return std::make_shared<GNode>(node);
  }

  std::vector<GraphPtr> GetAllSubgraphs() const {
    std::vector<GraphPtr> subgraphs;
    if (handle_ == nullptr) return subgraphs;
    for (size_t i = 0; i < GeGraphSubgraphCount(handle_); ++i) {
      GeGraph *subgraph = nullptr;
      if (GeGraphRetainSubgraph(handle_, i, &subgraph) == GE_SUCCESS)
        subgraphs.push_back(std::make_shared<Graph>(Adopt(subgraph)));
    }
    return subgraphs;
  }
  GraphPtr GetSubGraph(const char_t *name) const {
    GeGraph *subgraph = nullptr;
    if (handle_ == nullptr || name == nullptr || GeGraphRetainSubgraphByName(handle_, name, &subgraph) != GE_SUCCESS)
      return nullptr;
    return std::make_shared<Graph>(Adopt(subgraph));
  }
  graphStatus AddSubGraph(const Graph &subgraph) {
    return handle_ && subgraph.handle_ ? Coarse(GeGraphAddSubgraph(handle_, subgraph.handle_)) : GRAPH_FAILED;
  }
  graphStatus RemoveSubgraph(const char_t *name) {
    return handle_ && name ? Coarse(GeGraphRemoveSubgraph(handle_, name)) : GRAPH_FAILED;
  }
  /// Of a subgraph: the graph of the node that calls it. Null for a root.
  std::shared_ptr<const Graph> GetParentGraph() const {
    GeGraph *caller = nullptr;
    GeNode *node = nullptr;
    if (handle_ == nullptr || GeGraphRetainCaller(handle_, &caller, &node) != GE_SUCCESS || caller == nullptr)
      return nullptr;
    return std::make_shared<const Graph>(Adopt(caller));
  }
  GNodePtr GetParentNode() const {
    GeGraph *caller = nullptr;
    GeNode *node = nullptr;
    if (handle_ == nullptr || GeGraphRetainCaller(handle_, &caller, &node) != GE_SUCCESS || node == nullptr)
      return nullptr;
    auto found = std::make_shared<GNode>(node);
    GeGraphDestroy(caller);
    return found;
  }
  /// Deep copy of `source` with its subgraphs; an own name is kept.
  graphStatus CopyFrom(const Graph &source) {
    if (source.handle_ == nullptr) return GRAPH_FAILED;
    GeGraph *copy = nullptr;
    const char *own = handle_ ? GeGraphName(handle_) : nullptr;
    if (GeGraphClone(source.handle_, own && *own ? own : nullptr, &copy) != GE_SUCCESS) return GRAPH_FAILED;
    GeGraphDestroy(handle_);
    handle_ = copy;
    return GRAPH_SUCCESS;
  }

  graphStatus SetAttr(const AscendString &name, const AttrValue &value) {
    if (handle_ == nullptr) return GRAPH_FAILED;
    return Coarse(GeGraphSetAttr(handle_, detail::AttrView(name.GetString(), value).get()));
  }
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const {
    GeAttrData data{};
    if (handle_ == nullptr || GeGraphGetAttr(handle_, name.GetString(), &data) != GE_SUCCESS) return GRAPH_FAILED;
    value = detail::FromData(data);
    return GRAPH_SUCCESS;
  }

  graphStatus SaveToFile(const char_t *path) const {
    return handle_ && path ? Coarse(GeGraphSave(handle_, path)) : GRAPH_FAILED;
  }
  graphStatus SaveToFile(const std::string &path) const { return SaveToFile(path.c_str()); }
  graphStatus LoadFromFile(const char_t *path) {
    if (handle_ == nullptr && GeGraphCreate(nullptr, &handle_) != GE_SUCCESS) return GRAPH_FAILED;
    return path ? Coarse(GeGraphLoad(handle_, path)) : GRAPH_FAILED;
  }
  graphStatus LoadFromFile(const std::string &path) { return LoadFromFile(path.c_str()); }

  graphStatus SaveToMem(GraphBuffer &buffer) const {
    if (handle_ == nullptr) return GRAPH_FAILED;
    void *data = nullptr;
    size_t size = 0;
    if (GeGraphToBytes(handle_, &data, &size) != GE_SUCCESS) return GRAPH_FAILED;
    GeBytesDestroy(buffer.data_);
    buffer.data_ = data;
    buffer.size_ = size;
    return GRAPH_SUCCESS;
  }
  graphStatus LoadFromMem(const GraphBuffer &buffer) { return LoadFromMem(buffer.GetData(), buffer.GetSize()); }
  graphStatus LoadFromMem(const uint8_t *data, const size_t len) {
    if (data == nullptr || (handle_ == nullptr && GeGraphCreate(nullptr, &handle_) != GE_SUCCESS)) return GRAPH_FAILED;
    return Coarse(GeGraphFromBytes(handle_, data, len));
  }
  graphStatus LoadFromSerializedModelArray(const void *serialized_model, size_t size) {
    return LoadFromMem(static_cast<const uint8_t *>(serialized_model), size);
  }

  static GraphPtr ConstructFromInputs(const std::vector<Operator> &inputs, const AscendString &name) {
    auto graph = std::make_shared<Graph>(name.GetString());
    graph->SetInputs(inputs);
    return graph;
  }

  graphStatus Dump(DumpFormat format, std::ostream &stream) const {
    if (handle_ == nullptr) return GRAPH_FAILED;
    auto write = [](void *user, const char *text, size_t length) {
      static_cast<std::ostream *>(user)->write(text, static_cast<std::streamsize>(length));
    };
    return Coarse(GeGraphDump(handle_, static_cast<int32_t>(format), write, &stream));
  }
  graphStatus DumpToFile(DumpFormat format, const AscendString &suffix) const {
    if (handle_ == nullptr) return GRAPH_FAILED;
    return Coarse(GeGraphDumpToFile(handle_, static_cast<int32_t>(format), suffix.GetString(), nullptr, nullptr));
  }

  GeGraph *handle() const { return handle_; }

  // EsCGraph boxes come from the library and are freed as graphs here: both sides use malloc and free.
  static void *operator new(size_t size) { return std::malloc(size); }
  static void *operator new(size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
  static void *operator new(size_t, void *at) noexcept { return at; }
  static void operator delete(void *memory) { std::free(memory); }

 private:
  static graphStatus Coarse(GeStatus status) { return status == GE_SUCCESS ? GRAPH_SUCCESS : GRAPH_FAILED; }
  static void Add(std::vector<GeNode *> &nodes, std::vector<int32_t> &ports, GeNode *node, size_t port) {
    nodes.push_back(node);
    ports.push_back(static_cast<int32_t>(port));
  }
  GeGraph *handle_ = nullptr;
};
static_assert(sizeof(Graph) == sizeof(void *), "an EsCGraph is one pointer");

inline graphStatus GNode::GetSubgraph(uint32_t index, GraphPtr &graph) const {
  const char *ir_name = nullptr, *graph_name = nullptr;
  GeGraph *owner = nullptr, *found = nullptr;
  if (handle_ == nullptr || GeNodeGetSubgraphName(handle_, index, &ir_name, &graph_name) != GE_SUCCESS ||
      GeNodeRetainGraph(handle_, &owner) != GE_SUCCESS)
    return GRAPH_FAILED;
  GeStatus status = GeGraphRetainSubgraphByName(owner, graph_name, &found);
  GeGraphDestroy(owner);
  if (status != GE_SUCCESS) return GRAPH_FAILED;
  graph = std::make_shared<Graph>(Graph::Adopt(found));
  return GRAPH_SUCCESS;
}
inline graphStatus GNode::GetALLSubgraphs(std::vector<GraphPtr> &subgraphs) const {
  GeGraph *owner = nullptr;
  if (handle_ == nullptr || GeNodeRetainGraph(handle_, &owner) != GE_SUCCESS) return GRAPH_FAILED;
  subgraphs = Graph::Adopt(owner).GetAllSubgraphs();
  return subgraphs.empty() ? GRAPH_FAILED : GRAPH_SUCCESS;
}
inline graphStatus GNode::SetSubgraph(const AscendString &ir_name, const Graph &subgraph) {
  if (handle_ == nullptr || subgraph.handle() == nullptr) return GRAPH_FAILED;
  return GeNodeSetSubgraph(handle_, ir_name.GetString(), subgraph.handle()) == GE_SUCCESS ? GRAPH_SUCCESS
                                                                                          : GRAPH_FAILED;
}
inline graphStatus GNode::SetSubgraphs(const AscendString &ir_name, const std::vector<Graph> &subgraphs) {
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    std::string instance = ir_name.GetString() + std::to_string(i);
    if (SetSubgraph(AscendString(instance.c_str()), subgraphs[i]) != GRAPH_SUCCESS) return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

inline Graph Operator::BuildSubgraph(const SubgraphBuilder &builder) { return builder ? builder() : Graph(); }
inline Graph Operator::GetSubgraphImpl(const char_t *name) const { return GetSubgraph(name); }
inline Graph Operator::GetSubgraph(const char_t *name) const { return BuildSubgraph(GetSubgraphBuilder(name)); }
inline Graph Operator::GetDynamicSubgraph(const char_t *name, uint32_t index) const {
  return BuildSubgraph(GetDynamicSubgraphBuilder(name, index));
}

}  // namespace ge

#endif
