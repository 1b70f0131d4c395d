// Data-flow graphs: nodes that messages pass through, each with the process points that work on them. A session runs
// them (Session::FeedDataFlowGraph, FetchDataFlowGraph).
//
// What a graph of them says, beside nodes and edges:
//   graph      _dflow_is_flow_graph, _dflow_contains_n_mapping_node, _dflow_exception_catch, _dflow_builder_async,
//              _dflow_inputs_align_drop: Bool; _dflow_inputs_align_cache, _dflow_inputs_align_timeout: Int
//   FlowNode   _dflow_process_points: ListString, one JSON object per point: "point" is what ProcessPoint::Serialize
//              says, "inputs" and "outputs" are pairs [port of the node, port of the point] (none: they are the same),
//              "subgraphs" are what the point runs or calls: {"key": of the closure, "subgraph": of the node, "pp0"};
//              the graphs are called node/point/closure, and what they contain begins with that;
//              _dflow_balance_scatter, _dflow_balance_gather: Bool
//   its inputs _dflow_count_batch_* and _dflow_time_batch_* with the fields of CountBatch and TimeBatch
#ifndef INC_EXTERNAL_FLOW_GRAPH_FLOW_GRAPH_H_
#define INC_EXTERNAL_FLOW_GRAPH_FLOW_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flow_graph/flow_attr.h"
#include "flow_graph/process_point.h"
#include "graph/detail/language.h"
#include "graph/graph.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"

namespace ge {
namespace dflow {

namespace detail {

/// The prototype of FlowNode.
class FlowNodeOperator : public Operator {
 public:
  explicit FlowNodeOperator(const AscendString &name) : Operator(name, AscendString("FlowNode")) {
    DynamicInputRegister("x", 0);
    DynamicOutputRegister("y", 0);
    SubgraphRegister("pp", true);
  }
};
GE_INLINE_VARIABLE const OperatorCreatorRegister kFlowNodeRegister("FlowNode",
                                                                   [](const AscendString &name) -> Operator {
                                                                     return FlowNodeOperator(name);
                                                                   });

/// The points of a node, with their ports.
struct FlowNodePoints {
  using Ports = std::vector<std::pair<uint32_t, uint32_t>>;
  struct Point {
    std::shared_ptr<ProcessPointImpl> impl;
    std::string json;  // as the point was when it was added
    Ports inputs, outputs;
    std::vector<std::pair<std::string, std::string>> subgraphs;  // key of the closure, subgraph

    std::string ToJson() const {
      std::vector<std::string> graphs;
      for (const auto &graph : subgraphs)
        graphs.push_back("{\"key\":" + FlowJson::Text(graph.first) + ",\"subgraph\":\"" + graph.second + "\"}");
      return "{\"point\":" + json + ",\"inputs\":" + PortList(inputs) + ",\"outputs\":" + PortList(outputs) +
             ",\"subgraphs\":" + FlowJson::List(graphs) + "}";
    }
    static std::string PortList(const Ports &ports) {
      std::vector<std::string> parts;
      for (const auto &pair : ports)
        parts.push_back("[" + std::to_string(pair.first) + "," + std::to_string(pair.second) + "]");
      return FlowJson::List(parts);
    }
  };
  std::vector<Point> points;
  uint32_t subgraph_count = 0;
  bool scatter = false, gather = false;
};

}  // namespace detail

class FlowOperator : public ge::Operator {
 public:
  ~FlowOperator() override = default;
  FlowOperator(const FlowOperator &) = default;
  FlowOperator &operator=(const FlowOperator &) = default;

 protected:
  FlowOperator(const char *name, const char *type) : ge::Operator(name, type) {}
  explicit FlowOperator(const ge::Operator &op) : ge::Operator(op) {}
};

/// An input of a flow graph; `index` is its place among them.
class FlowData : public FlowOperator {
 public:
  FlowData(const char *name, int64_t index)
      : FlowOperator(OperatorFactory::CreateOperator(name != nullptr ? name : "", "Data")) {
    (void)SetAttr("index", index);
  }
};

/// Copies are handles to one node. Calls that cannot be done (ports that are not there, names that are taken) change
/// nothing; the log and the last error say why.
class FlowNode : public FlowOperator {
 public:
  FlowNode(const char *name, uint32_t input_num, uint32_t output_num)
      : FlowOperator(detail::FlowNodeOperator(name != nullptr ? name : "")),
        points_(std::make_shared<detail::FlowNodePoints>()) {
    DynamicInputRegister("x", input_num);
    DynamicOutputRegister("y", output_num);
  }

  FlowNode &SetInput(uint32_t dst_index, const FlowOperator &src_op, uint32_t src_index = 0) {
    if (!Has("input", dst_index, GetInputsSize())) return *this;
    if (src_index >= src_op.GetOutputsSize()) {
      Refuse("'" + src_op.GetName() + "' has no output " + std::to_string(src_index) + ", it has " +
             std::to_string(src_op.GetOutputsSize()));
      return *this;
    }
    (void)ge::Operator::SetInput(dst_index, src_op, src_index);
    return *this;
  }
  /// Messages of the node's input go to the point's. A point that the node does not have is added.
  FlowNode &MapInput(uint32_t node_input_index, const ProcessPoint &pp, uint32_t pp_input_index,
                     const std::vector<DataFlowInputAttr> &attrs = {}) {
    if (!Has("input", node_input_index, GetInputsSize())) return *this;
    for (const DataFlowInputAttr &attr : attrs) {
      const bool known =
          attr.attr_type == DataFlowAttrType::COUNT_BATCH || attr.attr_type == DataFlowAttrType::TIME_BATCH;
      if (known && attr.attr_value != nullptr) continue;
      Refuse("an attribute of input " + std::to_string(node_input_index) +
             (known ? " has no value" : " is neither COUNT_BATCH nor TIME_BATCH"));
      return *this;
    }
    detail::FlowNodePoints::Point *point = Add(pp);
    if (point == nullptr) return *this;
    point->inputs.emplace_back(node_input_index, pp_input_index);
    for (const DataFlowInputAttr &attr : attrs) {
      if (attr.attr_type == DataFlowAttrType::COUNT_BATCH) {
        const auto &batch = *static_cast<const CountBatch *>(attr.attr_value);
        Port(node_input_index, "_dflow_count_batch_batch_size", batch.batch_size);
        Port(node_input_index, "_dflow_count_batch_slide_stride", batch.slide_stride);
        Batch(node_input_index, "_dflow_count_batch_", batch);
      } else {
        const auto &batch = *static_cast<const TimeBatch *>(attr.attr_value);
        Port(node_input_index, "_dflow_time_batch_time_window", batch.time_window);
        Port(node_input_index, "_dflow_time_batch_time_interval", batch.time_interval);
        Batch(node_input_index, "_dflow_time_batch_", batch);
      }
    }
    return Write();
  }
  FlowNode &MapOutput(uint32_t node_output_index, const ProcessPoint &pp, uint32_t pp_output_index) {
    if (!Has("output", node_output_index, GetOutputsSize())) return *this;
    detail::FlowNodePoints::Point *point = Add(pp);
    if (point == nullptr) return *this;
    point->outputs.emplace_back(node_output_index, pp_output_index);
    return Write();
  }
  /// The point as it is now. Its graph and those of its closures become subgraphs of the node, built when the flow
  /// graph gets its inputs.
  FlowNode &AddPp(const ProcessPoint &pp) {
    (void)Add(pp);
    return Write();
  }
  /// Messages are spread over the node's instances, of which there is one here; a node scatters or gathers, not both.
  FlowNode &SetBalanceScatter() { return Balance(points_->scatter, points_->gather, "_dflow_balance_scatter"); }
  FlowNode &SetBalanceGather() { return Balance(points_->gather, points_->scatter, "_dflow_balance_gather"); }

 private:
  using Point = detail::FlowNodePoints::Point;
  void Refuse(const std::string &text) const {
    detail::RefuseFlow("FlowNode '" + ge::Operator::GetName() + "': " + text);
  }
  bool Has(const char *what, uint32_t index, size_t count) const {
    if (index < count) return true;
    Refuse(std::string("there is no ") + what + " " + std::to_string(index) + ", it has " + std::to_string(count));
    return false;
  }
  Point *Add(const ProcessPoint &pp) {
    for (Point &point : points_->points) {
      if (point.impl == pp.impl()) return &point;
      if (point.impl->name != pp.impl()->name) continue;
      Refuse("it has another process point '" + point.impl->name + "'");
      return nullptr;
    }
    AscendString json;
    pp.Serialize(json);
    points_->points.push_back({pp.impl(), json.GetString(), {}, {}, {}});
    Point &point = points_->points.back();
    AddSubgraphs(point, *pp.impl(), "", pp.impl()->name);
    return &point;
  }
  void AddSubgraphs(Point &point, const detail::ProcessPointImpl &pp, const std::string &key, const std::string &path) {
    SubgraphBuilder builder = pp.graph_builder;
    if (pp.flow_graph_builder) builder = FlowBuilder(pp.flow_graph_builder);
    if (builder) {
      const std::string name = ge::Operator::GetName() + "/" + path;
      const uint32_t index = points_->subgraph_count++;
      SubgraphCountRegister("pp", points_->subgraph_count);
      SetSubgraphBuilder("pp", index, Checked(builder, name));
      (void)SetSubgraphInstanceName(index, name.c_str());
      point.subgraphs.emplace_back(key, "pp" + std::to_string(index));
    }
    for (const auto &closure : pp.closures) AddSubgraphs(point, *closure.point, closure.key, path + "/" + closure.key);
  }
  // The node gets a copy of its own: a builder may give one graph several times.
  static SubgraphBuilder Checked(const SubgraphBuilder &builder, const std::string &name) {
    return [builder, name] {
      const Graph built = builder();
      Graph own(name);
      if (built.IsValid() && own.CopyFrom(built) == GRAPH_SUCCESS) {
        for (const GraphPtr &inner : own.GetAllSubgraphs())
          (void)GeGraphSetName(inner->handle(), (name + "/" + GeGraphName(inner->handle())).c_str());
        return own;
      }
      detail::RefuseFlow("the function that builds graph '" + name + "' gave none");
      return Graph();
    };
  }
  static inline SubgraphBuilder FlowBuilder(const FlowGraphBuilder &builder);
  FlowNode &Write() {
    std::vector<AscendString> texts;
    for (const Point &point : points_->points) texts.emplace_back(point.ToJson().c_str());
    (void)SetAttr("_dflow_process_points", texts);
    return *this;
  }
  template <class T>
  void Port(uint32_t index, const std::string &name, const T &value) {
    (void)SetInputAttr(static_cast<int32_t>(index), name.c_str(), value);
  }
  template <class T>
  void Batch(uint32_t index, const std::string &prefix, const T &batch) {
    Port(index, prefix + "timeout", batch.timeout);
    Port(index, prefix + "batch_dim", batch.batch_dim);
    Port(index, prefix + "flag", static_cast<int64_t>(batch.flag));
    Port(index, prefix + "padding", batch.padding);
    Port(index, prefix + "drop_remainder", batch.drop_remainder);
  }
  FlowNode &Balance(bool &own, bool other, const char *attr) {
    if (other) {
      Refuse("it scatters or gathers, not both");
      return *this;
    }
    own = true;
    (void)SetAttr(attr, true);
    return *this;
  }
  std::shared_ptr<detail::FlowNodePoints> points_;
};

/// Copies are handles to one graph.
class FlowGraph {
 public:
  explicit FlowGraph(const char *name = "flow_graph") : impl_(std::make_shared<Impl>(name != nullptr ? name : "")) {
    Attr("_dflow_is_flow_graph", true);
  }

  /// Nodes, edges and attributes as a graph that can be read, saved, dumped and added to a session.
  const ge::Graph &ToGeGraph() const { return impl_->graph; }
  const char *GetName() const { return impl_->name.c_str(); }

  /// Makes nodes of everything that is connected to the inputs and builds the subgraphs; once.
  FlowGraph &SetInputs(const std::vector<FlowOperator> &inputs) {
    if (inputs.empty() || impl_->built) {
      Refuse(inputs.empty() ? "SetInputs got no inputs" : "it has its inputs already");
      return *this;
    }
    impl_->built = true;
    impl_->graph.SetInputs(std::vector<Operator>(inputs.begin(), inputs.end()));
    if (!impl_->outputs.empty()) impl_->graph.SetOutputs(impl_->outputs);
    return *this;
  }
  /// All outputs of the nodes.
  FlowGraph &SetOutputs(const std::vector<FlowOperator> &outputs) {
    std::vector<std::pair<FlowOperator, std::vector<size_t>>> all;
    for (const FlowOperator &op : outputs) all.emplace_back(op, std::vector<size_t>{});
    return SetOutputs(all);
  }
  /// Outputs by index; an empty list means all of a node's.
  FlowGraph &SetOutputs(const std::vector<std::pair<FlowOperator, std::vector<size_t>>> &output_indexes) {
    std::vector<std::pair<Operator, std::vector<size_t>>> outputs;
    for (const auto &output : output_indexes) {
      for (const size_t index : output.second) {
        if (index < output.first.GetOutputsSize()) continue;
        Refuse("'" + output.first.GetName() + "' has no output " + std::to_string(index) + ", it has " +
               std::to_string(output.first.GetOutputsSize()));
        return *this;
      }
      outputs.emplace_back(output.first, output.second);
    }
    impl_->outputs = outputs;
    if (impl_->built) impl_->graph.SetOutputs(outputs);
    return *this;
  }
  FlowGraph &SetContainsNMappingNode(bool contains_n_mapping_node) {
    return Attr("_dflow_contains_n_mapping_node", contains_n_mapping_node);
  }
  /// Inputs of a node are matched by transaction: how many transactions wait at most (0: no matching, messages are
  /// taken as they come), how long (ms, -1: for ever), and whether what found no match is dropped; else it is an error
  /// of the transaction, ACL_ERROR_GE_DATA_NOT_ALIGNED.
  FlowGraph &SetInputsAlignAttrs(uint32_t align_max_cache_num, int32_t align_timeout,
                                 bool dropout_when_not_align = false) {
    if (align_timeout < -1) {
      Refuse("the time to align inputs is " + std::to_string(align_timeout) + ", expected -1 or more");
      return *this;
    }
    Attr("_dflow_inputs_align_cache", static_cast<int64_t>(align_max_cache_num));
    Attr("_dflow_inputs_align_timeout", static_cast<int64_t>(align_timeout));
    return Attr("_dflow_inputs_align_drop", dropout_when_not_align);
  }
  /// Functions may raise exceptions, which other functions and the next fetch are told.
  FlowGraph &SetExceptionCatch(bool enable_exception_catch) {
    return Attr("_dflow_exception_catch", enable_exception_catch);
  }
  /// Kept as an attribute: builders are always called one after the other, in the thread of SetInputs.
  void SetGraphPpBuilderAsync(bool graphpp_builder_async) { Attr("_dflow_builder_async", graphpp_builder_async); }

 private:
  struct Impl {
    explicit Impl(const char *n) : name(n), graph(n) {}
    std::string name;
    Graph graph;
    std::vector<std::pair<Operator, std::vector<size_t>>> outputs;
    bool built = false;
  };
  void Refuse(const std::string &text) const { detail::RefuseFlow("FlowGraph '" + impl_->name + "': " + text); }
  template <class T>
  FlowGraph &Attr(const char *name, const T &value) {
    AttrValue held;
    held.SetAttrValue(value);
    (void)impl_->graph.SetAttr(name, held);
    return *this;
  }
  std::shared_ptr<Impl> impl_;
};

inline SubgraphBuilder FlowNode::FlowBuilder(const FlowGraphBuilder &builder) {
  return [builder] { return builder().ToGeGraph(); };
}

}  // namespace dflow
}  // namespace ge

#endif
