// CompiledGraphSummary: what compiling a graph came to.
#ifndef INC_EXTERNAL_GE_GE_GRAPH_COMPILE_SUMMARY_H_
#define INC_EXTERNAL_GE_GE_GRAPH_COMPILE_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ge/ge_external_weight_desc.h"
#include "ge/ge_feature_memory.h"
#include "ge/model.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/tensor.h"

namespace ge {

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
  /// Each run context has memory of its own: the base is never a program's to move.
  Status GetFeatureMemoryBaseRefreshable(bool &refreshable) const {
    refreshable = false;
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

 private:
  friend class GeSession;
  friend class Session;
  explicit CompiledGraphSummary(GeModel *model) {
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
  /// Null while the graph is not compiled.
  static std::shared_ptr<CompiledGraphSummary> Of(GeModel *model) {
    return std::shared_ptr<CompiledGraphSummary>(model == nullptr ? nullptr : new CompiledGraphSummary(model));
  }
  GeModelMemory memory_{};
  std::vector<Shape> shapes_;
  std::vector<DataType> types_;
};
using CompiledGraphSummaryPtr = std::shared_ptr<CompiledGraphSummary>;

}  // namespace ge

#endif
