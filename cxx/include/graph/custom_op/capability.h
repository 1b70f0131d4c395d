// Which capability interfaces a custom operator has, for objects that inherit more than they offer.
#ifndef INC_GRAPH_CUSTOM_OP_CAPABILITY_H_
#define INC_GRAPH_CUSTOM_OP_CAPABILITY_H_

#include <cstdint>

namespace ge {

enum class CustomOpCapability : uint32_t {
  kEagerExecute = 1U << 0,
  kCompilable = 1U << 1,
  kShapeInfer = 1U << 2,
  kPortable = 1U << 3,
  kArgsUpdater = 1U << 4,
  kAnnotatedArgs = 1U << 5
};

class CustomOpCapabilityProvider {
 public:
  virtual ~CustomOpCapabilityProvider() = default;
  virtual bool HasCapability(CustomOpCapability capability) const = 0;
};

}  // namespace ge

#endif
