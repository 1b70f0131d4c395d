// FusionBasePass: a pass that may do anything with a graph.
#ifndef INC_EXTERNAL_GE_FUSION_PASS_FUSION_BASE_PASS_H_
#define INC_EXTERNAL_GE_FUSION_PASS_FUSION_BASE_PASS_H_

#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class FusionBasePass {
 public:
  virtual ~FusionBasePass() = default;
  /// SUCCESS: changed; NOT_CHANGED; anything else ends the compile.
  virtual Status Run(GraphPtr &graph, CustomPassContext &pass_context) = 0;
};

}  // namespace fusion
}  // namespace ge

#endif
