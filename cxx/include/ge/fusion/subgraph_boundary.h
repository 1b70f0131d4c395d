// SubgraphBoundary: where a part of a graph is cut out.
#ifndef INC_EXTERNAL_GE_FUSION_SUBGRAPH_BOUNDARY_H_
#define INC_EXTERNAL_GE_FUSION_SUBGRAPH_BOUNDARY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ge/fusion/pattern.h"
#include "graph/detail/language.h"

namespace ge {
namespace fusion {

/// One tensor from outside, and the ports inside that read it.
class SubgraphInput {
 public:
  SubgraphInput() = default;
  explicit SubgraphInput(std::vector<NodeIo> node_inputs) : ports_(std::move(node_inputs)) {}

  /// Fails when the port does not exist, is not connected, or reads another tensor than those before.
  Status AddInput(const NodeIo &node_input) {
    const auto source = Source(node_input);
    if (source.first == nullptr) return FAILED;
    if (!ports_.empty()) {
      const auto first = Source(ports_.front());
      if (first.first == nullptr || first.first->handle() != source.first->handle() || first.second != source.second)
        return FAILED;
    }
    ports_.push_back(node_input);
    return SUCCESS;
  }
  std::vector<NodeIo> GetAllInputs() const { return ports_; }

 private:
  static std::pair<GNodePtr, int32_t> Source(const NodeIo &port) {
    if (port.index < 0 || port.index > INT32_MAX) return {nullptr, 0};
    return port.node.GetInDataNodesAndPortIndexs(static_cast<int32_t>(port.index));
  }
  std::vector<NodeIo> ports_;
};

/// One tensor made inside.
class SubgraphOutput {
 public:
  SubgraphOutput() = default;
  explicit SubgraphOutput(const NodeIo &node_output) : tensor_(node_output), set_(true) {}

  /// Once only.
  Status SetOutput(const NodeIo &node_output) {
    if (set_) return FAILED;
    tensor_ = node_output;
    set_ = true;
    return SUCCESS;
  }
  Status GetOutput(NodeIo &node_output) const {
    if (!set_) return FAILED;
    node_output = tensor_;
    return SUCCESS;
  }

 private:
  NodeIo tensor_{GNode(), -1};
  bool set_ = false;
};

class SubgraphBoundary {
 public:
  SubgraphBoundary() = default;
  SubgraphBoundary(std::vector<SubgraphInput> inputs, std::vector<SubgraphOutput> outputs) {
    for (SubgraphInput &input : inputs) inputs_.emplace(static_cast<int64_t>(inputs_.size()), std::move(input));
    for (SubgraphOutput &output : outputs) outputs_.emplace(static_cast<int64_t>(outputs_.size()), std::move(output));
  }

  Status AddInput(int64_t index, SubgraphInput input) {
    return inputs_.emplace(index, std::move(input)).second ? SUCCESS : FAILED;
  }
  Status AddOutput(int64_t index, SubgraphOutput output) {
    return outputs_.emplace(index, std::move(output)).second ? SUCCESS : FAILED;
  }
  Status GetInput(int64_t index, SubgraphInput &subgraph_input) const { return Get(inputs_, index, subgraph_input); }
  Status GetOutput(int64_t index, SubgraphOutput &subgraph_output) const {
    return Get(outputs_, index, subgraph_output);
  }
  /// Appends in the order of indexes.
  Status GetAllInputs(std::vector<SubgraphInput> &subgraph_inputs) const { return GetAll(inputs_, subgraph_inputs); }
  Status GetAllOutputs(std::vector<SubgraphOutput> &subgraph_outputs) const {
    return GetAll(outputs_, subgraph_outputs);
  }

 private:
  template <class T>
  static Status Get(const std::map<int64_t, T> &all, int64_t index, T &out) {
    auto found = all.find(index);
    if (found == all.end()) return FAILED;
    out = found->second;
    return SUCCESS;
  }
  template <class T>
  static Status GetAll(const std::map<int64_t, T> &all, std::vector<T> &out) {
    for (const auto &item : all) out.push_back(item.second);
    return SUCCESS;
  }
  friend class BoundaryAccess;
  std::map<int64_t, SubgraphInput> inputs_;
  std::map<int64_t, SubgraphOutput> outputs_;
};

/// Between boundaries of this class and those of the C interface.
class BoundaryAccess {
 public:
  struct Destroy {
    void operator()(GeBoundary *boundary) const { GeBoundaryDestroy(boundary); }
  };
  using Handle = std::unique_ptr<GeBoundary, Destroy>;

  /// Null, with the reason in the thread's last error, when a port is not what it has to be.
  static Handle ToC(const SubgraphBoundary &boundary) {
    GeBoundary *made = nullptr;
    if (GeBoundaryCreate(&made) != GE_SUCCESS) return nullptr;
    Handle handle(made);
    for (const auto &input : boundary.inputs_)
      for (const NodeIo &port : input.second.GetAllInputs())
        if (GeBoundaryAddInput(made, input.first, port.node.handle(), port.index) != GE_SUCCESS) return nullptr;
    for (const auto &output : boundary.outputs_) {
      NodeIo tensor{GNode(), -1};
      (void)output.second.GetOutput(tensor);
      if (GeBoundarySetOutput(made, output.first, tensor.node.handle(), tensor.index) != GE_SUCCESS) return nullptr;
    }
    return handle;
  }
  static Handle OfNode(const GNode &node) {
    GeBoundary *made = nullptr;
    (void)GeBoundaryCreateOfNode(node.handle(), &made);
    return Handle(made);
  }
  static std::unique_ptr<SubgraphBoundary> FromC(const GeBoundary *handle) {
    if (handle == nullptr) return nullptr;
    auto boundary = ge::detail::MakeUnique<SubgraphBoundary>();
    for (size_t i = 0; i < GeBoundaryInputCount(handle); ++i) {
      const int64_t index = static_cast<int64_t>(i);
      size_t count = 0;
      (void)GeBoundaryGetInput(handle, index, nullptr, &count);
      std::vector<GeNodeIo> ports(count);
      std::vector<NodeIo> list;
      if (count != 0) (void)GeBoundaryGetInput(handle, index, ports.data(), &count);
      for (const GeNodeIo &port : ports) list.push_back(detail::FromC(port));
      (void)boundary->AddInput(index, SubgraphInput(std::move(list)));
    }
    for (size_t i = 0; i < GeBoundaryOutputCount(handle); ++i) {
      GeNodeIo tensor{};
      if (GeBoundaryGetOutput(handle, static_cast<int64_t>(i), &tensor) != GE_SUCCESS) return nullptr;
      (void)boundary->AddOutput(static_cast<int64_t>(i), SubgraphOutput(detail::FromC(tensor)));
    }
    return boundary;
  }
};

}  // namespace fusion
}  // namespace ge

#endif
