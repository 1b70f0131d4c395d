// Pattern: a graph that is looked for in another one.
#ifndef INC_EXTERNAL_GE_FUSION_PATTERN_H_
#define INC_EXTERNAL_GE_FUSION_PATTERN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ge/pattern.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"

namespace ge {
namespace fusion {

/// A port of a node: of an input where a tensor is read, of an output where it is made.
struct NodeIo {
  GNode node;
  int64_t index;
};

namespace detail {
inline GeNodeIo ToC(const NodeIo &io) { return {io.node.handle(), io.index}; }
inline NodeIo FromC(const GeNodeIo &io) { return {GNode(io.node), io.index}; }
/// Calls that only report success.
inline Status Coarse(GeStatus status) { return status == GE_SUCCESS ? SUCCESS : FAILED; }
}  // namespace detail

/// Data nodes stand for any tensor, other nodes for nodes of their type, the graph's outputs for what is handed out.
class Pattern {
 public:
  explicit Pattern(Graph &&pattern_graph) : graph_(std::move(pattern_graph)) {
    (void)GePatternCreate(graph_.handle(), &handle_);
  }
  ~Pattern() { GePatternDestroy(handle_); }
  Pattern(const Pattern &) = delete;
  Pattern &operator=(const Pattern &) = delete;

  const Graph &GetGraph() const { return graph_; }
  /// Remembers a tensor of the pattern; matches know it by the number of the call, from 0.
  Pattern &CaptureTensor(const NodeIo &node_output) {
    (void)GePatternCapture(handle_, node_output.node.handle(), node_output.index);
    return *this;
  }
  Status GetCapturedTensors(std::vector<NodeIo> &node_outputs) const {
    for (size_t i = 0; i < GePatternCapturedCount(handle_); ++i) {
      GeNodeIo io{};
      if (GePatternGetCaptured(handle_, i, &io) != GE_SUCCESS) return FAILED;
      node_outputs.push_back(detail::FromC(io));
    }
    return SUCCESS;
  }
  GePattern *handle() const { return handle_; }

 private:
  Graph graph_;
  GePattern *handle_ = nullptr;
};

using GraphUniqPtr = std::unique_ptr<Graph>;
using PatternUniqPtr = std::unique_ptr<Pattern>;

}  // namespace fusion
}  // namespace ge

#endif
