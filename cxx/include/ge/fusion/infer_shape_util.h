// InferShapeUtil: types and shapes of a replacement before it is put in its place.
#ifndef INC_EXTERNAL_GE_FUSION_INFER_SHAPE_UTIL_H_
#define INC_EXTERNAL_GE_FUSION_INFER_SHAPE_UTIL_H_

#include "ge/fusion/match_result.h"
#include "ge/fusion/subgraph_boundary.h"
#include "ge/log.h"

namespace ge {
namespace fusion {

/// Describes Data with index i like the tensor that input i reads, constants with their values, and infers every node.
class InferShapeUtil {
 public:
  static Status InferShape(const Graph &replacement, const SubgraphBoundary &boundary) {
    return Infer(replacement, BoundaryAccess::ToC(boundary).get());
  }
  static Status InferShape(const Graph &replacement, const MatchResult &match_result) {
    return Infer(replacement, match_result.Boundary().get());
  }
  static Status InferShape(const Graph &replacement, const GNode &matched_node) {
    return Infer(replacement, BoundaryAccess::OfNode(matched_node).get());
  }

 private:
  static Status Infer(const Graph &replacement, const GeBoundary *boundary) {
    if (boundary != nullptr && GeBoundaryInfer(boundary, replacement.handle()) == GE_SUCCESS) return SUCCESS;
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    return FAILED;
  }
};

}  // namespace fusion
}  // namespace ge

#endif
