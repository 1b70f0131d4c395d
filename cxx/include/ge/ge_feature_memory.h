// FeatureMemory: how much memory of one kind a compiled graph works in.
#ifndef INC_EXTERNAL_GE_GE_FEATURE_MEMORY_H_
#define INC_EXTERNAL_GE_GE_FEATURE_MEMORY_H_

#include <cstddef>
#include <memory>

#include "ge_common/ge_common_api_types.h"

namespace ge {

class FeatureMemory {
 public:
  FeatureMemory(MemoryType type, size_t size, bool is_fixed) : type_(type), size_(size), is_fixed_(is_fixed) {}
  FeatureMemory(const FeatureMemory &) = delete;
  FeatureMemory &operator=(const FeatureMemory &) = delete;
  MemoryType GetType() const { return type_; }
  size_t GetSize() const { return size_; }
  bool IsFixed() const { return is_fixed_; }

 private:
  MemoryType type_;
  size_t size_;
  bool is_fixed_;
};
using FeatureMemoryPtr = std::shared_ptr<FeatureMemory>;

}  // namespace ge

#endif
