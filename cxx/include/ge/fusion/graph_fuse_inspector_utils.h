// GraphFuseInspectorUtils: for passes that rewrite by hand.
#ifndef INC_EXTERNAL_GE_FUSION_GRAPH_FUSE_INSPECTOR_UTILS_H_
#define INC_EXTERNAL_GE_FUSION_GRAPH_FUSE_INSPECTOR_UTILS_H_

#include <vector>

#include "ge/pattern.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class GraphFuseInspectorUtils {
 public:
  /// True when these nodes may become one; else logs why not.
  static bool CanFuse(const std::vector<GNode> &nodes_before, AscendString &reason) {
    const std::vector<GeNode *> nodes = Handles(nodes_before);
    const bool can = GeNodesCanFuse(nodes.data(), nodes.size()) == GE_SUCCESS;
    reason = AscendString(can ? "" : GeLastErrorMessage());
    return can;
  }
  /// To be called while the old nodes are there. The new ones carry their names; none means that nodes were deleted.
  static Status ReportFuse(const std::vector<GNode> &nodes_before, const std::vector<GNode> &nodes_after,
                           CustomPassContext &pass_context) {
    const std::vector<GeNode *> before = Handles(nodes_before), after = Handles(nodes_after);
    GePassContext *context = pass_context.handle();
    if (context == nullptr) return FAILED;
    return GeNodesReportFuse(before.data(), before.size(), after.data(), after.size(), context) == GE_SUCCESS ? SUCCESS
                                                                                                              : FAILED;
  }

 private:
  static std::vector<GeNode *> Handles(const std::vector<GNode> &nodes) {
    std::vector<GeNode *> handles;
    for (const GNode &node : nodes) handles.push_back(node.handle());
    return handles;
  }
};

}  // namespace fusion
}  // namespace ge

#endif
