// SubgraphRewriter: puts a graph in the place of a part of another one.
#ifndef INC_EXTERNAL_GE_FUSION_GRAPH_REWRITER_H_
#define INC_EXTERNAL_GE_FUSION_GRAPH_REWRITER_H_

#include "ge/fusion/subgraph_boundary.h"
#include "ge/log.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class SubgraphRewriter {
 public:
  /// The replacement is copied. Data with index i reads what input i of the boundary read, output i takes the place of
  /// output i. Nothing is inferred. On failure the graph is as before.
  static Status Replace(const SubgraphBoundary &subgraph, const Graph &replacement) {
    return Replace(BoundaryAccess::ToC(subgraph).get(), replacement, nullptr);
  }
  static Status Replace(const SubgraphBoundary &subgraph, Graph &&replacement) {
    const Graph taken(std::move(replacement));
    return Replace(subgraph, taken);
  }
  /// Also checks that the nodes may become one, and counts the rewrite for the context's pass.
  static Status Replace(const SubgraphBoundary &subgraph, const Graph &replacement, CustomPassContext &pass_context) {
    if (pass_context.handle() == nullptr) return FAILED;  // a rewrite is counted for a pass by name
    return Replace(BoundaryAccess::ToC(subgraph).get(), replacement, pass_context.handle());
  }
  static Status Replace(const SubgraphBoundary &subgraph, Graph &&replacement, CustomPassContext &pass_context) {
    const Graph taken(std::move(replacement));
    return Replace(subgraph, taken, pass_context);
  }

 private:
  static Status Replace(const GeBoundary *boundary, const Graph &replacement, GePassContext *context) {
    if (boundary != nullptr && GeBoundaryReplace(boundary, replacement.handle(), context) == GE_SUCCESS) return SUCCESS;
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    return FAILED;
  }
};

}  // namespace fusion
}  // namespace ge

#endif
