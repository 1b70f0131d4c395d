// StreamAllocationSummary: on which streams a compiled graph's nodes run. Here that is one: the calling thread.
#ifndef INC_GE_DETAIL_STREAM_SUMMARY_H_
#define INC_GE_DETAIL_STREAM_SUMMARY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/model.h"
#include "graph/ascend_string.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {

class LogicalStreamAllocationInfo {
 public:
  AscendString ToStringInfo() const {
    std::string text = "logical_stream_id: " + std::to_string(GetLogicalStreamId()) +
                       ", physical_stream_num: " + std::to_string(GetPhysicalStreamNum()) +
                       ", nodes: " + std::to_string(nodes_.size());
    return AscendString(text.c_str());
  }
  int64_t GetLogicalStreamId() const { return 0; }
  /// Labels of nodes do not part the work.
  AscendString GetUsrStreamLabel() const { return AscendString(""); }
  bool IsAssignedByStreamPass() const { return false; }
  std::vector<int64_t> GetAttachedStreamIds() const { return {}; }
  size_t GetPhysicalStreamNum() const { return 1; }
  size_t GetHcclFollowedStreamNum() const { return 0; }
  /// Of a copy of the compiled graph, which lives as long as the summary.
  const std::vector<GNode> &GetAllNodes() const { return nodes_; }

 private:
  friend class StreamAllocationSummary;
  std::vector<GNode> nodes_;
};

class StreamAllocationSummary {
 public:
  StreamAllocationSummary(const StreamAllocationSummary &) = delete;
  StreamAllocationSummary &operator=(const StreamAllocationSummary &) = delete;
  /// The compiled graph as DOT text, by graph name.
  const std::map<AscendString, AscendString> &ToStreamGraph() const { return texts_; }
  /// Of the graph and its subgraphs, by name.
  const std::map<AscendString, std::vector<LogicalStreamAllocationInfo>> &GetAllLogicalStreamInfos() const {
    return infos_;
  }

 private:
  friend class CompiledGraphSummary;
  /// Null when the library has no memory for it.
  static std::shared_ptr<StreamAllocationSummary> Of(const GeModel *model) {
    GeGraph *handle = nullptr;
    if (GeModelCloneGraph(model, &handle) != GE_SUCCESS) return nullptr;
    std::shared_ptr<StreamAllocationSummary> summary(new StreamAllocationSummary);
    summary->graph_ = Graph::Adopt(handle);
    std::string text;
    auto write = [](void *user, const char *part, size_t length) {
      static_cast<std::string *>(user)->append(part, length);
    };
    if (GeModelDescribe(model, GE_MODEL_GRAPH_DOT, write, &text) != GE_SUCCESS) return nullptr;
    summary->texts_.emplace(AscendString(GeGraphName(handle)), AscendString(text.c_str(), text.size()));
    summary->Add(summary->graph_);
    for (const GraphPtr &sub : summary->graph_.GetAllSubgraphs()) summary->Add(*sub);
    return summary;
  }
  StreamAllocationSummary() = default;
  void Add(const Graph &graph) {
    LogicalStreamAllocationInfo info;
    info.nodes_ = graph.GetDirectNode();
    AscendString name;
    if (graph.GetName(name) == GRAPH_SUCCESS) infos_[name].push_back(std::move(info));
  }
  Graph graph_;
  std::map<AscendString, AscendString> texts_;
  std::map<AscendString, std::vector<LogicalStreamAllocationInfo>> infos_;
};

}  // namespace ge

#endif
