// Pattern: a graph that is looked for in another one.
#ifndef INC_EXTERNAL_GE_FUSION_PATTERN_H_
#define INC_EXTERNAL_GE_FUSION_PATTERN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ge/log.h"
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
    // A tensor that is refused keeps its number, and is not found under it.
    if (GePatternCapture(handle_, node_output.node.handle(), node_output.index) != GE_SUCCESS)
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
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

  // Further demands on nodes of the pattern's graph; each is off until it is asked for. FAILED: no such node or
  // port; the thread's last error says which.

  /// Inputs 0 and 1 match in either order.
  Status SetCommutative(const GNode &node) { return Said(GePatternSetCommutative(handle_, node.handle())); }
  /// The node matches these types besides its own.
  Status AddTypes(const GNode &node, const std::vector<AscendString> &types) {
    std::vector<const char *> names;
    for (const AscendString &type : types) names.push_back(type.GetString());
    return Said(GePatternAddTypes(handle_, node.handle(), names.data(), names.size()));
  }
  /// The node may be missing: its readers then read what its input `input` reads.
  Status SetOptional(const GNode &node, int64_t input = 0) {
    return Said(GePatternSetOptional(handle_, node.handle(), input));
  }
  /// Allows a type with dynamic ports. `more`: inputs beyond those of the pattern may be connected.
  Status SetDynamic(const GNode &node, bool more = false) {
    return Said(GePatternSetDynamic(handle_, node.handle(), more ? 1 : 0));
  }
  /// An output of another node may stand wherever the pattern reads `node`.
  Status AddAlternative(const GNode &node, const NodeIo &other) {
    return Said(GePatternAddAlternative(handle_, node.handle(), other.node.handle(), other.index));
  }
  Status RequireDtypes(const NodeIo &output, const std::vector<DataType> &types) {
    const std::vector<int32_t> numbers(types.begin(), types.end());
    return Said(GePatternRequireDtypes(handle_, output.node.handle(), output.index, numbers.data(), numbers.size()));
  }
  /// -1 allows any extent.
  Status RequireShape(const NodeIo &output, const std::vector<int64_t> &dims) {
    return Said(GePatternRequireShape(handle_, output.node.handle(), output.index, dims.data(), dims.size()));
  }
  Status RequireAttr(const GNode &node, const char *name, int64_t value) {
    GeAttrData data{};
    data.name = name;
    data.type = C_VT_INT;
    data.i = value;
    return RequireAttr(node, data);
  }
  Status RequireAttr(const GNode &node, const char *name, const AscendString &value) {
    GeAttrData data{};
    data.name = name;
    data.type = C_VT_STRING;
    data.s = value.GetString();
    data.count = value.GetLength();
    return RequireAttr(node, data);
  }
  Status RequireAttr(const GNode &node, const GeAttrData &value) {
    return Said(GePatternRequireAttr(handle_, node.handle(), &value));
  }
  /// A constant, all of whose elements are near `value`.
  Status RequireConstant(const GNode &node, double value, double tolerance = 1e-5) {
    return Said(GePatternRequireConstant(handle_, node.handle(), value, tolerance));
  }
  GePattern *handle() const { return handle_; }

 private:
  static Status Said(GeStatus status) { return detail::Coarse(status); }
  Graph graph_;
  GePattern *handle_ = nullptr;
};

using GraphUniqPtr = std::unique_ptr<Graph>;
using PatternUniqPtr = std::unique_ptr<Pattern>;

}  // namespace fusion
}  // namespace ge

#endif
