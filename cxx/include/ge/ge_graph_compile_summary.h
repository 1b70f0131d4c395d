// CompiledGraphSummary: what compiling a graph came to.
#ifndef INC_EXTERNAL_GE_GE_GRAPH_COMPILE_SUMMARY_H_
#define INC_EXTERNAL_GE_GE_GRAPH_COMPILE_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ge/detail/stream_summary.h"
#include "ge/ge_external_weight_desc.h"
#include "ge/ge_feature_memory.h"
#include "ge/model.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/tensor.h"

namespace ge {

namespace detail {
class SessionBase;
}

/// Answers as of the moment it was asked for. A graph with unknown shapes has no memory plan yet: what needs one fails.
class CompiledGraphSummary {
 public:
  CompiledGraphSummary(const CompiledGraphSummary &) = delete;
  CompiledGraphSummary &operator=(const CompiledGraphSummary &) = delete;

  /// All shapes are known and one plan holds for every run.
  bool IsStatic() const { return memory_.is_static != 0; }
  Status GetConstMemorySize(size_t &size) const { return Planned(memory_.constant_bytes + memory_.packed_bytes, size); }
  /// Tensors between nodes.
  Status GetFeatureMemorySize(size_t &size) const { return Planned(memory_.arena_bytes, size); }
  /// No part of that memory has to stay where it is between runs.
  Status GetFixedFeatureMemorySize(size_t &size) const { return Planned(0, size); }
  Status GetRefreshableFeatureMemorySize(size_t &size) const { return Planned(memory_.arena_bytes, size); }
  std::vector<FeatureMemoryPtr> GetAllFeatureMemoryTypeSize() const {
    std::vector<FeatureMemoryPtr> all;
    size_t size = 0;
    if (GetFeatureMemorySize(size) == SUCCESS && size > 0)
      all.push_back(std::make_shared<FeatureMemory>(MemoryType::MEMORY_TYPE_DEFAULT, size, false));
    return all;
  }
  /// As option ge.featureBaseRefreshable says. The base can be moved between runs either way.
  Status GetFeatureMemoryBaseRefreshable(bool &refreshable) const {
    refreshable = IsStatic() && refreshable_;
    return IsStatic() ? SUCCESS : FAILED;
  }
  /// Work runs in the calling thread, which is one stream, and in parallel inside a node.
  Status GetStreamNum(size_t &num) const { return Planned(1, num); }
  Status GetEventNum(size_t &num) const { return Planned(0, num); }
  /// Unknown dimensions are -1.
  Status GetOutputShapes(std::vector<Shape> &shapes) const {
    shapes = shapes_;
    return SUCCESS;
  }
  Status GetOutputDtypes(std::vector<DataType> &types) const {
    types = types_;
    return SUCCESS;
  }
  /// Outputs are always memory of their own.
  Status GetIOIndexesWithSameAddr(std::vector<std::pair<uint32_t, uint32_t>> &io_indexes) const {
    io_indexes.clear();
    return IsStatic() ? SUCCESS : FAILED;
  }
  /// Weights are inside the compiled model.
  Status GetExternalWeightPaths(std::vector<ExternalWeightDescPtr> &paths) const {
    paths.clear();
    return SUCCESS;
  }
  /// The same object every time.
  Status GetStreamAllocationSummary(std::shared_ptr<StreamAllocationSummary> &summary) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (streams_ == nullptr) streams_ = StreamAllocationSummary::Of(model_.get());
    summary = streams_;
    return summary == nullptr ? FAILED : SUCCESS;
  }

 private:
  friend class detail::SessionBase;
  CompiledGraphSummary(GeModel *model, bool refreshable) : model_(model, &GeModelDestroy), refreshable_(refreshable) {
    memory_.struct_size = sizeof memory_;
    (void)GeModelGetMemory(model, &memory_);
    for (size_t i = 0; i < GeModelOutputCount(model); ++i) {
      GeTensorData desc{};
      if (GeModelGetOutput(model, i, nullptr, &desc) != GE_SUCCESS) continue;
      shapes_.emplace_back(detail::DimsOf(desc.dims, desc.rank));
      types_.push_back(static_cast<DataType>(desc.data_type));
    }
  }
  Status Planned(uint64_t value, size_t &out) const {
    if (!IsStatic()) return FAILED;
    out = static_cast<size_t>(value);
    return SUCCESS;
  }
  /// Takes the model over. Null while the graph is not compiled.
  static std::shared_ptr<CompiledGraphSummary> Of(GeModel *model, bool refreshable) {
    return std::shared_ptr<CompiledGraphSummary>(model == nullptr ? nullptr
                                                                  : new CompiledGraphSummary(model, refreshable));
  }
  std::unique_ptr<GeModel, void (*)(GeModel *)> model_;
  bool refreshable_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<StreamAllocationSummary> streams_;
  GeModelMemory memory_{};
  std::vector<Shape> shapes_;
  std::vector<DataType> types_;
};
using CompiledGraphSummaryPtr = std::shared_ptr<CompiledGraphSummary>;

namespace detail {
/// One value of every logical stream, by graph.
template <class T, class Read>
Status OfStreams(const CompiledGraphSummary &compiled, std::map<AscendString, std::vector<T>> &values, Read read) {
  std::shared_ptr<StreamAllocationSummary> streams;
  if (compiled.GetStreamAllocationSummary(streams) != SUCCESS) return FAILED;
  values.clear();
  for (const auto &graph : streams->GetAllLogicalStreamInfos())
    for (const LogicalStreamAllocationInfo &info : graph.second) values[graph.first].push_back(read(info));
  return SUCCESS;
}
}  // namespace detail

extern "C" {
// The same without member functions.
inline Status GEStreamAllocationSummaryGetStringInfos(const CompiledGraphSummary &compiled_graph_summary,
                                                      std::map<AscendString, std::vector<AscendString>> &infos) {
  return detail::OfStreams(compiled_graph_summary, infos,
                           [](const LogicalStreamAllocationInfo &info) { return info.ToStringInfo(); });
}
inline Status GEStreamAllocationSummaryGetLogicalStreamIds(const CompiledGraphSummary &compiled_graph_summary,
                                                           std::map<AscendString, std::vector<int64_t>> &ids) {
  return detail::OfStreams(compiled_graph_summary, ids,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetLogicalStreamId(); });
}
inline Status GEStreamAllocationSummaryGetUsrStreamLabels(const CompiledGraphSummary &compiled_graph_summary,
                                                          std::map<AscendString, std::vector<AscendString>> &labels) {
  return detail::OfStreams(compiled_graph_summary, labels,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetUsrStreamLabel(); });
}
inline Status GEStreamAllocationSummaryIsAssignedByStreamPass(const CompiledGraphSummary &compiled_graph_summary,
                                                              std::map<AscendString, std::vector<bool>> &assigned) {
  return detail::OfStreams(compiled_graph_summary, assigned,
                           [](const LogicalStreamAllocationInfo &info) { return info.IsAssignedByStreamPass(); });
}
inline Status GEStreamAllocationSummaryGetAttachedStreamIds(
    const CompiledGraphSummary &compiled_graph_summary,
    std::map<AscendString, std::vector<std::vector<int64_t>>> &ids) {
  return detail::OfStreams(compiled_graph_summary, ids,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetAttachedStreamIds(); });
}
inline Status GEStreamAllocationSummaryGetPhysicalStreamNums(const CompiledGraphSummary &compiled_graph_summary,
                                                             std::map<AscendString, std::vector<size_t>> &nums) {
  return detail::OfStreams(compiled_graph_summary, nums,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetPhysicalStreamNum(); });
}
inline Status GEStreamAllocationSummaryGetHcclFollowedStreamNums(const CompiledGraphSummary &compiled_graph_summary,
                                                                 std::map<AscendString, std::vector<size_t>> &nums) {
  return detail::OfStreams(compiled_graph_summary, nums,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetHcclFollowedStreamNum(); });
}
/// Nodes live as long as the summary.
inline Status GEStreamAllocationSummaryGetAllNodes(const CompiledGraphSummary &compiled_graph_summary,
                                                   std::map<AscendString, std::vector<std::vector<GNode>>> &nodes) {
  return detail::OfStreams(compiled_graph_summary, nodes,
                           [](const LogicalStreamAllocationInfo &info) { return info.GetAllNodes(); });
}
inline Status GEStreamAllocationSummaryGetStreamGraphs(const CompiledGraphSummary &compiled_graph_summary,
                                                       std::map<AscendString, AscendString> &graphs) {
  std::shared_ptr<StreamAllocationSummary> streams;
  if (compiled_graph_summary.GetStreamAllocationSummary(streams) != SUCCESS) return FAILED;
  graphs = streams->ToStreamGraph();
  return SUCCESS;
}
}

}  // namespace ge

#endif
