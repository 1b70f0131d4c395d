// PatternMatcherConfig: what besides types and edges has to agree.
#ifndef INC_EXTERNAL_GE_FUSION_PATTERN_MATCHER_CONFIG_H_
#define INC_EXTERNAL_GE_FUSION_PATTERN_MATCHER_CONFIG_H_

#include <cstdint>
#include <memory>

#include "ge/pattern.h"
#include "graph/detail/language.h"

namespace ge {
namespace fusion {

class PatternMatcherConfig {
 public:
  PatternMatcherConfig() = default;
  bool IsEnableConstValueMatch() const { return (flags_ & GE_MATCH_CONST_VALUES) != 0; }
  bool IsEnableIrAttrMatch() const { return (flags_ & GE_MATCH_IR_ATTRS) != 0; }
  uint32_t flags() const { return flags_; }

 private:
  friend class PatternMatcherConfigBuilder;
  uint32_t flags_ = 0;
};

class PatternMatcherConfigBuilder {
 public:
  /// Constants of the pattern that have a value match constants with that value only.
  PatternMatcherConfigBuilder &EnableConstValueMatch() {
    config_.flags_ |= GE_MATCH_CONST_VALUES;
    return *this;
  }
  /// Prototype attributes must be equal; then the types of inner nodes are not compared.
  PatternMatcherConfigBuilder &EnableIrAttrMatch() {
    config_.flags_ |= GE_MATCH_IR_ATTRS;
    return *this;
  }
  std::unique_ptr<PatternMatcherConfig> Build() const { return ge::detail::MakeUnique<PatternMatcherConfig>(config_); }

 private:
  PatternMatcherConfig config_;
};

}  // namespace fusion
}  // namespace ge

#endif
